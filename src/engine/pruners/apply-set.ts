import { createHash } from 'node:crypto';
import { groupOf, type ObjectIdentity } from '../../assembly/identity.js';
import { metadataOf } from '../../fields/object.js';
import type { Json } from '../../util/json.js';

/**
 * The label of a member of an ApplySet; its value is the ID of the set. Source of all names here: Kubernetes enhancement proposal 3659,
 * "ApplySet: kubectl apply --prune redesign".
 */
export const partOfLabel = 'applyset.kubernetes.io/part-of';

/** The label of the object that stands for an ApplySet, its parent; the value is the ID of the set. */
export const parentIdLabel = 'applyset.kubernetes.io/id';

/** The label of a CustomResourceDefinition whose objects can be parents. */
export const parentTypeLabel = 'applyset.kubernetes.io/is-parent-type';

/** The annotations of a parent: the record of its set. */
export const applySetAnnotations = {
  /** The tool that may change the set, with its version: `kubectl/v1.32.4`. kubectl refuses the set of another tool. */
  tooling: 'applyset.kubernetes.io/tooling',
  /** The kinds of the members: `ConfigMap,Deployment.apps`. */
  groupKinds: 'applyset.kubernetes.io/contains-group-kinds',
  /** The same as resources, as kubectl 1.27 and older wrote it: `configmaps,deployments.apps`. */
  groupResources: 'applyset.kubernetes.io/contains-group-resources',
  /** The namespaces of members other than that of the parent. */
  namespaces: 'applyset.kubernetes.io/additional-namespaces',
} as const;

/** The tool that Fieldwise records in the parent of a set that it takes over, so that kubectl refuses the set. */
export const ownTooling = 'fieldwise/v1';

/** Returns the ID that the set of a parent must have, so that no other object can claim the members. Source: KEP 3659, "ApplySet ID". */
export function applySetIdOf({ apiVersion, kind, namespace = '', name }: ObjectIdentity): string {
  const hash = createHash('sha256').update([name, namespace, kind, groupOf(apiVersion)].join('.'));
  return `applyset-${hash.digest('base64url')}-v1`;
}

/** Returns the ID of the ApplySet to which an object belongs. */
export function applySetOf(object: Json | undefined): string | undefined {
  const id = metadataOf(object).labels?.[partOfLabel];
  return typeof id === 'string' ? id : undefined;
}
