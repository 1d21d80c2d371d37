import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { kindReadinessRules } from '../../../../src/engine/readiness/kind-readiness-rules.js';
import { evaluateReadiness, isWaitedFor, readiness } from '../../../../src/engine/readiness/readiness.js';
import { rootTypes, type Table } from '../../../../src/schema/index.js';

type Row = readonly [situation: string, object: object, expected: string];

const now = Date.parse('2026-01-01T00:01:00Z');
const secondsAgo = (seconds: number) => new Date(now - seconds * 1000).toISOString();
const condition = (type: string, status: string, others: object = {}) => ({ type, status, ...others });
const says = (apiVersion: string, kind: string, object: object, options = {}) => {
  const whole = { apiVersion, kind, metadata: { generation: 2 }, ...object };
  const { state, reason, message } = readiness(whole as never, { now, ...options });
  return `${state} ${reason}: ${message}`;
};
const table = (apiVersion: string, kind: string, rows: readonly Row[]) =>
  test.each(rows)('%s', (_, object, expected) => expect(says(apiVersion, kind, object)).toContain(expected));

describe('Deployment', () => {
  const available = condition('Available', 'True');
  const done = { observedGeneration: 2, replicas: 3, updatedReplicas: 3, availableReplicas: 3, readyReplicas: 3, conditions: [available] };
  const of = (status: object) => ({ spec: { replicas: 3 }, status: { ...done, ...status } });
  table('apps/v1', 'Deployment', [
    ['without status', { spec: { replicas: 3 } }, 'in-progress NotObserved: its controller has not reported on it yet'],
    [
      'status of the generation before',
      of({ observedGeneration: 1 }),
      'in-progress NotObserved: its controller has seen generation 1 of 2',
    ],
    ['all replicas there', of({}), 'current Available: 3 replicas available'],
    ['one not updated', of({ updatedReplicas: 2 }), 'in-progress RollingOut: 2 of 3 replicas updated'],
    ['one not available', of({ availableReplicas: 2 }), 'in-progress RollingOut: 2 of 3 replicas available'],
    ['one not ready', of({ readyReplicas: 2 }), 'in-progress RollingOut: 2 of 3 replicas ready'],
    ['an old one left', of({ replicas: 4 }), 'in-progress RollingOut: 1 old replica is still running'],
    ['two old ones left', of({ replicas: 5 }), 'in-progress RollingOut: 2 old replicas are still running'],
    ['not Available', of({ conditions: [condition('Available', 'False', { reason: 'R', message: 'm' })] }), 'in-progress R: m'],
    ['no Available', of({ conditions: [] }), 'in-progress NotAvailable'],
    ['no replicas wanted', { spec: { replicas: 0 }, status: { observedGeneration: 2, conditions: [available] } }, 'current'],
    [
      'replicas by default: one',
      { spec: {}, status: { observedGeneration: 2, conditions: [available] } },
      'in-progress RollingOut: 0 of 1',
    ],
    [
      'no progress in time',
      of({
        updatedReplicas: 1,
        conditions: [condition('Progressing', 'False', { reason: 'ProgressDeadlineExceeded', message: 'timed out' })],
      }),
      'failed ProgressDeadlineExceeded: timed out',
    ],
    [
      'no progress in time before, and all there now',
      of({ conditions: [available, condition('Progressing', 'False', { reason: 'ProgressDeadlineExceeded' })] }),
      'current Available: 3 replicas available',
    ],
    [
      'no progress in time before, and scaled to 0 now',
      {
        spec: { replicas: 0 },
        status: {
          observedGeneration: 2,
          conditions: [available, condition('Progressing', 'False', { reason: 'ProgressDeadlineExceeded' })],
        },
      },
      'current Available: 0 replicas available',
    ],
    [
      'replicas refused',
      of({
        updatedReplicas: 0,
        conditions: [condition('ReplicaFailure', 'True', { reason: 'FailedCreate', message: 'exceeded quota: q' })],
      }),
      'in-progress FailedCreate: 0 of 3 replicas updated; exceeded quota: q',
    ],
    [
      'replicas refused until there was no progress in time',
      of({
        updatedReplicas: 0,
        conditions: [
          condition('ReplicaFailure', 'True', { reason: 'FailedCreate', message: 'exceeded quota: q' }),
          condition('Progressing', 'False', { reason: 'ProgressDeadlineExceeded', message: 'timed out' }),
        ],
      }),
      'failed ProgressDeadlineExceeded: timed out; exceeded quota: q',
    ],
    [
      'a refusal that is over',
      of({ conditions: [available, condition('ReplicaFailure', 'True', { message: 'quota' })] }),
      'current Available',
    ],
    [
      'paused in its rollout',
      { ...of({ updatedReplicas: 0 }), spec: { replicas: 3, paused: true } },
      'in-progress Paused: 0 of 3 replicas updated; its rollout is paused (.spec.paused)',
    ],
    [
      'paused after it',
      { ...of({}), spec: { replicas: 3, paused: true } },
      'current Paused: 3 replicas available; its rollout is paused (.spec.paused)',
    ],
    [
      'no progress in time, of the generation before',
      of({ observedGeneration: 1, conditions: [condition('Progressing', 'False', { reason: 'ProgressDeadlineExceeded' })] }),
      'in-progress NotObserved',
    ],
  ]);
});

