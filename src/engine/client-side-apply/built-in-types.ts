import { groupOf } from '../../assembly/identity.js';
import type { Resource } from '../../kubernetes/index.js';
import { type RootType, rootTypes, type Table } from '../../schema/index.js';

const modules: Readonly<Record<string, () => Promise<{ readonly $table: Table }>>> = {
  '': () => import('../../../generated/core/v1.js'),
  apps: () => import('../../../generated/apps/v1.js'),
  batch: () => import('../../../generated/batch/v1.js'),
  autoscaling: () => import('../../../generated/autoscaling/v2.js'),
  policy: () => import('../../../generated/policy/v1.js'),
  'rbac.authorization.k8s.io': () => import('../../../generated/rbac/v1.js'),
  'networking.k8s.io': () => import('../../../generated/networking/v1.js'),
  'apiextensions.k8s.io': () => import('../../../generated/apiextensions/v1.js'),
  'admissionregistration.k8s.io': () => import('../../../generated/admissionregistration/v1.js'),
  'apiregistration.k8s.io': () => import('../../../generated/apiregistration/v1.js'),
  'certificates.k8s.io': () => import('../../../generated/certificates/v1.js'),
  'coordination.k8s.io': () => import('../../../generated/coordination/v1.js'),
  'discovery.k8s.io': () => import('../../../generated/discovery/v1.js'),
  'events.k8s.io': () => import('../../../generated/events/v1.js'),
  'flowcontrol.apiserver.k8s.io': () => import('../../../generated/flowcontrol/v1.js'),
  'node.k8s.io': () => import('../../../generated/node/v1.js'),
  'resource.k8s.io': () => import('../../../generated/resource/v1.js'),
  'scheduling.k8s.io': () => import('../../../generated/scheduling/v1.js'),
  'storage.k8s.io': () => import('../../../generated/storage/v1.js'),
};

/** Returns true if Kubernetes itself serves the group of an API version. */
export function isBuiltInGroup(apiVersion: string): boolean {
  return Object.hasOwn(modules, groupOf(apiVersion));
}

/** Returns the type of a built-in kind in a version that the generated tables contain. */
export async function builtInType({ apiVersion, kind }: Pick<Resource, 'apiVersion' | 'kind'>): Promise<RootType | undefined> {
  const { $table } = (await modules[groupOf(apiVersion)]?.()) ?? {};
  if ($table === undefined) return undefined;
  return rootTypes($table).find((root) => root.apiVersion === apiVersion && root.kind === kind && root.subresource === undefined);
}
