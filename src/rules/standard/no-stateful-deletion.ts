import { deny, type Rule } from '../rule.js';

/** Kinds whose deletion loses data, or takes other objects along. */
const statefulKinds = ['StatefulSet', 'PersistentVolumeClaim', 'PersistentVolume', 'Namespace', 'CustomResourceDefinition'] as const;

/**
 * Denies to delete objects of kinds that hold state, also where they would be created again.
 *
 * @param options `kinds`: further kinds, such as those of a database operator.
 */
export function noStatefulDeletion({ kinds = [] }: { readonly kinds?: readonly string[] } = {}): Rule {
  const stateful = new Set<string>([...statefulKinds, ...kinds]);
  return deny(({ deletes, kind, object }) => deletes && stateful.has(kind) && `deletes ${object}, which holds state`, {
    name: 'no-stateful-deletion',
  });
}
