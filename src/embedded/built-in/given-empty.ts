import { isJsonObject, type JsonObject } from '../../util/json.js';

// A symbol: the member goes along where the object is copied, and is no part of it as JSON.
const givenEmpty = Symbol('givenEmpty');

type Marked = JsonObject & { readonly [givenEmpty]?: readonly string[] };

const members: Readonly<Record<string, readonly string[]>> = { ConfigMap: ['binaryData'], Secret: ['data'] };

/** An object that remembers which members its author gave as empty maps: a struct leaves them out, and still they are not absent. */
export function withGivenEmpty(given: JsonObject, made: JsonObject): JsonObject {
  if (given.apiVersion !== 'v1') return made;
  const empty = (members[String(given.kind)] ?? []).filter((name) => {
    const value = given[name];
    return isJsonObject(value) && Object.keys(value).length === 0 && made[name] === undefined;
  });
  return empty.length === 0 ? made : ({ ...made, [givenEmpty]: empty } as Marked);
}

export function isGivenEmpty(object: JsonObject, name: string): boolean {
  return (object as Marked)[givenEmpty]?.includes(name) === true;
}

/** The object without that memory, which ends when it is stored. */
export function withoutGivenEmpty(object: JsonObject): JsonObject {
  const { [givenEmpty]: empty, ...others } = object as Marked;
  return empty === undefined ? object : others;
}
