import type { PrunedContainers } from '../../merge/index.js';
import type { OwnershipCache } from '../../ownership/index.js';
import type { SigningKey } from '../authentication/service-account-token.js';
import type { Clock } from '../storage/clock.js';
import type { Store, StoreKey } from '../storage/store.js';
import type { Catalog, ServedResource } from './catalog.js';
import { storeName } from './resource.js';

/** What all verbs work on. */
export interface Backend {
  readonly store: Store;
  readonly catalog: Catalog;
  readonly clock: Clock;
  readonly cache: OwnershipCache;
  readonly newUid: () => string;
  readonly prunedContainers: PrunedContainers;
  /** Whether webhooks are called. */
  readonly webhooks: boolean;
  /** Made when it is first asked for. */
  readonly signingKey: () => SigningKey;
}

/** What a request addresses, once its resource is known. */
export interface RequestTarget extends ServedResource {
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
  /** What the server has to say beside its answer, so far; it is sent with a refusal, too. */
  readonly warnings: string[];
}

export interface ObjectTarget extends RequestTarget {
  readonly name: string;
}

export function keyOf(target: ObjectTarget): StoreKey {
  return { resource: storeName(target.resource), namespace: target.namespace ?? '', name: target.name };
}
