import { metadataOf } from '../../fields/object.js';
import type { Json, JsonObject } from '../../util/json.js';
import { listOf, structOf } from '../api/json-access.js';
import { forbidden } from '../api/status-error.js';
import { billionths } from '../built-in/convert/compare-quantities.js';
import type { Backend, ObjectTarget } from '../registry/backend.js';

/**
 * Gives the containers of a new Pod the default resources of the namespace's LimitRanges, and refuses what exceeds their bounds.
 * Source: Kubernetes documentation "Limit Ranges".
 *
 * @throws StatusError 403
 */
export function limitPod({ store }: Backend, target: ObjectTarget, pod: JsonObject): JsonObject {
  const limits = store
    .list('/limitranges', target.namespace)
    .flatMap(({ spec }) => listOf(structOf(spec).limits))
    .filter(({ type }) => type === 'Container');
  if (limits.length === 0) return pod;
  const limited = limits.reduce(withDefaultResources, pod);
  const spec = structOf(limited.spec);
  const reasons = limits.flatMap((limit) =>
    [...listOf(spec.containers), ...listOf(spec.initContainers)].flatMap((container) => outOfBounds(limit, container)),
  );
  if (reasons.length === 0) return limited;
  throw forbidden(target.resource, target.name, reasons.length === 1 ? String(reasons[0]) : `[${reasons.join(', ')}]`);
}

/** Adds the resources that the containers do not name, and notes them in the annotation of the plugin. */
function withDefaultResources(pod: JsonObject, limit: JsonObject): JsonObject {
  const notes: string[] = [];
  const spec: Record<string, Json> = { ...(structOf(pod.spec) as Record<string, Json>) };
  for (const [list, word] of [
    ['containers', 'container'],
    ['initContainers', 'init container'],
  ] as const) {
    if (!Array.isArray(spec[list])) continue;
    spec[list] = listOf(spec[list]).map((container) => {
      const resources = structOf(container.resources);
      const given = { requests: structOf(resources.requests), limits: structOf(resources.limits) };
      const requests = missing(given.requests, limit.defaultRequest);
      const limits = missing(given.limits, limit.default);
      for (const name of Object.keys(requests).toSorted()) notes.push(`${name} request for ${word} ${String(container.name)}`);
      for (const name of Object.keys(limits).toSorted()) notes.push(`${name} limit for ${word} ${String(container.name)}`);
      const filled = { requests: { ...given.requests, ...requests }, limits: { ...given.limits, ...limits } };
      const shown = Object.entries(filled).filter(([, amounts]) => Object.keys(amounts).length > 0);
      return { ...container, resources: { ...resources, ...Object.fromEntries(shown) } };
    }) as Json;
  }
  if (notes.length === 0) return pod;
  const metadata = metadataOf(pod);
  const annotation = { 'kubernetes.io/limit-ranger': `LimitRanger plugin set: ${notes.join('; ')}` };
  return { ...pod, metadata: { ...metadata, annotations: { ...metadata.annotations, ...annotation } }, spec };
}

function missing(given: JsonObject, defaults: Json | undefined): JsonObject {
  return Object.fromEntries(Object.entries(structOf(defaults)).filter(([name]) => given[name] === undefined)) as JsonObject;
}

function outOfBounds({ min, max }: JsonObject, container: JsonObject): readonly string[] {
  const { requests, limits } = structOf(container.resources);
  const request = structOf(requests);
  const limit = structOf(limits);
  return [
    ...Object.entries(structOf(min)).flatMap(([name, least]) => {
      const start = `minimum ${name} usage per Container is ${String(least)}`;
      if (request[name] === undefined) return [`${start}.  No request is specified`];
      if (billionths(request[name]) < billionths(least)) return [`${start}, but request is ${String(request[name])}`];
      return limit[name] !== undefined && billionths(limit[name]) < billionths(least)
        ? [`${start}, but limit is ${String(limit[name])}`]
        : [];
    }),
    ...Object.entries(structOf(max)).flatMap(([name, most]) => {
      const start = `maximum ${name} usage per Container is ${String(most)}`;
      if (limit[name] === undefined) return [`${start}.  No limit is specified`];
      if (billionths(limit[name]) > billionths(most)) return [`${start}, but limit is ${String(limit[name])}`];
      return request[name] !== undefined && billionths(request[name]) > billionths(most)
        ? [`${start}, but request is ${String(request[name])}`]
        : [];
    }),
  ];
}
