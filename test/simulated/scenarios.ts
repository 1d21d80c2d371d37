import type { ResponseBody } from '../harness/api-client.js';
import type { Scenario, Step } from './scenario.js';

const labels = { app: 'web' };

const template = (image: string, annotations?: Readonly<Record<string, string | null>>, more: object = {}) => ({
  metadata: { labels, ...(annotations === undefined ? {} : { annotations }) },
  spec: { containers: [{ name: 'web', image }], ...more },
});
const simulate = (how: string) => ({ 'fieldwise.dev/simulate': how });
const selector = { matchLabels: labels };

const deployment = (spec: object) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  spec: { selector, template: template('web:1'), ...spec },
});
const statefulSet = (spec: object) => ({
  ...{ apiVersion: 'apps/v1', kind: 'StatefulSet' },
  spec: { serviceName: 'web', selector, template: template('web:1'), ...spec },
});
const job = (spec: object, annotations?: Readonly<Record<string, string>>, restartPolicy = 'Never') => ({
  ...{ apiVersion: 'batch/v1', kind: 'Job' },
  spec: { ...spec, template: template('web:1', annotations, { restartPolicy }) },
});

const condition = ({ status }: ResponseBody, type: string) => status?.conditions?.find((each: ResponseBody) => each.type === type);
const isObserved = ({ metadata, status }: ResponseBody) => status?.observedGeneration === metadata.generation;
const progresses = (reason: string) => (workload: ResponseBody) => condition(workload, 'Progressing')?.reason === reason;

const isRolledOut = (workload: ResponseBody) => {
  const { spec, status } = workload;
  const counts = ['replicas', 'updatedReplicas', 'readyReplicas', 'availableReplicas'];
  return isObserved(workload) && counts.every((name) => (status[name] ?? 0) === spec.replicas);
};
const hasEnded = (workload: ResponseBody) => ['Complete', 'Failed'].some((type) => condition(workload, type)?.status === 'True');

const created = (until: Step['until']): Step => ({ name: 'created', until });
const changed = (name: string, spec: object, until: Step['until']): Step => ({ name, patch: { spec }, until });

