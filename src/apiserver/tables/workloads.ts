import { isTerminating } from '../../fields/object.js';
import type { JsonObject } from '../../util/json.js';
import { at, countAt, hasCondition, labelsText, listAt, numberAt, ofContainers, or, selectorText, textAt } from './cells.js';
import { ageColumn, type Column, integer, kind, type TableKind, text, wide } from './column.js';
import { ageOf, durationText } from './duration.js';

const selector = text('Selector', (object) => or(selectorText(at(object, 'spec.selector')), '<none>'));

function containers(template = 'spec.template'): readonly Column[] {
  return [text('Containers', ofContainers('name', template)), text('Images', ofContainers('image', template))];
}

function readyText(object: JsonObject): string {
  return `${numberAt(object, 'status.readyReplicas')}/${numberAt(object, 'spec.replicas')}`;
}

const replicas = [
  integer('Desired', 'spec.replicas'),
  integer('Current', 'status.replicas'),
  integer('Ready', 'status.readyReplicas'),
  ageColumn,
  ...wide(...containers()),
] as const;

function controllerText(object: JsonObject): string {
  const owner = listAt(object, 'metadata.ownerReferences').find(({ controller }) => controller === true);
  if (owner === undefined) return '<none>';
  const apiVersion = textAt(owner, 'apiVersion');
  const group = apiVersion.includes('/') ? `.${apiVersion.slice(0, apiVersion.indexOf('/'))}` : '';
  return `${textAt(owner, 'kind').toLowerCase()}${group}/${textAt(owner, 'name')}`;
}

function jobStatus(job: JsonObject): string {
  if (hasCondition(job, 'Complete')) return 'Complete';
  if (hasCondition(job, 'Failed')) return 'Failed';
  if (isTerminating(job)) return 'Terminating';
  return ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find((type) => hasCondition(job, type)) ?? 'Running';
}

function completionsText(job: JsonObject): string {
  const succeeded = numberAt(job, 'status.succeeded');
  const completions = at(job, 'spec.completions');
  if (completions !== undefined) return `${succeeded}/${completions}`;
  const parallelism = numberAt(job, 'spec.parallelism');
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function jobDuration(job: JsonObject, now: number): string {
  const [started, ended] = [textAt(job, 'status.startTime'), textAt(job, 'status.completionTime')];
  if (started === '') return '';
  return durationText((ended === '' ? now : Date.parse(ended)) - Date.parse(started));
}

function lastSchedule(object: JsonObject, now: number): string {
  const last = at(object, 'status.lastScheduleTime');
  return last === undefined ? '<none>' : ageOf(last, now);
}

function suspendText(object: JsonObject): string {
  const suspend = at(object, 'spec.suspend');
  return suspend === undefined ? '<unset>' : suspend === true ? 'True' : 'False';
}

export const workloadTables: Readonly<Record<string, TableKind>> = {
  'apps/Deployment': kind(
    text('Ready', readyText),
    text('Up-to-date', (object) => numberAt(object, 'status.updatedReplicas')),
    text('Available', (object) => numberAt(object, 'status.availableReplicas')),
    ageColumn,
    ...wide(
      ...containers(),
      text('Selector', (object) => selectorText(at(object, 'spec.selector'))),
    ),
  ),
  'apps/ReplicaSet': kind(...replicas, ...wide(selector)),
  '/ReplicationController': kind(...replicas, ...wide(text('Selector', (object) => labelsText(at(object, 'spec.selector'))))),
  'apps/StatefulSet': kind(text('Ready', readyText), ageColumn, ...wide(...containers())),
  'apps/DaemonSet': kind(
    integer('Desired', 'status.desiredNumberScheduled'),
    integer('Current', 'status.currentNumberScheduled'),
    integer('Ready', 'status.numberReady'),
    integer('Up-to-date', 'status.updatedNumberScheduled'),
    integer('Available', 'status.numberAvailable'),
    text('Node Selector', (object) => labelsText(at(object, 'spec.template.spec.nodeSelector'))),
    ageColumn,
    ...wide(...containers(), selector),
  ),
  'apps/ControllerRevision': kind(
    text('Controller', controllerText),
    text('Revision', (object) => numberAt(object, 'revision')),
    ageColumn,
  ),
  'batch/Job': kind(
    text('Status', jobStatus),
    text('Completions', completionsText),
    text('Duration', jobDuration),
    ageColumn,
    ...wide(...containers(), selector),
  ),
  'batch/CronJob': kind(
    text('Schedule', 'spec.schedule'),
    text('Timezone', 'spec.timeZone', '<none>'),
    { name: 'Suspend', type: 'boolean', cell: suspendText },
    integer('Active', (object) => countAt(object, 'status.active')),
    text('Last Schedule', lastSchedule),
    ageColumn,
    ...wide(
      ...containers('spec.jobTemplate.spec.template'),
      text('Selector', (object) => or(selectorText(at(object, 'spec.jobTemplate.spec.selector')), '<none>')),
    ),
  ),
  'policy/PodDisruptionBudget': kind(
    text('Min Available', (object) => or(textAt(object, 'spec.minAvailable'), 'N/A')),
    text('Max Unavailable', (object) => or(textAt(object, 'spec.maxUnavailable'), 'N/A')),
    integer('Allowed Disruptions', 'status.disruptionsAllowed'),
    ageColumn,
  ),
  'scheduling.k8s.io/PriorityClass': kind(
    integer('Value', 'value'),
    { name: 'Global-Default', type: 'boolean', cell: (object) => at(object, 'globalDefault') ?? false },
    ageColumn,
    text('PreemptionPolicy', 'preemptionPolicy'),
  ),
  'resource.k8s.io/DeviceClass': kind(ageColumn),
  'resource.k8s.io/ResourceClaimTemplate': kind(ageColumn),
  'resource.k8s.io/ResourceClaim': kind(text('State', claimState), ageColumn),
  'resource.k8s.io/ResourceSlice': kind(
    text('Node', 'spec.nodeName'),
    text('Driver', 'spec.driver'),
    text('Pool', 'spec.pool.name'),
    ageColumn,
  ),
};

function claimState(claim: JsonObject): string {
  const isAllocated = at(claim, 'status.allocation') !== undefined;
  const states = [
    isTerminating(claim) && 'deleted',
    isAllocated ? 'allocated' : !isTerminating(claim) && 'pending',
    countAt(claim, 'status.reservedFor') > 0 && 'reserved',
  ];
  return states.filter((state) => state !== false).join(',');
}
