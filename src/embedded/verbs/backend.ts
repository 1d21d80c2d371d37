import type { OwnershipCache } from '../../ownership/index.js';
import type { Catalog, Served } from '../resources/catalog.js';
import { storeName } from '../resources/resource.js';
import type { Clock } from '../store/clock.js';
import type { Store, StoreKey } from '../store/store.js';

/** What all verbs work on. */
export interface Backend {
  readonly store: Store;
  readonly catalog: Catalog;
  readonly clock: Clock;
  readonly cache: OwnershipCache;
  readonly newUid: () => string;
}

/** What a request addresses, once its resource is known. */
export interface Target extends Served {
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
}

export interface NamedTarget extends Target {
  readonly name: string;
}

export function keyOf(target: NamedTarget): StoreKey {
  return { resource: storeName(target.resource), namespace: target.namespace ?? '', name: target.name };
}
