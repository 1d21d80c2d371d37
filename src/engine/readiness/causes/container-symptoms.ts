import { quote } from '../../../fields/index.js';
import { nameOf, uidOf } from '../../../fields/object.js';
import type { JsonObject } from '../../../util/json.js';
import { pluralize } from '../../../util/pluralize.js';
import { count, listOf, member, specOf, statusOf } from '../object.js';
import { referenceFields } from './reference-fields.js';
import { certainAfterSeconds, certainRestarts, type Symptom } from './symptom.js';

/** Reasons of a waiting container whose image is not there. The value says if another try cannot help. */
const pullReasons: ReadonlyMap<string, boolean> = new Map([
  ['ErrImagePull', false],
  ['ImagePullBackOff', false],
  ['RegistryUnavailable', false],
  ['SignatureValidationFailed', false],
  ['ImageInspectError', false],
  ['InvalidImageName', true],
  ['ErrImageNeverPull', true],
]);

const configReasons: ReadonlySet<string> = new Set([
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
  'PreCreateHookError',
  'PreStartHookError',
  'PostStartHookError',
]);

/** A container of a pod, as declared and as reported. */
interface Container {
  readonly pod: JsonObject;
  readonly name: string;
  readonly list: 'containers' | 'initContainers';
  readonly spec: JsonObject;
  readonly status: JsonObject;
  readonly isOld: boolean;
}

/**
 * Returns what is wrong with the containers of a pod.
 *
 * @param isOld the pod may be from before the apply.
 */
export function containerSymptoms(pod: JsonObject, isOld: boolean): readonly Symptom[] {
  const containers = (list: Container['list'], statuses: string) =>
    listOf(statusOf(pod)[statuses]).map((status): Container => {
      const name = String(status.name);
      const spec = listOf(specOf(pod)[list]).find((candidate) => candidate.name === name) ?? {};
      return { pod, name, list, spec, status, isOld };
    });
  const all = [...containers('initContainers', 'initContainerStatuses'), ...containers('containers', 'containerStatuses')];
  return all.flatMap((container) => symptomOf(container) ?? []);
}

function symptomOf(container: Container): Symptom | undefined {
  const { reason } = member(member(container.status, 'state'), 'waiting');
  if (typeof reason === 'string' && pullReasons.has(reason)) return pullSymptom(container, reason);
  if (typeof reason === 'string' && configReasons.has(reason)) return configSymptom(container, reason);
  return crashSymptom(container) ?? probeSymptom(container);
}

function pullSymptom(container: Container, reason: string): Symptom {
  const image = String(container.spec.image ?? container.status.image ?? '');
  return {
    ...base(container, 'image-pull'),
    reason,
    message: `container ${container.name} cannot pull its image ${image}: ${waitingMessage(container, reason)}`,
    fields: (template) => [`${fieldOf(container, template)}.image`],
    certainAfterSeconds: pullReasons.get(reason) ? 0 : certainAfterSeconds.imagePull,
    isConfirmedBy: (events) => timesOf(events, (event) => event.reason === 'Failed' && /^Failed to pull/.test(String(event.message))) >= 2,
  };
}

function configSymptom(container: Container, reason: string): Symptom {
  const message = waitingMessage(container, reason);
  return {
    ...base(container, 'container-config'),
    reason,
    message: `container ${container.name} cannot be created: ${message}`,
    fields: (template) => referenceFields(container.spec, message).map((field) => `${fieldOf(container, template)}${field}`),
    certainAfterSeconds: certainAfterSeconds.containerConfig,
  };
}

function crashSymptom(container: Container): Symptom | undefined {
  const { status, pod, name } = container;
  const state = member(status, 'state');
  const isOver = member(state, 'waiting').reason === 'CrashLoopBackOff' || state.terminated !== undefined;
  const ended = state.terminated === undefined ? member(member(status, 'lastState'), 'terminated') : member(state, 'terminated');
  const restarts = count(status.restartCount);
  const hasCrashed = isOver ? restarts > 0 || isFailure(ended) : restarts > 0 && status.ready !== true;
  const succeeded = state.terminated !== undefined && !isFailure(ended);
  if (!hasCrashed || succeeded || specOf(pod).restartPolicy === 'Never') return undefined;
  const exitCode = typeof ended.exitCode === 'number' ? ended.exitCode : undefined;
  const why = ended.reason === 'Error' || ended.reason === undefined ? '' : ` (${String(ended.reason)})`;
  return {
    ...base(container, 'crash'),
    reason: 'CrashLoopBackOff',
    message: `container ${name} ends with ${exitCode === undefined ? 'an unknown exit code' : `exit code ${exitCode}`}${why}, ${pluralize(restarts, 'restart')}`,
    fields: (template) =>
      [...(ended.reason === 'OOMKilled' ? ['resources'] : []), 'image'].map((field) => `${fieldOf(container, template)}.${field}`),
    restarts,
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(isOver && restarts >= certainRestarts ? { certainAfterSeconds: 0 } : {}),
  };
}

/** A container that runs and is not ready. The kubelet itself ends one whose startup probe fails. */
function probeSymptom(container: Container): Symptom | undefined {
  const { spec, status, name } = container;
  if (member(status, 'state').running === undefined || status.ready === true || container.list === 'initContainers') return undefined;
  const kind = status.started === false && spec.startupProbe !== undefined ? 'startup' : 'readiness';
  if (spec[`${kind}Probe`] === undefined) return unreadySymptom(container);
  const probe = member(spec, `${kind}Probe`);
  const mayFail = count(probe.initialDelaySeconds) + count(probe.periodSeconds, 10) * count(probe.failureThreshold, 3);
  return {
    ...base(container, 'probe'),
    reason: 'Unhealthy',
    message: `container ${name} does not pass its ${kind} probe`,
    fields: (template) => [`${fieldOf(container, template)}.${kind}Probe`],
    probe: kind,
    ...(kind === 'readiness' ? { certainAfterSeconds: Math.max(certainAfterSeconds.readinessProbe, 3 * mayFail) } : {}),
  };
}

/** A container without a readiness probe is ready as soon as it runs. One that is not shows in its events why, if its kubelet says so. */
function unreadySymptom(container: Container): Symptom {
  return {
    ...base(container, 'probe'),
    reason: 'Unhealthy',
    message: `container ${container.name} runs and is not ready`,
    fields: (template) => [fieldOf(container, template)],
    probe: 'readiness',
  };
}

function base({ pod, name, isOld }: Container, cause: Symptom['cause']) {
  return { cause, key: `${cause} ${uidOf(pod)} ${name}`, pod, container: name, mayBeOld: isOld };
}

/** Returns the path of a container. */
export function containerPath(list: Container['list'], name: string, template: string): string {
  return `${template}.spec.${list}[name=${quote(name)}]`;
}

function fieldOf({ list, name }: Container, template: string): string {
  return containerPath(list, name, template);
}

function waitingMessage({ status, pod }: Container, reason: string): string {
  const { message } = member(member(status, 'state'), 'waiting');
  return typeof message === 'string' && message !== '' ? message : `${reason} in Pod ${nameOf(pod)}`;
}

const isFailure = (ended: JsonObject): boolean => typeof ended.exitCode === 'number' && ended.exitCode !== 0;

/** Counts events, each as often as its reporter says. */
function timesOf(events: readonly JsonObject[], fits: (event: JsonObject) => boolean): number {
  return events.filter(fits).reduce((sum, event) => sum + Math.max(1, count(event.count), count(member(event, 'series').count)), 0);
}
