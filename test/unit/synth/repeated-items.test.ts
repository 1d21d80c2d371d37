import { expect, test } from 'vitest';
import { type App, Stack } from '../../../src/entry/index.js';
import { synthError, synthesized } from './fixtures/synthesized.js';

const pod = (spec: object) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec });
const container = (more: object, name = 'web') => ({ name, image: 'nginx:1', ...more });
const cronJob = (container: object) => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name: 'nightly' },
  spec: { schedule: '0 3 * * *', jobTemplate: { spec: { template: { spec: { containers: [container] } } } } },
});
const service = (ports: object[]) => ({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' }, spec: { ports } });
const declaring = (object: object) => (app: App) => void new Stack(app, 'web', { namespace: 'edge' }).own(object as never);

const inJob = '.spec.jobTemplate.spec.template.spec.containers[0]';
test.each([
  [
    'an environment variable twice',
    cronJob(container({ env: [{ name: 'A', value: '1' }, { name: 'B' }, { name: 'A', value: '2' }] })),
    'list-key-duplicate',
    `${inJob}.env[name="A"]`,
  ],
  [
    'an environment variable three times, as one mistake',
    cronJob(container({ env: [{ name: 'A' }, { name: 'A' }, { name: 'A' }] })),
    'list-key-duplicate',
    `${inJob}.env[name="A"]`,
  ],
  [
    'a path twice',
    pod({
      containers: [
        container({
          volumeMounts: [
            { name: 'a', mountPath: '/x' },
            { name: 'b', mountPath: '/x' },
          ],
        }),
      ],
    }),
    'list-key-duplicate',
    '.spec.containers[0].volumeMounts[mountPath="/x"]',
  ],
  [
    'a port of a Service twice, its protocol once left out',
    service([
      { port: 80, name: 'a' },
      { port: 80, name: 'b', protocol: 'TCP' },
    ]),
    'list-key-duplicate',
    '.spec.ports[port=80,protocol="TCP"]',
  ],
  [
    'a name of two ports',
    service([
      { port: 80, name: 'a' },
      { port: 81, name: 'a' },
    ]),
    'port-duplicate',
    '.spec.ports[1].name',
  ],
  [
    'one port of the host for two containers',
    pod({
      containers: [
        container({ ports: [{ containerPort: 80, hostPort: 80 }] }),
        container({ ports: [{ containerPort: 81, hostPort: 80 }] }, 'other'),
      ],
    }),
    'port-duplicate',
    '.spec.containers[1].ports[0].hostPort',
  ],
])('%s is refused at synth, with field and construct', (_, object, code, field) => {
  expect(synthError(declaring(object))).toMatchObject({ code, location: { field, construct: expect.stringContaining('shop/web/') } });
});

test.each([
  [
    'ports of two protocols',
    service([
      { port: 53, name: 'a' },
      { port: 53, name: 'b', protocol: 'UDP' },
    ]),
  ],
  [
    'one port of two addresses of the host',
    pod({
      containers: [
        container({
          ports: [
            { containerPort: 80, hostPort: 80, hostIP: '10.0.0.1' },
            { containerPort: 81, hostPort: 80, hostIP: '10.0.0.2' },
          ],
        }),
      ],
    }),
  ],
  ['one name in two containers', pod({ containers: [container({ env: [{ name: 'A' }] }), container({ env: [{ name: 'A' }] }, 'other')] })],
])('%s is not', (_, object) => {
  expect(synthesized(declaring(object)).objects('web')).toHaveLength(1);
});
