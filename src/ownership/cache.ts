import type { FieldSet } from '../fields/index.js';
import type { JsonObject } from '../util/json.js';

/**
 * What a caller that handles many requests keeps between them: decoded and encoded FieldsV1 by object. Entries live as long as
 * the objects they belong to. The objects must not be changed after they have been handed in.
 */
export interface OwnershipCache {
  readonly decoded: WeakMap<JsonObject, FieldSet>;
  readonly encoded: WeakMap<FieldSet, JsonObject>;
  /** Live objects known to fit their schema. */
  readonly valid: WeakSet<JsonObject>;
}

export function createCache(): OwnershipCache {
  return { decoded: new WeakMap(), encoded: new WeakMap(), valid: new WeakSet() };
}