describe('StatefulSet', () => {
  const done = { observedGeneration: 2, replicas: 3, readyReplicas: 3, updatedReplicas: 3, currentRevision: 'b', updateRevision: 'b' };
  const of = (status: object, updateStrategy: object = {}) => ({ spec: { replicas: 3, updateStrategy }, status: { ...done, ...status } });
  const partition = { type: 'RollingUpdate', rollingUpdate: { partition: 2 } };
  table('apps/v1', 'StatefulSet', [
    ['without status', { spec: { replicas: 3 } }, 'in-progress NotObserved'],
    ['of one revision', of({}), 'current Ready: 3 replicas ready'],
    ['OnDelete', of({ updatedReplicas: 0, currentRevision: 'a' }, { type: 'OnDelete' }), 'current OnDelete'],
    ['OnDelete, not seen', of({ observedGeneration: 1 }, { type: 'OnDelete' }), 'in-progress NotObserved'],
    ['not all created', of({ replicas: 2, readyReplicas: 2 }), 'in-progress RollingOut: 2 of 3 replicas created'],
    ['not all ready', of({ readyReplicas: 1 }), 'in-progress RollingOut: 1 of 3 replicas ready'],
    ['not all available', of({ availableReplicas: 1 }), 'in-progress RollingOut: 1 of 3 replicas available'],
    ['two revisions', of({ currentRevision: 'a', updatedReplicas: 1 }), 'in-progress RollingOut: 1 of 3 replicas are of the new revision'],
    ['too many', of({ replicas: 4 }), 'in-progress RollingOut: 1 surplus replica still running'],
    ['partition, updated above it', of({ updatedReplicas: 1, currentRevision: 'a' }, partition), 'current PartitionUpdated'],
    ['partition, not updated above it', of({ updatedReplicas: 0, currentRevision: 'a' }, partition), 'in-progress RollingOut: 0 of 1'],
  ]);
});

describe('DaemonSet', () => {
  const done = {
    observedGeneration: 2,
    desiredNumberScheduled: 2,
    currentNumberScheduled: 2,
    updatedNumberScheduled: 2,
    numberAvailable: 2,
    numberReady: 2,
  };
  const of = (status: object, spec: object = {}) => ({ spec, status: { ...done, ...status } });
  table('apps/v1', 'DaemonSet', [
    ['without status', {}, 'in-progress NotObserved'],
    ['on all nodes', of({}), 'current Ready: 2 replicas ready'],
    ['no node wants it', { status: { observedGeneration: 2, desiredNumberScheduled: 0 } }, 'current'],
    ['OnDelete', of({ updatedNumberScheduled: 0 }, { updateStrategy: { type: 'OnDelete' } }), 'current OnDelete'],
    ['not scheduled', of({ currentNumberScheduled: 1 }), 'in-progress RollingOut: 1 of 2 replicas scheduled'],
    ['not updated', of({ updatedNumberScheduled: 1 }), '1 of 2 replicas updated'],
    ['not available', of({ numberAvailable: 1 }), '1 of 2 replicas available'],
    ['not ready', of({ numberReady: 1 }), '1 of 2 replicas ready'],
  ]);
});

