import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { forbidden } from '../api/status-error.js';
import type { Backend, ObjectTarget } from '../registry/backend.js';
import { storeName } from '../registry/resource.js';

/** Classes that every server has. Source: Kubernetes documentation "Pod Priority and Preemption". */
const systemPriorities: Readonly<Record<string, number>> = {
  'system-cluster-critical': 2_000_000_000,
  'system-node-critical': 2_000_001_000,
};

/** Taints of a node that a Pod tolerates for some minutes. Source: Kubernetes documentation "Taints and Tolerations". */
const toleratedForMinutes = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];

/**
 * Gives a Pod its priority and tolerations, as the admission plugins Priority and DefaultTolerationSeconds do.
 * Source: Kubernetes documentation "Admission Control".
 *
 * @throws StatusError 403
 */
export function admitPod(backend: Backend, target: ObjectTarget, object: JsonObject, live: JsonObject | undefined): JsonObject {
  if (storeName(target.resource) !== '/pods' || target.subresource !== undefined || !isJsonObject(object.spec)) return object;
  const before = isJsonObject(live?.spec) ? live.spec : undefined;
  const priority = before === undefined ? priorityOf(backend, target, object.spec) : priorityMembers(before);
  return {
    ...object,
    spec: { ...priority, ...object.spec, ...(before === undefined ? priority : {}), tolerations: tolerationsOf(object.spec) },
  };
}

function priorityMembers(spec: JsonObject): JsonObject {
  const names = ['priority', 'preemptionPolicy'].filter((name) => spec[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, spec[name] as Json]));
}

function priorityOf({ store }: Backend, { resource, name }: ObjectTarget, { priorityClassName }: JsonObject): JsonObject {
  const classes = store.list('scheduling.k8s.io/priorityclasses');
  const wanted = typeof priorityClassName === 'string' && priorityClassName !== '' ? priorityClassName : undefined;
  const found = classes.find(({ metadata, globalDefault }) =>
    wanted === undefined ? globalDefault === true : (metadata as JsonObject).name === wanted,
  );
  if (found !== undefined) {
    const { metadata, value, preemptionPolicy = 'PreemptLowerPriority' } = found;
    return { priority: Number(value), preemptionPolicy, priorityClassName: (metadata as JsonObject).name as Json };
  }
  const priority = wanted === undefined ? 0 : systemPriorities[wanted];
  if (priority === undefined) throw forbidden(resource, name, `no PriorityClass with name ${wanted} was found`);
  return { priority, preemptionPolicy: 'PreemptLowerPriority' };
}

function tolerationsOf({ tolerations }: JsonObject): Json {
  const own = (Array.isArray(tolerations) ? tolerations : []) as readonly JsonObject[];
  const isTolerated = (taint: string) => own.some(({ key, effect }) => (!key || key === taint) && (!effect || effect === 'NoExecute'));
  const added = toleratedForMinutes
    .filter((taint) => !isTolerated(taint))
    .map((key) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }));
  return [...own, ...added];
}
