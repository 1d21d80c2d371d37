import { App } from 'fieldwise';
import { testCluster } from 'fieldwise/testing/vitest';
import { expect, test } from 'vitest';
import { Web } from './web.js';

test('the chart has two replicas behind a Service', async () => {
  const cluster = await testCluster();
  const app = new App({ name: 'my-app' });
  new Web(app, 'web');
  expect(await cluster.deploy(app)).toSucceed();
  expect(await cluster.get('Deployment', 'web')).toMatchObject({ spec: { replicas: 2 } });
  expect(await cluster.get('Service', 'web')).toMatchObject({ spec: { ports: [{ port: 80, targetPort: 8080 }] } });
});
