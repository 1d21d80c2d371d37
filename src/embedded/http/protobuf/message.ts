import { messages, packages } from './message-table.js';

/** The type of a field, list item or map value: a scalar, or a message. */
export type ValueType = ScalarType | Message;

export type ScalarType = 'string' | 'bool' | 'int32' | 'int64' | 'uint32' | 'double' | 'bytes';

/** A field of a message. */
export interface MessageField {
  readonly number: number;
  /** Member in JSON; empty if the members of the value are members of the parent, `*` if the list is the message itself. */
  readonly name: string;
  readonly label: 'value' | 'pointer' | 'list' | 'map';
  /** True if JSON has the member even if it is empty. */
  readonly shown: boolean;
  /** Resolved at the first use: messages contain each other. */
  readonly type: ValueType;
}

/** A protobuf message of the API. */
export interface Message {
  /** Directory of the Go package and name, such as `core/v1.Pod`. */
  readonly name: string;
  /** In the order of numbers, which is the order on the wire. */
  readonly fields: readonly MessageField[];
  readonly byNumber: readonly (MessageField | undefined)[];
}

const known = new Map<string, Message>();

/** Returns the message of a kind; undefined for a kind without one, such as a custom resource. */
export function messageOfKind(apiVersion: string, kind: string): Message | undefined {
  const path = packages[apiVersion];
  if (path !== undefined && Object.hasOwn(messages, `${path}.${kind}`)) return messageNamed(`${path}.${kind}`);
  const isMeta = path !== undefined || apiVersion === 'meta.k8s.io/v1' || apiVersion === '';
  return isMeta && Object.hasOwn(messages, `meta/v1.${kind}`) ? messageNamed(`meta/v1.${kind}`) : undefined;
}

/** Returns a message by its name. @throws Error if there is none */
export function messageNamed(name: string): Message {
  const found = known.get(name);
  if (found !== undefined) return found;
  const text = messages[name];
  if (text === undefined) throw new Error(`there is no message ${name}`);
  const fields = text === '' ? [] : text.split(' ').map((field) => parseField(field, name));
  const byNumber: MessageField[] = [];
  for (const field of fields) byNumber[field.number] = field;
  const message = { name, fields, byNumber };
  known.set(name, message);
  return message;
}

const fieldPattern = /^([^=]*)=(\d+):(\?|\[\]|\{\})?([^!]+)(!?)$/;
const labels: Readonly<Record<string, MessageField['label']>> = { '?': 'pointer', '[]': 'list', '{}': 'map' };

function parseField(text: string, owner: string): MessageField {
  const [, name = '', number, label = '', typeName = '', shown] = fieldPattern.exec(text) ?? [];
  const path = owner.slice(0, owner.lastIndexOf('.'));
  const isScalar = /^[a-z]\w*$/.test(typeName);
  let type: ValueType | undefined = isScalar ? (typeName as ScalarType) : undefined;
  return {
    number: Number(number),
    name,
    label: labels[label] ?? 'value',
    shown: shown === '!',
    get type() {
      type ??= messageNamed(typeName.includes('.') ? typeName : `${path}.${typeName}`);
      return type;
    },
  };
}
