import { ApiCallError, type ResponseBody } from '../harness/api-client.js';
import type { ObjectRef } from '../harness/cluster.js';
import { metadata, read, reference, type Situation, type Stage, type Step, service } from './situations.js';

const v1 = 'monitoring.coreos.com/v1';
const alpha = 'monitoring.coreos.com/v1alpha1';
const versions: Readonly<Record<string, string>> = { AlertmanagerConfig: alpha, PrometheusAgent: alpha, ScrapeConfig: alpha };
const labels = { team: 'web' };
const selector = { matchLabels: labels };

const monitoring = (kind: string, name: string, spec: object) => ({
  apiVersion: versions[kind] ?? v1,
  kind,
  metadata: metadata(name, { labels }),
  spec,
});
const readMonitoring = (stage: Stage, kind: string, name: string) => read(stage, versions[kind] ?? v1, kind, name);
const patch =
  (kind: string, name: string, body: object, subresource = '') =>
  ({ cluster, namespace }: Stage) =>
    cluster.patch('test', reference(monitoring(kind, name, {}), namespace), body, 'merge', subresource);
const remove =
  (kind: string, name: string) =>
  ({ cluster, namespace }: Stage) =>
    cluster.remove(reference(monitoring(kind, name, {}), namespace) as ObjectRef);
const secret = (name: string, stringData: object) => ({ apiVersion: 'v1', kind: 'Secret', metadata: metadata(name), stringData });

/** Returns true if the operator has reconciled what an object says now, and that many Pods run. */
const available = (kind: string, name: string, replicas: number) => async (stage: Stage) => {
  const object = await readMonitoring(stage, kind, name);
  const { conditions = [], availableReplicas, updatedReplicas } = object?.status ?? {};
  const isTrue = ({ status, observedGeneration }: ResponseBody) => status === 'True' && observedGeneration === object?.metadata.generation;
  return conditions.length === 2 && conditions.every(isTrue) && availableReplicas === replicas && updatedReplicas === replicas;
};

const rules = (name: string, expr: string) =>
  monitoring('PrometheusRule', name, {
    groups: [{ name: 'web', interval: '30s', rules: [{ alert: 'Down', expr, for: '5m', labels: { severity: 'page' } }] }],
  });

const selectors = {
  serviceMonitorSelector: selector,
  podMonitorSelector: selector,
  probeSelector: selector,
  scrapeConfigSelector: selector,
};

const prometheus: Situation = {
  name: 'prometheus',
  needsOperator: true,
  inSample: true,
  steps: [
    {
      name: 'created with monitors, a probe and rules',
      create: [
        { apiVersion: 'v1', kind: 'ServiceAccount', metadata: metadata('prometheus') },
        service('web', { selector: labels }),
        secret('access', { user: 'u', password: 'p' }),
        monitoring('ServiceMonitor', 'web', {
          selector,
          endpoints: [
            {
              port: 'http',
              interval: '15s',
              basicAuth: { username: { name: 'access', key: 'user' }, password: { name: 'access', key: 'password' } },
              relabelings: [{ sourceLabels: ['__name__'], regex: 'x', action: 'Drop' }],
            },
          ],
        }),
        monitoring('PodMonitor', 'pods', { selector, podMetricsEndpoints: [{ targetPort: 8080 }] }),
        monitoring('Probe', 'site', { prober: { url: 'prober.example.com' }, targets: { staticConfig: { static: ['example.com'] } } }),
        monitoring('ScrapeConfig', 'outside', { staticConfigs: [{ targets: ['192.0.2.1:9100'] }] }),
        rules('web', 'up == 0'),
        monitoring('Prometheus', 'main', {
          replicas: 2,
          serviceAccountName: 'prometheus',
          ...selectors,
          ruleSelector: selector,
          resources: { requests: { memory: '400Mi' } },
          alerting: { alertmanagers: [{ namespace: 'NAMESPACE', name: 'alerts', port: 'web' }] },
        }),
      ],
      until: available('Prometheus', 'main', 2),
    },
    {
      name: 'another retention, and one rule more',
      create: [rules('more', 'absent(up)')],
      change: patch('Prometheus', 'main', { spec: { retention: '5d', externalLabels: { cluster: 'test' } } }),
      until: available('Prometheus', 'main', 2),
    },
    {
      name: 'two shards by the subresource scale',
      change: patch('Prometheus', 'main', { spec: { replicas: 2 } }, 'scale'),
      until: available('Prometheus', 'main', 4),
    },
    { name: 'paused', change: patch('Prometheus', 'main', { spec: { paused: true } }), until: async (stage) => isPaused(stage) },
  ],
};

async function isPaused(stage: Stage): Promise<boolean> {
  const { conditions } = (await readMonitoring(stage, 'Prometheus', 'main'))?.status ?? {};
  return (await readMonitoring(stage, 'Prometheus', 'main'))?.status.paused === true && conditions.length === 2;
}