describe('ReplicaSet', () => {
  const done = { observedGeneration: 2, replicas: 2, fullyLabeledReplicas: 2, availableReplicas: 2, readyReplicas: 2 };
  const of = (status: object) => ({ spec: { replicas: 2 }, status: { ...done, ...status } });
  table('apps/v1', 'ReplicaSet', [
    ['without status', {}, 'in-progress NotObserved'],
    ['all there', of({}), 'current'],
    ['not ready', of({ readyReplicas: 1 }), '1 of 2 replicas ready'],
    ['too many', of({ replicas: 3 }), 'in-progress RollingOut: 1 surplus replica still running'],
    [
      'refused',
      of({ conditions: [condition('ReplicaFailure', 'True', { reason: 'FailedCreate', message: 'quota' })] }),
      'in-progress FailedCreate: quota',
    ],
  ]);
});

describe('Pod', () => {
  const waiting = (reason: string, restartCount = 3) => ({
    name: 'main',
    restartCount,
    state: { waiting: { reason, message: 'see the log' } },
  });
  const unschedulable = (seconds: number) => ({
    phase: 'Pending',
    conditions: [
      condition('PodScheduled', 'False', { reason: 'Unschedulable', message: 'no node', lastTransitionTime: secondsAgo(seconds) }),
    ],
  });
  table('v1', 'Pod', [
    ['without status', {}, 'in-progress Pending'],
    [
      'pulling',
      { status: { phase: 'Pending', containerStatuses: [waiting('ImagePullBackOff')] } },
      'in-progress ImagePullBackOff: container main',
    ],
    ['ready', { status: { phase: 'Running', conditions: [condition('Ready', 'True')] } }, 'current Ready'],
    [
      'not ready',
      { status: { phase: 'Running', conditions: [condition('Ready', 'False', { reason: 'ContainersNotReady' })] } },
      'in-progress ContainersNotReady',
    ],
    ['ended well', { status: { phase: 'Succeeded' } }, 'current Succeeded'],
    ['ended with an error', { status: { phase: 'Failed', message: 'evicted' } }, 'failed Failed: evicted'],
    [
      'crashes',
      { status: { phase: 'Running', containerStatuses: [{ name: 'side' }, waiting('CrashLoopBackOff')] } },
      'failed CrashLoopBackOff: container main: see the log',
    ],
    [
      'crashes at the start',
      { status: { phase: 'Pending', initContainerStatuses: [waiting('CrashLoopBackOff')] } },
      'failed CrashLoopBackOff',
    ],
    [
      'crashed twice',
      { status: { phase: 'Running', containerStatuses: [waiting('CrashLoopBackOff', 2)] } },
      'in-progress CrashLoopBackOff',
    ],
    ['no node for a moment', { status: unschedulable(119) }, 'in-progress Unschedulable: no node'],
    ['no node for long', { status: unschedulable(121) }, 'failed Unschedulable: no node'],
  ]);
});

describe('Job', () => {
  table('batch/v1', 'Job', [
    ['without status', {}, 'in-progress Running: 0 of 1 completions, 0 pods active'],
    ['runs', { spec: { completions: 3 }, status: { succeeded: 1, active: 1 } }, 'in-progress Running: 1 of 3 completions, 1 pod active'],
    ['has ended well', { status: { conditions: [condition('Complete', 'True')] } }, 'current Complete'],
    [
      'has failed',
      { status: { conditions: [condition('Failed', 'True', { reason: 'BackoffLimitExceeded', message: 'no more' })] } },
      'failed BackoffLimitExceeded: no more',
    ],
    ['is suspended', { spec: { suspend: true } }, 'current Suspended'],
  ]);
});

describe('PersistentVolumeClaim', () => {
  table('v1', 'PersistentVolumeClaim', [
    ['pending', { status: { phase: 'Pending' } }, 'in-progress Pending'],
    ['bound', { status: { phase: 'Bound' } }, 'current Bound'],
    ['lost', { status: { phase: 'Lost' } }, 'failed Lost'],
  ]);
});

describe('CustomResourceDefinition', () => {
  table('apiextensions.k8s.io/v1', 'CustomResourceDefinition', [
    ['without status', {}, 'in-progress NotEstablished'],
    [
      'established',
      { status: { conditions: [condition('NamesAccepted', 'True'), condition('Established', 'True')] } },
      'current Established',
    ],
    [
      'names taken',
      { status: { conditions: [condition('NamesAccepted', 'False', { reason: 'PluralConflict', message: 'taken' })] } },
      'failed PluralConflict',
    ],
  ]);
});

