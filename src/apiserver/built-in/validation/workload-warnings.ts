import { metadataOf } from '../../../fields/object.js';
import type { JsonObject } from '../../../util/json.js';
import { listOf, memberAt, structOf } from '../../api/json-access.js';
import { appArmorWarnings } from './pod-annotation-warnings.js';
import { hostNameWarnings, podWarnings } from './pod-warnings.js';
import { claimSpecWarnings } from './storage-warnings.js';
import { eachAt } from './warning-parts.js';

type Live = JsonObject | undefined;

/** Returns true for a create, and for an update that changes the content: another update has no warnings about a template. */
function isChanged(object: JsonObject, live: Live): boolean {
  return live === undefined || metadataOf(live).generation !== metadataOf(object).generation;
}

const nameWarnings = (object: JsonObject, live: Live) => (live === undefined ? hostNameWarnings(object, 'Pod names and hostnames') : []);

const templateOf = (object: JsonObject) => structOf(structOf(object.spec).template);

/** Returns warnings about a new Pod. An update has none: mostly a controller writes it. Source: observed. */
export function newPodWarnings(pod: JsonObject, live: Live): readonly string[] {
  if (live !== undefined) return [];
  return [...appArmorWarnings(pod), ...hostNameWarnings(pod, "the Pod's hostname"), ...podWarnings(pod, '')];
}

/** Returns warnings about a kind with a pod template whose Pods have its name. */
export function replicaWarnings(object: JsonObject, live: Live): readonly string[] {
  return [...nameWarnings(object, live), ...(isChanged(object, live) ? podWarnings(templateOf(object), 'spec.template') : [])];
}

/** Returns warnings about a ReplicationController: an update has those about the template before it. Source: observed. */
export function controllerWarnings(object: JsonObject, live: Live): readonly string[] {
  if (!isChanged(object, live)) return [];
  return [...nameWarnings(object, live), ...podWarnings(templateOf(live ?? object), 'spec.template')];
}

const templateGeneration = (object: JsonObject) => metadataOf(object).annotations?.['deprecated.daemonset.template.generation'];

/** Returns warnings about a DaemonSet; on an update only if its template changes. Source: observed. */
export function daemonSetWarnings(object: JsonObject, live: Live): readonly string[] {
  if (live !== undefined && templateGeneration(live) === templateGeneration(object)) return [];
  return podWarnings(templateOf(object), 'spec.template');
}

/** Returns warnings about a StatefulSet; the paths of its claims differ on an update. Source: observed. */
export function statefulSetWarnings(object: JsonObject, live: Live): readonly string[] {
  const { volumeClaimTemplates, revisionHistoryLimit } = structOf(object.spec);
  const limit = 'a negative value retains all historical revisions; a value >= 0 is recommended';
  return [
    ...(isChanged(object, live) ? podWarnings(templateOf(object), 'spec.template') : []),
    ...eachAt(listOf(volumeClaimTemplates), 'spec.volumeClaimTemplates', ({ spec }, path) =>
      claimSpecWarnings(spec, live === undefined ? path : `${path}.Spec`),
    ),
    ...(typeof revisionHistoryLimit === 'number' && revisionHistoryLimit < 0 ? [`spec.revisionHistoryLimit: ${limit}`] : []),
  ];
}

/** Returns warnings about a PodTemplate. */
export function podTemplateWarnings(object: JsonObject, live: Live): readonly string[] {
  return isChanged(object, live) ? podWarnings(structOf(object.template), 'template') : [];
}

/** Returns warnings about a Job. */
export function jobWarnings(object: JsonObject, live: Live): readonly string[] {
  if (!isChanged(object, live)) return [];
  return [...nameWarnings(object, live), ...jobSpecWarnings(structOf(object.spec), 'spec')];
}

/** Returns warnings about a CronJob. */
export function cronJobWarnings(object: JsonObject, live: Live): readonly string[] {
  if (!isChanged(object, live)) return [];
  const spec = structOf(memberAt(object, 'spec.jobTemplate.spec'));
  return [...nameWarnings(object, live), ...jobSpecWarnings(spec, 'spec.jobTemplate.spec')];
}

const manyIndexes =
  'In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail';

function jobSpecWarnings({ completionMode, completions, parallelism, template }: JsonObject, path: string): readonly string[] {
  const isLarge = completionMode === 'Indexed' && Number(completions ?? 0) > 100_000 && Number(parallelism ?? 0) > 10_000;
  return [...(isLarge ? [`${path}: ${manyIndexes}`] : []), ...podWarnings(structOf(template), `${path}.template`)];
}
