import type { JsonObject } from '../../src/util/json.js';
import { type Comparison, comparable } from './compare-tables.js';
import { namespace } from './objects.js';
import type { Received, Sent, Servers } from './servers.js';

const inNamespace = `/api/v1/namespaces/${namespace}`;
const events = `${inNamespace}/events`;
const newEvents = `/apis/events.k8s.io/v1/namespaces/${namespace}/events`;
const autoscalers = (version: string) => `/apis/autoscaling/${version}/namespaces/${namespace}/horizontalpodautoscalers`;
const budgets = `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`;

const merge = 'application/merge-patch+json';
const apply = 'application/apply-patch+yaml';
const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'x' };
const memory = '[{"type":"Resource","resource":{"name":"memory","targetAverageValue":"100Mi"}}]';

/** Creates an autoscaler of autoscaling/v1 and reads it in autoscaling/v2. */
function converted(name: string, spec: JsonObject, annotations: JsonObject = {}): readonly Sent[] {
  const metadata = { name: `version-${name}`, ...(Object.keys(annotations).length === 0 ? {} : { annotations }) };
  const body = { metadata, spec: { maxReplicas: 3, scaleTargetRef, ...spec } };
  return [{ method: 'POST', path: autoscalers('v1'), body }, { path: `${autoscalers('v2')}/version-${name}` }];
}

function applied(version: string, manager: string, spec: JsonObject, force = false): Sent {
  const body = { apiVersion: `autoscaling/${version}`, kind: 'HorizontalPodAutoscaler', metadata: { name: 'version-applied' }, spec };
  const path = `${autoscalers(version)}/version-applied?fieldManager=${manager}${force ? '&force=true' : ''}`;
  return { method: 'PATCH', path, contentType: apply, body };
}

const cpu = (averageUtilization: number) => ({
  metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } } }],
});

const ofAutoscalers: readonly Sent[] = [
  ...['plain', 'metrics', 'all-metrics', 'two-metrics', 'measured'].map((name): Sent => ({ path: `${autoscalers('v1')}/${name}` })),
  ...converted('default', {}),
  ...converted('target', { targetCPUUtilizationPercentage: 50 }),
  ...converted('both', { targetCPUUtilizationPercentage: 50 }, { 'autoscaling.alpha.kubernetes.io/metrics': memory, x: 'y' }),
  ...converted('broken', {}, { 'autoscaling.alpha.kubernetes.io/metrics': 'not json' }),
  ...converted('annotated', {}, { 'autoscaling.alpha.kubernetes.io/metrics': memory }),
  ...converted('invalid', { maxReplicas: 0, targetCPUUtilizationPercentage: 0 }),
  { method: 'PATCH', path: `${autoscalers('v1')}/metrics`, contentType: merge, body: { spec: { maxReplicas: 9 } } },
  { path: `${autoscalers('v2')}/metrics` },
  applied('v1', 'a', { maxReplicas: 3, scaleTargetRef, targetCPUUtilizationPercentage: 50 }),
  applied('v2', 'b', { maxReplicas: 4, scaleTargetRef, ...cpu(60) }),
  applied('v2', 'b', { maxReplicas: 4, scaleTargetRef, ...cpu(60) }, true),
  { path: `${autoscalers('v1')}/version-applied` },
  applied('v1', 'a', { maxReplicas: 4, scaleTargetRef }),
  applied('v2', 'a', { maxReplicas: 4, scaleTargetRef }),
];

const ofEvents: readonly Sent[] = [
  { path: `${newEvents}/counted` },
  { path: `${events}/new-style` },
  { method: 'PATCH', path: `${events}/new-style`, contentType: merge, body: { message: 'other' } },
  { path: `${newEvents}/new-style` },
];

const eviction = (name: string): Sent => ({
  method: 'POST',
  path: `${inNamespace}/pods/${name}/eviction`,
  body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } },
});
const binding = (name: string, target: JsonObject): Sent => ({
  method: 'POST',
  path: `${inNamespace}/pods/${name}/binding`,
  body: { apiVersion: 'v1', kind: 'Binding', metadata: { name }, target },
});
const budgetStatus = { observedGeneration: 1, currentHealthy: 1, desiredHealthy: 1, disruptionsAllowed: 0, expectedPods: 1 };

const ofPods: readonly Sent[] = [
  binding('plain', { kind: 'Node', name: 'node-9' }),
  binding('plain', { kind: 'Node', name: 'node-8' }),
  binding('nominated', { kind: 'Pod', name: 'x' }),
  binding('none', { kind: 'Node', name: 'x' }),
  { path: `${inNamespace}/pods/plain/binding` },
  { method: 'PATCH', path: `${budgets}/min/status`, contentType: merge, body: { status: budgetStatus } },
  { method: 'PATCH', path: `${inNamespace}/pods/oom`, contentType: merge, body: { metadata: { labels: { app: 'x' } } } },
  {
    method: 'PATCH',
    path: `${inNamespace}/pods/oom/status`,
    contentType: merge,
    body: { status: { conditions: [{ type: 'Ready', status: 'True' }] } },
  },
  eviction('oom'),
  eviction('evicted'),
  eviction('none'),
];

const finalize: readonly Sent[] = [
  { method: 'PATCH', path: '/api/v1/namespaces/tables-plain/finalize', contentType: merge, body: {} },
  {
    method: 'PUT',
    path: '/api/v1/namespaces/tables-plain/finalize',
    body: {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'tables-plain' },
      spec: { finalizers: ['kubernetes', 'example.com/f'] },
    },
  },
];

/** Compares the conversion between versions of one kind, and the subresources that act, by requests one after the other. */
export async function compareVersions({ real, embedded }: Servers): Promise<readonly Comparison[]> {
  const comparisons: Comparison[] = [];
  for (const sent of [...ofAutoscalers, ...ofEvents, ...ofPods, ...finalize]) {
    const [theirs, ours] = (await Promise.all([real(sent), embedded(sent)])).map((received) => shown(sent, received));
    const difference = theirs === ours ? undefined : `  real:     ${theirs}\n  embedded: ${ours}`;
    comparisons.push({ what: `${sent.method ?? 'GET'} ${sent.path}`, difference });
  }
  return comparisons;
}

/** A Pod has more defaults on the real server, from its admission: of a Pod, only the code is compared. */
function shown({ path, method = 'GET' }: Sent, { code, text }: Received): string {
  return path.includes('/pods/') && method === 'PATCH'
    ? String(code)
    : `${code} ${comparable(JSON.parse(text), new Set(['uid', 'resourceVersion']))}`;
}
