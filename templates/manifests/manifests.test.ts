import { testCluster } from 'fieldwise/testing/vitest';
import { expect, test } from 'vitest';

test('the server accepts the manifests', async () => {
  const cluster = await testCluster({ objects: new URL('manifests', import.meta.url) });
  expect(await cluster.get('Deployment', 'web')).toMatchObject({ spec: { replicas: 2 } });
  expect(await cluster.get('Service', 'web')).toMatchObject({ spec: { selector: { app: 'web' } } });
});
