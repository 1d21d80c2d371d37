import type { FieldSet } from '../fields/index.js';
import type { ValidatedValues, VersionedSet } from '../merge/index.js';
import type { JsonObject } from '../util/json.js';
import type { Owner } from './identity.js';

/**
 * What a caller that handles many requests keeps between them: entries of managedFields, read and written, and values that were found
 * to fit their type. It lives as long as the objects it belongs to. The objects must not be changed after they have been handed in.
 */
export interface OwnershipCache {
  /** By the entry of managedFields. */
  readonly read: WeakMap<JsonObject, OwnedEntry>;
  /** By what the owner holds: the entry that was written of it last. What others wrote is not here: its members may be in another order. */
  readonly written: WeakMap<VersionedSet, WrittenEntry>;
  readonly encoded: WeakMap<FieldSet, JsonObject>;
  readonly valid: ValidatedValues;
}

/** An entry of managedFields as the merge engine wants it. */
export interface OwnedEntry {
  readonly identity: string;
  readonly versionedSet: VersionedSet;
  readonly time: string | undefined;
}

export interface WrittenEntry extends OwnedEntry {
  readonly owner: Owner;
  readonly entry: JsonObject;
}

/** Returns an empty cache. Keep one for as long as the objects of the requests. */
export function createCache(): OwnershipCache {
  return { read: new WeakMap(), written: new WeakMap(), encoded: new WeakMap(), valid: new WeakMap() };
}
