import { type ObjectIdentity, objectText } from '../../assembly/identity.js';
import type { Lifecycle } from '../../assembly/policy-vocabulary.js';

/** The object and the stack that a report or plan refers to. */
export interface ObjectReference {
  readonly stack: string;
  readonly manager: string;
  /** `Kind namespace/name`. */
  readonly object: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly lifecycle: Lifecycle;
}

/** Returns the reference of an intent or an inventory entry. */
export function objectReference(stack: string, manager: string, item: ObjectIdentity & { readonly lifecycle: Lifecycle }): ObjectReference {
  const { apiVersion, kind, namespace, name, lifecycle } = item;
  const object = objectText(item);
  if (namespace === undefined) return { stack, manager, object, apiVersion, kind, name, lifecycle };
  return { stack, manager, object, apiVersion, kind, namespace, name, lifecycle };
}