describe('Service', () => {
  table('v1', 'Service', [
    ['of a cluster address', { spec: { type: 'ClusterIP' } }, 'current'],
    ['a load balancer without address', { spec: { type: 'LoadBalancer' }, status: { loadBalancer: {} } }, 'in-progress Provisioning'],
    [
      'a load balancer with one',
      { spec: { type: 'LoadBalancer' }, status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } } },
      'current Provisioned',
    ],
  ]);
});

describe('ReplicationController', () => {
  table('v1', 'ReplicationController', [
    ['without status', {}, 'in-progress NotObserved'],
    [
      'all there',
      {
        spec: { replicas: 1 },
        status: { observedGeneration: 2, replicas: 1, fullyLabeledReplicas: 1, availableReplicas: 1, readyReplicas: 1 },
      },
      'current Ready: 1 replica ready',
    ],
  ]);
});

describe('kinds with a rule and without a wait', () => {
  const conditions = (...list: object[]) => ({ status: { conditions: list } });
  const rows: readonly (readonly [apiVersion: string, kind: string, ...Row])[] = [
    ['apiregistration.k8s.io/v1', 'APIService', 'without status', {}, 'in-progress NotObserved'],
    [
      'apiregistration.k8s.io/v1',
      'APIService',
      'not available',
      conditions(condition('Available', 'False', { reason: 'MissingEndpoints', message: 'no endpoints' })),
      'in-progress MissingEndpoints: no endpoints',
    ],
    [
      'apiregistration.k8s.io/v1',
      'APIService',
      'available',
      conditions(condition('Available', 'True', { reason: 'Passed', message: 'all checks passed' })),
      'current Passed: all checks passed',
    ],
    ['policy/v1', 'PodDisruptionBudget', 'without status', {}, 'in-progress NotObserved: its controller has not reported on it yet'],
    [
      'policy/v1',
      'PodDisruptionBudget',
      'of the generation before',
      { status: { observedGeneration: 1, currentHealthy: 2, desiredHealthy: 1 } },
      'in-progress NotObserved: its controller has seen generation 1 of 2',
    ],
    [
      'policy/v1',
      'PodDisruptionBudget',
      'unmet',
      { status: { observedGeneration: 2, currentHealthy: 0, desiredHealthy: 1, disruptionsAllowed: 0 } },
      'in-progress InsufficientPods: 0 of 1 required pods are healthy, 0 disruptions allowed',
    ],
    [
      'policy/v1',
      'PodDisruptionBudget',
      'met',
      { status: { observedGeneration: 2, currentHealthy: 2, desiredHealthy: 1, disruptionsAllowed: 1 } },
      'current SufficientPods',
    ],
    ['autoscaling/v2', 'HorizontalPodAutoscaler', 'without status', {}, 'in-progress NotObserved'],
    [
      'autoscaling/v2',
      'HorizontalPodAutoscaler',
      'without metrics',
      conditions(
        condition('AbleToScale', 'True'),
        condition('ScalingActive', 'False', { reason: 'FailedGetResourceMetric', message: 'no metrics' }),
      ),
      'in-progress FailedGetResourceMetric: no metrics',
    ],
    [
      'autoscaling/v2',
      'HorizontalPodAutoscaler',
      'of a target that is scaled to 0',
      conditions(condition('AbleToScale', 'True'), condition('ScalingActive', 'False', { reason: 'ScalingDisabled' })),
      'current ScalingActive',
    ],
    [
      'autoscaling/v2',
      'HorizontalPodAutoscaler',
      'at work',
      {
        status: {
          currentReplicas: 2,
          desiredReplicas: 2,
          ...conditions(condition('AbleToScale', 'True'), condition('ScalingActive', 'True')).status,
        },
      },
      'current ScalingActive: 2 of 2 desired replicas',
    ],
    ['autoscaling/v1', 'HorizontalPodAutoscaler', 'in a version without conditions', {}, 'unknown Unknown'],
    ['networking.k8s.io/v1', 'Ingress', 'without status', { status: { loadBalancer: {} } }, 'unknown Unknown: no Ingress controller'],
    [
      'networking.k8s.io/v1',
      'Ingress',
      'with an address',
      { status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } } },
      'current Provisioned',
    ],
    ['networking.k8s.io/v1', 'ServiceCIDR', 'without status', {}, 'in-progress NotObserved'],
    [
      'flowcontrol.apiserver.k8s.io/v1',
      'FlowSchema',
      'dangling',
      conditions(condition('Dangling', 'True', { reason: 'NotFound' })),
      'in-progress NotFound',
    ],
    [
      'flowcontrol.apiserver.k8s.io/v1',
      'FlowSchema',
      'whole',
      conditions(condition('Dangling', 'False', { reason: 'Found' })),
      'current Found',
    ],
    ['certificates.k8s.io/v1', 'CertificateSigningRequest', 'new', {}, 'in-progress Pending: nobody has approved it yet'],
    ['certificates.k8s.io/v1', 'CertificateSigningRequest', 'approved', conditions(condition('Approved', 'True')), 'in-progress Approved'],
    [
      'certificates.k8s.io/v1',
      'CertificateSigningRequest',
      'denied',
      conditions(condition('Denied', 'True', { reason: 'No' })),
      'failed No',
    ],
    ['certificates.k8s.io/v1', 'CertificateSigningRequest', 'issued', { status: { certificate: 'x' } }, 'current Issued'],
    ['admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicy', 'without status', {}, 'in-progress NotObserved'],
    [
      'admissionregistration.k8s.io/v1',
      'ValidatingAdmissionPolicy',
      'whose expression fits no type',
      {
        status: {
          observedGeneration: 2,
          typeChecking: { expressionWarnings: [{ fieldRef: 'spec.validations[0]', warning: 'undefined field' }] },
        },
      },
      'failed ExpressionWarnings: spec.validations[0]: undefined field',
    ],
    ['v1', 'Namespace', 'active', { status: { phase: 'Active' } }, 'current Active'],
    ['v1', 'Namespace', 'without status', {}, 'in-progress NotActive'],
    ['v1', 'PersistentVolume', 'pending', { status: { phase: 'Pending' } }, 'in-progress Pending'],
    ['v1', 'PersistentVolume', 'failed', { status: { phase: 'Failed', message: 'm' } }, 'failed Failed: m'],
    ['v1', 'PersistentVolume', 'bound', { status: { phase: 'Bound' } }, 'current Bound'],
    ['v1', 'ResourceQuota', 'not counted', { spec: { hard: { pods: '1' } } }, 'in-progress NotObserved: nobody counts pods yet'],
    ['v1', 'ResourceQuota', 'counted', { spec: { hard: { pods: '1' } }, status: { hard: { pods: '1' } } }, 'current Counted'],
    [
      'v1',
      'Node',
      'not ready',
      conditions(condition('Ready', 'Unknown', { reason: 'NodeStatusUnknown' })),
      'in-progress NodeStatusUnknown',
    ],
    ['resource.k8s.io/v1', 'ResourceClaim', 'without devices', {}, 'unknown Unknown'],
    [
      'storage.k8s.io/v1',
      'VolumeAttachment',
      'not attached',
      { status: { attached: false, attachError: { message: 'no' } } },
      'in-progress NotAttached: no',
    ],
  ];
  test.each(rows)('%s %s %s', (apiVersion, kind, _, object, expected) => {
    expect(says(apiVersion, kind, object)).toContain(expected);
    expect(isWaitedFor({ apiVersion, kind })).toBe(false);
  });

  test('every built-in kind that has a status has a rule', async () => {
    const directory = new URL('../../../../generated/', import.meta.url);
    const files = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((file) => /[/]v[0-9a-z]+[.]ts$/.test(file));
    const modules = await Promise.all(files.map((file): Promise<{ $table?: Table }> => import(new URL(file, directory).href)));
    const kinds = modules
      .flatMap(({ $table }) => ($table ? rootTypes($table) : []))
      .filter(({ subresources }) => subresources?.includes('status'));
    const group = (apiVersion: string) => (apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '');
    const keys = new Set(kinds.map(({ apiVersion, kind }) => `${group(apiVersion)}/${kind}`));
    expect(keys.size).toBeGreaterThan(15);
    expect([...keys].filter((key) => !Object.hasOwn(kindReadinessRules, key))).toEqual([]);
  });
});

