/**
 * Properties of built-in Go types that a schema does not express: members that JSON always contains, and scalars that are omitted at zero.
 * Source: the Go types, by the table of their protobuf messages.
 */

import { remembered } from '../../../util/remembered.js';
import { messages } from '../../http/protobuf/message-table.js';

type Shown = 'struct' | 'zero' | 'null';

interface GoMember {
  /** The value that JSON shows if the member is not set: a struct or scalar at its zero, or null; undefined if JSON omits it. */
  readonly shownAs: Shown | 'by the schema' | undefined;
  readonly label: 'pointer' | 'list' | 'map' | 'value';
  /** A scalar, or the name of a struct: of the member, its items or values. */
  readonly type: string;
}

type GoMembers = ReadonlyMap<string, GoMember>;

const labels: Readonly<Record<string, GoMember['label']>> = { '?': 'pointer', '[]': 'list', '{}': 'map' };
/** Structs with a JSON form of their own: their zero is one that a default replaces, or that only the schema knows. */
const special = ['intstr.IntOrString', 'meta/v1.ObjectMeta', 'resource.Quantity', 'runtime.RawExtension'];
const times = ['meta/v1.MicroTime', 'meta/v1.Time'];

/** Returns the members of a Go struct; undefined if the type has no protobuf message. */
function goMembers(type: string): GoMembers | undefined {
  return Object.hasOwn(messages, type) ? membersOfMessage(type) : undefined;
}

const membersOfMessage: (type: string) => GoMembers = remembered(
  (type) =>
    new Map(
      messages[type]
        ?.split(' ')
        .filter(Boolean)
        .flatMap((field) => membersOf(type, field)),
    ),
  10_000,
  Number.POSITIVE_INFINITY,
);

/** Returns the member of a field, or those of a struct whose members JSON has in its parent. */
function membersOf(owner: string, field: string): readonly (readonly [string, GoMember])[] {
  const [, name = '', label = '', short = '', shown] = /^([^=]*)=\d+:(\?|\[\]|\{\})?([^!]+)(!?)$/.exec(field) ?? [];
  const isScalar = /^[a-z]\w*$/.test(short);
  const type = isScalar || short.includes('.') ? short : `${owner.slice(0, owner.lastIndexOf('.'))}.${short}`;
  if (name === '') return [...(goMembers(type) ?? [])];
  const shownAs = label !== '' || times.includes(type) ? 'null' : isScalar ? 'zero' : special.includes(type) ? 'by the schema' : 'struct';
  return [[name, { shownAs: shown === '!' ? shownAs : undefined, label: labels[label] ?? 'value', type }]];
}

/** Returns the value that JSON shows of a member that is not set. The schema decides for a type without a Go struct. */
export function shownAs(type: string, name: string, isRequired: boolean): Shown | undefined {
  const members = goMembers(type);
  const shown = members === undefined ? 'by the schema' : members.get(name)?.shownAs;
  return shown !== 'by the schema' ? shown : isRequired ? 'zero' : undefined;
}

/** Returns the Go type of a member of a struct, such as `resource.Quantity`; that of its items or values for a list or map. */
export function goTypeAt(type: string, name: string): string | undefined {
  return goMembers(type)?.get(name)?.type;
}

/** Returns true for a number or boolean that is a plain Go value, so zero and false are omitted. Others are pointers and keep them. */
export function isOmittedAtZero(name: string, type: string): boolean {
  const member = goMembers(type)?.get(name);
  return member?.label === 'value' && member.shownAs === undefined;
}

/** Returns true for a scalar that is a pointer in Go: its zero, such as an empty string, is kept. */
export function isPointer(name: string, type: string): boolean {
  return goMembers(type)?.get(name)?.label === 'pointer';
}
