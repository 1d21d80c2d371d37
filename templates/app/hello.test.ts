import { App } from 'fieldwise';
import { testCluster } from 'fieldwise/testing/vitest';
import { expect, test } from 'vitest';
import { hello } from './hello.js';

test('the stack owns its greeting', async () => {
  const cluster = await testCluster();
  const app = new App({ name: 'my-app' });
  const stack = hello(app);
  expect(await cluster.deploy(app)).toSucceed();
  expect(await cluster.get('ConfigMap', 'hello')).toBeOwnedBy('.data.greeting', stack);
});
