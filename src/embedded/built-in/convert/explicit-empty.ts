import type { JsonObject } from '../../../util/json.js';

// A symbol: the member goes along where the object is copied, and is no part of it as JSON.
const explicitEmpty = Symbol('givenEmpty');

type Marked = JsonObject & { readonly [explicitEmpty]?: readonly string[] };

/** Members by apiVersion and kind whose empty maps and lists, at any depth, the server tells from absent ones. Source: observed. */
const explicitEmptyMembers: Readonly<Record<string, readonly string[]>> = {
  'networking.k8s.io/v1 NetworkPolicy': ['spec'],
  'v1 ConfigMap': ['binaryData'],
  'v1 Secret': ['data'],
};

/**
 * An object that remembers in which members its author gave empty maps or lists: a struct leaves them out, and still they are not absent.
 *
 * @param omittedEmpty paths of what was left out
 */
export function withExplicitEmpty(object: JsonObject, omittedEmpty: readonly string[]): JsonObject {
  if (omittedEmpty.length === 0) return object;
  const watched = explicitEmptyMembers[`${String(object.apiVersion)} ${String(object.kind)}`] ?? [];
  const empty = watched.filter((name) => omittedEmpty.some((path) => path === name || path.startsWith(`${name}.`)));
  return empty.length === 0 ? object : ({ ...object, [explicitEmpty]: empty } as Marked);
}

export function isExplicitEmpty(object: JsonObject, name: string): boolean {
  return (object as Marked)[explicitEmpty]?.includes(name) === true;
}

/** The object without that memory, which ends when it is stored. */
export function withoutExplicitEmpty(object: JsonObject): JsonObject {
  const { [explicitEmpty]: empty, ...others } = object as Marked;
  return empty === undefined ? object : others;
}
