import { metadataOf } from '../../fields/object.js';
import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../../util/json.js';
import { listOf, structOf } from '../api/json-access.js';
import { forbidden, type StatusError } from '../api/status-error.js';
import type { Backend, ObjectTarget } from '../registry/backend.js';
import { limitPod } from './limit-ranges.js';
import { withTopology } from './topology-labels.js';
import type { AdmissionAttributes } from './webhook.js';

/**
 * Fills in what the admission plugins of a server give each Pod, and refuses what they refuse.
 * Source: Kubernetes documentation "Admission Control", LimitRanger, Priority, DefaultTolerationSeconds, RuntimeClass,
 * PodTopologyLabels.
 *
 * @throws StatusError 403
 */
export function admitPod(backend: Backend, created: ObjectTarget, pod: JsonObject, { operation }: AdmissionAttributes): JsonObject {
  if (operation === 'UPDATE') return withDefaultTolerations(pod);
  const target = withoutRandomEnd(created, pod);
  const limited = limitPod(backend, target, pod);
  const prioritized = withPriority(backend, target, limited);
  const admitted = withRuntimeClass(backend, target, withDefaultTolerations(prioritized));
  const { nodeName } = structOf(pod.spec);
  return nodeName ? withTopology(backend, admitted, String(nodeName)) : admitted;
}

/** The plugins refuse a Pod by its `generateName`: its name gets the random end after them. Source: observed. */
function withoutRandomEnd(target: ObjectTarget, pod: JsonObject): ObjectTarget {
  const { generateName = '' } = metadataOf(pod);
  const isGenerated =
    generateName !== '' && target.name.startsWith(String(generateName)) && target.name.length === String(generateName).length + 5;
  return isGenerated ? { ...target, name: String(generateName) } : target;
}

function withSpec(pod: JsonObject, members: JsonObject): JsonObject {
  return { ...pod, spec: { ...structOf(pod.spec), ...members } };
}

/** Adds the priority of the class that a Pod names, or of the default one. */
function withPriority({ store }: Backend, target: ObjectTarget, pod: JsonObject): JsonObject {
  const { priorityClassName, priority, preemptionPolicy } = structOf(pod.spec);
  const refused = (reason: string) => forbidden(target.resource, target.name, reason);
  const classes = store.list('scheduling.k8s.io/priorityclasses');
  const found = priorityClassName
    ? classes.find((each) => metadataOf(each).name === priorityClassName)
    : classes.filter(({ globalDefault }) => globalDefault === true).toSorted((left, right) => Number(left.value) - Number(right.value))[0];
  if (priorityClassName && found === undefined) throw refused(`no PriorityClass with name ${String(priorityClassName)} was found`);
  const computed = { priority: found?.value ?? 0, preemptionPolicy: found?.preemptionPolicy ?? 'PreemptLowerPriority' };
  const given = (what: string, value: Json) =>
    `the ${what} (${String(value)}) must not be provided in pod spec; priority admission controller computed`;
  const from = 'from the given PriorityClass name';
  if (priority !== undefined && priority !== computed.priority)
    throw refused(`${given('integer value of priority', priority)} ${String(computed.priority)} ${from}`);
  if (preemptionPolicy !== undefined && preemptionPolicy !== computed.preemptionPolicy)
    throw refused(`${given('string value of PreemptionPolicy', preemptionPolicy)} ${String(computed.preemptionPolicy)} ${from}`);
  const named = found === undefined ? {} : { priorityClassName: metadataOf(found).name };
  return withSpec(pod, { ...named, ...computed } as JsonObject);
}

const tolerated = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];

/** Tolerates for five minutes a node that is not ready or cannot be reached, unless the Pod says otherwise. */
function withDefaultTolerations(pod: JsonObject): JsonObject {
  const tolerations = listOf(structOf(pod.spec).tolerations);
  const speaksOf = (wanted: string) =>
    tolerations.some(({ key = '', effect = '' }) => (key === '' || key === wanted) && (effect === '' || effect === 'NoExecute'));
  const added = tolerated
    .filter((key) => !speaksOf(key))
    .map((key) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }));
  return added.length === 0 ? pod : withSpec(pod, { tolerations: [...tolerations, ...added] as Json });
}

/** Adds the overhead, node labels and tolerations of the RuntimeClass that a Pod names. */
function withRuntimeClass({ store }: Backend, target: ObjectTarget, pod: JsonObject): JsonObject {
  const refused = (reason: string): StatusError => forbidden(target.resource, target.name, reason);
  const { runtimeClassName, overhead, nodeSelector, tolerations } = structOf(pod.spec);
  if (runtimeClassName === undefined) {
    if (overhead === undefined) return pod;
    throw refused('pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead');
  }
  const name = String(runtimeClassName);
  const found = store.get({ resource: 'node.k8s.io/runtimeclasses', namespace: '', name });
  if (found === undefined) throw refused(`pod rejected: RuntimeClass ${JSON.stringify(name)} not found`);
  const fixed = structOf(found.overhead).podFixed;
  if (overhead !== undefined && fixed === undefined)
    throw refused('pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead');
  if (overhead !== undefined && !jsonEqual(overhead, fixed as Json))
    throw refused("pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
  const { nodeSelector: labels, tolerations: more } = structOf(found.scheduling);
  const selected = { ...structOf(labels), ...structOf(nodeSelector) };
  for (const [label, value] of Object.entries(structOf(labels))) {
    if (selected[label] === value) continue;
    const reason = `runtimeClass.scheduling.nodeSelector[${label}] = ${String(value)}; pod.spec.nodeSelector[${label}] = ${String(selected[label])}`;
    throw refused(`conflict: ${reason}`);
  }
  const present = listOf(tolerations);
  const added = listOf(more).filter((each) => !present.some((other) => jsonEqual(other, each)));
  return withSpec(pod, {
    ...(fixed === undefined ? {} : { overhead: fixed }),
    ...(isJsonObject(labels) ? { nodeSelector: selected } : {}),
    ...(added.length === 0 ? {} : { tolerations: [...present, ...added] as Json }),
  });
}
