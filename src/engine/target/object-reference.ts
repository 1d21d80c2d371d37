import { type ObjectIdentity, objectText } from '../../assembly/identity.js';
import type { Lifecycle } from '../../assembly/policy-vocabulary.js';

/** An object of a stack, as reports and plans name it. */
export interface ObjectReference {
  /** Name of the stack. */
  readonly stack: string;
  /** Field manager of the stack. */
  readonly manager: string;
  /** `Kind namespace/name`. */
  readonly object: string;
  readonly apiVersion: string;
  readonly kind: string;
  /** Absent for cluster-scoped objects. */
  readonly namespace?: string;
  readonly name: string;
  /** Whether the stack owns the object or shares it. */
  readonly lifecycle: Lifecycle;
}

/** Returns the reference of an intent or an inventory entry. */
export function objectReference(stack: string, manager: string, item: ObjectIdentity & { readonly lifecycle: Lifecycle }): ObjectReference {
  const { apiVersion, kind, namespace, name, lifecycle } = item;
  const object = objectText(item);
  if (namespace === undefined) return { stack, manager, object, apiVersion, kind, name, lifecycle };
  return { stack, manager, object, apiVersion, kind, namespace, name, lifecycle };
}
