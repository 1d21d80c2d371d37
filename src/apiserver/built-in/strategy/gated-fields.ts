import { isJsonObject, type Json, type JsonObject } from '../../../util/json.js';
import { memberAt, structOf } from '../../api/json-access.js';
import { podSpecPaths } from '../convert/pod-spec-paths.js';

const containers = ['containers', 'initContainers', 'ephemeralContainers'];

interface GatedFields {
  readonly gate: string;
  readonly stage: 'ALPHA' | 'BETA';
  readonly kind: string;
  readonly paths: readonly string[];
}

/**
 * Members behind feature gates that are off in 1.36, which a server drops after it has recorded their owner: by gate and kind, with `*` for each
 * item or value. A member of a Pod's spec is dropped from templates of Pods, too.
 * Source: `kubernetes_feature_enabled` in the metrics of a server 1.36.3; the `featureGate` markers of the API types; observed.
 */
export const gatedFields: readonly GatedFields[] = [
  { gate: 'ClusterTrustBundleProjection', stage: 'BETA', kind: 'PodSpec', paths: ['volumes.*.projected.sources.*.clusterTrustBundle'] },
  { gate: 'ContainerStopSignals', stage: 'ALPHA', kind: 'PodSpec', paths: containers.map((list) => `${list}.*.lifecycle.stopSignal`) },
  { gate: 'CoordinatedLeaderElection', stage: 'BETA', kind: 'Lease', paths: ['spec.strategy', 'spec.preferredHolder'] },
  { gate: 'CrossNamespaceVolumeDataSource', stage: 'ALPHA', kind: 'PersistentVolumeClaim', paths: ['spec.dataSourceRef'] },
  {
    gate: 'DRAListTypeAttributes',
    stage: 'ALPHA',
    kind: 'ResourceSlice',
    paths: ['bools', 'ints', 'strings', 'versions'].map((name) => `spec.devices.*.attributes.*.${name}`),
  },
  { gate: 'DRANodeAllocatableResources', stage: 'ALPHA', kind: 'ResourceSlice', paths: ['spec.devices.*.nodeAllocatableResourceMappings'] },
  { gate: 'DRANodeAllocatableResources', stage: 'ALPHA', kind: 'Pod', paths: ['status.nodeAllocatableResourceClaimStatuses'] },
  { gate: 'GenericWorkload', stage: 'ALPHA', kind: 'PodSpec', paths: ['schedulingGroup'] },
  {
    gate: 'ImageVolumeWithDigest',
    stage: 'ALPHA',
    kind: 'Pod',
    paths: ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'].map(
      (list) => `status.${list}.*.volumeMounts.*.volumeStatus`,
    ),
  },
  { gate: 'MaxUnavailableStatefulSet', stage: 'BETA', kind: 'StatefulSet', paths: ['spec.updateStrategy.rollingUpdate.maxUnavailable'] },
  { gate: 'PodCertificateRequest', stage: 'BETA', kind: 'PodSpec', paths: ['volumes.*.projected.sources.*.podCertificate'] },
  { gate: 'VolumeLimitScaling', stage: 'ALPHA', kind: 'CSIDriver', paths: ['spec.preventPodSchedulingIfMissing'] },
];

/** Returns an object without the members whose feature gate is off, unless the live object has one behind the same gate. */
export function withoutGatedFields(object: JsonObject, live?: JsonObject): JsonObject {
  let result = object;
  for (const { kind, paths } of gatedFields) {
    const at = kind === 'PodSpec' ? podSpecPaths[String(object.kind)] : kind === object.kind ? '' : undefined;
    if (at === undefined) continue;
    const found = paths.map((path) => (at === '' ? path : `${at}.${path}`).split('.'));
    if (live !== undefined && found.some((path) => without(live, path) !== live)) continue;
    for (const path of found) result = without(result, path) as JsonObject;
  }
  return result;
}

/** Returns a value without the member at a path; the same value if it has none. */
function without(value: Json | undefined, [name, ...rest]: readonly string[]): Json | undefined {
  if (name === undefined || (!isJsonObject(value) && !Array.isArray(value))) return value;
  if (name === '*') return eachWithout(value, rest);
  const member = memberAt(value, name);
  if (member === undefined) return value;
  const { [name]: _, ...others } = value as JsonObject;
  if (rest.length === 0) return isKept(name, member) ? value : others;
  const changed = without(member, rest) as Json;
  if (changed === member) return value;
  // A server does not keep a lifecycle without a handler.
  return name === 'lifecycle' && Object.keys(structOf(changed)).length === 0 ? others : { ...(value as JsonObject), [name]: changed };
}

function eachWithout(value: Json, rest: readonly string[]): Json {
  const entries = Object.entries(value as JsonObject).map(([name, each]) => [name, each, without(each, rest) as Json] as const);
  if (entries.every(([, before, after]) => before === after)) return value;
  if (Array.isArray(value)) return entries.map(([, , after]) => after);
  return Object.fromEntries(entries.map(([name, , after]) => [name, after]));
}

/** The source of a claim is dropped only if it is in another namespace. */
function isKept(name: string, member: Json): boolean {
  return name === 'dataSourceRef' && !structOf(member).namespace;
}
