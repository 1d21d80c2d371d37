import { share } from '../harness/program-text.js';
import type { BrokenWorkload } from './broken-workload.js';
import { container, deployment, image, job, settings, workload } from './declarations.js';
import { cannotCreate, cannotMount, cannotPull, crashes, ends, failsLiveness, neverReady } from './pod-lives.js';

const main = { stack: 'main', index: 1 };
const patch = { stack: 'patch', index: 0 };
const deployed = (change: object, more: object = {}) => ({ main: [settings, deployment(change, more)] });
const template = '.spec.template.spec';
const web = `${template}.containers[name="web"]`;
const log = 'starting\npanic: no database\n';
const pull = `container web cannot pull its image ${image.replaceAll('.', String.raw`\.`)}: `;
const environment = (source: object) => ({ env: [{ name: 'VALUE', valueFrom: source }] });
const patched = (change: object) =>
  share(
    {
      ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' } },
      spec: { template: { spec: { containers: [{ name: 'web', ...change }] } } },
    },
    { wait: { seconds: 240 } },
  );
const probe = (path: string) => ({ httpGet: { path, port: 8080 }, periodSeconds: 2, failureThreshold: 1 });
const quota = (hard: object) => ({ objects: [{ apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'small' }, spec: { hard } }] });

/** All broken workloads. */
export const brokenWorkloads: readonly BrokenWorkload[] = [
  {
    name: 'deployment-image',
    stacks: deployed({}),
    life: cannotPull,
    ...{ failure: new RegExp(`^${pull}Back-off pulling image`), field: `${web}.image`, declared: main, inSample: true },
  },
  {
    name: 'statefulset-image',
    stacks: { main: [settings, workload('StatefulSet', {}, { serviceName: 'web' })] },
    life: cannotPull,
    ...{ failure: new RegExp(`^${pull}`), field: `${web}.image`, declared: main },
  },
  {
    name: 'daemonset-image',
    stacks: { main: [settings, workload('DaemonSet', {})] },
    life: cannotPull,
    ...{ failure: new RegExp(`^${pull}`), field: `${web}.image`, declared: main },
  },
  {
    name: 'missing-secret',
    stacks: deployed(environment({ secretKeyRef: { name: 'db', key: 'password' } })),
    life: cannotCreate(() => 'secret "db" not found'),
    ...{ failure: /^container web cannot be created: secret "db" not found/, field: `${web}.env[name="VALUE"].valueFrom.secretKeyRef` },
    ...{ declared: main, certainAfterSeconds: 60 },
  },
  {
    name: 'missing-key',
    stacks: deployed(environment({ configMapKeyRef: { name: 'settings', key: 'mode' } })),
    life: cannotCreate((namespace) => `couldn't find key mode in ConfigMap ${namespace}/settings`),
    ...{
      failure: /^container web cannot be created: couldn't find key mode in/,
      field: `${web}.env[name="VALUE"].valueFrom.configMapKeyRef`,
    },
    ...{ declared: main, certainAfterSeconds: 60 },
  },
  {
    name: 'progress-deadline',
    stacks: deployed(environment({ secretKeyRef: { name: 'db', key: 'password' } }), { progressDeadlineSeconds: 20 }),
    life: cannotCreate(() => 'secret "db" not found'),
    ...{ failure: /^container web cannot be created: secret "db" not found/, field: `${web}.env[name="VALUE"].valueFrom.secretKeyRef` },
    ...{ declared: main, certainAfterSeconds: 10, inSample: true },
  },
  {
    name: 'crash',
    stacks: deployed({}),
    life: crashes(7),
    ...{ log, failure: /^container web ends with exit code 7, 3 restarts/, field: `${web}.image`, declared: main },
  },
  {
    name: 'out-of-memory',
    stacks: { main: [settings, deployment()], patch: [patched({ resources: { limits: { memory: '8Mi' } } })] },
    life: crashes(137, 'OOMKilled'),
    ...{ log, failure: /^container web ends with exit code 137 \(OOMKilled\), 3 restarts/, field: `${web}.resources`, declared: patch },
  },
  {
    name: 'liveness-probe',
    stacks: deployed({ livenessProbe: probe('/live'), readinessProbe: probe('/ready') }),
    life: failsLiveness,
    failure:
      /^container web is restarted because it fails its liveness probe: Liveness probe failed: HTTP probe failed with statuscode: 503;/,
    ...{ log, field: `${web}.livenessProbe`, declared: main },
  },
  {
    name: 'readiness-probe',
    stacks: deployed({ readinessProbe: probe('/ready') }),
    life: neverReady,
    failure: /^container web does not pass its readiness probe: Readiness probe failed: HTTP probe failed with statuscode: 503/,
    ...{ log, field: `${web}.readinessProbe`, declared: main, certainAfterSeconds: 180, isLong: true },
  },
  {
    name: 'init-container',
    stacks: { main: [settings, workload('Deployment', { initContainers: [container({ name: 'migrate' })] })] },
    life: crashes(3),
    ...{ log, failure: /^container migrate ends with exit code 3, 3 restarts/, declared: main },
    field: `${template}.initContainers[name="migrate"].image`,
  },
  {
    name: 'volume',
    stacks: { main: [settings, workload('Deployment', { volumes: [{ name: 'tls', secret: { secretName: 'web-tls' } }] })] },
    life: cannotMount('MountVolume.SetUp failed for volume "tls" : secret "web-tls" not found'),
    ...{ failure: /^Pod web-\S+ cannot mount its volumes: MountVolume\.SetUp failed for volume "tls"/, declared: main },
    ...{ field: `${template}.volumes[name="tls"]`, certainAfterSeconds: 120, isLong: true },
  },
  {
    name: 'unschedulable',
    stacks: { main: [settings, workload('Deployment', { nodeSelector: { disk: 'fast' } })] },
    ...{ failure: /^no node accepts Pod web-\S+: 0\/1 nodes are available/, field: `${template}.nodeSelector`, declared: main },
    ...{ certainAfterSeconds: 6, inSample: true },
  },
  {
    name: 'quota-deployment',
    before: quota({ pods: '0' }),
    stacks: deployed({}),
    ...{
      failure: /^a quota refuses new pods: pods "web-\S+" is forbidden: exceeded quota: small/,
      field: '.spec.replicas',
      declared: main,
    },
    certainAfterSeconds: 30,
  },
  {
    name: 'quota-statefulset',
    before: quota({ 'limits.memory': '1Gi' }),
    stacks: { main: [settings, workload('StatefulSet', {}, { serviceName: 'web' })] },
    ...{ failure: /^a quota refuses new pods: .*pods "web-0" is forbidden: failed quota: small: must specify limits\.memory/ },
    ...{ field: `${template}.containers`, declared: main, certainAfterSeconds: 30 },
  },
  {
    name: 'pod-security',
    before: { labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
    stacks: deployed({}),
    ...{ failure: /^new pods are refused: pods "web-\S+" is forbidden: violates PodSecurity "restricted:latest"/ },
    ...{ field: `${template}.containers`, declared: main, certainAfterSeconds: 30 },
  },
  {
    name: 'priority-class',
    stacks: { main: [settings, workload('DaemonSet', { priorityClassName: 'urgent' })] },
    ...{ failure: /^new pods are refused: pods "web-" is forbidden: no PriorityClass with name urgent was found/ },
    ...{ field: `${template}.priorityClassName`, declared: main, certainAfterSeconds: 30 },
  },
  {
    name: 'failed-job',
    stacks: { main: [settings, job('Never', 1)] },
    life: ends(5),
    ...{ log, failure: /^container web of Pod web-\S+ has ended with exit code 5/, field: `${web}.image`, declared: main, inSample: true },
  },
  {
    name: 'failed-job-at-once',
    stacks: { main: [settings, job('OnFailure', 0)] },
    life: crashes(5),
    ...{ failure: /^container web ends with exit code 5, 1 restart/, field: `${web}.image`, declared: main },
  },
  {
    name: 'failed-job-restarts',
    stacks: { main: [settings, job('OnFailure', 2)] },
    life: crashes(5),
    ...{ failure: /^container web ends with exit code 5, 2 restarts/, field: `${web}.image`, declared: main },
  },
];
