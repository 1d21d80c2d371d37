import { describe, expect, test } from 'vitest';
import { selectorText } from '../../../../../src/engine/readiness/causes/newest-pods.js';
import { isBeingCreated, podSymptoms } from '../../../../../src/engine/readiness/causes/pod-symptoms.js';
import { referenceFields, volumeFields } from '../../../../../src/engine/readiness/causes/reference-fields.js';
import { failedVolume, refusedByEvents, refusedReplicas } from '../../../../../src/engine/readiness/causes/refusal-symptoms.js';
import type { JsonObject } from '../../../../../src/util/json.js';

const circumstances = { isOld: false, unschedulableSeconds: 120, ofJob: false } as const;
const pod = (status: object, spec: object = {}): JsonObject =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web-x', namespace: 'shop', uid: 'u' },
    spec: { containers: [{ name: 'web', image: 'a:1', ...spec }] },
    status,
  }) as never;
const container = (status: object) => ({ phase: 'Running', containerStatuses: [{ name: 'web', restartCount: 0, ...status }] });
const waiting = (reason: string, message = 'why') => container({ state: { waiting: { reason, message } } });
const crashed = (restartCount: number, exitCode = 1) =>
  container({
    restartCount,
    state: { waiting: { reason: 'CrashLoopBackOff' } },
    lastState: { terminated: { exitCode, reason: exitCode === 137 ? 'OOMKilled' : 'Error' } },
  });
const unscheduled = (message: string) => ({
  phase: 'Pending',
  conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }],
});

describe('the symptoms of a pod', () => {
  test.each<[string, object, object, string, number | undefined, string]>([
    ['an image that is being tried again', waiting('ImagePullBackOff'), {}, 'image-pull', 15, '.spec.containers[name="web"].image'],
    ['an invalid image name', waiting('InvalidImageName'), {}, 'image-pull', 0, '.spec.containers[name="web"].image'],
    [
      'a missing key',
      waiting('CreateContainerConfigError', "couldn't find key password in Secret shop/db"),
      { env: [{ name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'db', key: 'password' } } }] },
      'container-config',
      60,
      '.spec.containers[name="web"].env[name="PASSWORD"].valueFrom.secretKeyRef',
    ],
    ['a crash, twice', crashed(2), {}, 'crash', undefined, '.spec.containers[name="web"].image'],
    ['a container without memory', crashed(3, 137), {}, 'crash', 0, '.spec.containers[name="web"].resources'],
    ['a crash, three times', crashed(3), {}, 'crash', 0, '.spec.containers[name="web"].image'],
    [
      'a readiness probe, with its defaults',
      container({ ready: false, state: { running: {} } }),
      { readinessProbe: {} },
      'probe',
      180,
      '.spec.containers[name="web"].readinessProbe',
    ],
    [
      'a patient readiness probe',
      container({ ready: false, state: { running: {} } }),
      { readinessProbe: { initialDelaySeconds: 60, periodSeconds: 10, failureThreshold: 6 } },
      'probe',
      360,
      '.spec.containers[name="web"].readinessProbe',
    ],
    [
      'a startup probe, which the kubelet ends itself',
      container({ ready: false, started: false, state: { running: {} } }),
      { startupProbe: {}, readinessProbe: {} },
      'probe',
      undefined,
      '.spec.containers[name="web"].startupProbe',
    ],
    [
      'a container that is not ready and has no probe, which no kubelet of a cluster leaves so',
      container({ ready: false, state: { running: {} } }),
      {},
      'probe',
      undefined,
      '.spec.containers[name="web"]',
    ],
    ['no node', unscheduled('0/3 nodes: 3 Insufficient cpu.'), {}, 'unschedulable', 120, '.spec.containers[name="web"].resources'],
    ['a pod that was evicted', { phase: 'Failed', reason: 'Evicted' }, {}, 'pod-failed', undefined, ''],
  ])('%s', (_, status, spec, cause, certainAfterSeconds, field) => {
    const [symptom, ...others] = podSymptoms(pod(status, spec), circumstances);
    expect(others).toEqual([]);
    expect(symptom).toMatchObject({ cause });
    expect(symptom?.certainAfterSeconds).toBe(certainAfterSeconds);
    expect(symptom?.fields('')[0] ?? '').toBe(field);
  });

  test.each([
    ['ready', { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }],
    ['ended well', { phase: 'Succeeded' }],
    ['being created', waiting('ContainerCreating')],
    ['without a status', {}],
  ])('of a pod that is %s: none', (_, status) => {
    expect(podSymptoms(pod(status), circumstances)).toEqual([]);
  });

  test('name the exit code and the reason of the end', () => {
    const [symptom] = podSymptoms(pod(crashed(4, 137)), circumstances);
    expect(symptom).toMatchObject({ exitCode: 137, restarts: 4, message: 'container web ends with exit code 137 (OOMKilled), 4 restarts' });
  });

  test('of a Job are certain only by the Job', () => {
    expect(podSymptoms(pod(crashed(5)), { ...circumstances, ofJob: 'running' })[0]).not.toHaveProperty('certainAfterSeconds');
    const failed = { phase: 'Failed', containerStatuses: [{ name: 'web', state: { terminated: { exitCode: 3 } } }] };
    expect(podSymptoms(pod(failed), { ...circumstances, ofJob: 'running' })[0]).toMatchObject({ cause: 'job-failed', exitCode: 3 });
  });

  test('of a pod that is being deleted count only if its Job has failed', () => {
    const deleted = pod(crashed(1));
    const terminating = {
      ...deleted,
      metadata: { ...(deleted.metadata as object), deletionTimestamp: '2026-01-01T00:00:00Z' },
    } as JsonObject;
    expect(podSymptoms(terminating, { ...circumstances, ofJob: 'running' })).toEqual([]);
    expect(podSymptoms(terminating, { ...circumstances, ofJob: 'failed' })).toMatchObject([{ cause: 'crash', restarts: 1 }]);
  });
});

