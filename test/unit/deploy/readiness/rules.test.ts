import { describe, expect, test } from 'vitest';
import { readiness, takesTime } from '../../../../src/deploy/readiness/readiness.js';

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
    ['an old one left', of({ replicas: 4 }), 'in-progress RollingOut: 1 old replicas are still there'],
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
    ['too many', of({ replicas: 4 }), 'in-progress RollingOut: 1 replicas are still to go'],
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
    ['too many', of({ replicas: 3 }), 'in-progress RollingOut: 1 replicas are still to go'],
    [
      'refused',
      of({ conditions: [condition('ReplicaFailure', 'True', { reason: 'FailedCreate', message: 'quota' })] }),
      'in-progress FailedCreate: quota',
    ],
  ]);
});

describe('Pod', () => {
  const waiting = (reason: string) => ({ name: 'main', state: { waiting: { reason, message: 'see the log' } } });
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
    ['no node for a moment', { status: unschedulable(5) }, 'in-progress Unschedulable: no node'],
    ['no node for long', { status: unschedulable(16) }, 'failed Unschedulable: no node'],
  ]);
});

describe('Job', () => {
  table('batch/v1', 'Job', [
    ['without status', {}, 'in-progress Running: 0 of 1 completions, 0 pods active'],
    ['runs', { spec: { completions: 3 }, status: { succeeded: 1, active: 1 } }, 'in-progress Running: 1 of 3 completions, 1 pods active'],
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

  test('whose schema has conditions is not ready before there are any', () => {
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

test('only kinds that take time are looked at', () => {
  const kinds = [
    ['v1', 'ConfigMap', false],
    ['rbac.authorization.k8s.io/v1', 'Role', false],
    ['apps/v1', 'Deployment', true],
    ['gateway.networking.k8s.io/v1', 'Gateway', true],
    ['edge.example.com/v1', 'SharedGateway', true],
  ] as const;
  for (const [apiVersion, kind, expected] of kinds) expect(takesTime({ apiVersion, kind })).toBe(expected);
});
