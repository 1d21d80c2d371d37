import type { JsonObject } from '../../lib/src/util/json.js';

/** Makes an object of one kind, about as large as people write them. */
export type MakeObject = (name: string, namespace: string, index: number) => JsonObject;

/** The makers of four built-in kinds. */
export const builtInObjects: readonly MakeObject[] = [configMap, serviceAccount, service, deployment];

/** Mixed objects of four built-in kinds. */
export function mixedObjects(count: number, namespace: string): JsonObject[] {
  return Array.from({ length: count }, (_, index) => builtInObjects[index % builtInObjects.length]!(nameOf(index), namespace, index));
}

export function nameOf(index: number): string {
  return `bench-${String(index).padStart(5, '0')}`;
}

export function metadataOf(name: string, namespace: string, index: number) {
  const labels = { app: name, 'app.kubernetes.io/part-of': 'bench' };
  return { name, namespace, labels, annotations: { 'bench.example.com/index': String(index) } };
}

export function configMap(name: string, namespace: string, index: number): JsonObject {
  const data = { 'app.properties': `name=${name}\nlevel=info\n`, mode: 'fast' };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: metadataOf(name, namespace, index), data };
}

function serviceAccount(name: string, namespace: string, index: number): JsonObject {
  return { apiVersion: 'v1', kind: 'ServiceAccount', metadata: metadataOf(name, namespace, index), automountServiceAccountToken: false };
}

function service(name: string, namespace: string, index: number): JsonObject {
  const ports = [{ name: 'http', port: 80, targetPort: 8080, protocol: 'TCP' }];
  return { apiVersion: 'v1', kind: 'Service', metadata: metadataOf(name, namespace, index), spec: { selector: { app: name }, ports } };
}

function deployment(name: string, namespace: string, index: number): JsonObject {
  const metadata = metadataOf(name, namespace, index);
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: deploymentSpec(name, metadata.labels) };
}

function deploymentSpec(name: string, labels: JsonObject): JsonObject {
  const resources = { requests: { cpu: '100m', memory: '64Mi' }, limits: { memory: '128Mi' } };
  const env = ['LEVEL', 'REGION', 'MODE'].map((variable) => ({ name: variable, value: 'x' }));
  const ports = [{ name: 'http', containerPort: 8080, protocol: 'TCP' }];
  const readinessProbe = { httpGet: { path: '/ready', port: 'http' }, periodSeconds: 5 };
  const container = { name: 'app', image: 'registry.example.com/app:1.0', args: ['--serve'], env, ports, resources, readinessProbe };
  return { replicas: 2, selector: { matchLabels: { app: name } }, template: { metadata: { labels }, spec: { containers: [container] } } };
}
