import { groupOf } from '../util/api-version.js';
import type { StackManifest } from './types.js';

/** What names one object. */
export interface ObjectIdentity {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** Equal for equal objects: group, kind, namespace and name; the version is left out. */
export function identityKey(object: ObjectIdentity): string {
  return `${groupOf(object.apiVersion)}/${object.kind}/${object.namespace ?? ''}/${object.name}`;
}

/** `Kind namespace/name`, or `Kind name` for objects without namespace. */
export function objectText(object: ObjectIdentity): string {
  return `${object.kind} ${object.namespace ? `${object.namespace}/` : ''}${object.name}`;
}

export { groupOf };

/** Field managers that a stack had before renames. */
export function formerManagersOf({ formerIdentities = [] }: Pick<StackManifest, 'formerIdentities'>): readonly string[] {
  return formerIdentities.map(({ manager }) => manager);
}

/** All field managers of a stack, its present one first. */
export function managersOf(stack: Pick<StackManifest, 'manager' | 'formerIdentities'>): readonly [string, ...string[]] {
  return [stack.manager, ...formerManagersOf(stack)];
}
