import { groupOf } from '../util/api-version.js';

/** Groups that Kubernetes itself serves; all others belong to CRDs or aggregated servers. */
const groups = new Set([
  ...['', 'apps', 'autoscaling', 'batch', 'policy', 'extensions'],
  ...['admissionregistration', 'apiextensions', 'apiregistration', 'authentication', 'authorization', 'certificates'].map(k8s),
  ...['coordination', 'discovery', 'events', 'flowcontrol.apiserver', 'internal.apiserver', 'networking', 'node'].map(k8s),
  ...['rbac.authorization', 'resource', 'scheduling', 'storage', 'storagemigration'].map(k8s),
]);

/** Returns true if Kubernetes itself serves a group. */
export function isBuiltInGroup(group: string): boolean {
  return groups.has(group);
}

/** Returns true if Kubernetes itself serves an apiVersion. */
export function isBuiltIn(apiVersion: string): boolean {
  return isBuiltInGroup(groupOf(apiVersion));
}

function k8s(name: string): string {
  return `${name}.k8s.io`;
}
