import { groupOf } from '../util/api-version.js';
import type { StackManifest } from './types.js';

/** The identity of an object: type, namespace and name. */
export interface ObjectIdentity {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** Returns a key that is equal for equal objects: group, kind, namespace and name, without the version. */
export function identityKey(object: ObjectIdentity): string {
  return `${groupOf(object.apiVersion)}/${object.kind}/${object.namespace ?? ''}/${object.name}`;
}

/** Formats an object as `Kind namespace/name`, or `Kind name` without a namespace. */
export function objectText(object: ObjectIdentity): string {
  return `${object.kind} ${object.namespace ? `${object.namespace}/` : ''}${object.name}`;
}

export { groupOf };

/** Returns the field managers of a stack before renames. */
export function formerManagersOf({ formerIdentities = [] }: Pick<StackManifest, 'formerIdentities'>): readonly string[] {
  return formerIdentities.map(({ manager }) => manager);
}

/** Returns all field managers of a stack, the current one first. */
export function managersOf(stack: Pick<StackManifest, 'manager' | 'formerIdentities'>): readonly [string, ...string[]] {
  return [stack.manager, ...formerManagersOf(stack)];
}
