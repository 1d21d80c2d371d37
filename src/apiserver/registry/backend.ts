import type { PrunedContainers } from '../../merge/index.js';
import type { OwnershipCache } from '../../ownership/index.js';
import type { JsonObject } from '../../util/json.js';
import type { Machine } from '../../util/machine.js';
import type { Clock } from '../storage/clock.js';
import type { Store, StoreKey } from '../storage/store.js';
import type { Catalog, ServedResource } from './catalog.js';
import { storeName } from './resource.js';
import type { SigningKey } from './signing-key.js';

/** The state and services that all verbs share. */
export interface Backend {
  readonly store: Store;
  readonly catalog: Catalog;
  readonly clock: Clock;
  /** The machine whose timer and random numbers the server uses. */
  readonly machine: Machine;
  readonly cache: OwnershipCache;
  readonly newUid: () => string;
  readonly prunedContainers: PrunedContainers;
  /** True if admission calls webhooks. */
  readonly webhooks: boolean;
  /** True if simulated controllers run. @default false */
  readonly simulated?: boolean;
  /** Created at the first call. */
  readonly signingKey: () => SigningKey;
  /** True for a large request on another thread: the effects of its writes happen where the objects are. */
  readonly effectsElsewhere?: boolean;
}

/** The target of a request whose resource is known. */
export interface RequestTarget extends ServedResource {
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
  /** Warnings of the request so far. They are also sent with an error. */
  readonly warnings: string[];
}

export interface ObjectTarget extends RequestTarget {
  readonly name: string;
  /** True for an apply: an object that is too large with its ownership is not stored without it. */
  readonly needsManagedFields?: boolean;
}

/** Returns the target of a request of the server's own, in any version of the resource; undefined if it is not served. */
export function targetOf(
  { catalog }: Backend,
  { resource: stored, namespace, name }: StoreKey,
  subresource?: string,
): ObjectTarget | undefined {
  const resource = catalog.byName(stored);
  const version = resource && [...resource.versions.values()][0];
  if (resource === undefined || version === undefined) return undefined;
  return { resource, version, namespace: resource.namespaced ? namespace : undefined, name, subresource, warnings: [] };
}

export function targetKey(target: ObjectTarget): StoreKey {
  return { resource: storeName(target.resource), namespace: target.namespace ?? '', name: target.name };
}

/** Returns true if nobody has written the object since `stored` was read. */
export function isCurrent(backend: Backend, target: ObjectTarget, stored: JsonObject | undefined): boolean {
  return backend.store.get(targetKey(target)) === stored;
}