/** All scenarios. A Deployment of one pod is used where the order in which several pods become ready would be left to chance. */
export const scenarios: readonly Scenario[] = [
  {
    name: 'deployment',
    workload: deployment({ replicas: 1 }),
    steps: [
      created(isRolledOut),
      changed('scaled up', { replicas: 3 }, isRolledOut),
      changed('scaled down', { replicas: 1 }, isRolledOut),
      changed('updated', { template: template('web:2') }, isRolledOut),
      changed('rolled back', { template: template('web:1') }, isRolledOut),
      changed('scaled to nothing', { replicas: 0 }, isRolledOut),
    ],
    inSample: true,
  },
  {
    name: 'deployment-image',
    workload: deployment({ replicas: 2, progressDeadlineSeconds: 5 }),
    steps: [
      created(isRolledOut),
      changed('bad image', { template: template('missing:1', simulate('image-pull')) }, progresses('ProgressDeadlineExceeded')),
      changed('corrected', { template: template('web:2', { 'fieldwise.dev/simulate': null }) }, isRolledOut),
    ],
  },
  {
    name: 'deployment-never-ready',
    workload: deployment({ replicas: 1, progressDeadlineSeconds: 3, template: template('web:1', simulate('never-ready')) }),
    steps: [created(progresses('ProgressDeadlineExceeded'))],
    inSample: true,
  },
  {
    name: 'deployment-recreate',
    workload: deployment({ replicas: 1, strategy: { type: 'Recreate' } }),
    steps: [created(isRolledOut), changed('updated', { template: template('web:2') }, isRolledOut)],
  },
  {
    name: 'deployment-paused',
    workload: deployment({ replicas: 1 }),
    steps: [
      created(isRolledOut),
      changed('paused', { paused: true }, progresses('DeploymentPaused')),
      changed('scaled while paused', { replicas: 2 }, (workload) => isObserved(workload) && workload.status.availableReplicas === 2),
      changed('resumed', { paused: false, template: template('web:2') }, isRolledOut),
    ],
  },
  {
    name: 'deployment-slow',
    workload: deployment({ replicas: 1, minReadySeconds: 2, progressDeadlineSeconds: 20 }),
    steps: [created(isRolledOut)],
  },
  {
    name: 'deployment-history',
    workload: deployment({ replicas: 1, revisionHistoryLimit: 1 }),
    steps: [
      created(isRolledOut),
      changed('updated', { template: template('web:2') }, isRolledOut),
      changed('updated again', { template: template('web:3') }, isRolledOut),
    ],
  },
  {
    name: 'deployment-refused',
    workload: deployment({ replicas: 1, template: template('web:1', undefined, { priorityClassName: 'urgent' }) }),
    steps: [created((workload) => condition(workload, 'ReplicaFailure') !== undefined)],
    inSample: true,
  },
  {
    name: 'statefulset',
    workload: statefulSet({ replicas: 2 }),
    steps: [
      created((set) => isRolledOut(set)),
      changed('scaled up', { replicas: 3 }, isRolledOut),
      changed(
        'updated',
        { template: template('web:2') },
        (set) => isRolledOut(set) && set.status.currentRevision === set.status.updateRevision,
      ),
      changed('scaled down', { replicas: 1 }, isRolledOut),
    ],
  },
  {
    name: 'statefulset-partition',
    workload: statefulSet({ replicas: 2, updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } } }),
    steps: [
      created(isRolledOut),
      changed(
        'updated',
        { template: template('web:2') },
        (set) => isObserved(set) && set.status.updatedReplicas === 1 && set.status.readyReplicas === 2,
      ),
    ],
  },
  {
    name: 'statefulset-claims',
    workload: statefulSet({
      replicas: 1,
      volumeClaimTemplates: [
        { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
      ],
    }),
    steps: [created(isRolledOut)],
    recordsNamespace: true,
    inSample: true,
  },
  {
    name: 'statefulset-stuck',
    workload: statefulSet({ replicas: 2, template: template('web:1', simulate('never-ready')) }),
    steps: [created((set) => isObserved(set) && set.status.replicas === 1)],
  },
  {
    name: 'daemonset',
    workload: { apiVersion: 'apps/v1', kind: 'DaemonSet', spec: { selector, template: template('web:1') } },
    steps: [
      created(({ status }) => status?.numberAvailable === 1),
      changed(
        'updated',
        { template: template('web:2') },
        (set) => isObserved(set) && set.status.updatedNumberScheduled === 1 && set.status.numberAvailable === 1,
      ),
    ],
    inSample: true,
  },
  {
    name: 'job',
    workload: job({ completions: 2 }),
    steps: [created(hasEnded)],
    inSample: true,
  },
  { name: 'job-indexed', workload: job({ completions: 3, completionMode: 'Indexed' }), steps: [created(hasEnded)] },
  { name: 'job-queue', workload: job({ completions: null, parallelism: 1 }), steps: [created(hasEnded)] },
  { name: 'job-failed', workload: job({ backoffLimit: 0 }, simulate('crash-loop')), steps: [created(hasEnded)], inSample: true },
  { name: 'job-failed-twice', workload: job({ backoffLimit: 1 }, simulate('crash-loop')), steps: [created(hasEnded)] },
  {
    name: 'job-restarts',
    workload: job({ backoffLimit: 1 }, simulate('crash-loop'), 'OnFailure'),
    steps: [created(hasEnded)],
  },
  {
    name: 'job-deadline',
    workload: job({ activeDeadlineSeconds: 3 }, simulate('never-ready')),
    steps: [created(hasEnded)],
  },
  {
    name: 'job-suspended',
    workload: job({ suspend: true }),
    steps: [created((suspended) => condition(suspended, 'Suspended') !== undefined), changed('resumed', { suspend: false }, hasEnded)],
  },
];
