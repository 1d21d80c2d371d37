import { metadataOf } from '../../fields/object.js';
import type { JsonObject } from '../../util/json.js';
import type { Backend } from '../registry/backend.js';

const topology = ['topology.kubernetes.io/region', 'topology.kubernetes.io/zone'];

/** Returns the labels of a node that its Pods have, too. Source: Kubernetes documentation "Admission Control", PodTopologyLabels. */
export function topologyLabels({ store }: Backend, node: string): Readonly<Record<string, string>> {
  const found = store.get({ resource: '/nodes', namespace: '', name: node });
  const { labels = {} } = found === undefined ? {} : metadataOf(found);
  return Object.fromEntries(Object.entries(labels).filter(([label]) => topology.includes(label)));
}

/** Gives a new Pod, which names its node, the place of the node. */
export function withTopology(backend: Backend, pod: JsonObject, node: string): JsonObject {
  const added = topologyLabels(backend, node);
  const metadata = metadataOf(pod);
  if (Object.keys(added).length === 0) return pod;
  return { ...pod, metadata: { ...metadata, labels: { ...metadata.labels, ...added } } as JsonObject };
}
