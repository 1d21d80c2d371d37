import type { ClusterFlags } from '../cluster/open-cluster.js';
import { shellArgument } from './shell-word.js';

/**
 * Returns the flags that select the cluster of a command, as they follow another command that is to work on the same one: ` --env prod`.
 *
 * @param namespace also selects the namespace of an object that is named without one.
 */
export function clusterFlagsText(
  flags: ClusterFlags & { readonly config?: string; readonly env?: string },
  { namespace }: { readonly namespace: boolean },
): string {
  const words = {
    '-n': namespace ? flags.namespace : undefined,
    '-e': flags.env,
    '--config': flags.config,
    '--cluster': flags.cluster,
    '--kubeconfig': flags.kubeconfig,
    '--kube-context': flags.kubeContext,
    '--inventory-namespace': flags.inventoryNamespace,
  };
  return Object.entries(words)
    .flatMap(([flag, value]) => (value === undefined ? [] : [` ${flag} ${shellArgument(value)}`]))
    .join('');
}