describe('a Namespace that is being deleted names the cause of the delay', () => {
  const deleted = (...conditions: object[]) => ({
    metadata: { generation: 2, deletionTimestamp: 'now' },
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Terminating', conditions },
  });
  table('v1', 'Namespace', [
    ['before its controller has looked', deleted(), 'held by its content, which the namespace controller has not removed yet'],
    [
      'content with a finalizer',
      deleted(
        condition('NamespaceDeletionContentFailure', 'False', { message: 'All content successfully deleted' }),
        condition('NamespaceContentRemaining', 'True', { message: 'Some resources are remaining: configmaps. has 1 resource instances' }),
        condition('NamespaceFinalizersRemaining', 'True', {
          message: 'Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances',
        }),
      ),
      'held by Some resources are remaining: configmaps. has 1 resource instances; Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances',
    ],
    [
      'a group that does not answer',
      deleted(condition('NamespaceDeletionDiscoveryFailure', 'True', { message: 'stale GroupVersion discovery: dead.example.com/v1' })),
      'held by stale GroupVersion discovery: dead.example.com/v1',
    ],
  ]);
});

describe('a failure that the object already had when it was first read after the apply', () => {
  const failure = (lastUpdateTime: string) =>
    condition('Progressing', 'False', { reason: 'ProgressDeadlineExceeded', message: 'timed out', lastUpdateTime });
  const deployment = (status: object) => ({
    ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { generation: 2 }, spec: { progressDeadlineSeconds: 30 } },
    status: { observedGeneration: 2, ...status },
  });
  const crashing = (restartCount: number) => ({
    ...{ apiVersion: 'v1', kind: 'Pod', metadata: {} },
    status: { phase: 'Running', containerStatuses: [{ name: 'main', restartCount, state: { waiting: { reason: 'CrashLoopBackOff' } } }] },
  });
  const stalled = (lastTransitionTime: string) => ({
    ...{ apiVersion: 'edge.example.com/v1', kind: 'Gateway', metadata: {} },
    status: { conditions: [condition('Stalled', 'True', { message: 'given up', lastTransitionTime })] },
  });
  const unschedulable = {
    ...{ apiVersion: 'v1', kind: 'Pod', metadata: {} },
    status: {
      phase: 'Pending',
      conditions: [condition('PodScheduled', 'False', { reason: 'Unschedulable', lastTransitionTime: secondsAgo(600) })],
    },
  };
  const first = deployment({ conditions: [failure('10:00')] });
  const unseen = deployment({ observedGeneration: 1, conditions: [failure('10:00')] });
  const job = {
    ...{ apiVersion: 'batch/v1', kind: 'Job', metadata: {} },
    status: { conditions: [condition('Failed', 'True', { lastTransitionTime: '10:00' })] },
  };
  test.each([
    ['a rollout, within its own deadline', first, first, 29, 'in-progress'],
    ['a rollout, after it', first, first, 30, 'failed'],
    ['a rollout whose controller has not seen the apply then', unseen, first, 29, 'in-progress'],
    ['a rollout that failed again', first, deployment({ conditions: [failure('10:01')] }), 1, 'failed'],
    ['a rollout that made progress in between', deployment({}), first, 1, 'failed'],
    ['a container, within the longest back-off', crashing(3), crashing(3), 299, 'in-progress'],
    ['a container, after it', crashing(3), crashing(3), 300, 'failed'],
    ['a container that ended once more', crashing(3), crashing(4), 1, 'failed'],
    ['a pod without node, for a while', unschedulable, unschedulable, 119, 'in-progress'],
    ['a pod without node, for long', unschedulable, unschedulable, 120, 'failed'],
    ['a controller that had given up', stalled('10:00'), stalled('10:00'), 59, 'in-progress'],
    ['a controller that had given up for long', stalled('10:00'), stalled('10:00'), 60, 'failed'],
    ['a controller that has given up again', stalled('10:00'), stalled('10:01'), 1, 'failed'],
    ['a Job: it is not tried again', job, job, 1, 'failed'],
  ])('%s', (_, before, object, seconds, expected) => {
    const judged = evaluateReadiness(object as never, { now, applied: { first: before as never, at: now - seconds * 1000 } });
    expect(judged.readiness.state).toBe(expected);
    expect(judged.provisional).toBe(expected === 'in-progress');
  });

  test('reports the time of the failure and of the deadline', () => {
    expect(evaluateReadiness(first as never, { now, applied: { first: first as never, at: now } }).readiness.message).toBe(
      'timed out (reported before this apply; it counts if it is still reported 30 s after)',
    );
  });
});

