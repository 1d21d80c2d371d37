import { type Clock, timestamp } from '../../storage/clock.js';
import { pathOf, RefusedRequest, request, resources, type SimulatedClient } from './simulated-client.js';

/** The only node of a simulated cluster. */
export const nodeName = 'simulated-node';

/** The field managers of the parts of a node. */
export const kubelet = 'kubelet';
export const scheduler = 'kube-scheduler';

const capacity = { cpu: '1000', memory: '1Ti', pods: '10000', 'ephemeral-storage': '1Ti' };

/** Creates the node, which is ready and has room for every pod; one that exists stays as it is. */
export async function ensureNode(client: SimulatedClient, clock: Clock): Promise<void> {
  const path = pathOf(resources.Node, '', nodeName);
  const labels = { 'kubernetes.io/hostname': nodeName, 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64' };
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: nodeName, labels } };
  try {
    await request(client, { method: 'POST', path: pathOf(resources.Node, ''), manager: kubelet, body: node });
  } catch (error) {
    if (error instanceof RefusedRequest && error.status === 409) return;
    throw error;
  }
  const now = timestamp(clock);
  const times = { lastHeartbeatTime: now, lastTransitionTime: now };
  const conditions = [{ type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status', ...times }];
  const contentType = 'application/merge-patch+json';
  const status = { capacity, allocatable: capacity, conditions };
  await request(client, { method: 'PATCH', path: `${path}/status`, manager: kubelet, contentType, body: { status } });
  // A new node is tainted until it is ready.
  await request(client, { method: 'PATCH', path, manager: 'kube-controller-manager', contentType, body: { spec: { taints: null } } });
}
