import { metadataOf } from '../../../fields/object.js';
import type { JsonObject } from '../../../util/json.js';
import { listOf, memberAt } from '../../api/json-access.js';
import { phaseOf } from './pod-state.js';
import { numberAt } from './workload-object.js';

/** The pods of an Indexed Job. */
interface IndexedPods {
  readonly all: readonly JsonObject[];
  readonly active: readonly JsonObject[];
  readonly terminating: readonly JsonObject[];
}

/** Annotation and label of a pod of an Indexed Job. */
export const indexAnnotation = 'batch.kubernetes.io/job-completion-index';

/** Returns the completed indexes as the status has them, such as `0,2-4`. Source: Kubernetes API reference, JobStatus. */
export function completedIndexes(job: JsonObject, pods: IndexedPods): string {
  const indexes = [...completedIn(job, pods)].toSorted((left, right) => left - right);
  const ranges: [number, number][] = [];
  for (const index of indexes) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === index - 1) last[1] = index;
    else ranges.push([index, index]);
  }
  return ranges.map(([from, to]) => (from === to ? String(from) : to === from + 1 ? `${from},${to}` : `${from}-${to}`)).join(',');
}

/** Returns the next indexes that have no pod. */
export function missingIndexes(job: JsonObject, pods: IndexedPods, count: number): readonly number[] {
  const taken = new Set([...completedIn(job, pods), ...[...pods.active, ...pods.terminating].map(indexOf)]);
  const all = Array.from({ length: numberAt(job, 'spec.completions') }, (_, index) => index);
  return all.filter((index) => !taken.has(index)).slice(0, count);
}

function completedIn(job: JsonObject, pods: IndexedPods): ReadonlySet<number> {
  const text = memberAt(job, 'status.completedIndexes');
  const known = typeof text === 'string' ? text.split(',').filter((part) => part !== '') : [];
  const before = known.flatMap((part) => {
    const [from = 0, to = from] = part.split('-').map(Number);
    return Array.from({ length: to - from + 1 }, (_, index) => from + index);
  });
  return new Set([...before, ...pods.all.filter((pod) => phaseOf(pod) === 'Succeeded').map(indexOf)]);
}

const indexOf = (pod: JsonObject) => Number(metadataOf(pod).annotations?.[indexAnnotation]);

/** Gives each container its index in the environment. Source: Kubernetes documentation "Indexed Job for Parallel Processing". */
export function withIndexVariable(spec: JsonObject): JsonObject {
  const name = 'JOB_COMPLETION_INDEX';
  const variable = { name, valueFrom: { fieldRef: { fieldPath: `metadata.labels['${indexAnnotation}']` } } };
  const lists = ['initContainers', 'containers'].filter((list) => spec[list] !== undefined);
  const withIndex = (container: JsonObject) =>
    listOf(container.env).some((each) => each.name === name) ? container : { ...container, env: [...listOf(container.env), variable] };
  return { ...spec, ...Object.fromEntries(lists.map((list) => [list, listOf(spec[list]).map(withIndex)])) };
}
