import type { ResponseBody } from '../harness/api-client.js';
import { ref, type TestCluster, unlessMissing } from '../harness/cluster.js';

/** The only node. */
export const nodeName = 'node-a';

/** An event of the kubelet. */
export interface KubeletEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly fieldPath: string | undefined;
}

let events = 0;
const known = new Map<string, { readonly name: string; count: number }>();

/** Records an event as the kubelet does: the same event once more counts up. */
export async function recordEvent(cluster: TestCluster, pod: ResponseBody, event: KubeletEvent): Promise<void> {
  const { name, namespace, uid } = pod.metadata;
  const { fieldPath, ...content } = event;
  const key = JSON.stringify([uid, event]);
  const before = known.get(key);
  const lastTimestamp = new Date().toISOString();
  if (before) {
    before.count += 1;
    const change = { count: before.count, lastTimestamp };
    await cluster.patch('kubelet', ref('v1', 'Event', before.name, namespace), change, 'strategic').catch(unlessMissing);
    return;
  }
  const eventName = `${name}.${(++events).toString(16)}`;
  known.set(key, { name: eventName, count: 1 });
  await cluster.create('kubelet', {
    ...ref('v1', 'Event', eventName, namespace),
    involvedObject: { apiVersion: 'v1', kind: 'Pod', name, namespace, uid, ...(fieldPath ? { fieldPath } : {}) },
    ...content,
    ...{ count: 1, firstTimestamp: lastTimestamp, lastTimestamp },
    ...{ source: { component: 'kubelet', host: nodeName }, reportingComponent: 'kubelet', reportingInstance: nodeName },
  });
}

/** Records an event as the scheduler does: in the newer API, without a count. */
export async function recordSchedulerEvent(cluster: TestCluster, pod: ResponseBody, reason: string, note: string): Promise<void> {
  const { name, namespace, uid } = pod.metadata;
  await cluster.create('scheduler', {
    ...ref('events.k8s.io/v1', 'Event', `${name}.${(++events).toString(16)}`, namespace),
    regarding: { apiVersion: 'v1', kind: 'Pod', name, namespace, uid },
    ...{ reason, note, action: reason === 'Scheduled' ? 'Binding' : 'Scheduling', type: reason === 'Scheduled' ? 'Normal' : 'Warning' },
    eventTime: `${new Date().toISOString().slice(0, -1)}000Z`,
    ...{ reportingController: 'default-scheduler', reportingInstance: 'default-scheduler-a' },
  });
}
