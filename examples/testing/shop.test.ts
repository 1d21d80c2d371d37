import { deployment } from 'fieldwise/k8s/apps/v1';
import { testCluster } from 'fieldwise/testing/vitest';
import { expect, test } from 'vitest';
import { shop } from './shop.js';

/** What every cluster has before the shop: the kinds and objects of the platform team. They are read once for all tests. */
const start = () =>
  testCluster({
    crds: new URL('crds', import.meta.url),
    objects: [
      {
        apiVersion: 'platform.example.com/v1',
        kind: 'BackupPolicy',
        metadata: { name: 'nightly', namespace: 'shop' },
        spec: { schedule: '0 3 * * *', volumes: [{ name: 'platform-data', keep: 30 }] },
      },
    ],
    time: '2030-01-01T00:00:00Z',
  });

const web = ['Deployment', 'web', 'shop'] as const;
const policy = ['BackupPolicy', 'nightly', 'shop'] as const;
const image = '.spec.template.spec.containers[name="web"].image';

test('the shop owns its Deployment, and shares the policy of the platform', async () => {
  const cluster = await start();
  const { app, web: stack, backup } = shop({ replicas: 2 });
  expect(await cluster.deploy(app)).toSucceed();

  expect(await cluster.get(...web)).toBeOwnedBy(image, stack);
  const shared = await cluster.get(...policy);
  expect(shared).toBeOwnedBy('.spec.volumes[name="shop-data"].keep', backup);
  expect(shared).not.toBeOwnedBy('.spec.schedule', backup);
  expect(shared).toMatchObject({ spec: { volumes: [{ name: 'platform-data' }, { name: 'shop-data', keep: 7 }] } });
});

test('a new image changes the image, and nothing else', async () => {
  const cluster = await start();
  await cluster.deploy(shop({ replicas: 2 }).app);
  const plan = await cluster.plan(shop({ replicas: 2, image: 'registry.example.com/shop:2' }).app);
  expect(plan).toPlan({ 'Deployment shop/web': { fields: { [image]: { change: 'change', newValue: 'registry.example.com/shop:2' } } } });
});

test('an autoscaler keeps the replicas that it has set', async () => {
  const cluster = await start();
  const { app } = shop({ replicas: 2 });
  await cluster.deploy(app);
  await cluster.patch('autoscaler', deployment('web', 'shop').withSpec({ replicas: 5 }), { subresource: 'scale' });

  const report = await cluster.deploy(app);
  expect(report).toSucceed();
  expect(report).toConflictWith('autoscaler', '.spec.replicas');
  expect(await cluster.get(...web)).toMatchObject({ spec: { replicas: 5 } });
});

test('without replicas in the program, only the replicas are released', async () => {
  const cluster = await start();
  await cluster.deploy(shop({ replicas: 2 }).app);
  expect(await cluster.deploy(shop().app)).toReleaseOnly(['.spec.replicas']);
});

test('nobody changes the image without force', async () => {
  const cluster = await start();
  const { app, web: stack } = shop();
  await cluster.deploy(app);
  const intent = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'shop' },
    spec: { template: { spec: { containers: [{ name: 'web', image: 'registry.example.com/hotfix:1' }] } } },
  };
  await expect(cluster.apply('kubectl', intent)).rejects.toConflictWith(stack, image);
});

test('a destroyed shop leaves the policy to the platform', async () => {
  const cluster = await start();
  const { app, backup } = shop();
  await cluster.deploy(app);
  expect(await cluster.destroy(backup)).toReleaseOnly({ 'BackupPolicy shop/nightly': ['.spec.volumes[name="shop-data"]'] });
  expect(await cluster.get(...policy)).toMatchObject({ spec: { volumes: [{ name: 'platform-data', keep: 30 }] } });
});
