import type { ResponseBody } from '../harness/api-client.js';
import type { TestCluster } from '../harness/cluster.js';

/** Kinds that differ from run to run: by the minute, by the machine, or because their members are random. */
const left = new Set(['Event', 'Lease', 'IPAddress']);

/**
 * Returns the objects of a namespace, with statuses and the owners of fields, and the objects of the cluster whose name begins with that of the
 * namespace, each as a text without what differs from run to run.
 */
export async function dumpOf(cluster: TestCluster, namespace: string): Promise<readonly string[]> {
  const objects: ResponseBody[] = [];
  for (const path of await listPaths(cluster, namespace)) {
    const { items, kind, apiVersion } = await cluster.client.call('GET', path);
    const found = items.filter(({ metadata }: ResponseBody) => (metadata.namespace ?? metadata.name).startsWith(namespace));
    objects.push(...found.map((item: ResponseBody) => ({ ...item, apiVersion, kind: kind.replace(/List$/, '') })));
  }
  const events = await cluster.client.call('GET', `/api/v1/namespaces/${namespace}/events`);
  // A real server repairs allocations of addresses now and then.
  const own = events.items.filter(({ reason }: ResponseBody) => reason !== 'ClusterIPNotAllocated');
  const told = own.map(({ reason, type, involvedObject }: ResponseBody) => `event ${involvedObject.kind}: ${type} ${reason}`);
  return [...objects.map((object) => normalized(object, namespace)).sort(), ...new Set<string>(told.sort())];
}

async function listPaths(cluster: TestCluster, namespace: string): Promise<readonly string[]> {
  const { groups } = await cluster.client.call('GET', '/apis');
  const versions = groups.map(({ preferredVersion }: ResponseBody) => `/apis/${preferredVersion.groupVersion}`);
  const paths: string[] = [];
  for (const root of ['/api/v1', ...versions]) {
    const { resources } = await cluster.client.call('GET', root);
    for (const { name, kind, namespaced, verbs } of resources) {
      if (!verbs.includes('list') || name.includes('/') || left.has(kind)) continue;
      paths.push(namespaced ? `${root}/namespaces/${namespace}/${name}` : `${root}/${name}`);
    }
  }
  // A kube-apiserver shows components of which the embedded server knows nothing.
  return paths.filter((path) => path !== '/api/v1/componentstatuses');
}

const random = '[bcdfghjklmnpqrstvwxz2456789]{5}';
const volatile = new Set(['resourceVersion', 'time', 'token', 'ca.crt']);

export function normalized(object: ResponseBody, namespace: string): string {
  const shown = JSON.stringify(sorted(object), (name, value) => (volatile.has(name) ? `<${name}>` : value));
  return shown
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uid>')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, '<time>')
    .replaceAll(/\d{4}-\d\d-\d\d(?=")/g, '<day>')
    .replaceAll(/\b10\.\d+\.\d+\.\d+(?:\/\d+)?\b/g, '<address>')
    .replaceAll(new RegExp(`-${random}(?=["\\s:/,)\\\\])`, 'g'), '-<random>')
    .replaceAll(namespace, 'NAMESPACE');
}

/** Sorts members, and the items of lists whose order is that of random names or of times. */
function sorted(value: ResponseBody, name = ''): ResponseBody {
  if (Array.isArray(value)) {
    const items = value.map((item) => sorted(item, name));
    return ['managedFields', 'endpoints', 'addresses'].includes(name)
      ? items.sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
      : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((each) => [each, sorted(value[each], each)]),
  );
}

function keyOf(item: ResponseBody): string {
  return normalized({ ...item, time: '' }, '\0');
}
