import { testCluster } from 'fieldwise/testing/vitest';
import { expect, test } from 'vitest';
import { type Greeting, greetingReconciler } from './operator.js';

test('a Greeting has a ConfigMap and a status', async () => {
  const cluster = await testCluster({
    crds: new URL('crd.yaml', import.meta.url),
    objects: { apiVersion: 'example.com/v1', kind: 'Greeting', metadata: { name: 'first', namespace: 'default' }, spec: { name: 'field' } },
  });
  const greeting = () => cluster.get('Greeting', 'first');
  await greetingReconciler(cluster.connection)((await greeting()) as unknown as Greeting);
  expect(await cluster.get('ConfigMap', 'first')).toMatchObject({ data: { text: 'Hello, field!' } });
  expect(await greeting()).toMatchObject({ status: { text: 'Hello, field!' } });
});
