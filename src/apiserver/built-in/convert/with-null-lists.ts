import { isJsonObject, type Json, type JsonObject } from '../../../util/json.js';
import { remembered } from '../../../util/remembered.js';
import { podSpecPaths } from './pod-spec-paths.js';

/**
 * Lists that a server takes empty and JSON then shows as null: an empty list is owned as an empty list when it is written, and decoded as
 * null. `*` stands for each item. test/apiserver/unit/null-lists.test.ts compares them with the Go types.
 */
export const nullLists: Readonly<Record<string, readonly string[]>> = withPodSpecs({
  ClusterRole: ['rules'],
  CronJob: ['spec.jobTemplate.spec.podFailurePolicy.rules'],
  CSINode: ['spec.drivers', 'spec.drivers.*.topologyKeys'],
  EndpointSlice: ['endpoints', 'ports'],
  FlowSchema: ['spec.rules.*.resourceRules.*.namespaces'],
  HorizontalPodAutoscaler: ['status.currentMetrics'],
  Job: ['spec.podFailurePolicy.rules'],
  LimitRange: ['spec.limits'],
  Node: ['status.images.*.names'],
  Pod: ['status.extendedResourceClaimStatus.requestMappings'],
  ResourceClaim: ['spec.devices.requests', 'status.devices.*.conditions'],
  ResourceClaimTemplate: ['spec.spec.devices.requests'],
  Role: ['rules'],
});

function withPodSpecs(lists: Readonly<Record<string, readonly string[]>>): Readonly<Record<string, readonly string[]>> {
  const ofPods = Object.entries(podSpecPaths).map(([kind, path]) => [
    kind,
    [...(lists[kind] ?? []), `${path}.volumes.*.projected.sources`],
  ]);
  return { ...lists, ...Object.fromEntries(ofPods) };
}

const pathsOf = remembered((kind) => nullLists[kind]?.map((path) => path.split('.')) ?? []);

/** Returns the object with its empty lists as null. Source: observed. */
export function withNullLists(object: JsonObject): JsonObject {
  return pathsOf(String(object.kind)).reduce((result, path) => nullEmptyList(result, path) as JsonObject, object);
}

function nullEmptyList(value: Json | undefined, [name, ...inner]: readonly string[]): Json | undefined {
  if (name === undefined) return Array.isArray(value) && value.length === 0 ? null : value;
  if (name === '*')
    return Array.isArray(value)
      ? sameOr(
          value,
          value.map((item: Json) => nullEmptyList(item, inner) as Json),
        )
      : value;
  if (!isJsonObject(value) || value[name] === undefined) return value;
  const changed = nullEmptyList(value[name], inner) as Json;
  return changed === value[name] ? value : { ...value, [name]: changed };
}

function sameOr(before: readonly Json[], after: readonly Json[]): Json {
  return (after.every((item, index) => item === before[index]) ? before : after) as Json;
}
