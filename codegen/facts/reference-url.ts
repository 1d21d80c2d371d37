import { kubernetesVersion } from '../kubernetes-version.js';
import type { PlannedModule } from '../module-plan.js';

const site = `https://kubernetes.io/docs/reference/generated/kubernetes-api/v${kubernetesVersion}/`;

/**
 * Where the Kubernetes reference describes a type: `#deploymentspec-v1-apps`. The page of one version on one sheet has an anchor for each
 * type and stays where it is; the pages by kind are moved from time to time.
 */
export function referenceUrl(module: PlannedModule, base: string): string {
  const [short = '', version = ''] = module.path.split('/');
  const group = module.roots[0]?.root.apiVersion.split('/').slice(0, -1).join('/') || short;
  // The builder of the status root took the name of the type.
  const name = base.replace(/StatusFields$/, 'Status').toLowerCase();
  return `${site}#${name}-${version}-${group.replaceAll('.', '-')}`;
}
