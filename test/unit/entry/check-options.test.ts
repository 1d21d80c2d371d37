import { describe, expect, test } from 'vitest';
import { connect, deploy, destroy, listStacks, plan, undoForcedConflicts } from '../../../src/entry/deploy.js';
import { EmbeddedApiServer } from '../../../src/entry/embedded.js';
import { inProcessCluster } from '../../../src/entry/in-process.js';

const cluster = inProcessCluster(await EmbeddedApiServer.start({ port: false }));

test.each<[option: string, value: unknown, expected: string]>([
  ['concurrency', 0, 'an integer from 1 to 256'],
  ['concurrency', 257, 'an integer from 1 to 256'],
  ['concurrency', 1.5, 'an integer from 1 to 256'],
  ['concurrency', Number.NaN, 'an integer from 1 to 256'],
  ['strategy', 'foo', "'server-side' or 'dynamic'"],
  ['reconcile', 'none', "'auto' or 'changed' or 'full'"],
  ['waitSeconds', -5, 'a number of seconds, at least 0'],
  ['lockTimeoutSeconds', Number.NaN, 'a number of seconds, at least 0'],
  ['leaseDurationSeconds', Number.POSITIVE_INFINITY, 'an integer from 1 to 60'],
  ['leaseDurationSeconds', 61, 'an integer from 1 to 60'],
  ['leaseDurationSeconds', 0.5, 'an integer from 1 to 60'],
  ['wait', 'yes', 'true or false'],
  ['stacks', 'shop', 'a list of one or more names'],
  ['stacks', Object.create(null), 'a list of one or more names'],
  ['stacks', [], 'a list of one or more names'],
  ['signal', 'stop', 'the signal of an AbortController'],
  ['references', {}, 'an object with `env` and `directory`'],
])('the option %s does not have the value %s', async (option, value, expected) => {
  const options = { [option]: value } as never;
  const refusal = { code: 'option-invalid', kind: 'usage', message: expect.stringContaining(`\`${option}\``), next: `Pass ${expected}.` };
  for (const verb of [deploy, destroy, plan]) await expect(verb('absent', cluster, options)).rejects.toMatchObject(refusal);
});

const invalid = { code: 'option-invalid', kind: 'usage' };

test.each(['plan', 'targets', 'prun', 'toString'])('there is no option %s', async (name) => {
  const options = { [name]: {} } as never;
  const refusal = { ...invalid, message: `There is no option \`${name}\`` };
  for (const verb of [deploy, destroy, plan]) await expect(verb('absent', cluster, options)).rejects.toMatchObject(refusal);
});

test('options of another function are valid, so that functions can share theirs', async () => {
  const shared = { confirm: async () => true, wait: false, retainRejected: true, readOnly: true };
  await expect(plan('absent', cluster, shared)).rejects.toMatchObject({ code: 'assembly-invalid' });
});

test('readOnly is no option of a function that changes the cluster', async () => {
  const refusal = { ...invalid, message: expect.stringContaining('`readOnly` belongs to `plan`') };
  for (const verb of [deploy, destroy]) {
    await expect(verb('absent', cluster, { readOnly: true } as never)).rejects.toMatchObject(refusal);
    await expect(verb('absent', cluster, { readOnly: false } as never)).rejects.toMatchObject({ code: 'assembly-invalid' });
  }
});

test('rules are no option of a function that changes the cluster', async () => {
  const refusal = { ...invalid, message: expect.stringContaining('`rules` belongs to `plan`') };
  for (const verb of [deploy, destroy])
    await expect(verb('absent', cluster, { rules: [{ verdict: 'deny', check: () => true }] } as never)).rejects.toMatchObject(refusal);
});

test('arguments of another type are refused', async () => {
  for (const verb of [deploy, destroy, plan]) {
    for (const wrong of [{}, null, undefined, [], { manifest: {}, objects: [] }])
      await expect(verb(wrong as never, cluster)).rejects.toMatchObject({ ...invalid, message: expect.stringContaining('`assembly`') });
    for (const wrong of [{}, null, 'https://10.0.0.1:6443'])
      await expect(verb('absent', wrong as never)).rejects.toMatchObject({ ...invalid, message: expect.stringContaining('`cluster`') });
    await expect(verb('absent', cluster, null as never)).rejects.toMatchObject(invalid);
  }
  await expect(undoForcedConflicts({} as never, cluster)).rejects.toMatchObject(invalid);
  await expect(undoForcedConflicts({ objects: [] } as never, {} as never)).rejects.toMatchObject(invalid);
});

test('a closed cluster is refused, and closing it again does nothing', async () => {
  const closed = inProcessCluster(await EmbeddedApiServer.start({ port: false }));
  closed.close();
  closed.close();
  const refusal = { code: 'cluster-closed', location: { server: closed.server } };
  await expect(closed.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } })).rejects.toMatchObject(refusal);
  await expect(listStacks(closed)).rejects.toMatchObject(refusal);
  await expect(plan('absent', closed)).rejects.toMatchObject(refusal);
});

describe('Cluster.apply', () => {
  const cyclic: Record<string, unknown> = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
  cyclic.data = cyclic;
  test.each<[string, unknown]>([
    ['null', null],
    ['a list', []],
    ['text', 'ConfigMap'],
    ['an object that contains itself', cyclic],
    ['NaN', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { a: Number.NaN } }],
  ])('refuses %s', async (_, object) => {
    await expect(cluster.apply(object as object)).rejects.toMatchObject(invalid);
  });

  test('applies integers beyond 2^53', async () => {
    const spec = { backoffLimit: 3, activeDeadlineSeconds: 9007199254740993n, template: { spec: { restartPolicy: 'Never' } } };
    const job = { apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name: 'a' }, spec: { schedule: '@daily', jobTemplate: { spec } } };
    const applied = await cluster.apply(job).catch((error: unknown) => error);
    expect(applied).not.toBeInstanceOf(TypeError);
    expect(applied).not.toMatchObject(invalid);
  });
});

test('connect and listStacks check their options, too', async () => {
  for (const concurrency of [0, Number.NaN]) await expect(connect({ concurrency })).rejects.toMatchObject(invalid);
  await expect(connect({ kubeconfig: 1 as never })).rejects.toMatchObject(invalid);
  await expect(listStacks(cluster, { inventoryNamespace: 1 as never })).rejects.toMatchObject({ code: 'option-invalid' });
});

test('an option that is absent or undefined is valid', async () => {
  const options = { concurrency: undefined, waitSeconds: 0 } as never;
  await expect(deploy('absent', cluster, options)).rejects.toMatchObject({ code: expect.not.stringMatching('option-invalid') });
});