/** Objects with one mistake each: a server names several in any order. */
const mistakes = [
  monitoring('Prometheus', 'replicas', { replicas: 'two' }),
  monitoring('Prometheus', 'interval', { scrapeInterval: '1x' }),
  monitoring('Prometheus', 'level', { logLevel: 'loud' }),
  monitoring('Prometheus', 'rule', { remoteWrite: [{ url: 'https://write.example.com', messageVersion: 'V9.0' }] }),
  monitoring('PrometheusAgent', 'mode', { mode: 'DaemonSet', replicas: 1 }),
  monitoring('ServiceMonitor', 'endpoints', { selector: {} }),
  monitoring('PrometheusRule', 'twice', { groups: [{ name: 'a' }, { name: 'a' }] }),
  monitoring('AlertmanagerConfig', 'receiver', { receivers: [{ name: '' }] }),
];

/** Tries writes that are refused, and keeps what the server says in a ConfigMap. */
const keepRefusals =
  (objects: readonly ResponseBody[]) =>
  async ({ cluster, namespace }: Stage): Promise<void> => {
    const data: Record<string, string> = {};
    for (const object of objects) {
      await cluster.create('test', reference(object, namespace) as ObjectRef).catch((error) => {
        if (!(error instanceof ApiCallError)) throw error;
        data[object.metadata.name] = JSON.stringify(error.body);
      });
    }
    const kept = { apiVersion: 'v1', kind: 'ConfigMap', metadata: metadata('refusals'), data };
    await cluster.create('test', reference(kept, namespace) as ObjectRef);
  };
const hasRefusals = async (stage: Stage) => (await read(stage, 'v1', 'ConfigMap', 'refusals')) !== undefined;

const rejected: Situation = {
  name: 'rejected',
  needsOperator: true,
  inSample: true,
  steps: [
    {
      name: 'objects that the server refuses',
      change: keepRefusals(mistakes),
      until: hasRefusals,
    },
    {
      name: 'objects that only the operator refuses',
      create: [
        monitoring('ServiceMonitor', 'no-secret', {
          selector,
          endpoints: [{ port: 'http', authorization: { credentials: { name: 'absent', key: 'token' } } }],
        }),
        rules('no-rule', 'up ==== 0'),
        monitoring('Prometheus', 'main', { replicas: 1, ...selectors, ruleSelector: selector }),
      ],
      until: async (stage) => {
        const bindings = (await readMonitoring(stage, 'ServiceMonitor', 'no-secret'))?.status?.bindings ?? [];
        return bindings.length === 1 && (await available('Prometheus', 'main', 1)(stage));
      },
    },
    {
      name: 'a storage class that is not there',
      change: patch('Prometheus', 'main', { spec: { storage: { volumeClaimTemplate: { spec: { storageClassName: 'NAMESPACE-none' } } } } }),
      until: async (stage) => {
        const { conditions } = (await readMonitoring(stage, 'Prometheus', 'main'))?.status ?? {};
        return conditions.some(({ type, status }: ResponseBody) => type === 'Reconciled' && status === 'False');
      },
    },
  ],
};

const alertmanager: Situation = {
  name: 'alertmanager',
  needsOperator: true,
  steps: [
    {
      name: 'created with a configuration of its own',
      create: [
        monitoring('AlertmanagerConfig', 'team', {
          route: { receiver: 'hook', groupBy: ['alertname'], matchers: [{ name: 'team', value: 'web', matchType: '=' }] },
          receivers: [{ name: 'hook', webhookConfigs: [{ url: 'https://hook.example.com' }] }],
        }),
        monitoring('Alertmanager', 'alerts', { replicas: 1, alertmanagerConfigSelector: selector }),
      ],
      until: available('Alertmanager', 'alerts', 1),
    },
    {
      name: 'three by the subresource scale',
      change: patch('Alertmanager', 'alerts', { spec: { replicas: 3 } }, 'scale'),
      until: available('Alertmanager', 'alerts', 3),
    },
  ],
};

const beta = (name: string, spec: object) => ({
  ...monitoring('AlertmanagerConfig', name, spec),
  apiVersion: 'monitoring.coreos.com/v1beta1',
});
const route = { receiver: 'hook', groupBy: ['alertname'] };
const receivers = [{ name: 'hook', webhookConfigs: [{ urlSecret: { name: 'access', key: 'url' } }] }];

/** Lets managers of two versions apply one object, whose fields the operator converts. */
async function applyVersions({ cluster, namespace }: Stage): Promise<void> {
  const old = { route: { ...route, matchers: [{ name: 'team', value: 'web', regex: false }] }, receivers };
  const recent = {
    route,
    receivers,
    timeIntervals: [{ name: 'night', timeIntervals: [{ times: [{ startTime: '00:00', endTime: '06:00' }] }] }],
  };
  await cluster.apply('old', reference(monitoring('AlertmanagerConfig', 'both', old), namespace) as ObjectRef);
  await cluster.apply('recent', reference(beta('both', recent), namespace) as ObjectRef);
  await cluster.apply('old', reference(monitoring('AlertmanagerConfig', 'both', { route, receivers }), namespace) as ObjectRef);
}

