import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { digestKeyName } from '../../src/engine/inventory/digest-key.js';
import { appliedAnnotation } from '../../src/ownership/index.js';
import type { ResponseBody } from '../harness/api-client.js';
import { eventsOf } from '../harness/events.js';
import { own, share } from '../harness/program-text.js';
import type { Project } from '../harness/project.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('digestkeys');
const base64 = (text: string) => Buffer.from(text).toString('base64');
const secret = (name: string, values: Record<string, string>) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name },
  data: Object.fromEntries(Object.entries(values).map(([key, value]) => [key, base64(value)])),
});
const stacks = (name: string, values: Record<string, string>) => ({ main: [own(secret(name, values), { strategy: 'dynamic' })] });
const app = (name: string, more: object = {}) => ({ environment: { FIELDWISE_APP_NAME: `${testEnvironment.app}-${name}` }, ...more });
const declare = (project: Project, name: string, values: Record<string, string>) =>
  project.write({ 'main.ts': testEnvironment.text(stacks(name, values)) });
const keyOf = (project: Project, stack = 'main') => testEnvironment.ref('v1', 'Secret', digestKeyName(project.manager(stack)));
const memoryOf = async (project: Project, name: string): Promise<ResponseBody> => {
  const { metadata } = await testEnvironment.cluster.get(testEnvironment.ref('v1', 'Secret', name));
  return JSON.parse(metadata.annotations[appliedAnnotation(project.manager('main'))]).intent.data;
};
const removeKey = async (project: Project) => {
  const { metadata } = await testEnvironment.cluster.get(keyOf(project));
  await testEnvironment.cluster.client.call('DELETE', `/api/v1/namespaces/${testEnvironment.namespace}/secrets/${metadata.name}`);
};

test('values are remembered by a key that the first deploy makes, no plan makes, and destroy takes along', async () => {
  const project = testEnvironment.program(stacks('kept', { a: 'one', b: 'one' }), app('kept'));
  expect((await project.run(['diff'])).exitCode).toBe(0);
  expect(await testEnvironment.cluster.find(keyOf(project))).toBeUndefined();
  expect((await project.deploy()).only()).toMatchObject({ result: 'created' });
  const key = await testEnvironment.cluster.get(keyOf(project));
  expect(key).toMatchObject({ immutable: true });
  const memory = await memoryOf(project, 'kept');
  const form = /^fieldwise\.dev\/hmac:([0-9a-f]{16}):[0-9a-f]{64}$/;
  expect(memory).toEqual({ a: expect.stringMatching(form), b: expect.stringMatching(form) });
  expect(memory.a).not.toBe(memory.b);
  expect((await project.deploy()).only()).toMatchObject({ result: 'unchanged' });
  expect(await memoryOf(project, 'kept')).toEqual(memory);
  const planned = await project.run(['diff', '-o', 'json']);
  expect(eventsOf(planned.events, 'plan')).toMatchObject([{ action: 'unchanged' }]);
  declare(project, 'kept', { a: 'two' });
  expect((await project.deploy()).only()).toMatchObject({ result: 'updated', forcedConflicts: [] });
  expect((await testEnvironment.cluster.get(testEnvironment.ref('v1', 'Secret', 'kept'))).data).toEqual({ a: base64('two') });
  expect((await testEnvironment.cluster.get(keyOf(project))).metadata.uid).toBe(key.metadata.uid);
  expect((await project.destroy()).only()).toMatchObject({ result: 'deleted' });
  expect(await testEnvironment.cluster.find(keyOf(project))).toBeUndefined();
});

test('a stack without Secrets under dynamic has no key and asks for none', async () => {
  const proxy = await testEnvironment.proxy();
  const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'plain' }, data: { a: '1' } };
  const objects = [own(config, { strategy: 'dynamic' }), own(secret('by-server', { a: '1' }))];
  const project = testEnvironment.program({ main: objects }, app('plain', { kubeconfig: proxy.kubeconfig }));
  project.write({ 'fieldwise.yaml': 'app: main.ts\nhistory: false\n' }); // a revision has keyed digests of what it leaves out
  expect((await project.deploy()).exitCode).toBe(0);
  expect((await project.deploy()).exitCode).toBe(0);
  expect(proxy.requests.filter(({ path }) => path.includes('fieldwise-digest-key'))).toEqual([]);
  await project.destroy();
});

