import { isTerminating } from '../../fields/object.js';
import type { JsonObject } from '../../util/json.js';
import { at, hasCondition, labelsText, listAt, numberAt, ofContainers, or, textAt } from './cells.js';
import { ageColumn, kind, type TableKind, text, wide } from './column.js';
import { ageOf } from './duration.js';

/** The cells of a Pod that its containers decide. */
interface ContainerSummary {
  readonly ready: number;
  readonly total: number;
  readonly status: string;
  readonly restarts: number;
  /** Time of the last restart, empty if it is unknown. */
  readonly restartedAt: string;
}

/** Status of the containers, in the order in which they are looked at. */
interface Progress {
  readonly status: string;
  readonly ready: number;
  readonly restarts: number;
  readonly restartedAt: string;
}

function summaryOf(pod: JsonObject): ContainerSummary {
  const initContainers = listAt(pod, 'spec.initContainers');
  const sidecars = new Set(initContainers.filter(({ restartPolicy }) => restartPolicy === 'Always').map(({ name }) => String(name)));
  const total = listAt(pod, 'spec.containers').length + sidecars.size;
  const initializing = initProgress(pod, sidecars, initContainers.length);
  const isInitialized = initializing.status === undefined || hasCondition(pod, 'Initialized');
  const before: Progress = {
    status: initializing.status ?? phaseOf(pod),
    ready: initializing.ready,
    restarts: isInitialized ? initializing.sidecarRestarts : initializing.restarts,
    restartedAt: isInitialized ? initializing.sidecarRestartedAt : initializing.restartedAt,
  };
  const progress = isInitialized ? containerProgress(pod, before) : before;
  return { ...progress, total, status: isTerminating(pod) ? terminatingStatus(pod, progress.status) : progress.status };
}

function terminatingStatus(pod: JsonObject, status: string): string {
  if (textAt(pod, 'status.reason') === 'NodeLost') return 'Unknown';
  return ['Succeeded', 'Failed'].includes(textAt(pod, 'status.phase')) ? status : 'Terminating';
}

function phaseOf(pod: JsonObject): string {
  const gated = listAt(pod, 'status.conditions').some(({ type, reason }) => type === 'PodScheduled' && reason === 'SchedulingGated');
  return gated ? 'SchedulingGated' : or(textAt(pod, 'status.reason'), textAt(pod, 'status.phase'));
}

interface InitProgress {
  /** Status of the first init container that has not completed, undefined if there is none. */
  readonly status: string | undefined;
  readonly ready: number;
  readonly restarts: number;
  readonly restartedAt: string;
  readonly sidecarRestarts: number;
  readonly sidecarRestartedAt: string;
}

function initProgress(pod: JsonObject, sidecars: ReadonlySet<string>, total: number): InitProgress {
  let [ready, restarts, restartedAt, sidecarRestarts, sidecarRestartedAt] = [0, 0, '', 0, ''];
  for (const [index, container] of listAt(pod, 'status.initContainerStatuses').entries()) {
    const isSidecar = sidecars.has(String(container.name));
    restarts += numberAt(container, 'restartCount');
    restartedAt = later(restartedAt, container);
    if (isSidecar) {
      sidecarRestarts += numberAt(container, 'restartCount');
      sidecarRestartedAt = later(sidecarRestartedAt, container);
    }
    const terminated = at(container, 'state.terminated');
    if (terminated !== undefined && numberAt(terminated, 'exitCode') === 0) continue;
    if (isSidecar && container.started === true) {
      if (container.ready === true) ready += 1;
      continue;
    }
    const status = `Init:${initStatus(container) ?? `${index}/${total}`}`;
    return { status, ready, restarts, restartedAt, sidecarRestarts, sidecarRestartedAt };
  }
  return { status: undefined, ready, restarts, restartedAt, sidecarRestarts, sidecarRestartedAt };
}

function initStatus(container: JsonObject): string | undefined {
  if (at(container, 'state.terminated') !== undefined) return terminatedStatus(container);
  const waiting = textAt(container, 'state.waiting.reason');
  return waiting === '' || waiting === 'PodInitializing' ? undefined : waiting;
}

function terminatedStatus(container: JsonObject): string {
  const reason = textAt(container, 'state.terminated.reason');
  if (reason !== '') return reason;
  const signal = numberAt(container, 'state.terminated.signal');
  return signal === 0 ? `ExitCode:${numberAt(container, 'state.terminated.exitCode')}` : `Signal:${signal}`;
}

function later(time: string, container: JsonObject): string {
  const finished = textAt(container, 'lastState.terminated.finishedAt');
  return finished > time ? finished : time;
}

/** Adds the containers to the progress of the init containers; the first container that has a problem decides the status. */
function containerProgress(pod: JsonObject, before: Progress): Progress {
  let { status, ready, restarts, restartedAt } = before;
  let hasRunning = false;
  for (const container of listAt(pod, 'status.containerStatuses').toReversed()) {
    restarts += numberAt(container, 'restartCount');
    restartedAt = later(restartedAt, container);
    const waiting = textAt(container, 'state.waiting.reason');
    if (waiting !== '') status = waiting;
    else if (at(container, 'state.terminated') !== undefined) status = terminatedStatus(container);
    else if (container.ready === true && at(container, 'state.running') !== undefined) {
      hasRunning = true;
      ready += 1;
    }
  }
  if (status === 'Completed' && hasRunning) status = hasCondition(pod, 'Ready') ? 'Running' : 'NotReady';
  return { status, ready, restarts, restartedAt };
}

function restartsText(pod: JsonObject, now: number): string {
  const { restarts, restartedAt } = summaryOf(pod);
  return restarts === 0 || restartedAt === '' ? String(restarts) : `${restarts} (${ageOf(restartedAt, now)} ago)`;
}

function addressOf(pod: JsonObject): string {
  return or(or(textAt(listAt(pod, 'status.podIPs')[0], 'ip'), textAt(pod, 'status.podIP')), '<none>');
}

function gatesText(pod: JsonObject): string {
  const gates = listAt(pod, 'spec.readinessGates');
  if (gates.length === 0) return '<none>';
  return `${gates.filter(({ conditionType }) => hasCondition(pod, String(conditionType))).length}/${gates.length}`;
}

const completed: Readonly<Record<string, string>> = {
  Succeeded: 'The pod has completed successfully.',
  Failed: 'The pod failed.',
};

const pod: TableKind = {
  ...kind(
    text('Ready', (object) => {
      const { ready, total } = summaryOf(object);
      return `${ready}/${total}`;
    }),
    text('Status', (object) => summaryOf(object).status),
    text('Restarts', restartsText),
    ageColumn,
    ...wide(
      text('IP', addressOf),
      text('Node', 'spec.nodeName', '<none>'),
      text('Nominated Node', 'status.nominatedNodeName', '<none>'),
      text('Readiness Gates', gatesText),
    ),
  ),
  conditions: (object) => {
    const reason = textAt(object, 'status.phase');
    const message = completed[reason];
    return message === undefined ? [] : [{ type: 'Completed', status: 'True', reason, message }];
  },
};

export const podTables: Readonly<Record<string, TableKind>> = {
  '/Pod': pod,
  '/PodTemplate': kind(
    text('Containers', ofContainers('name', 'template')),
    text('Images', ofContainers('image', 'template')),
    text('Pod Labels', (object) => labelsText(at(object, 'template.metadata.labels'))),
  ),
};
