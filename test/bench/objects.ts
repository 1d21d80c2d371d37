import type { JsonObject } from '../../lib/src/util/json.js';

/** Mixed objects of four built-in kinds, about as large as people write them. */
export function mixedObjects(count: number, namespace: string): JsonObject[] {
  return Array.from({ length: count }, (_, index) => {
    const name = `bench-${String(index).padStart(5, '0')}`;
    const labels = { app: name, 'app.kubernetes.io/part-of': 'bench' };
    const metadata = { name, namespace, labels, annotations: { 'bench.example.com/index': String(index) } };
    switch (index % 4) {
      case 0:
        return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { 'app.properties': `name=${name}\nlevel=info\n`, mode: 'fast' } };
      case 1:
        return { apiVersion: 'v1', kind: 'ServiceAccount', metadata, automountServiceAccountToken: false };
      case 2: {
        const ports = [{ name: 'http', port: 80, targetPort: 8080, protocol: 'TCP' }];
        return { apiVersion: 'v1', kind: 'Service', metadata, spec: { selector: { app: name }, ports } };
      }
      default:
        return { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: deploymentSpec(name, labels) };
    }
  });
}

function deploymentSpec(name: string, labels: JsonObject): JsonObject {
  const resources = { requests: { cpu: '100m', memory: '64Mi' }, limits: { memory: '128Mi' } };
  const env = ['LEVEL', 'REGION', 'MODE'].map((variable) => ({ name: variable, value: 'x' }));
  const ports = [{ name: 'http', containerPort: 8080, protocol: 'TCP' }];
  const readinessProbe = { httpGet: { path: '/ready', port: 'http' }, periodSeconds: 5 };
  const container = { name: 'app', image: 'registry.example.com/app:1.0', args: ['--serve'], env, ports, resources, readinessProbe };
  return { replicas: 2, selector: { matchLabels: { app: name } }, template: { metadata: { labels }, spec: { containers: [container] } } };
}
