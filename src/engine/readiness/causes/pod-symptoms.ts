import { conditionOf, isTerminating, nameOf, uidOf } from '../../../fields/object.js';
import type { JsonObject } from '../../../util/json.js';
import { listOf, member, specOf, statusOf } from '../object.js';
import { containerPath, containerSymptoms } from './container-symptoms.js';
import { volumeFields } from './reference-fields.js';
import type { Symptom } from './symptom.js';

/** The circumstances of a pod that its symptoms depend on. */
export interface PodCircumstances {
  /** It may be from before the apply. */
  readonly isOld: boolean;
  readonly unschedulableSeconds: number;
  /** A Job runs it: the Job decides how often it is tried again, and deletes its pods when it fails. */
  readonly ofJob: false | 'running' | 'failed';
}

/** Returns what keeps a pod from becoming ready; nothing of a pod that is ready, has succeeded or is being deleted, unless its Job has failed. */
export function podSymptoms(pod: JsonObject, { isOld, unschedulableSeconds, ofJob }: PodCircumstances): readonly Symptom[] {
  const { phase } = statusOf(pod);
  if ((isTerminating(pod) && ofJob !== 'failed') || phase === 'Succeeded' || isReady(pod)) return [];
  if (phase === 'Failed') return [failedSymptom(pod, ofJob !== false, isOld)];
  const unscheduled = unscheduledSymptom(pod, unschedulableSeconds, isOld);
  if (unscheduled) return [unscheduled];
  const found = containerSymptoms(pod, isOld);
  // A Job counts the restarts itself, and fails by its own limit.
  return ofJob ? found.map((symptom) => (symptom.cause === 'crash' ? withoutCertainty(symptom) : symptom)) : found;
}

export function isReady(pod: JsonObject): boolean {
  return conditionOf(pod, 'Ready')?.status === 'True';
}

/** Returns true if a pod has a node, and none of its containers has been created. */
export function isBeingCreated(pod: JsonObject): boolean {
  if (isTerminating(pod) || statusOf(pod).phase !== 'Pending' || conditionOf(pod, 'PodScheduled')?.status !== 'True') return false;
  const statuses = [...listOf(statusOf(pod).initContainerStatuses), ...listOf(statusOf(pod).containerStatuses)];
  return statuses.every((status) => {
    const { reason } = member(member(status, 'state'), 'waiting');
    return reason === 'ContainerCreating' || reason === 'PodInitializing';
  });
}

function withoutCertainty({ certainAfterSeconds: _, ...symptom }: Symptom): Symptom {
  return symptom;
}

function failedSymptom(pod: JsonObject, ofJob: boolean, isOld: boolean): Symptom {
  const status = statusOf(pod);
  const containers = (list: 'initContainers' | 'containers') =>
    listOf(status[list === 'containers' ? 'containerStatuses' : 'initContainerStatuses']).map((container) => ({ list, container }));
  const ended = [...containers('initContainers'), ...containers('containers')].find(({ container }) => {
    const { exitCode } = member(member(container, 'state'), 'terminated');
    return typeof exitCode === 'number' && exitCode !== 0;
  });
  const cause = ofJob ? 'job-failed' : 'pod-failed';
  const common = { cause, key: `${cause} ${uidOf(pod)}`, pod, mayBeOld: isOld } as const;
  const detail = [status.reason, status.message].filter((text) => typeof text === 'string' && text !== '').join(': ');
  if (!ended) {
    const message = `Pod ${nameOf(pod)} has failed${detail === '' ? '' : `: ${detail}`}`;
    return { ...common, reason: String(status.reason ?? 'Failed'), message, fields: () => [] };
  }
  const name = String(ended.container.name);
  const { exitCode, reason } = member(member(ended.container, 'state'), 'terminated');
  const why = reason === undefined || reason === 'Error' ? '' : ` (${String(reason)})`;
  return {
    ...common,
    reason: String(status.reason ?? 'Failed'),
    message: `container ${name} of Pod ${nameOf(pod)} has ended with exit code ${Number(exitCode)}${why}${detail === '' ? '' : `: ${detail}`}`,
    container: name,
    exitCode: Number(exitCode),
    fields: (template) => [`${containerPath(ended.list, name, template)}.image`],
  };
}

function unscheduledSymptom(pod: JsonObject, unschedulableSeconds: number, isOld: boolean): Symptom | undefined {
  const scheduled = conditionOf(pod, 'PodScheduled');
  if (scheduled?.status !== 'False') return undefined;
  const isGated = scheduled.reason === 'SchedulingGated';
  if (!isGated && scheduled.reason !== 'Unschedulable') return undefined;
  const detail = scheduled.message === '' ? '' : `: ${scheduled.message}`;
  return {
    cause: 'unschedulable',
    key: `unschedulable ${uidOf(pod)}`,
    reason: scheduled.reason,
    message: `${isGated ? 'a scheduling gate holds' : 'no node accepts'} Pod ${nameOf(pod)}${detail}`,
    pod,
    fields: (template) => schedulingFields(pod, scheduled.message, template),
    ...(isGated ? {} : { certainAfterSeconds: unschedulableSeconds }),
    mayBeOld: isOld && isGated,
  };
}

/** Returns the fields that the message of the scheduler is about. */
function schedulingFields(pod: JsonObject, message: string, template: string): readonly string[] {
  const found = volumeFields(pod, message, template);
  if (/persistentvolumeclaim/i.test(message) && found.length > 0) return found;
  const resources = listOf(specOf(pod).containers).map(({ name }) => `${containerPath('containers', String(name), template)}.resources`);
  return [
    ...(/Insufficient/.test(message) ? resources : []),
    ...(/affinity|selector/.test(message) ? [`${template}.spec.nodeSelector`, `${template}.spec.affinity`] : []),
    ...(/taint/.test(message) ? [`${template}.spec.tolerations`] : []),
    ...(/topology spread/.test(message) ? [`${template}.spec.topologySpreadConstraints`] : []),
    ...(/host port|free ports/.test(message) ? resources.map((field) => field.replace(/\.resources$/, '.ports')) : []),
    ...(/gate/.test(message) || specOf(pod).schedulingGates !== undefined ? [`${template}.spec.schedulingGates`] : []),
    ...found,
  ];
}