describe('any other kind', () => {
  const ready = (status: string, others: object = {}) => ({
    status: { conditions: [condition('Ready', status, { reason: 'R', message: 'm', ...others })] },
  });
  table('edge.example.com/v1', 'Gateway', [
    ['without conditions', {}, 'current Accepted'],
    ['Ready', ready('True'), 'current R: m'],
    ['not Ready', ready('False'), 'in-progress R: m'],
    ['Ready unknown', ready('Unknown'), 'in-progress R: m'],
    ['Ready of an older generation', ready('True', { observedGeneration: 1 }), 'in-progress NotObserved'],
    ['an older generation observed', { status: { observedGeneration: 1, ...ready('True').status } }, 'in-progress NotObserved'],
    ['Stalled', { status: { conditions: [condition('Stalled', 'True', { reason: 'S', message: 'given up' })] } }, 'failed S: given up'],
    [
      'Stalled by an older generation',
      { status: { conditions: [condition('Stalled', 'True', { observedGeneration: 1 }), condition('Ready', 'True')] } },
      'current',
    ],
    [
      'Reconciling',
      { status: { conditions: [condition('Reconciling', 'True', { reason: 'C', message: 'at work' }), condition('Ready', 'True')] } },
      'in-progress C: at work',
    ],
    [
      'being deleted',
      { metadata: { deletionTimestamp: 'now', finalizers: ['a/b'] }, ...ready('True') },
      'terminating Terminating: it is being deleted, held by a/b',
    ],
  ]);

  test('with conditions in its schema is not ready before it has any', () => {
    expect(says('edge.example.com/v1', 'Gateway', {}, { expectsStatus: true })).toContain('in-progress NotObserved');
    expect(says('edge.example.com/v1', 'Gateway', ready('True'), { expectsStatus: true })).toContain('current');
  });
});

