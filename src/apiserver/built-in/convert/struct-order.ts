import { compareUtf8 } from '../../../fields/index.js';
import { isJsonObject, type Json, type JsonObject } from '../../../util/json.js';
import { remembered } from '../../../util/remembered.js';
import { messages } from '../../http/protobuf/message-table.js';

/** Returns the position of each member in the JSON of a Go struct; empty if the type has no message. */
const positionsOf = remembered(
  (type): ReadonlyMap<string, number> => new Map(Object.hasOwn(messages, type) ? membersOf(type).map((name, index) => [name, index]) : []),
  10_000,
  Number.POSITIVE_INFINITY,
);

/** The members of a struct that has no name are members of the one around it, in its place. */
function membersOf(type: string): readonly string[] {
  const path = type.slice(0, type.lastIndexOf('.'));
  const fields = (messages[type] ?? '').split(' ');
  return fields.flatMap((field) => {
    const [name = '', of = ''] = field.split('=');
    if (name !== '') return [name];
    const inner = of.replace(/^\d+:\??|!$/g, '');
    return membersOf(inner.includes('.') ? inner : `${path}.${inner}`);
  });
}

/** The members of an object that say what it is come first, and are members of no message. */
const first: Readonly<Record<string, number>> = { kind: -2, apiVersion: -1 };

/** Returns a struct with its members in the order in which a server writes them; the same struct if they are. */
export function inStructOrder(type: string, struct: JsonObject): JsonObject {
  const order = positionsOf(type);
  if (order.size === 0) return struct;
  const position = (name: string) => order.get(name) ?? first[name] ?? order.size;
  let last = Number.NEGATIVE_INFINITY;
  for (const name in struct) {
    const next = position(name);
    if (next < last)
      return withNames(
        struct,
        Object.keys(struct).toSorted((left, right) => position(left) - position(right)),
      );
    last = next;
  }
  return struct;
}

/** Returns a map with its keys in the order in which a server writes them; the same map if they are. */
export function inKeyOrder(map: JsonObject): JsonObject {
  let last: string | undefined;
  for (const key in map) {
    if (last !== undefined && compareUtf8(last, key) > 0) return withNames(map, Object.keys(map).toSorted(compareUtf8));
    last = key;
  }
  return map;
}

function withNames(object: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, object[name] as Json])) as JsonObject;
}

/** Returns an object whose own members and those of its metadata, spec and status are in order: the server itself adds some of them. */
export function rootInStructOrder(type: string, object: JsonObject): JsonObject {
  let changed = object;
  const replace = (name: string, memberType = '') => {
    const member = object[name];
    if (!isJsonObject(member)) return;
    const ordered = name === 'metadata' ? metadataInOrder(member) : inStructOrder(memberType, member);
    if (ordered !== member) changed = { ...changed, [name]: ordered };
  };
  replace('metadata');
  replace('spec', `${type}Spec`);
  replace('status', `${type}Status`);
  return inStructOrder(type, changed);
}

/** Returns metadata with its members, labels and annotations in order. */
export function metadataInOrder(metadata: JsonObject): JsonObject {
  let changed = metadata;
  for (const name of ['labels', 'annotations']) {
    const map = metadata[name];
    const ordered = isJsonObject(map) ? inKeyOrder(map) : map;
    if (ordered !== map) changed = { ...changed, [name]: ordered };
  }
  return inStructOrder('meta/v1.ObjectMeta', changed);
}
