import { stringify } from 'yaml';
import { hostileTexts, namespace } from './scene.js';

const labels = { app: 'web' };
const script = (port: number) => `${Array.from({ length: 30 }, (_, line) => `echo line ${line}`).join('\n')}\nexec serve --port ${port}\n`;

/** Documents that change the Deployment of the scene, with a conflict, and a text of many lines; `port` changes between two deploys. */
export function webDocuments(port: number, replicas: number): string {
  const containers = [{ name: 'web', image: `registry.example.com/web:${port}`, args: ['--port', String(port)] }];
  const spec = { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } };
  return documents([
    { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace }, spec },
    configMap('script', { 'start.sh': script(port), ...(port === 80 ? { old: 'released next time' } : { added: 'new' }) }),
  ]);
}

/** A document of hostile texts. */
export function hostileDocuments(): string {
  const data = Object.fromEntries(hostileTexts.map((text, index) => [`text-${index}`, text]));
  const annotations = Object.fromEntries(hostileTexts.map((text, index) => [`example.com/${index}`, `${text}\nsecond line ${text}`]));
  return documents([
    { ...configMap('hostile', { ...data, long: '<b>long</b> '.repeat(10_000) }), metadata: { name: 'hostile', namespace, annotations } },
  ]);
}

/** A Job for each hostile text; `failJobs` makes the texts their messages. */
export function jobDocuments(): string {
  const spec = { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'job', image: 'registry.example.com/job:1' }] } } };
  return documents(
    hostileTexts.map((_, index) => ({ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: `job-${index}`, namespace }, spec })),
  );
}

/** Documents of many objects. */
export function manyDocuments(many: number): string {
  const data = (index: number) => Object.fromEntries(Array.from({ length: 10 }, (_, key) => [`key-${key}`, `value ${key} of ${index}`]));
  return documents(Array.from({ length: many }, (_, index) => configMap(`planned-${index}`, data(index))));
}

function configMap(name: string, data: Readonly<Record<string, string>>) {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data };
}

function documents(objects: readonly object[]): string {
  return objects.map((object) => stringify(object)).join('---\n');
}
