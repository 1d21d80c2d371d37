import type { JsonObject } from '../../src/util/json.js';
import type { Random } from '../corpus/random.js';
import type { Sent } from '../vectors/exchange.js';
import type { CampaignPolicy } from './campaign-policies.js';

const roots: Readonly<Record<string, string>> = {
  deployments: '/apis/apps/v1',
  configmaps: '/api/v1',
  services: '/api/v1',
  widgets: '/apis/prove.example.com/v1',
};
const names = ['a', 'bb', 'ccc'];
const merge = 'application/merge-patch+json';

/** Returns a random change of an object in the namespace of a policy. */
export function randomChange(random: Random, { resources: [declared = ''] }: CampaignPolicy, namespace: string): Sent {
  const resource = declared.split('/')[0] as string;
  const collection = `${roots[resource]}/namespaces/${namespace}/${resource}`;
  const name = random.pick(names);
  const one = `${collection}/${name}`;
  const query: Record<string, string> = random.chance(0.2) ? { dryRun: 'All' } : {};
  const body = JSON.stringify(objectOf(random, resource, name));
  if (declared.endsWith('/scale') && random.chance(0.5))
    return {
      method: 'PATCH',
      path: `${one}/scale`,
      query,
      body: JSON.stringify({ spec: { replicas: random.below(6) } }),
      contentType: merge,
    };
  switch (random.below(6)) {
    case 0:
      return { method: 'DELETE', path: one, query };
    case 1:
      return { method: 'POST', path: collection, query, body };
    case 2:
      return { method: 'PUT', path: one, query, body };
    case 3:
      return { method: 'PATCH', path: one, query, body, contentType: merge };
    default:
      return {
        method: 'PATCH',
        path: one,
        query: { ...query, fieldManager: 'me', force: 'true' },
        body,
        contentType: 'application/apply-patch+yaml',
      };
  }
}

function objectOf(random: Random, resource: string, name: string): JsonObject {
  const labels = random.pick([{ team: 'red' }, { team: 'blue' }, { other: 'x' }]);
  const metadata = { name, ...(random.chance(0.8) ? { labels } : {}) };
  if (resource === 'deployments') return { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: workload(random) };
  if (resource === 'widgets') return { apiVersion: 'prove.example.com/v1', kind: 'Widget', metadata, spec: widget(random) };
  if (resource === 'services') return { apiVersion: 'v1', kind: 'Service', metadata, spec: service(random) };
  const data = Object.fromEntries(
    ['color', 'size', 'a', 'B1'].flatMap((key) =>
      random.chance(0.6) ? [[key, random.pick(['red', 'green', '2', '5', 'something long'])]] : [],
    ),
  );
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data };
}

function workload(random: Random): JsonObject {
  const resources = random.pick([
    {},
    { requests: { cpu: '1' } },
    { limits: { memory: random.pick(['512Mi', '2Gi', '1G']) }, requests: { cpu: '100m' } },
    { limits: { cpu: '1' } },
  ]);
  const image = () => random.pick(['web', 'web:1', 'web:latest', 'registry:5000/web:2', 'web:1.2', 'web:1']);
  const containers = [
    { name: random.pick(['main', 'other']), image: image(), resources },
    ...(random.chance(0.3) ? [{ name: 'side', image: image() }] : []),
  ];
  const pod = {
    containers,
    ...(random.chance(0.3) ? { hostNetwork: random.chance(0.5) } : {}),
    ...(random.chance(0.3) ? { securityContext: { runAsNonRoot: random.chance(0.7) } } : {}),
  };
  const template = { metadata: { labels: { app: 'x' } }, spec: pod };
  return { ...(random.chance(0.8) ? { replicas: random.below(6) } : {}), selector: { matchLabels: { app: 'x' } }, template };
}

function service(random: Random): JsonObject {
  const port = random.pick([80, 443, 8080]);
  return {
    type: random.pick(['ClusterIP', 'NodePort', 'ClusterIP']),
    ports: [{ port, ...(random.chance(0.5) ? { targetPort: random.pick([80, 'http']) } : {}) }],
    ...(random.chance(0.3) ? { sessionAffinity: 'ClientIP' } : {}),
    selector: { app: 'x' },
  };
}

function widget(random: Random): JsonObject {
  const part = (name: string) => ({ name, ...(random.chance(0.5) ? { count: random.below(5) } : {}) });
  const parts = ['one', 'two', 'three'].filter(() => random.chance(0.4)).map(part);
  return {
    ...(random.chance(0.8) ? { size: random.below(6) } : {}),
    ...(random.chance(0.7) ? { color: random.pick(['red', 'green', 'blue', 'far too long']) } : {}),
    ...(random.chance(0.6) ? { parts } : {}),
  };
}
