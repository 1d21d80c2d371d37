import { checkRuleOptions, texts } from '../check-rule-options.js';
import { deny, type Rule } from '../rule.js';

/** Kinds whose deletion loses data, or takes other objects along. */
const statefulKinds = ['StatefulSet', 'PersistentVolumeClaim', 'PersistentVolume', 'Namespace', 'CustomResourceDefinition'] as const;

/**
 * Denies to delete objects of kinds that hold state, also where they would be created again.
 *
 * @param options `kinds`: further kinds, such as those of a database operator.
 * @throws FieldwiseError `option-invalid`.
 */
export function noStatefulDeletion(options: { readonly kinds?: readonly string[] } = {}): Rule {
  checkRuleOptions({ kinds: texts }, options);
  const { kinds = [] } = options;
  const stateful = new Set<string>([...statefulKinds, ...kinds]);
  return deny(({ deletes, kind, object }) => deletes && stateful.has(kind) && `deletes ${object}, which holds state`, {
    name: 'no-stateful-deletion',
  });
}
