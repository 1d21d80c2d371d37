import { expect, test } from 'vitest';
import { own } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

/** Refusals by admission plugins of the server: each is told with what helps, and none as a missing right. */
const testEnvironment = await TestEnvironment.create('plugins');
const { cluster, namespace } = testEnvironment;
const ref = (kind: string, name: string, apiVersion = 'v1') => testEnvironment.ref(apiVersion, kind, name);
const pod = (name: string, spec: object = {}, container: object = {}) => ({
  ...ref('Pod', name),
  spec: { containers: [{ name: 'api', image: 'registry.example.com/a:1', ...container }], ...spec },
});

async function refusalOf(object: object) {
  const { exitCode, stdout } = await testEnvironment.program({ main: [own(object)] }).run(['deploy', '--no-wait']);
  expect(exitCode).toBe(4);
  expect(stdout).not.toMatch(/Grant this user|other credentials/);
  return stdout;
}

const isOfEmbedded = (stdout: string) => stdout.includes('(context fieldwise-embedded)');

test('a PriorityClass that does not exist', async () => {
  const text = await refusalOf(pod('classless', { priorityClassName: 'nobody' }));
  expect(text).toContain('no PriorityClass with name nobody was found');
  expect(text).toContain('Create PriorityClass nobody or declare it');
  expect(text).toContain('[admission-denied]');
});

test('a RuntimeClass that does not exist', async () => {
  expect(await refusalOf(pod('runtimeless', { runtimeClassName: 'nobody' }))).toMatch(
    /Create RuntimeClass nobody or declare it.*\[admission-denied\]/,
  );
});

test('a LimitRange', async () => {
  await cluster.create('platform', { ...ref('LimitRange', 'limits'), spec: { limits: [{ type: 'Container', max: { memory: '1Gi' } }] } });
  // Admission reads it from a cache.
  const large = pod('large', {}, { resources: { limits: { memory: '2Gi' } } });
  await expect
    .poll(() => testEnvironment.program({ main: [own(large)] }).run(['deploy', '--no-wait', '--yes']), { timeout: 20_000 })
    .toMatchObject({ exitCode: 4, stdout: expect.stringMatching(/LimitRange of the namespace .*\[admission-denied\]/) });
});

/** Makes a quota of one object, which is used up, and deploys until it is in effect: no controller counts here. */
async function usedUp(kind: string, plural: string, object: (name: string) => object) {
  const quota = ref('ResourceQuota', `full-${plural}`);
  const [hard, used] = [{ [`count/${plural}`]: '1' }, { [`count/${plural}`]: '1' }];
  await cluster.create('platform', { ...quota, spec: { hard } });
  await cluster.patch('test', quota, { status: { hard, used } }, 'merge', 'status');
  const deploy = (index: number) => testEnvironment.program({ main: [own(object(`more-${index}`))] }).run(['deploy', '--yes']);
  try {
    for (let index = 0; ; index++) {
      const { exitCode, stdout, stderr } = await deploy(index);
      if (exitCode !== 0) return `${stdout}${stderr}`;
      if (isOfEmbedded(stdout)) return undefined;
      if (index > 200) throw new Error(`No quota of ${kind} is in effect`);
    }
  } finally {
    await cluster.remove(quota);
  }
}

test('a quota that is used up, where the server has quotas', async () => {
  const service = (name: string) => ({ ...ref('Service', name), spec: { ports: [{ port: 80 }] } });
  const text = await usedUp('Services', 'services', service);
  if (text === undefined) console.log('not refused: the embedded server has no quotas');
  else expect(text).toMatch(/ResourceQuota full-services counts.*\[admission-denied\]/);
});

test('a quota that leaves no room for records, where the server has quotas', async () => {
  const config = (name: string) => ({ ...ref('ConfigMap', name), data: { a: '1' } });
  const text = await usedUp('ConfigMaps', 'configmaps', config);
  if (text === undefined) console.log('not refused: the embedded server has no quotas');
  else {
    expect(text).toMatch(/ResourceQuota full-configmaps counts/);
    expect(text).not.toMatch(/These credentials|Grant this user/);
  }
});

test('Pod Security of the namespace, where the server has it', async () => {
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  await cluster.patch('platform', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } } as never, {
    metadata: { labels },
  });
  const { exitCode, stdout } = await testEnvironment.program({ main: [own(pod('insecure'))] }).run(['deploy', '--no-wait', '--yes']);
  if (exitCode === 0 && isOfEmbedded(stdout)) console.log('not refused: the embedded server has no Pod Security');
  else expect(stdout).toMatch(/label pod-security\.kubernetes\.io\/enforce: restricted.*\[admission-denied\]/);
});
