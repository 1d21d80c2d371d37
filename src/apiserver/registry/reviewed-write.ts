import type { JsonObject } from '../../util/json.js';

/** A write of an object that nobody sends. */
export interface ReviewedWrite {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly apiVersion: string;
  readonly kind: string;
  /** Undefined for an object without a namespace. */
  readonly namespace: string | undefined;
  readonly name: string;
  /** As it would be stored; null for a deletion. */
  readonly object: JsonObject | null;
  /** As it is stored; null for a creation. */
  readonly oldObject: JsonObject | null;
  /** True if values and annotations of a Secret are not those of the cluster. */
  readonly hidesValues?: boolean;
  /** The field manager that would write. */
  readonly manager: string;
}
