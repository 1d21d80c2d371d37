import { own, programOf } from '../harness/program-text.js';
import { namespace } from './scene.js';

/** The number of objects with the same change. */
export const sameChange = 800;

const labels = { app: 'api' };
const script = (timeout: number) =>
  ['#!/bin/sh', 'set -eu', 'until nc -z db 5432; do sleep 1; done', `timeout ${timeout} /srv/migrate`, 'exec /srv/api', ''].join('\n');

/** A program of three stacks: a platform, a shop and 800 tenants. `release` changes between two deploys. */
export function teamsProgram(release: 1 | 2): string {
  const object = (kind: string, name: string, content: object, apiVersion = 'v1') => ({
    apiVersion,
    kind,
    metadata: { name, namespace },
    ...content,
  });
  const config = (name: string, data: Readonly<Record<string, string>>) => object('ConfigMap', name, { data });
  const containers = [{ name: 'api', image: `registry.example.com/api:${release}.0`, ports: [{ containerPort: 8080 }] }];
  const api = { replicas: 3, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } };
  const worker = { ...api, replicas: release === 1 ? 2 : 0 };
  const program = programOf({
    platform: [
      own(object('Service', 'edge', { spec: { selector: { app: `edge-${release}` }, ports: [{ name: 'https', port: 443 }] } })),
      own(config('edge', { 'log-level': release === 1 ? 'info' : 'debug' })),
    ],
    shop: [
      own(object('Deployment', 'api', { spec: api }, 'apps/v1')),
      own(object('Deployment', 'worker', { spec: worker }, 'apps/v1')),
      own(config('start', { 'start.sh': script(release * 30), ...(release === 1 ? { old: 'goes' } : { added: 'new' }) })),
      own(config('limits', { mode: `strict-${release}` }), { conflicts: 'fail' }),
      own(config('same', { a: '1' })),
    ],
    tenants: Array.from({ length: sameChange }, (_, index) => own(config(`tenant-${index}`, { image: `web:${release}`, id: 'tenant' }))),
  });
  return program.replace('new App()', "new App({ name: 'shop' })");
}

/** The instances of a program with 250 stacks. */
export const fleets = ['staging', 'europe', 'america', 'asia'] as const;

/** A program of 250 stacks with a ConfigMap each. */
export function fleetProgram(): string {
  return `
import { App, Stack } from 'fieldwise';
const app = new App({ name: 'fleet' });
for (let index = 0; index < 250; index += 1) {
  const metadata = { name: \`\${app.instance}-\${index}\`, namespace: '${namespace}' };
  new Stack(app, \`stack-\${index}\`).own({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
}
`;
}