test('digests of an older version are read, and replaced by the next deploy', async () => {
  const project = testEnvironment.program(stacks('older', { a: 'one' }), app('older'));
  await project.deploy();
  await removeKey(project);
  const at = testEnvironment.ref('v1', 'Secret', 'older');
  const name = appliedAnnotation(project.manager('main'));
  const salt = '0123456789abcdef';
  const digest = createHmac('sha256', salt)
    .update(JSON.stringify(base64('one')))
    .digest('hex');
  const memory = JSON.parse((await testEnvironment.cluster.get(at)).metadata.annotations[name]);
  const older = JSON.stringify({ ...memory, intent: { ...memory.intent, data: { a: `fieldwise.dev/sha256:${salt}:${digest}` } } });
  await testEnvironment.cluster.patch(project.manager('main'), at, { metadata: { annotations: { [name]: older } } });
  declare(project, 'older', { a: 'two' });
  expect((await project.deploy()).only()).toMatchObject({ result: 'updated', forcedConflicts: [] });
  expect((await memoryOf(project, 'older')).a).toMatch(/^fieldwise\.dev\/hmac:/);
  await project.destroy();
});

test('a renamed stack has its own key, and that of its former name is deleted', async () => {
  const former = testEnvironment.program(stacks('renamed', { a: 'one', b: 'one' }), app('renamed'));
  await former.deploy();
  const text = testEnvironment
    .text({ after: stacks('renamed', { a: 'one' }).main })
    .replace(`new Stack(app, "after")`, `new Stack(app, "after", { renamedFrom: "main" })`);
  const renamed = testEnvironment.project({ 'fieldwise.yaml': 'app: main.ts\n', 'main.ts': text }, app('renamed'));
  expect((await renamed.deploy()).only()).toMatchObject({ result: 'updated', forcedConflicts: [], renamedFrom: [former.manager('main')] });
  expect((await testEnvironment.cluster.get(testEnvironment.ref('v1', 'Secret', 'renamed'))).data).toEqual({ a: base64('one') });
  expect(await testEnvironment.cluster.find(keyOf(former))).toBeUndefined();
  expect(await testEnvironment.cluster.find(keyOf(renamed, 'after'))).toBeDefined();
  await renamed.destroy();
  expect(await testEnvironment.cluster.find(keyOf(renamed, 'after'))).toBeUndefined();
});

describe('where nobody else knows who wrote a value', () => {
  /** A server that keeps no record of owners: only the memory tells. */
  const unrecorded = async (name: string, values: Record<string, string>) => {
    const proxy = await testEnvironment.proxy();
    proxy.onResponse = (_, { body }) => (typeof body === 'object' && body !== null ? { body: withoutOwners(body) } : undefined);
    const project = testEnvironment.program(stacks(name, values), app(name, { kubeconfig: proxy.kubeconfig }));
    expect((await project.deploy()).only()).toMatchObject({ result: 'created' });
    return project;
  };

  test('with the key, what is as it was applied is nobody else’s', async () => {
    const project = await unrecorded('known', { a: 'one', b: 'one' });
    declare(project, 'known', { a: 'two' });
    expect((await project.deploy()).only()).toMatchObject({ result: 'updated', forcedConflicts: [] });
    expect((await testEnvironment.cluster.get(testEnvironment.ref('v1', 'Secret', 'known'))).data).toEqual({ a: base64('two') });
    await project.destroy();
  });

  test('what another stack remembers by its key stays when the first one drops it', async () => {
    const project = await unrecorded('alike', { a: 'one', b: 'one' });
    const proxy = await testEnvironment.proxy();
    proxy.onResponse = (_, { body }) => (typeof body === 'object' && body !== null ? { body: withoutOwners(body) } : undefined);
    const objects = [share(secret('alike', { b: 'one' }), { strategy: 'dynamic' })];
    const other = testEnvironment.program({ other: objects }, app('alike-other', { kubeconfig: proxy.kubeconfig }));
    expect((await other.deploy()).only()).toMatchObject({ forcedConflicts: [] });
    declare(project, 'alike', { a: 'one' });
    await project.deploy();
    expect((await testEnvironment.cluster.get(testEnvironment.ref('v1', 'Secret', 'alike'))).data).toEqual({
      a: base64('one'),
      b: base64('one'),
    });
    await other.destroy();
    await project.destroy();
  });

  test.each(['lost', 'forged'])('with the key %s, all counts as changed: taken with words, kept when it is dropped', async (how) => {
    const project = await unrecorded(how, { a: 'one', b: 'one' });
    await removeKey(project);
    if (how === 'forged') {
      await testEnvironment.cluster.create('them', { ...keyOf(project), data: { key: Buffer.alloc(32, 7).toString('base64') } });
    }
    declare(project, how, { a: 'two' });
    expect((await project.deploy()).only()).toMatchObject({ forcedConflicts: [{ field: '.data.a' }] });
    expect((await testEnvironment.cluster.get(testEnvironment.ref('v1', 'Secret', how))).data).toEqual({
      a: base64('two'),
      b: base64('one'),
    });
    declare(project, how, { a: 'three' });
    expect((await project.deploy()).only()).toMatchObject({ result: 'updated', forcedConflicts: [] });
    await project.destroy();
  });
});

