import { type Declared, own } from '../harness/program-text.js';

export const image = 'registry.example.com/web:1.27.3';
const labels = { app: 'web' };

/** A container of a workload. */
export const container = (change: object = {}): object => ({ name: 'web', image, ...change });

const template = (spec: object) => ({ metadata: { labels }, spec: { containers: [container()], ...spec } });

/** Returns a workload whose pods have this spec. */
export function workload(kind: 'Deployment' | 'StatefulSet' | 'DaemonSet', spec: object, more: object = {}): Declared {
  const replicas = kind === 'DaemonSet' ? {} : { replicas: 1 };
  return own(
    {
      ...{ apiVersion: 'apps/v1', kind, metadata: { name: 'web' } },
      spec: { ...replicas, selector: { matchLabels: labels }, template: template(spec), ...more },
    },
    { wait: { seconds: 240, unschedulableSeconds: 6 } },
  );
}

export const deployment = (change: object = {}, more: object = {}): Declared =>
  workload('Deployment', { containers: [container(change)] }, more);

/** Returns a Job with one pod at a time. */
export function job(restartPolicy: 'Never' | 'OnFailure', backoffLimit: number): Declared {
  const spec = { restartPolicy, containers: [container()] };
  return own(
    { ...{ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'web' } }, spec: { backoffLimit, template: { spec } } },
    { wait: { seconds: 240 } },
  );
}

/** An object beside the workload, so that not every declaration is on the first line. */
export const settings: Declared = own({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { level: 'info' } });