describe('refusals', () => {
  const workload = (message: string): JsonObject =>
    ({
      metadata: { uid: 'w' },
      status: { conditions: [{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message }] },
    }) as never;
  test.each([
    ['pods "a" is forbidden: exceeded quota: few, requested: pods=1', 'quota', '.spec.replicas'],
    ['pods "a" is forbidden: violates PodSecurity "restricted:latest"', 'admission', '.spec.template.spec.securityContext'],
    ['pods "a" is forbidden: error looking up service account shop/x', 'admission', '.spec.template.spec.serviceAccountName'],
  ])('%s', (message, cause, field) => {
    const symptom = refusedReplicas(workload(message), false);
    expect(symptom).toMatchObject({ cause, certainAfterSeconds: 30 });
    expect(symptom?.fields('.spec.template')[0]).toBe(field);
  });

  test('by events: the newest counts', () => {
    const events = [{ reason: 'SuccessfulCreate' }, { reason: 'FailedCreate', message: 'Error creating: exceeded quota: few', count: 4 }];
    const symptom = refusedByEvents(workload(''), events, () => true);
    expect(symptom).toMatchObject({ cause: 'quota', mayBeOld: true, message: 'a quota refuses new pods: exceeded quota: few' });
    expect(refusedByEvents(workload(''), [{ reason: 'SuccessfulCreate' }], () => true)).toBeUndefined();
  });

  test('a volume counts until its image is pulled', () => {
    const mount = { reason: 'FailedMount', message: 'MountVolume.SetUp failed: secret "tls" not found' };
    const mounting = pod({ phase: 'Pending' });
    expect(failedVolume(mounting, [mount], false)).toMatchObject({ cause: 'volume', certainAfterSeconds: 120 });
    expect(failedVolume(mounting, [mount, { reason: 'Pulling' }], false)).toBeUndefined();
    const conditions = [{ type: 'PodScheduled', status: 'True' }];
    expect(isBeingCreated(pod({ ...waiting('ContainerCreating'), phase: 'Pending', conditions }))).toBe(true);
  });
});

test('references are found by whole names', () => {
  const env = ['db', 'db-admin'].map((name) => ({ name, valueFrom: { secretKeyRef: { name, key: 'k' } } }));
  expect(referenceFields({ env }, 'secret "db-admin" not found')[0]).toBe('.env[name="db-admin"].valueFrom.secretKeyRef');
  expect(referenceFields({ envFrom: [{ configMapRef: { name: 'app' } }] }, 'configmap "app" not found')[0]).toBe('.envFrom');
  expect(referenceFields({}, 'secret "db" not found')).toEqual(['.image']);
  const volumes = [
    { name: 'a', secret: { secretName: 'tls' } },
    { name: 'tls', emptyDir: {} },
  ];
  const found = volumeFields({ spec: { volumes } } as never, 'secret "tls" not found', '.spec.template');
  expect(found[0]).toBe('.spec.template.spec.volumes[name="a"]');
});

test('a selector is written as the text of a list request', () => {
  const matchExpressions = [
    { key: 'tier', operator: 'In', values: ['a', 'b'] },
    { key: 'old', operator: 'DoesNotExist' },
  ];
  const spec = { selector: { matchLabels: { app: 'web' }, matchExpressions } };
  expect(selectorText({ kind: 'Deployment', spec } as never)).toBe('app=web,tier in (a,b),!old');
  expect(selectorText({ kind: 'ReplicationController', spec: { selector: { app: 'web' } } } as never)).toBe('app=web');
});