/** Returns the definitions of the operator, without the address of its webhook. The server of the tests writes under the name of its program. */
async function definitions({ cluster }: Stage): Promise<readonly ResponseBody[]> {
  const all = await cluster.list('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
  const own = all.filter(({ spec }) => spec.group === 'monitoring.coreos.com');
  const text = JSON.stringify(
    own.map(({ spec: { conversion, ...spec }, ...others }) => ({ ...others, spec, strategy: conversion.strategy })),
  );
  return JSON.parse(text.replaceAll('"manager":"apiserver"', '"manager":"kube-apiserver"'));
}

const admission: Situation = {
  name: 'admission',
  needsOperator: true,
  inSample: true,
  beside: definitions,
  steps: [
    {
      name: 'objects of two versions that the operator converts, changes and accepts',
      create: [
        monitoring('AlertmanagerConfig', 'old', {
          route: { ...route, matchers: [{ name: 'team', value: 'w.*', regex: true }] },
          receivers,
        }),
        beta('new', { route: { ...route, matchers: [{ name: 'team', value: 'w', matchType: '!=' }] }, receivers }),
        rules('web', 'up == 0'),
      ],
      change: applyVersions,
      until: async (stage) => (await readMonitoring(stage, 'AlertmanagerConfig', 'both')) !== undefined,
    },
    {
      name: 'objects that it refuses',
      change: keepRefusals([
        rules('expression', 'up ==== 0'),
        monitoring('AlertmanagerConfig', 'receiver', { route: { receiver: 'none' }, receivers }),
        beta('receiver-of-the-new-version', { route: { receiver: 'none' }, receivers }),
      ]),
      until: hasRefusals,
    },
  ],
};

const others: Situation = {
  name: 'agent-and-ruler',
  needsOperator: true,
  steps: [
    {
      name: 'created',
      create: [
        rules('web', 'up == 0'),
        monitoring('ThanosRuler', 'ruler', { replicas: 1, ruleSelector: selector, queryEndpoints: ['query.example.com'] }),
        monitoring('PrometheusAgent', 'agent', {
          replicas: 1,
          ...selectors,
          remoteWrite: [{ url: 'https://write.example.com', headers: { 'X-Scope': 'web' } }],
        }),
      ],
      until: async (stage) =>
        (await available('ThanosRuler', 'ruler', 1)(stage)) && (await available('PrometheusAgent', 'agent', 1)(stage)),
    },
  ],
};

const withoutOne: Step = {
  name: 'deleted, with all that it had',
  change: remove('Prometheus', 'main'),
  until: async (stage) => {
    const left = await Promise.all([
      readMonitoring(stage, 'Prometheus', 'main'),
      read(stage, 'apps/v1', 'StatefulSet', 'prometheus-main'),
      read(stage, 'v1', 'Secret', 'prometheus-main'),
      read(stage, 'v1', 'Pod', 'prometheus-main-0'),
    ]);
    return left.every((object) => object === undefined);
  },
};

const removed: Situation = {
  name: 'prometheus-deleted',
  needsOperator: true,
  inSample: true,
  steps: [
    {
      name: 'created with a claim',
      create: [
        monitoring('Prometheus', 'main', {
          replicas: 1,
          storage: { volumeClaimTemplate: { spec: { resources: { requests: { storage: '1Gi' } } } } },
        }),
      ],
      until: async (stage) => (await read(stage, 'v1', 'PersistentVolumeClaim', 'prometheus-main-db-prometheus-main-0')) !== undefined,
    },
    withoutOne,
  ],
};

const kubelets: Situation = {
  name: 'kubelets',
  needsOperator: true,
  steps: [
    {
      name: 'a Service and its endpoints, kept by the operator, with the address of a Node',
      create: [
        {
          apiVersion: 'v1',
          kind: 'Node',
          metadata: metadata('NAMESPACE-node'),
          spec: { unschedulable: true },
          status: { addresses: [{ type: 'InternalIP', address: '192.0.2.7' }], conditions: [{ type: 'Ready', status: 'True' }] },
        },
      ],
      until: async (stage) => {
        const endpoints = await read(stage, 'v1', 'Endpoints', 'kubelet');
        const slices = await stage.cluster.list('discovery.k8s.io/v1', 'EndpointSlice', stage.namespace);
        return endpoints?.subsets?.length === 1 && slices.length === 1;
      },
    },
  ],
};

/** What the Prometheus Operator does, beside the control plane. */
export const operatorSituations: readonly Situation[] = [prometheus, rejected, admission, alertmanager, others, removed, kubelets];
