import { metaVersions } from '../negotiate.js';
import { messages, packages } from './message-table.js';
import { type SpecialMessage, specialMessages } from './special-messages.js';
import { wireType } from './wire.js';

/** The type of a field, list item or map value: a scalar, or a message. */
export type ValueType = ScalarType | Message;

export type ScalarType = 'string' | 'bool' | 'int32' | 'int64' | 'uint32' | 'double' | 'bytes';

/** A field of a message. */
export interface MessageField {
  readonly number: number;
  /** The number and the wire type of a value, as they are written. */
  readonly tag: number;
  /** Member in JSON; empty if the members of the value are members of the parent, `*` if the list is the message itself. */
  readonly name: string;
  readonly label: 'value' | 'pointer' | 'list' | 'map';
  /** True if JSON has the member even if it is empty. */
  readonly shown: boolean;
  readonly type: ValueType;
}

/** A protobuf message of the API. */
export interface Message {
  /** Directory of the Go package and name, such as `core/v1.Pod`. */
  readonly name: string;
  /** In the order of numbers, which is the order on the wire. */
  readonly fields: readonly MessageField[];
  readonly byNumber: readonly (MessageField | undefined)[];
  /** The fields that JSON has although they are not on the wire: shown members and inlined structs. */
  readonly absent: readonly MessageField[];
  /** Undefined if JSON is an object of the fields. */
  readonly special: SpecialMessage | undefined;
}

const known = new Map<string, Message>();

/** Returns the message of a kind; undefined for a kind without one, such as a custom resource. */
export function messageOfKind(apiVersion: string, kind: string): Message | undefined {
  const path = packages[apiVersion];
  if (path !== undefined && Object.hasOwn(messages, `${path}.${kind}`)) return messageNamed(`${path}.${kind}`);
  const isMeta = path !== undefined || metaVersions.includes(apiVersion) || apiVersion === '';
  return isMeta && Object.hasOwn(messages, `meta/v1.${kind}`) ? messageNamed(`meta/v1.${kind}`) : undefined;
}

/** Returns a message by its name. @throws Error if there is none */
export function messageNamed(name: string): Message {
  const found = known.get(name);
  if (found !== undefined) return found;
  const text = messages[name];
  if (text === undefined) throw new Error(`there is no message ${name}`);
  const fields: MessageField[] = [];
  const byNumber: MessageField[] = [];
  const absent: MessageField[] = [];
  const message = { name, fields, byNumber, absent, special: specialMessages[name] };
  // Before its fields: messages contain each other.
  known.set(name, message);
  for (const each of text === '' ? [] : text.split(' ')) {
    const field = parseField(each, name);
    fields.push(field);
    byNumber[field.number] = field;
    if (field.name === '' || (field.shown && field.name !== '*')) absent.push(field);
  }
  fields.sort((left, right) => left.number - right.number);
  return message;
}

const fieldPattern = /^([^=]*)=(\d+):(\?|\[\]|\{\})?([^!]+)(!?)$/;
const labels: Readonly<Record<string, MessageField['label']>> = { '?': 'pointer', '[]': 'list', '{}': 'map' };

function parseField(text: string, owner: string): MessageField {
  const [, name = '', number, label = '', typeName = '', shown] = fieldPattern.exec(text) ?? [];
  const path = owner.slice(0, owner.lastIndexOf('.'));
  const isScalar = /^[a-z]\w*$/.test(typeName);
  const type = isScalar ? (typeName as ScalarType) : messageNamed(typeName.includes('.') ? typeName : `${path}.${typeName}`);
  return {
    number: Number(number),
    tag: (Number(number) << 3) | wireTypeOf(type),
    name,
    label: labels[label] ?? 'value',
    shown: shown === '!',
    type,
  };
}

/** Returns the wire type of a value. */
export function wireTypeOf(type: ValueType): number {
  if (type === 'double') return wireType.fixed64;
  return type === 'bool' || type === 'int32' || type === 'int64' || type === 'uint32' ? wireType.varint : wireType.bytes;
}