function withoutOwners(value: ResponseBody): ResponseBody {
  if (Array.isArray(value)) return value.map(withoutOwners);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([name]) => name !== 'managedFields');
  return Object.fromEntries(members.map(([name, member]) => [name, withoutOwners(member)]));
}

describe('rights', () => {
  const roleOf = async (project: Project) =>
    parseAllDocuments((await project.run(['rbac'])).stdout)
      .map((document) => document.toJS())
      .find(({ kind }) => kind === 'Role');

  test('those that `rbac` prints are enough, and name the key', async () => {
    const project = testEnvironment.program(stacks('granted', { a: 'one' }), app('granted'));
    const { rules } = await roleOf(project);
    const { metadata } = keyOf(project);
    const named = rules.filter(({ resourceNames = [] }: ResponseBody) => resourceNames.includes(metadata.name));
    // As the Secret itself, whose `create` has no name under this strategy.
    const verbs = ['get', 'patch', 'delete'];
    expect(named).toEqual([{ apiGroups: [''], resources: ['secrets'], resourceNames: [metadata.name, 'granted'], verbs }]);
    const limited = testEnvironment.program(
      stacks('granted', { a: 'one' }),
      app('granted', { kubeconfig: await testEnvironment.account('granted', rules) }),
    );
    for (const words of [['diff'], ['deploy'], ['deploy'], ['destroy', '--yes']]) {
      const { exitCode, stdout, stderr } = await limited.run(words);
      expect(exitCode, `${words.join(' ')}: ${stdout}${stderr}`).toBe(0);
      expect(stderr).not.toContain('digest-key');
    }
    expect(await testEnvironment.cluster.find(keyOf(project))).toBeUndefined();
  });

  test('without them a deploy goes on, says so, and remembers nothing of the values', async () => {
    const project = testEnvironment.program(stacks('refused', { a: 'one' }), app('refused'));
    const { rules } = await roleOf(project);
    const { name } = keyOf(project).metadata;
    const rest = rules.map((rule: ResponseBody) =>
      rule.resourceNames ? { ...rule, resourceNames: rule.resourceNames.filter((one: string) => one !== name) } : rule,
    );
    const limited = testEnvironment.program(
      stacks('refused', { a: 'one' }),
      app('refused', { kubeconfig: await testEnvironment.account('refused', rest) }),
    );
    const { exitCode, events, stderr } = await limited.run(['deploy', '-o', 'json']);
    expect(exitCode, stderr).toBe(0);
    expect(eventsOf(events, 'warning')).toMatchObject([{ code: 'digest-key-unavailable' }]);
    expect(await memoryOf(project, 'refused')).toEqual({ a: 'fieldwise.dev/unknown' });
    expect((await limited.deploy()).only()).toMatchObject({ result: 'unchanged' });
    // The server's own record still tells that nobody else wrote it.
    declare(limited, 'refused', { b: 'two' });
    expect((await limited.deploy()).only()).toMatchObject({ result: 'updated', forcedConflicts: [] });
    expect((await testEnvironment.cluster.get(testEnvironment.ref('v1', 'Secret', 'refused'))).data).toEqual({ b: base64('two') });
    const destroyed = await limited.destroy();
    expect(destroyed.exitCode, String(destroyed)).toBe(0);
    expect(await testEnvironment.cluster.find(testEnvironment.ref('v1', 'Secret', 'refused'))).toBeUndefined();
  });
});
