import type { JsonObject } from '../../lib/src/util/json.js';

/** Intents of a manager, distinguished by a counter: every apply changes a value. */
export type Intents = (manager: number, counter: number, name: string, namespace: string) => JsonObject;

const volumes = [{ name: 'config', configMap: { name: 'web' } }];
const head = { apiVersion: 'apps/v1', kind: 'Deployment' };

/** 60 fields of one manager, the replicas of a second, annotations of a third. */
export function smallDeployment(manager: number, counter: number, name: string, namespace: string): JsonObject {
  const metadata = { name, namespace };
  if (manager === 1) return { ...head, metadata, spec: { replicas: counter % 90 } };
  if (manager === 2)
    return { ...head, metadata: { ...metadata, annotations: { 'example.com/stamp': `${counter}`, 'example.com/by': 'm2' } } };
  const labels = { app: 'web', tier: 'front', team: 'shop', version: 'v1' };
  return {
    ...head,
    metadata: { ...metadata, labels },
    spec: {
      revisionHistoryLimit: 3,
      minReadySeconds: 5,
      selector: { matchLabels: { app: 'web' } },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: 'web',
          terminationGracePeriodSeconds: 30,
          securityContext: { runAsNonRoot: true, runAsUser: 1000 },
          containers: [container('web', counter, 5), container('proxy', 0, 5)],
          volumes,
        },
      },
    },
  };
}

function container(name: string, counter: number, environment: number): JsonObject {
  return {
    name,
    image: `example.com/${name}:${counter}`,
    ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
    env: Array.from({ length: environment }, (_, index) => ({ name: `${name.toUpperCase()}_${index}`, value: `${index}` })),
    resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { memory: '128Mi' } },
    readinessProbe: { httpGet: { path: '/ready', port: 'http' }, periodSeconds: 5 },
    volumeMounts: [{ name: 'config', mountPath: '/etc/config' }],
  };
}

/** 500 fields of ten managers: a container for each. The selector and the volume are everybody's. */
export function largeDeployment(manager: number, counter: number, name: string, namespace: string): JsonObject {
  const matchLabels = { app: 'web' };
  return {
    ...head,
    metadata: { name, namespace, labels: { [`m${manager}`]: `${counter}` } },
    spec: {
      selector: { matchLabels },
      template: { metadata: { labels: matchLabels }, spec: { containers: [container(`c${manager}`, counter, 18)], volumes } },
    },
  };
}
