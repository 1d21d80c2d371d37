import { metadataOf, nameOf } from '../../../fields/object.js';
import type { JsonObject } from '../../../util/json.js';
import type { CauseEvent, ReadinessCause } from '../../report/readiness-cause.js';
import { listOf, member, statusOf } from '../object.js';
import type { CauseSearch, Explanation } from './cause-search.js';
import { maxLogLines } from './optional-reads.js';
import { causeEvent } from './refusal-symptoms.js';
import type { Symptom } from './symptom.js';
import { workloadText } from './workload-text.js';

/** The causes that the log of the container may explain. */
const loggedCauses: ReadonlySet<string> = new Set(['crash', 'job-failed', 'pod-failed', 'probe']);
const maxLineLength = 500;

/**
 * Reads the events and the log that belong to an explanation, and names the declaration of its field. Never rejects.
 *
 * @param notes receives what cannot be read.
 */
export async function describeCause(
  { symptom: found, certain }: Explanation,
  workload: JsonObject,
  search: CauseSearch,
  notes: Set<string>,
): Promise<ReadinessCause> {
  const { pod } = found;
  const events = pod === undefined || found.event !== undefined ? [] : ((await search.reads.eventsOf(pod, notes)) ?? []);
  const symptom = withProbe(found, events);
  const event = symptom.event ?? eventFor(symptom, events);
  const log = await logOf(symptom, search, notes);
  const source = search.declared.sourceOf(workloadIdentity(workload), symptom.fields(templateOf(workload)), workload);
  const { exitCode, restarts, container } = symptom;
  const adds = symptom.cause === 'probe' && event !== undefined && !symptom.message.includes(event.message);
  return {
    cause: symptom.cause,
    certain,
    message: adds ? `${symptom.message}: ${event.message}` : symptom.message,
    object: workloadText(pod ?? workload),
    ...(container === undefined ? {} : { container }),
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(restarts === undefined ? {} : { restarts }),
    ...(event === undefined ? {} : { event }),
    ...(log === undefined || log.length === 0 ? {} : { log }),
    ...(source === undefined ? {} : { source }),
  };
}

/** A container that the kubelet restarts because of its liveness or startup probe seems to crash; its events tell. */
function withProbe(symptom: Symptom, events: readonly JsonObject[]): Symptom {
  if (symptom.cause !== 'crash') return symptom;
  const isAbout = (event: JsonObject) => isOfContainer(event, symptom.container) && event.reason === 'Killing';
  const kind = events
    .map((event) => isAbout(event) && /failed (liveness|startup) probe/.exec(String(event.message))?.[1])
    .findLast(Boolean);
  if (!kind) return symptom;
  const failure = events.findLast((event) => isOfContainer(event, symptom.container) && isOfProbe(event, kind));
  return {
    ...symptom,
    cause: 'probe',
    message: `container ${symptom.container} is restarted because it fails its ${kind} probe${failure ? `: ${causeEvent(failure).message}` : ''}; it ${symptom.message.replace(/^container \S+ /, '')}`,
    ...(failure ? { event: causeEvent(failure) } : {}),
    fields: (template) => symptom.fields(template).map((field) => field.replace(/\.image$/, `.${kind}Probe`)),
  };
}

const eventReasons: Readonly<Partial<Record<Symptom['cause'], readonly string[]>>> = {
  'image-pull': ['Failed', 'BackOff', 'InspectFailed', 'ErrImageNeverPull'],
  'container-config': ['Failed', 'FailedPostStartHook', 'FailedPreStopHook'],
  crash: ['BackOff', 'Failed'],
  probe: ['Unhealthy'],
  unschedulable: ['FailedScheduling'],
};

/** Returns the newest event that belongs to a symptom, else the newest warning. */
function eventFor(symptom: Symptom, events: readonly JsonObject[]): CauseEvent | undefined {
  const ofContainer = events.filter((event) => isOfContainer(event, symptom.container));
  const reasons = eventReasons[symptom.cause] ?? [];
  const fits = (event: JsonObject) => (symptom.probe === undefined ? isTelling(event) : isOfProbe(event, symptom.probe));
  const fitting = ofContainer.findLast((event) => reasons.includes(String(event.reason)) && fits(event));
  const event = fitting ?? ofContainer.findLast(({ type }) => type === 'Warning');
  return event && causeEvent(event);
}

/** Returns false for an event that only repeats the reason of the waiting container, such as `Error: ImagePullBackOff`. */
const isTelling = ({ message }: JsonObject): boolean => !/^Error: [A-Z][A-Za-z]+$/.test(String(message));

/** Returns true if an event is a failure of a probe of this kind. The kubelet writes `Liveness probe failed: …`, or `errored`. */
function isOfProbe({ reason, message }: JsonObject, kind: string): boolean {
  return reason === 'Unhealthy' && String(message).toLowerCase().startsWith(`${kind} probe `);
}

/** Returns true if an event is about a container, or about its pod as a whole. */
function isOfContainer(event: JsonObject, container: string | undefined): boolean {
  const { fieldPath } = member(event, 'involvedObject');
  return container === undefined || typeof fieldPath !== 'string' || !fieldPath.includes('{') || fieldPath.endsWith(`{${container}}`);
}

async function logOf(symptom: Symptom, { reads, secrets }: CauseSearch, notes: Set<string>): Promise<readonly string[] | undefined> {
  const { pod, container, cause } = symptom;
  if (pod === undefined || container === undefined || !loggedCauses.has(cause)) return undefined;
  const text = await reads.logOf(pod, container, hasPreviousRun(pod, container), notes);
  if (text === undefined) return undefined;
  const lines = secrets.mask(text).split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.slice(-maxLogLines).map((line) => (line.length > maxLineLength ? `${line.slice(0, maxLineLength)}…` : line));
}

/** Returns true if the container has ended and waits or runs again: its last run has the log. */
function hasPreviousRun(pod: JsonObject, container: string): boolean {
  const statuses = [...listOf(statusOf(pod).initContainerStatuses), ...listOf(statusOf(pod).containerStatuses)];
  const status = statuses.find(({ name }) => name === container) ?? {};
  return member(status, 'state').terminated === undefined && member(member(status, 'lastState'), 'terminated').exitCode !== undefined;
}

function workloadIdentity(workload: JsonObject) {
  const { namespace } = metadataOf(workload);
  return { apiVersion: String(workload.apiVersion), kind: String(workload.kind), namespace, name: nameOf(workload) };
}

/** Returns the path of the pod template of a workload. */
function templateOf(workload: JsonObject): string {
  return workload.kind === 'Pod' ? '' : '.spec.template';
}
