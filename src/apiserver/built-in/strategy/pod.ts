import { metadataOf } from '../../../fields/object.js';
import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../../../util/json.js';
import { listOf, structOf } from '../../api/json-access.js';
import { qosClassOf } from './qos-class.js';

export function isPod(object: JsonObject): boolean {
  return object.kind === 'Pod' && object.apiVersion === 'v1';
}

/** The subresources of a Pod that write a part of its spec. */
const specSubresources = ['ephemeralcontainers', 'resize'];

/** Returns a new Pod with the status that the server gives it. Source: Kubernetes documentation "Pod Lifecycle"; responses of a server. */
export function prepareNewPod(pod: JsonObject): JsonObject {
  if (!isPod(pod)) return pod;
  const spec = structOf(pod.spec);
  const gated = listOf(spec.schedulingGates).length > 0 ? { conditions: [gatedCondition(metadataOf(pod).creationTimestamp ?? '')] } : {};
  return { ...pod, status: { phase: 'Pending', ...gated, qosClass: qosClassOf(spec) } };
}

function gatedCondition(time: string): JsonObject {
  const message = 'Scheduling is blocked due to non-empty scheduling gates';
  return { type: 'PodScheduled', status: 'False', lastProbeTime: null, lastTransitionTime: time, reason: 'SchedulingGated', message };
}

/** Restores what an update of a Pod, or of one of its subresources, leaves as it is. */
export function prepareChangedPod(pod: JsonObject, live: JsonObject, subresource: string | undefined): JsonObject {
  if (!isPod(pod)) return pod;
  if (subresource === 'status') return withQosClass(pod, live);
  if (subresource === undefined || !specSubresources.includes(subresource)) return withKeptPriority(pod, live);
  // Another uid is refused, a generateName is written, and other metadata stays.
  const { managedFields, generateName, resourceVersion, uid } = metadataOf(pod);
  const { generateName: _, ...before } = metadataOf(live);
  const written = Object.entries({ managedFields, generateName }).filter(([, value]) => value !== undefined);
  const metadata = { ...before, uid, resourceVersion, ...Object.fromEntries(written) } as JsonObject;
  const spec = subresource === 'resize' ? resized(structOf(live.spec), structOf(pod.spec)) : withEphemeral(live, pod);
  return { ...live, metadata, spec };
}

/** The class of a Pod stays when a client writes a status without it. */
function withQosClass(pod: JsonObject, live: JsonObject): JsonObject {
  const { qosClass } = structOf(live.status);
  const status = structOf(pod.status);
  return status.qosClass !== undefined || qosClass === undefined ? pod : { ...pod, status: { ...status, qosClass } };
}

/** An update that names no priority keeps it. Source: Kubernetes documentation "Admission Control", Priority. */
function withKeptPriority(pod: JsonObject, live: JsonObject): JsonObject {
  const spec = structOf(pod.spec);
  const before = structOf(live.spec);
  const kept = ['priority', 'preemptionPolicy'].filter((name) => spec[name] === undefined && before[name] !== undefined);
  if (kept.length === 0) return pod;
  return { ...pod, spec: { ...spec, ...Object.fromEntries(kept.map((name) => [name, before[name] as Json])) } };
}

function withEphemeral(live: JsonObject, pod: JsonObject): JsonObject {
  const { ephemeralContainers: _, ...spec } = structOf(live.spec);
  const { ephemeralContainers } = structOf(pod.spec);
  return ephemeralContainers === undefined ? spec : { ...spec, ephemeralContainers };
}

/** Returns the spec with the resources of another one. */
function resized(spec: JsonObject, wanted: JsonObject): JsonObject {
  const result: Record<string, Json> = { ...(spec as Record<string, Json>) };
  for (const list of ['containers', 'initContainers']) {
    const before = listOf(spec[list]);
    if (!Array.isArray(wanted[list]) || listOf(wanted[list]).length !== before.length) {
      if (!jsonEqual((wanted[list] ?? null) as Json, (spec[list] ?? null) as Json)) result[list] = (wanted[list] ?? []) as Json;
      continue;
    }
    result[list] = before.map((container, index) => withResources(container, listOf(wanted[list])[index] as JsonObject)) as Json;
  }
  const { resources: _, ...others } = result;
  return isJsonObject(wanted.resources) ? { ...others, resources: wanted.resources } : others;
}

function withResources(container: JsonObject, wanted: JsonObject): JsonObject {
  const { name, resources, resizePolicy } = wanted;
  if (name !== container.name) return wanted;
  const { resources: _, resizePolicy: __, ...others } = container;
  return { ...others, ...(resources === undefined ? {} : { resources }), ...(resizePolicy === undefined ? {} : { resizePolicy }) };
}
