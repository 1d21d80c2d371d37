import { isJsonObject, type Json, jsonEqual } from '../../src/util/json.js';

/** Where two values differ, one line each: `path: expected … got …`. */
export function* differences(expected: Json | undefined, actual: Json | undefined, path = ''): Generator<string> {
  if (jsonEqual(expected, actual)) return;
  if (isJsonObject(expected) && isJsonObject(actual)) {
    for (const name of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
      yield* differences(expected[name], actual[name], `${path}/${name}`);
    }
  } else if (Array.isArray(expected) && Array.isArray(actual)) {
    for (let index = 0; index < Math.max(expected.length, actual.length); index++) {
      yield* differences(expected[index], actual[index], `${path}/${index}`);
    }
  } else {
    yield `${path || '/'}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`;
  }
}
