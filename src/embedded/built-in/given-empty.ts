import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';

// A symbol: the member goes along where the object is copied, and is no part of it as JSON.
const givenEmpty = Symbol('givenEmpty');

type Marked = JsonObject & { readonly [givenEmpty]?: readonly string[] };

/** Members by apiVersion and kind whose empty maps and lists, at any depth, the server tells from absent ones. Source: observed. */
const members: Readonly<Record<string, readonly string[]>> = {
  'networking.k8s.io/v1 NetworkPolicy': ['spec'],
  'v1 ConfigMap': ['binaryData'],
  'v1 Secret': ['data'],
};

/** An object that remembers in which members its author gave empty maps or lists: a struct leaves them out, and still they are not absent. */
export function withGivenEmpty(given: JsonObject, made: JsonObject): JsonObject {
  const watched = members[`${String(made.apiVersion)} ${String(made.kind)}`] ?? [];
  const empty = watched.filter((name) => losesEmpty(given[name], made[name]));
  return empty.length === 0 ? made : ({ ...made, [givenEmpty]: empty } as Marked);
}

function losesEmpty(given: Json | undefined, made: Json | undefined): boolean {
  if (typeof given !== 'object' || given === null) return false;
  const inner = Object.entries(given) as [string, Json][];
  if (inner.length === 0) return made === undefined;
  // What is gone whole was not known.
  if (made === undefined) return false;
  const kept = isJsonObject(made) || Array.isArray(made) ? (made as Readonly<Record<string, Json>>) : {};
  return inner.some(([name, value]) => losesEmpty(value, kept[name]));
}

export function isGivenEmpty(object: JsonObject, name: string): boolean {
  return (object as Marked)[givenEmpty]?.includes(name) === true;
}

/** The object without that memory, which ends when it is stored. */
export function withoutGivenEmpty(object: JsonObject): JsonObject {
  const { [givenEmpty]: empty, ...others } = object as Marked;
  return empty === undefined ? object : others;
}