describe('waitFor', () => {
  const programmed = (status: string, others: object = {}) => ({
    status: { conditions: [condition('Programmed', status, { reason: 'P', message: 'm', ...others })] },
  });
  test.each([
    [{ condition: 'Programmed', status: 'True' }, programmed('True'), 'current P: condition Programmed is True'],
    [{ condition: 'Programmed', status: 'True' }, programmed('False'), 'in-progress P: condition Programmed is False (P: m), not True'],
    [{ condition: 'Programmed', status: 'True' }, {}, 'in-progress ConditionMissing'],
    [{ condition: 'Programmed', status: 'True' }, programmed('True', { observedGeneration: 1 }), 'in-progress ConditionOutdated'],
    [{ field: '.status.phase', equals: 'Running' }, { status: { phase: 'Running' } }, 'current FieldEquals'],
    [
      { field: '.status.phase', equals: 'Running' },
      { status: { phase: 'Pending' } },
      'in-progress FieldDiffers: .status.phase is "Pending", not "Running"',
    ],
    [{ field: '.status.phase', equals: 'Running' }, {}, 'in-progress FieldDiffers: .status.phase is absent'],
    [{ field: '.status.shards', equals: 3 }, { status: { shards: 3 } }, 'current'],
    [
      { field: '.status.phase', equals: 'Running' },
      { metadata: { deletionTimestamp: 'now' }, status: { phase: 'Running' } },
      'terminating',
    ],
    [{ field: '.status.phase', equals: 'Running' }, { status: { phase: 'Running', observedGeneration: 1 } }, 'in-progress NotObserved'],
  ])('%j on %j', (waitFor, object, expected) => {
    expect(says('edge.example.com/v1', 'Gateway', object, { waitFor })).toContain(expected);
  });
});

test('only kinds that take time are waited for', () => {
  const kinds = [
    ['v1', 'ConfigMap', false],
    ['rbac.authorization.k8s.io/v1', 'Role', false],
    ['apps/v1', 'Deployment', true],
    ['gateway.networking.k8s.io/v1', 'Gateway', true],
    ['edge.example.com/v1', 'SharedGateway', true],
  ] as const;
  for (const [apiVersion, kind, expected] of kinds) expect(isWaitedFor({ apiVersion, kind })).toBe(expected);
});
