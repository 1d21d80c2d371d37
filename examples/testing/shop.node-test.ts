import test from 'node:test';
import { assertConflictWith, assertOwnedBy, assertPlan, assertReleasesOnly, assertSucceeded, testCluster } from 'fieldwise/testing';
import { shop } from './shop.js';

const start = () =>
  testCluster({
    crds: new URL('crds', import.meta.url),
    objects: [{ apiVersion: 'platform.example.com/v1', kind: 'BackupPolicy', metadata: { name: 'nightly', namespace: 'shop' } }],
  });

test('the shop owns its replicas, until it releases them', async () => {
  const cluster = await start();
  const { app, web } = shop({ replicas: 2 });
  assertPlan(await cluster.plan(web), { 'Deployment shop/web': 'create' });
  assertSucceeded(await cluster.deploy(app));
  assertOwnedBy(await cluster.get('Deployment', 'web', 'shop'), '.spec.replicas', web);
  assertReleasesOnly(await cluster.deploy(shop().app), ['.spec.replicas']);
});

test('a conflict is an error of the apply', async () => {
  const cluster = await start();
  const { app, web } = shop({ replicas: 2 });
  await cluster.deploy(app);
  const intent = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace: 'shop' }, spec: { replicas: 5 } };
  const refused = await cluster.apply('kubectl', intent).catch((error: unknown) => error);
  assertConflictWith(refused, web, '.spec.replicas');
});
