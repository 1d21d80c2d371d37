import type { FieldSet } from '../../fields/index.js';
import type { ValidatedValues, VersionedSet } from '../../merge/index.js';
import type { JsonObject } from '../../util/json.js';
import type { Owner } from '../managed-fields/identity.js';

/**
 * Data that a caller keeps between many requests: entries of managedFields, read and written, and validated values. Its lifetime is that of
 * the objects it belongs to. The objects must not be changed after they were passed in.
 */
export interface OwnershipCache {
  /** Keyed by the entry of managedFields. */
  readonly read: WeakMap<JsonObject, OwnedEntry>;
  /**
   * The last written entry, keyed by the owner's set. Entries of other writers are not cached here: their members may be in another order.
   */
  readonly written: WeakMap<VersionedSet, WrittenEntry>;
  readonly encoded: WeakMap<FieldSet, JsonObject>;
  readonly valid: ValidatedValues;
}

/** An entry of managedFields in the form of the merge engine. */
export interface OwnedEntry {
  readonly identity: string;
  readonly versionedSet: VersionedSet;
  readonly time: string | undefined;
}

/** An entry of managedFields as it was written, with its owner. */
export interface WrittenEntry extends OwnedEntry {
  readonly owner: Owner;
  readonly entry: JsonObject;
}

/** Returns an empty cache. Keep one for as long as the objects of the requests. */
export function createCache(): OwnershipCache {
  return { read: new WeakMap(), written: new WeakMap(), encoded: new WeakMap(), valid: new WeakMap() };
}
