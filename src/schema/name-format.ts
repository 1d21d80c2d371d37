import { isJsonObject, type Json } from '../util/json.js';
import { nameTextErrors, nameTexts, pathNameErrors } from '../util/name-text.js';
import { isBuiltInGroup } from './built-in-group.js';

/**
 * A format of object names. `path`: any text that can be a segment of a URL; `address`: an IP address, which is checked as `path` here.
 */
export type NameFormat = 'subdomain' | 'label' | 'path' | 'address';

/**
 * The formats of the kinds of Kubernetes 1.36. A kind of these groups that is not listed, of another version, may have any name.
 * Source: Kubernetes documentation "Object Names and IDs", API reference; verdicts of a server, in test/cluster/object-names.test.ts.
 */
const formats: ReadonlyMap<string, NameFormat> = new Map([
  ...kinds('label', '', 'Namespace Service'),
  ...kinds('label', 'apps', 'StatefulSet'),
  ...kinds('path', '', 'Event'),
  ...kinds('path', 'policy', 'PodDisruptionBudget'),
  ...kinds('path', 'rbac.authorization.k8s.io', 'ClusterRole ClusterRoleBinding Role RoleBinding'),
  ...kinds('path', 'certificates.k8s.io', 'CertificateSigningRequest'),
  ...kinds('address', 'networking.k8s.io', 'IPAddress'),
  ...kinds('subdomain', '', 'ConfigMap Endpoints LimitRange Node PersistentVolume PersistentVolumeClaim Pod PodTemplate'),
  ...kinds('subdomain', '', 'ReplicationController ResourceQuota Secret ServiceAccount'),
  ...kinds(
    'subdomain',
    'admissionregistration.k8s.io',
    'MutatingAdmissionPolicy MutatingAdmissionPolicyBinding MutatingWebhookConfiguration',
  ),
  ...kinds(
    'subdomain',
    'admissionregistration.k8s.io',
    'ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding ValidatingWebhookConfiguration',
  ),
  ...kinds('subdomain', 'apiextensions.k8s.io', 'CustomResourceDefinition'),
  ...kinds('path', 'apiregistration.k8s.io', 'APIService'),
  ...kinds('subdomain', 'apps', 'ControllerRevision DaemonSet Deployment ReplicaSet'),
  ...kinds('subdomain', 'autoscaling', 'HorizontalPodAutoscaler'),
  ...kinds('subdomain', 'batch', 'CronJob Job'),
  ...kinds('subdomain', 'coordination.k8s.io', 'Lease'),
  ...kinds('subdomain', 'discovery.k8s.io', 'EndpointSlice'),
  ...kinds('subdomain', 'events.k8s.io', 'Event'),
  ...kinds('subdomain', 'flowcontrol.apiserver.k8s.io', 'FlowSchema PriorityLevelConfiguration'),
  ...kinds('subdomain', 'networking.k8s.io', 'Ingress IngressClass NetworkPolicy ServiceCIDR'),
  ...kinds('subdomain', 'node.k8s.io', 'RuntimeClass'),
  ...kinds('subdomain', 'resource.k8s.io', 'DeviceClass ResourceClaim ResourceClaimTemplate ResourceSlice'),
  ...kinds('subdomain', 'scheduling.k8s.io', 'PriorityClass'),
  ...kinds('subdomain', 'storage.k8s.io', 'CSIDriver CSINode CSIStorageCapacity StorageClass VolumeAttachment VolumeAttributesClass'),
]);

/** Groups of aggregated servers whose objects have other names than custom resources, such as the user `system:admin`. */
const aggregated = /(^|\.)openshift\.io$|^data\.packaging\.carvel\.dev$/;

/** The longest name of a CronJob: its Jobs get eleven characters more. Source: Kubernetes documentation "CronJob". */
export const longestCronJobName = 52;

/** Returns the format of the names of a kind. That of a custom resource is a DNS subdomain. */
export function nameFormatOf(group: string, kind: string): NameFormat {
  if (isBuiltInGroup(group)) return formats.get(`${group}/${kind}`) ?? 'path';
  return aggregated.test(group) ? 'path' : 'subdomain';
}

/** Returns why a name does not have a format, in the words of the server; empty if it has. */
export function nameFormatErrors(format: NameFormat, name: string): readonly string[] {
  return format === 'path' || format === 'address' ? pathNameErrors(name) : nameTextErrors(name, nameTexts[format]);
}

/** Returns a text that has the format of names if and only if a name may begin with `prefix`, which may end in a hyphen. */
export function startOfName(format: NameFormat, prefix: string): string {
  return format === 'path' || format === 'address' ? `${prefix}x` : prefix.replace(/.-$/, 'x');
}

/** Returns the only name that a definition of an API may have; undefined for other kinds, and where its spec does not tell. */
export function composedName(objectGroup: string, kind: string, spec: Json | undefined): string | undefined {
  if (!isJsonObject(spec)) return undefined;
  const { group, version, names } = spec;
  const plural = isJsonObject(names) ? names.plural : undefined;
  const isService = kind === 'APIService' && objectGroup === 'apiregistration.k8s.io';
  const isDefinition = kind === 'CustomResourceDefinition' && objectGroup === 'apiextensions.k8s.io';
  const first = isService ? version : isDefinition ? plural : undefined;
  return typeof first === 'string' && typeof group === 'string' ? `${first}.${group}` : undefined;
}

function kinds(format: NameFormat, group: string, names: string): readonly (readonly [string, NameFormat])[] {
  return names.split(' ').map((kind) => [`${group}/${kind}`, format]);
}
