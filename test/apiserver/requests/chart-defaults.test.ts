import { expect, test } from 'vitest';
import { crdOf } from '../../harness/crd.js';
import { TestEnvironment } from '../../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('chart-defaults');
const { cluster } = testEnvironment;
const group = `${testEnvironment.namespace}.example.com`;

/** An object, and a field that nobody declares: its value, and false: it has no owner after an apply. */
const defaults = [
  ['the conversion of a definition', crdOf(group, 'Widget', { spec: { type: 'object' } }), ['spec', 'conversion'], { strategy: 'None' }],
  [
    'the status of a claim template',
    {
      ...testEnvironment.ref('apps/v1', 'StatefulSet', 'db'),
      spec: {
        serviceName: 'db',
        selector: { matchLabels: { app: 'db' } },
        template: { metadata: { labels: { app: 'db' } }, spec: { containers: [{ name: 'db', image: 'db:1' }] } },
        volumeClaimTemplates: [
          { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
        ],
      },
    },
    ['spec', 'volumeClaimTemplates', 0, 'status'],
    { phase: 'Pending' },
  ],
] as const;

test.each(defaults)('%s has a default, whether created or applied', async (_, object, path, value) => {
  if (object.kind === 'CustomResourceDefinition') testEnvironment.removeCrdLater(object.metadata.name);
  const at = (answer: object) => path.reduce((member: unknown, name) => (member as Record<string | number, unknown>)[name], answer);
  expect(at(await cluster.apply('test', object as never))).toEqual(value);
  expect(at(await cluster.get(object as never))).toEqual(value);
  expect(at(await cluster.patch('test', object as never, { metadata: { labels: { changed: 'yes' } } }))).toEqual(value);
});
