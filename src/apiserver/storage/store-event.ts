import type { JsonObject } from '../../util/json.js';

/** The key of an object: `GROUP/PLURAL`, namespace (empty for a cluster-scoped object) and name. */
export interface StoreKey {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/** A change of one object. */
export interface StoreEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly key: StoreKey;
  readonly revision: number;
  /** The object after the change; for a deletion its last state, with the resourceVersion of the deletion. */
  readonly object: JsonObject;
  /** The object before the change. */
  readonly before?: JsonObject;
  /** Present for the reverse of a change that could not be stored. */
  readonly undone?: true;
}
