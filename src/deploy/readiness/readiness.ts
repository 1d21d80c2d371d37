import { groupOf } from '../../assembly/identity.js';
import type { WaitFor } from '../../assembly/types.js';
import type { JsonObject } from '../../util/json.js';
import { type Condition, conditionsOf, count, metadataOf, statusOf } from './object.js';
import { claimReadiness, crdReadiness, jobReadiness, serviceReadiness } from './other-kinds.js';
import { podReadiness } from './pod.js';
import { current, failed, inProgress, type Readiness } from './state.js';
import { waitForReadiness } from './wait-for.js';
import { daemonSetReadiness, deploymentReadiness, replicaSetReadiness, statefulSetReadiness } from './workloads.js';

export interface ReadinessOptions {
  readonly waitFor?: WaitFor | undefined;
  /**
   * Whether the object's schema has `status.observedGeneration` or `status.conditions`: then a controller is expected to write them,
   * and an object without any has not been seen by it.
   */
  readonly expectsStatus?: boolean;
  /** Milliseconds since 1970. */
  readonly now?: number;
}

type Rule = (object: JsonObject, now: number) => Readiness;

const rules: Readonly<Record<string, Rule>> = {
  'apps/Deployment': deploymentReadiness,
  'apps/StatefulSet': statefulSetReadiness,
  'apps/DaemonSet': daemonSetReadiness,
  'apps/ReplicaSet': replicaSetReadiness,
  'batch/Job': jobReadiness,
  '/Pod': podReadiness,
  '/PersistentVolumeClaim': claimReadiness,
  '/Service': serviceReadiness,
  'apiextensions.k8s.io/CustomResourceDefinition': crdReadiness,
};

/** Kinds whose controllers report `status.observedGeneration`. */
const reportGeneration: ReadonlySet<string> = new Set(['apps/Deployment', 'apps/StatefulSet', 'apps/DaemonSet', 'apps/ReplicaSet']);

const builtInGroups: ReadonlySet<string> = new Set([
  ...['', 'apps', 'autoscaling', 'batch', 'extensions', 'policy'],
  ...['admissionregistration', 'apiextensions', 'apiregistration', 'authentication', 'authorization', 'certificates'].map(ofKubernetes),
  ...['coordination', 'discovery', 'events', 'networking', 'node', 'rbac.authorization', 'resource', 'scheduling'].map(ofKubernetes),
  ...['storage', 'storagemigration', 'flowcontrol.apiserver', 'internal.apiserver'].map(ofKubernetes),
]);

/** Whether objects of a kind can be anything but ready once the server has accepted them; the others need no look. */
export function takesTime(object: { readonly apiVersion: string; readonly kind: string }): boolean {
  return Object.hasOwn(rules, kindKey(object)) || isCustom(object);
}

/** Whether a kind is none that Kubernetes itself brings. */
export function isCustom({ apiVersion }: { readonly apiVersion: string }): boolean {
  return !builtInGroups.has(groupOf(apiVersion));
}

/**
 * How far an object is. First what is true of all kinds: it is being deleted, its controller has not seen its newest generation,
 * `Reconciling`, `Stalled`. Then `waitFor`, else the rule of its kind, else the condition `Ready`, where there is one.
 */
export function readiness(object: JsonObject, options: ReadinessOptions = {}): Readiness {
  const { waitFor, expectsStatus = false, now = Date.now() } = options;
  const key = kindKey(object as { apiVersion: string; kind: string });
  const early = general(object, expectsStatus || reportGeneration.has(key));
  if (early) return early;
  if (waitFor) return waitForReadiness(object, waitFor);
  const rule = Object.hasOwn(rules, key) ? rules[key] : undefined;
  return rule ? rule(object, now) : byReady(object);
}

function general(object: JsonObject, expectsStatus: boolean): Readiness | undefined {
  const { deletionTimestamp, finalizers } = metadataOf(object);
  if (deletionTimestamp !== undefined) {
    const held = Array.isArray(finalizers) && finalizers.length > 0 ? `, held by ${finalizers.join(', ')}` : '';
    return { state: 'terminating', reason: 'Terminating', message: `it is being deleted${held}` };
  }
  const generation = count(metadataOf(object).generation);
  const { observedGeneration } = statusOf(object);
  const conditions = conditionsOf(object);
  if (typeof observedGeneration === 'number' && observedGeneration !== generation) {
    return inProgress('NotObserved', `its controller has seen generation ${observedGeneration} of ${generation}`);
  }
  if (expectsStatus && observedGeneration === undefined && conditions.length === 0) {
    return inProgress('NotObserved', 'its controller has not reported on it yet');
  }
  const upToDate = (condition: Condition | undefined) =>
    condition?.status === 'True' && (condition.observedGeneration ?? generation) >= generation;
  const stalled = conditions.find(({ type }) => type === 'Stalled');
  if (stalled && upToDate(stalled)) return failed(stalled.reason || 'Stalled', stalled.message || 'its controller has given up');
  const reconciling = conditions.find(({ type }) => type === 'Reconciling');
  if (reconciling?.status === 'True')
    return inProgress(reconciling.reason || 'Reconciling', reconciling.message || 'its controller works on it');
  return undefined;
}

function byReady(object: JsonObject): Readiness {
  const ready = conditionsOf(object).find(({ type }) => type === 'Ready');
  if (!ready) return current('Accepted', 'its kind reports nothing more');
  if (ready.observedGeneration !== undefined && ready.observedGeneration < count(metadataOf(object).generation)) {
    return inProgress('NotObserved', 'its condition Ready speaks of an older generation');
  }
  if (ready.status === 'True') return current(ready.reason || 'Ready', ready.message || 'it is ready');
  return inProgress(ready.reason || 'NotReady', ready.message || 'it is not ready yet');
}

function kindKey({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): string {
  return `${groupOf(apiVersion)}/${kind}`;
}

function ofKubernetes(name: string): string {
  return `${name}.k8s.io`;
}
