import { expect, test } from 'vitest';
import type { ResponseBody } from '../../harness/api-client.js';
import { TestEnvironment } from '../../harness/test-environment.js';

/** Quantities as a server stores them. The answers are those of kube-apiserver 1.36.3. */
const testEnvironment = await TestEnvironment.create('quantities');
const { cluster } = testEnvironment;

const created = async (apiVersion: string, kind: string, members: object): Promise<ResponseBody> => {
  const body = { ...testEnvironment.ref(apiVersion, kind, 'one'), ...members };
  const path = await cluster.path(body);
  return cluster.client.call('POST', path.slice(0, path.lastIndexOf('/')), { body, query: { dryRun: 'All' } });
};

/** A quantity, as a resource and as the size of a volume. */
const stored: Readonly<Record<string, readonly [resource: string, size: string]>> = {
  '1.5': ['1500m', '1500m'],
  '0.5m': ['1m', '500u'],
  '1500u': ['2m', '1500u'],
  '1.1n': ['1m', '2n'],
  '1e-10': ['1e-3', '1e-9'],
  '1.00000000000000000001': ['1001m', '1000000001n'],
  '0.0001Ki': ['103m', '102400u'],
  '1.1Gi': ['1181116006400m', '1181116006400m'],
  '7Ei': ['7Ei', '7Ei'],
  '8Ei': ['9223372036854775807', '9223372036854775807'],
  '9000Ei': ['9223372036854775807', '9223372036854775807'],
  '10E': ['10E', '10E'],
  '9223372036854775808': ['9223372036854775808', '9223372036854775808'],
  // Kept as they are sent, because no other suffix would shorten them.
  '+1': ['+1', '+1'],
  '007': ['007', '007'],
  '5.': ['5.', '5.'],
  '1E3': ['1E3', '1E3'],
  '1e0': ['1e0', '1e0'],
  '1e+03': ['1e+03', '1e+03'],
  '01Ki': ['01Ki', '01Ki'],
  '+01000': ['1k', '1k'],
  '01.5': ['1500m', '1500m'],
  '1E4': ['10e3', '10e3'],
  '01Pi': ['1Pi', '1Pi'],
  '+01024Ki': ['1Mi', '1Mi'],
  '-0': ['0', '0'],
  '1e1000': ['10e999', '10e999'],
  '1e20000': ['100e19998', '100e19998'],
  '1e-20000': ['1e-3', '1e-9'],
};

test('resources are rounded up to thousandths, other quantities to billionths', async () => {
  const found = Object.keys(stored).map(async (quantity) => {
    const container = { name: 'c', image: 'c:1', resources: { limits: { cpu: quantity } } };
    const volumes = [{ name: 'v', emptyDir: { sizeLimit: quantity } }];
    const { spec } = await created('v1', 'PodTemplate', {
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: [container], volumes } },
    }).then(({ template }) => template);
    return [quantity, [spec.containers[0].resources.limits.cpu, spec.volumes[0].emptyDir.sizeLimit]];
  });
  expect(Object.fromEntries(await Promise.all(found))).toEqual(stored);
});

test.each([
  ['v1', 'LimitRange', { spec: { limits: [{ type: 'Container', max: { cpu: '0.5m' } }] } }, '.spec.limits.0.max.cpu'],
  ['v1', 'ResourceQuota', { spec: { hard: { 'limits.cpu': '0.5m' } } }, '.spec.hard.limits\\.cpu'],
  [
    'v1',
    'PersistentVolume',
    { spec: { capacity: { storage: '0.5m' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/a' } } },
    '.spec.capacity.storage',
  ],
])('the resources of a %s %s are rounded up', async (apiVersion, kind, members, path) => {
  const steps = path
    .slice(1)
    .split(/(?<!\\)\./)
    .map((step) => step.replaceAll('\\', ''));
  expect(steps.reduce((value: ResponseBody, step) => value[step], await created(apiVersion, kind, members))).toBe('1m');
});

test('the overhead of a RuntimeClass is not rounded', async () => {
  const { overhead } = await created('node.k8s.io/v1', 'RuntimeClass', { handler: 'h', overhead: { podFixed: { cpu: '0.5m' } } });
  expect(overhead.podFixed.cpu).toBe('500u');
});

test('a quantity that is kept as it was sent is the same for a second manager, and another spelling of it is not', async () => {
  const spelled = (cpu: string) => ({
    ...testEnvironment.ref('v1', 'ResourceQuota', 'spelled'),
    spec: { hard: { 'limits.cpu': cpu } },
  });
  await cluster.apply('a', spelled('1E3'));
  await cluster.apply('b', spelled('1E3'));
  await expect(cluster.apply('c', spelled('1e3'))).rejects.toMatchObject({ body: { reason: 'Conflict' } });
});
