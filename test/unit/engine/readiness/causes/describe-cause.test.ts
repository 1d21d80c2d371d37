import { expect, test } from 'vitest';
import type { CauseSearch } from '../../../../../src/engine/readiness/causes/cause-search.js';
import { describeCause } from '../../../../../src/engine/readiness/causes/describe-cause.js';
import { podSymptoms } from '../../../../../src/engine/readiness/causes/pod-symptoms.js';
import type { JsonObject } from '../../../../../src/util/json.js';

const workload: JsonObject = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace: 'shop' } };

/** Describes the cause that a pod with this status and these events shows. */
async function described(status: object, events: readonly (readonly [reason: string, message: string])[]) {
  const fieldPath = 'spec.containers{web}';
  const search = {
    reads: {
      eventsOf: async () => events.map(([reason, message]) => ({ reason, message, type: 'Warning', involvedObject: { fieldPath } })),
      logOf: async () => undefined,
    },
    declared: { sourceOf: (_: object, [field]: readonly string[]) => ({ field, stack: 'main', declaredBy: [] }) },
  } as unknown as CauseSearch;
  const pod = {
    ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web-x', namespace: 'shop', uid: 'u' } },
    spec: { containers: [{ name: 'web', image: 'a:1', livenessProbe: {}, readinessProbe: {} }] },
    status: { phase: 'Running', containerStatuses: [{ name: 'web', restartCount: 0, ready: false, ...status }] },
  } as unknown as JsonObject;
  const [symptom] = podSymptoms(pod, { isOld: false, unschedulableSeconds: 120, ofJob: false });
  if (!symptom) throw new Error('the pod has no symptom');
  return describeCause({ symptom, certain: true }, workload, search, new Set());
}

const liveness = ['Unhealthy', 'Liveness probe failed: HTTP probe failed with statuscode: 500'] as const;
const readiness = ['Unhealthy', 'Readiness probe failed: HTTP probe failed with statuscode: 503'] as const;
const killing = ['Killing', 'Container web failed liveness probe, will be restarted'] as const;
const crashed = {
  restartCount: 3,
  state: { waiting: { reason: 'CrashLoopBackOff' } },
  lastState: { terminated: { exitCode: 137, reason: 'Error' } },
};
const web = '.spec.template.spec.containers[name="web"]';

test.each([
  {
    title: 'a liveness probe is told by its own event, not by that of the readiness probe',
    status: crashed,
    events: [liveness, killing, readiness],
    cause: 'probe',
    event: liveness,
    message: `container web is restarted because it fails its liveness probe: ${liveness[1]}; it ends with exit code 137, 3 restarts`,
    field: `${web}.livenessProbe`,
  },
  {
    title: 'a readiness probe is told by its own event, not by that of the liveness probe',
    status: { started: true, state: { running: {} } },
    events: [readiness, liveness],
    cause: 'probe',
    event: readiness,
    message: `container web does not pass its readiness probe: ${readiness[1]}`,
    field: `${web}.readinessProbe`,
  },
  {
    title: 'an image is told by the event with the answer of the registry',
    status: { state: { waiting: { reason: 'ImagePullBackOff', message: 'Back-off pulling image' } } },
    events: [
      ['Failed', 'Failed to pull image "a:1": not found'],
      ['Failed', 'Error: ErrImagePull'],
      ['Failed', 'Error: ImagePullBackOff'],
    ] as const,
    cause: 'image-pull',
    event: ['Failed', 'Failed to pull image "a:1": not found'],
    message: 'container web cannot pull its image a:1: Back-off pulling image',
    field: `${web}.image`,
  },
])('$title', async ({ status, events, cause, event: [reason, text], message, field }) => {
  const found = await described(status, events);
  expect(found).toMatchObject({ cause, message, event: { reason, message: text }, source: { field } });
});
