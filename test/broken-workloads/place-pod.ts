import type { ResponseBody } from '../harness/api-client.js';
import type { TestCluster } from '../harness/cluster.js';
import { nodeName, recordSchedulerEvent } from './record-event.js';

/** Binds a pod to the node, or reports that it does not fit, as the scheduler does. A node selector fits no node here. */
export async function placePod(cluster: TestCluster, pod: ResponseBody, isUnschedulable: () => void): Promise<void> {
  const { name, namespace } = pod.metadata;
  if (pod.spec.nodeSelector !== undefined) {
    if (pod.status.conditions?.length > 0) return;
    const message =
      "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector. preemption: 0/1 nodes are available: " +
      '1 Preemption is not helpful for scheduling.';
    const lastTransitionTime = new Date().toISOString();
    const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message, lastTransitionTime }];
    await cluster.patch('scheduler', pod, { status: { conditions } }, 'strategic', 'status');
    await recordSchedulerEvent(cluster, pod, 'FailedScheduling', message);
    isUnschedulable();
    return;
  }
  const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name, namespace }, target: { kind: 'Node', name: nodeName } };
  await cluster.client.call('POST', `${await cluster.path(pod)}/binding`, { body: binding });
  await recordSchedulerEvent(cluster, pod, 'Scheduled', `Successfully assigned ${namespace}/${name} to ${nodeName}`);
}
