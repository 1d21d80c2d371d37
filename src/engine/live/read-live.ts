import type { ObjectIdentity } from '../../assembly/identity.js';
import type { ClusterClient, ObjectAddress } from '../../kubernetes/index.js';
import { parseExactJson } from '../../util/exact-json.js';
import type { JsonObject } from '../../util/json.js';
import { addressIfServed } from '../addresses/address.js';
import { isOfOneObject } from '../report/error-scope.js';
import { forEachConcurrent } from '../run/for-each-concurrent.js';
import { LiveObjects } from './live-objects.js';

/**
 * Objects as they were before the first question of the run. A snapshot, never a lock: every decision made from it is pinned by uid and
 * resourceVersion, or checked again, where a field of somebody else could be lost.
 */
export interface Live<Key> {
  /** Returns true if the object was looked for; false where it was not wanted, or reading it was refused. */
  has(key: Key): boolean;
  /** Returns the object; undefined where it did not exist, or was not looked for. */
  get(key: Key): JsonObject | undefined;
}

/** Options of `readLive`. */
export interface ReadLiveOptions<Key> {
  /**
   * Returns the address of an object; undefined where the server does not serve its kind.
   *
   * @default addressIfServed
   */
  readonly locate?: typeof addressIfServed;
  /**
   * Returns true for an object that is known to exist: if the server does not serve it in this version, because the run adds the version to
   * its CustomResourceDefinition, it was not looked for.
   *
   * @default no object
   */
  readonly isKnown?: (key: Key) => boolean;
}

/**
 * Reads objects: with one LIST per kind and namespace where several are wanted, else a GET; see `LiveObjects`.
 *
 * @throws FieldwiseError where every further request would fail as well: no connection, no authentication.
 */
export async function readLive<Key>(
  cluster: ClusterClient,
  wanted: readonly (readonly [key: Key, object: ObjectIdentity])[],
  concurrency: number,
  { locate = addressIfServed, isKnown = () => false }: ReadLiveOptions<Key> = {},
): Promise<Live<Key>> {
  const texts = new Map<Key, string | undefined>(); // as text, ten thousand of them are small
  if (wanted.length > 0) {
    const addresses = new Map<Key, ObjectAddress>();
    await forEachConcurrent(wanted, concurrency, async ([key, object]) => {
      const found = await undefinedIfRefused(async () => ({ address: await locate(cluster, object) }));
      if (found?.address) addresses.set(key, found.address);
      else if (found && !isKnown(key)) texts.set(key, undefined); // a kind that is not served has no objects; this very run may define it
    });
    const live = new LiveObjects(cluster, [...addresses.values()]);
    await forEachConcurrent([...addresses], concurrency, async ([key, address]) => {
      const found = await undefinedIfRefused(async () => ({ text: await live.findText(address) }));
      if (found) texts.set(key, found.text);
    });
  }
  return {
    has: (key) => texts.has(key),
    get: (key) => {
      const text = texts.get(key);
      return text === undefined ? undefined : (parseExactJson(text) as JsonObject);
    },
  };
}

/**
 * Returns undefined where the server refuses a request for one object: its apply or removal reports that, and other objects are not
 * affected.
 */
async function undefinedIfRefused<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (isOfOneObject(error)) return undefined;
    throw error;
  }
}

/** Returns a result for which no object was looked for. */
export function emptyLive<Key>(): Live<Key> {
  return { has: () => false, get: () => undefined };
}
