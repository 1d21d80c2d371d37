import { describe, expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.js';
import { unlessMissing } from '../harness/cluster.js';
import { type Declared, own, share } from '../harness/program-text.js';
import type { Project } from '../harness/project.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('ending');

const config = (name: string, data: object = { a: '1' }, more: object = {}) => {
  const { metadata, ...rest } = testEnvironment.ref('v1', 'ConfigMap', name);
  return { ...rest, metadata: { ...metadata, ...more }, data };
};
const ref = (name: string) => testEnvironment.ref('v1', 'ConfigMap', name);
const listed = async (project: Project) => {
  const { app } = JSON.parse(project.read('dist/manifest.json'));
  return (await project.run(['list', '-o', 'json'])).events.filter((stack) => stack.app === app);
};

describe('retain: true', () => {
  test.each(['prune', 'destroy'])('%s leaves the object and its owners as they are, and forgets it', async (how) => {
    const name = `retained-${how}`;
    const project = testEnvironment.program({ main: [own(config(name), { retain: true }), own(config(`${name}-other`))] });
    await project.deploy();
    const before = await testEnvironment.cluster.get(ref(name));
    if (how === 'prune') {
      project.write({ 'main.ts': testEnvironment.text({ main: [own(config(`${name}-other`))] }) });
      const plan = (await project.run(['diff', '-o', 'json'])).events.find(({ object }) => object?.endsWith(`/${name}`));
      expect(plan).toMatchObject({ action: 'retain', fields: [] });
    }
    const report = how === 'prune' ? await project.deploy(['--yes']) : await project.destroy();
    expect(report.exitCode, String(report)).toBe(0);
    expect(report.only(name).result).toBe('retained');
    expect(await testEnvironment.cluster.get(ref(name))).toEqual(before);
    expect(await listed(project)).toMatchObject(how === 'prune' ? [{ owned: 1 }] : []);
  });
});

describe('a stack of which nothing is left in the cluster is not listed', () => {
  test.each([
    { what: 'its only share', declared: share },
    { what: 'its only object', declared: own },
  ])('$what is pruned', async ({ what, declared }) => {
    const name = what.replaceAll(' ', '-');
    if (declared === share) await testEnvironment.cluster.apply('owner', { ...ref(name), data: { theirs: '1' } });
    const project = testEnvironment.program({ main: [declared(config(name))] });
    await project.deploy();
    expect(await listed(project)).toMatchObject([{ stack: 'main' }]);
    project.write({ 'main.ts': testEnvironment.text({ main: [] }) });
    const report = await project.deploy(['--yes']);
    expect(report.exitCode, String(report)).toBe(0);
    expect(await listed(project)).toEqual([]);
    expect((await project.deploy()).exitCode).toBe(0);
    project.write({ 'main.ts': testEnvironment.text({ main: [declared(config(name))] }) });
    expect((await project.deploy()).exitCode).toBe(0);
    expect(await listed(project)).toMatchObject([{ stack: 'main' }]);
  });
});

test('plan and question name the fields that others have written by Update and that a deletion takes along', async () => {
  const project = testEnvironment.program({ main: [own(config('written')), own(config('written-other'))] });
  expect((await project.deploy()).exitCode).toBe(0);
  const { cluster } = testEnvironment;
  const written = testEnvironment.ref('v1', 'ConfigMap', 'written');
  await cluster.patch('them', written as never, { data: { b: '1', c: '2', d: '3', e: '4' } });
  project.write({ 'main.ts': testEnvironment.text({ main: [own(config('written-other'))] }) });
  const reason = 'with .data.b, .data.c, .data.d and 1 more, written by them';
  const planned = (await project.run(['diff', '-o', 'json'])).events.filter(({ object }) => object?.endsWith('/written'));
  expect(planned).toMatchObject([{ action: 'delete', reason }]);
  const refused = await project.run(['deploy']);
  expect(refused.exitCode, refused.stderr).toBe(2);
  expect(refused.stderr).toContain(`delete ConfigMap ${testEnvironment.namespace}/written (${reason})`);
  expect(await cluster.find(written)).toBeDefined();
  expect((await project.deploy(['--yes'])).results).toMatchObject({ [`ConfigMap ${testEnvironment.namespace}/written`]: 'deleted' });
});

describe('an object that its owner and those that share it drop at once', () => {
  test.each([{ diff: ['diff'] }, { diff: ['diff', '--read-only'] }])('$diff: it is deleted, as plan and question say', async ({ diff }) => {
    const name = `dropped-${diff.length}`;
    const stacks = (...going: Declared[]) => ({ main: [own(config(`${name}-other`)), ...going.slice(0, 1)], sharer: going.slice(1) });
    const shared = config(name, { g: '1' });
    const project = testEnvironment.program(stacks(own(config(name)), share(shared)));
    expect((await project.deploy()).exitCode).toBe(0);
    project.write({ 'main.ts': testEnvironment.text(stacks()) });
    const planned = (await project.run([...diff, '-o', 'json'])).events.filter(({ object }) => object?.endsWith(`/${name}`));
    expect(planned.map(({ stack, action, reason }) => [stack, action, reason])).toEqual([
      ['main', 'delete', undefined],
      ['sharer', 'release', undefined],
    ]);
    const refused = await project.run(['deploy']);
    expect(refused.exitCode, refused.stderr).toBe(2);
    expect(refused.stderr).toContain(
      `1 of its 2 owned objects would be deleted:\n    delete ConfigMap ${testEnvironment.namespace}/${name}`,
    );
    const report = await project.deploy(['--yes']);
    expect(report.exitCode, String(report)).toBe(0);
    expect(report.objects.filter(({ object }) => object.endsWith(`/${name}`)).map(({ stack, result }) => [stack, result])).toEqual([
      ['sharer', 'released'],
      ['main', 'deleted'],
    ]);
    expect(await testEnvironment.cluster.find(ref(name))).toBeUndefined();
  });
});

describe('destroy and finalizers', () => {
  test('waits for them, names them on time-out and keeps the object in mind; the next destroy finishes', async () => {
    const project = testEnvironment.program({ main: [own(config('held', { a: '1' }, { finalizers: ['example.com/hold'] }))] });
    await project.deploy();
    const report = await project.destroy(['--timeout', '1']);
    expect(report.exitCode).toBe(4);
    expect(report.only()).toMatchObject({ result: 'failed', error: { code: 'deletion-pending' } });
    expect(report.only().error?.message).toContain('example.com/hold');
    expect(await listed(project)).toMatchObject([{ owned: 1 }]);

    const proxy = await testEnvironment.proxy();
    // The controller ends its work when the destroy has seen for the third time that the object is still there.
    proxy.onResponse = async ({ method, path }) => {
      if (method === 'GET' && path.endsWith('/held') && proxy.requestsFor('held').length > 2)
        await testEnvironment.cluster.patch('controller', ref('held'), { metadata: { finalizers: null } }).catch(unlessMissing);
      return undefined;
    };
    const finished = await project.destroy(['--timeout', '60'], { kubeconfig: proxy.kubeconfig });
    expect(finished.exitCode, String(finished)).toBe(0);
    expect(finished.only().result).toBe('deleted');
    expect(await listed(project)).toEqual([]);
  });

  test.each(['Foreground', 'Orphan', 'Background'])(
    'sends no request for an object that somebody deletes already (%s): waits, and names them',
    async (propagationPolicy) => {
      const name = `gone-${propagationPolicy.toLowerCase()}`;
      const project = testEnvironment.program({ main: [own(config(name, { a: '1' }, { finalizers: ['example.com/hold'] }))] });
      await project.deploy();
      const path = `/api/v1/namespaces/${testEnvironment.namespace}/configmaps/${name}`;
      await testEnvironment.cluster.client.call('DELETE', path, { body: { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy } });
      const proxy = await testEnvironment.proxy();
      const report = await project.destroy(['--timeout', '1'], { kubeconfig: proxy.kubeconfig });
      expect(report.only(), String(report)).toMatchObject({ result: 'failed', error: { code: 'deletion-pending' } });
      expect(report.only().error?.message).toContain('example.com/hold');
      expect(proxy.requestsFor(name).filter(({ method }) => method === 'DELETE')).toEqual([]);
      expect(await listed(project)).toMatchObject([{ owned: 1 }]);
      await testEnvironment.cluster.patch('controller', ref(name), { metadata: { finalizers: null } });
      const finished = await project.destroy();
      expect(finished.exitCode, String(finished)).toBe(0);
      expect(await listed(project)).toEqual([]);
    },
  );

  test('--timeout 0 does not wait, and says what holds it', async () => {
    const project = testEnvironment.program({ main: [own(config('unheld', { a: '1' }, { finalizers: ['example.com/hold'] }))] });
    await project.deploy();
    const report = await project.destroy(['--timeout', '0']);
    expect(report.only()).toMatchObject({ result: 'deleted', finalizers: ['example.com/hold'] });
    await testEnvironment.cluster.patch('controller', ref('unheld'), { metadata: { finalizers: null } });
  });
});

test('every deletion of an object or an inventory carries the uid of what was read', async () => {
  const proxy = await testEnvironment.proxy();
  const declared = ['a', 'b', 'c'].map((letter) => own(config(`uid-${letter}`)));
  const project = testEnvironment.program({ main: declared, other: [own(config('uid-other'))] }, { kubeconfig: proxy.kubeconfig });
  await project.deploy();
  const uids = new Map<string, string>();
  proxy.onResponse = ({ method, path }, { body }) => {
    if (method !== 'GET') return;
    for (const object of body?.items ?? [body])
      uids.set(`${path.split('/').at(-1)}`, '').set(object?.metadata?.name, object?.metadata?.uid);
  };
  project.write({ 'main.ts': testEnvironment.text({ main: declared.slice(1) }) });
  expect((await project.deploy(['--yes', '--prune-stacks'])).exitCode).toBe(0);
  expect((await project.destroy()).exitCode).toBe(0);
  const deletions = proxy.requests.filter(({ method }) => method === 'DELETE');
  expect(deletions.map(({ path }) => path.split('/').at(-1))).toEqual(expect.arrayContaining(['uid-a', 'uid-b', 'uid-c', 'uid-other']));
  for (const { path, body } of deletions) expect(body?.preconditions?.uid, path).toMatch(/^[0-9a-f-]{36}$/);
  for (const { path, body } of deletions.filter(({ path: one }) => /\/uid-/.test(one))) {
    expect(body.preconditions.uid).toBe(uids.get(path.split('/').at(-1) as string));
  }
});

describe('--prune-stacks', () => {
  test('asks for and destroys the stacks that the program does not declare any more, and no others', async () => {
    await testEnvironment.cluster.apply('owner', { ...ref('stacks-shared'), data: { theirs: 'here' } });
    const one = [own(config('stacks-one'))];
    const two = [own(config('stacks-two')), share(config('stacks-shared'))];
    const project = testEnvironment.program({ one, two });
    await project.deploy();
    const stranger = testEnvironment.program({ two: [own(config('stacks-stranger'))] });
    await stranger.deploy();
    project.write({ 'main.ts': testEnvironment.text({ one }) });

    const refused = await project.deploy(['--prune-stacks', '--prune']);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toMatch(/stack two.*confirmation-needed/s);
    expect((await project.deploy(['--prune-stacks', 'one', '--yes'])).stderr).toMatch(/flag-without-use/);
    expect(await testEnvironment.cluster.find(ref('stacks-two'))).toBeDefined();

    const report = await project.deploy(['--prune-stacks', '--yes']);
    expect(report.exitCode, String(report)).toBe(0);
    expect([report.only('stacks-two').result, report.only('stacks-shared').result]).toEqual(['deleted', 'released']);
    expect(await testEnvironment.cluster.owners(ref('stacks-shared'))).toEqual({ owner: ['.data.theirs'] });
    expect(await listed(project)).toMatchObject([{ stack: 'one' }]);
    expect(await testEnvironment.cluster.find(ref('stacks-stranger'))).toBeDefined();
  });

  test('keeps them where the deploy did not succeed', async () => {
    const project = testEnvironment.program({ one: [own(config('failing-one'))], two: [own(config('failing-two'))] });
    await project.deploy();
    // Only the server knows that this is no key.
    const broken: ResponseBody = { ...config('failing-one'), data: { 'a b': '1' } };
    project.write({ 'main.ts': testEnvironment.text({ one: [own(broken)] }) });
    const report = await project.deploy(['--prune-stacks', '--yes']);
    expect(report.exitCode).toBe(4);
    expect(report.only('failing-two').result).toBe('skipped');
    expect(await testEnvironment.cluster.find(ref('failing-two'))).toBeDefined();
  });
});
