import { isJsonObject, type Json, type JsonObject } from '../util/json.js';
import type { FieldPath, PathElement } from './path.js';

/**
 * A set of field paths as a trie: `members` are the elements that belong to the set at this node, `children` the sets below.
 * Keys are elements as FieldsV1 serialises them (`f:spec`, `k:{"port":80}`, `v:"a"`, `i:0`). Immutable.
 */
export interface FieldSet {
  readonly members: ReadonlySet<string>;
  readonly children: ReadonlyMap<string, FieldSet>;
}

/** The set without members. */
export const emptyFieldSet: FieldSet = Object.freeze({ members: new Set<string>(), children: new Map<string, FieldSet>() });

/**
 * Reads FieldsV1 JSON. Unknown prefixes are skipped and the content of `.` is ignored, as the server does.
 * Source: Kubernetes API reference, FieldsV1.
 */
export function readFieldsV1(fields: Json | undefined): FieldSet {
  if (!isJsonObject(fields)) return emptyFieldSet;
  const members = new Set<string>();
  const children = new Map<string, FieldSet>();
  for (const [name, below] of Object.entries(fields)) {
    if (!/^[fkvi]:/.test(name)) continue;
    const names = isJsonObject(below) ? Object.keys(below) : [];
    if (names.length === 0 || names.includes('.')) members.add(name);
    const child = readFieldsV1(below);
    if (!isEmpty(child)) children.set(name, child);
  }
  return { members, children };
}

export function isEmpty(set: FieldSet): boolean {
  return set.members.size === 0 && set.children.size === 0;
}

/** A member of a set; `leaf` where the set holds nothing below it. */
export interface Member {
  readonly path: FieldPath;
  readonly leaf: boolean;
}

/** All members: those of a node first, then those below its children (the order in which the server lists conflicts). */
export function* membersOf(set: FieldSet, prefix: FieldPath = []): Generator<Member> {
  for (const name of set.members) yield { path: [...prefix, parseElement(name)], leaf: !set.children.has(name) };
  for (const [name, child] of set.children) yield* membersOf(child, [...prefix, parseElement(name)]);
}

/** Reads one serialised element. */
export function parseElement(text: string): PathElement {
  const content = text.slice(2);
  switch (text.charAt(0)) {
    case 'f':
      return { kind: 'field', name: content };
    case 'k':
      return { kind: 'key', keys: Object.entries(JSON.parse(content) as JsonObject) as [string, Json][] };
    case 'v':
      return { kind: 'value', value: JSON.parse(content) as Json };
    default:
      return { kind: 'index', index: Number(content) };
  }
}
