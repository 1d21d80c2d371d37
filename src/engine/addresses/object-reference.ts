import { type ObjectIdentity, objectText } from '../../assembly/identity.js';
import type { Lifecycle } from '../../assembly/policy-vocabulary.js';

/** An object of a stack, as reports and plans name it. */
export interface ObjectReference {
  /** The name of the stack. */
  readonly stack: string;
  /** The field manager of the stack. */
  readonly manager: string;
  /** `Kind namespace/name`. */
  readonly object: string;
  /** The apiVersion of the object. */
  readonly apiVersion: string;
  /** The kind of the object. */
  readonly kind: string;
  /** The namespace of the object; absent if it is cluster-scoped. */
  readonly namespace?: string;
  /** The name of the object. */
  readonly name: string;
  /** `own` or `share`. */
  readonly lifecycle: Lifecycle;
}

/** Returns the reference of an intent or an inventory entry. */
export function objectReference(stack: string, manager: string, item: ObjectIdentity & { readonly lifecycle: Lifecycle }): ObjectReference {
  const { apiVersion, kind, namespace, name, lifecycle } = item;
  const object = objectText(item);
  if (namespace === undefined) return { stack, manager, object, apiVersion, kind, name, lifecycle };
  return { stack, manager, object, apiVersion, kind, namespace, name, lifecycle };
}
