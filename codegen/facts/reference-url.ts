import { kubernetesVersion } from '../kubernetes-version.js';
import type { PlannedModule } from '../module-plan.js';

const site = `https://kubernetes.io/docs/reference/generated/kubernetes-api/v${kubernetesVersion}/`;

/**
 * Returns the URL of a type in the Kubernetes reference, such as `…#deploymentspec-v1-apps`. The single-page reference of a version has an
 * anchor for each type and a stable URL; the URLs of the pages by kind change from time to time.
 */
export function referenceUrl(module: PlannedModule, base: string): string {
  const [short = '', version = ''] = module.path.split('/');
  const group = module.roots[0]?.root.apiVersion.split('/').slice(0, -1).join('/') || short;
  // The builder of the status root has the name of the type, so the type has another one.
  const name = base.replace(/StatusFields$/, 'Status').toLowerCase();
  return `${site}#${name}-${version}-${group.replaceAll('.', '-')}`;
}
