import { isJsonObject, type Json, type JsonObject } from '../../../util/json.js';
import { listOf, structOf } from '../../api/json-access.js';
import { sumOfQuantities } from '../convert/compare-quantities.js';

/**
 * Returns a Pod with the defaults that a pod template does not get: a request for each limit, host ports on the network of the host.
 * Source: Kubernetes API reference, Pod; documentation "Resource Management for Pods and Containers"; responses of a server.
 */
export function withPodDefaults(pod: JsonObject): JsonObject {
  if (!isJsonObject(pod.spec)) return pod;
  const spec: Record<string, Json> = { enableServiceLinks: true, ...(pod.spec as Record<string, Json>) };
  for (const list of ['containers', 'initContainers']) {
    if (!Array.isArray(spec[list])) continue;
    spec[list] = listOf(spec[list]).map((container) => withHostPorts(withRequests(container), spec.hostNetwork === true)) as Json;
  }
  if (isJsonObject(spec.resources)) spec.resources = withPodRequests(spec.resources, listOf(spec.containers));
  const { terminationGracePeriodSeconds: seconds } = spec;
  if (typeof seconds === 'number' && seconds < 0) spec.terminationGracePeriodSeconds = 1;
  return { ...pod, spec };
}

function withRequests(container: JsonObject): JsonObject {
  const { limits, requests } = structOf(container.resources);
  if (!isJsonObject(limits)) return container;
  const missing = Object.keys(limits).some((name) => structOf(requests)[name] === undefined);
  if (!missing) return container;
  return { ...container, resources: { ...structOf(container.resources), requests: { ...limits, ...structOf(requests) } } };
}

function withHostPorts(container: JsonObject, hostNetwork: boolean): JsonObject {
  if (!hostNetwork || !listOf(container.ports).some((port) => !port.hostPort)) return container;
  const ports = listOf(container.ports).map((port) => (port.hostPort ? port : { ...port, hostPort: port.containerPort as Json }));
  return { ...container, ports: ports as Json };
}

/** Adds a request for each limit of the whole Pod: the sum of the containers' requests, or the limit if none requests it. */
function withPodRequests(resources: JsonObject, containers: readonly JsonObject[]): JsonObject {
  const limits = structOf(resources.limits);
  const requests: Record<string, Json> = { ...(structOf(resources.requests) as Record<string, Json>) };
  for (const [name, limit] of Object.entries(limits) as [string, Json][]) {
    if (requests[name] !== undefined || !/^(?:cpu|memory|hugepages-.+)$/.test(name)) continue;
    const asked = containers.flatMap((container) => structOf(structOf(container.resources).requests)[name] ?? []) as Json[];
    requests[name] = asked.length === 0 ? limit : sumOfQuantities(asked);
  }
  return Object.keys(requests).length === 0 ? resources : { ...resources, requests };
}

/** Returns the status of a Pod whose address is the first of its addresses; what names only one of them names both. */
export function withSameAddress(status: JsonObject): JsonObject {
  const { podIP, podIPs } = status;
  const [first] = listOf(podIPs);
  if (podIP === undefined || podIP === '') return first?.ip === undefined ? status : { ...status, podIP: first.ip };
  return first?.ip === podIP ? status : { ...status, podIPs: [{ ip: podIP }] };
}
