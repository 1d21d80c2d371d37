import { type ObjectRef, ref, TestCluster } from '../harness/cluster.js';
import { poll } from '../harness/poll.js';

/** The namespace of all objects of the scene. */
export const namespace = 'pages';

/** The number of fields of the ConfigMap `long`. */
export const fieldsOfLong = 9_000;

const labels = { app: 'web' };

/** Texts that would run, load something, or change how a page reads if they were markup. */
export const hostileTexts = [
  '</script><script>window.attacked = 1</script>',
  '<img src="https://attacker.invalid/x.png" onerror="window.attacked = 1">',
  '<!--<script>',
  ']]><svg onload=window.attacked=1>',
  '"><a href="javascript:window.attacked=1">click</a>',
  '{{constructor.constructor("window.attacked=1")()}}',
  'right to left \u202e txt.exe and a bell \u0007',
  '__proto__',
];

/** Creates a Deployment of several owners, a ConfigMap of hostile texts, and many objects. */
export async function makeScene(kubeconfig: string, many: number): Promise<void> {
  const cluster = new TestCluster(kubeconfig);
  try {
    await cluster.create('test', ref('v1', 'Namespace', namespace));
    await makeWeb(cluster);
    await makeHostile(cluster);
    const data = Object.fromEntries(Array.from({ length: fieldsOfLong }, (_, index) => [`key-${index}`, String(index)]));
    await cluster.apply('test', { ...ref('v1', 'ConfigMap', 'long', namespace), data });
    const waiting = Array.from({ length: many }, (_, index) => index);
    const work = async () => {
      for (let index = waiting.shift(); index !== undefined; index = waiting.shift()) await makeOneOfMany(cluster, index);
    };
    await Promise.all(Array.from({ length: 8 }, work));
  } finally {
    cluster.client.close();
  }
}

/** Writes fields of the program of the teams, as an autoscaler and persons do. */
export async function writeAsOthers(kubeconfig: string): Promise<void> {
  const cluster = new TestCluster(kubeconfig);
  try {
    const api = ref('apps/v1', 'Deployment', 'api', namespace);
    await cluster.patch('kube-controller-manager', api, { spec: { replicas: 6 } }, 'merge', 'scale');
    await cluster.patch('kubectl-edit', ref('v1', 'ConfigMap', 'limits', namespace), { data: { mode: 'lenient' } });
    await cluster.apply('helm', { ...ref('v1', 'ConfigMap', 'start', namespace), data: { flags: '-v' } });
  } finally {
    cluster.client.close();
  }
}

/** Makes Jobs fail with hostile texts as messages. */
export async function failJobs(kubeconfig: string): Promise<void> {
  const cluster = new TestCluster(kubeconfig);
  try {
    for (const [index, message] of hostileTexts.entries()) {
      const conditions = [{ type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded', message }];
      await cluster.patch('controller', ref('batch/v1', 'Job', `job-${index}`, namespace), { status: { conditions } }, 'merge', 'status');
    }
  } finally {
    cluster.client.close();
  }
}

/** One Deployment with stacks, a person with kubectl and an autoscaler as owners. */
async function makeWeb(cluster: TestCluster): Promise<void> {
  const web = ref('apps/v1', 'Deployment', 'web', namespace);
  const { spec } = deploymentOf({ name: 'web', image: 'registry.example.com/web:1.4.2' });
  await cluster.apply('fieldwise/shop/default/web', { ...web, spec: { ...spec, replicas: 3 } });
  const sidecar = {
    name: 'metrics',
    image: 'registry.example.com/metrics:0.9',
    args: ['--listen', ':9090'],
    ports: [{ containerPort: 9090 }],
  };
  await cluster.apply('fieldwise/shop/default/metrics', { ...web, ...deploymentOf(sidecar) });
  await cluster.patch('kubectl-edit', web, { metadata: { annotations: { 'example.com/note': 'raised by hand\nfor the sale' } } });
  await cluster.patch('kube-controller-manager', web, { spec: { replicas: 5 } }, 'merge', 'scale');
}

function deploymentOf(...containers: readonly object[]) {
  return { spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } } };
}

/** Hostile texts as names of members, as values, as keys of items and as field managers. */
async function makeHostile(cluster: TestCluster): Promise<void> {
  const text = { type: 'string' };
  const item = { type: 'object', required: ['key'], properties: { key: text, value: text } };
  const schema = {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: {
          map: { type: 'object', additionalProperties: text },
          list: { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['key'], items: item },
          set: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
        },
      },
    },
  };
  const definition = {
    ...ref('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'hostiles.pages.example.com'),
    spec: {
      group: 'pages.example.com',
      names: { kind: 'Hostile', plural: 'hostiles' },
      scope: 'Namespaced',
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  };
  await cluster.apply('test', definition);
  await poll('the kind Hostile is served', () => cluster.serves('pages.example.com/v1', 'Hostile'));
  const long = '<b>long</b> '.repeat(10_000);
  const spec = {
    map: { ...Object.fromEntries(hostileTexts.map((key) => [key, key])), long },
    list: hostileTexts.map((key) => ({ key, value: key })),
    set: hostileTexts,
  };
  const hostile = ref('pages.example.com/v1', 'Hostile', 'hostile', namespace);
  await cluster.apply('<script>window.attacked=1</script>', { ...hostile, spec });
  await cluster.apply('"><img src=x onerror=window.attacked=1>', { ...hostile, spec: { set: hostileTexts.slice(0, 1) } });
}

async function makeOneOfMany(cluster: TestCluster, index: number): Promise<void> {
  const one = objectOfMany(index);
  await cluster.apply(`fieldwise/shop/default/stack-${index % 20}`, one);
  if (index % 5 === 0) await cluster.patch('kubectl-edit', one, { metadata: { annotations: { note: `by hand ${index}` } } });
}

/** Returns one of many objects: Deployments, Services and ConfigMaps in turn. */
function objectOfMany(index: number): ObjectRef {
  const name = `object-${String(index).padStart(4, '0')}`;
  if (index % 3 === 0)
    return { ...ref('apps/v1', 'Deployment', name, namespace), ...deploymentOf({ name, image: `registry.example.com/${name}:1` }) };
  if (index % 3 === 1)
    return {
      ...ref('v1', 'Service', name, namespace),
      spec: {
        selector: labels,
        ports: [
          { port: 80, name: 'http' },
          { port: 443, name: 'https' },
        ],
      },
    };
  const data = Object.fromEntries(Array.from({ length: 10 }, (_, key) => [`key-${key}`, `value ${key} of ${name}`]));
  return { ...ref('v1', 'ConfigMap', name, namespace), data };
}

/** Returns the words that name these objects on a command line. */
export function namesOfMany(many: number): readonly string[] {
  return Array.from({ length: many }, (_, index) => {
    const { kind, metadata } = objectOfMany(index);
    return `${kind.toLowerCase()}/${metadata.name}`;
  });
}
