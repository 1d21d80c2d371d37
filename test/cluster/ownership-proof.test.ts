import { describe, expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.js';
import { type ObjectRef, ref } from '../harness/cluster.js';
import { eventsOf } from '../harness/events.js';
import type { Interception, ProxiedRequest } from '../harness/interception-proxy.js';
import { own, share } from '../harness/program-text.js';
import type { Project, Report } from '../harness/project.js';
import { TestEnvironment, waitForNextSecond } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('proof');
const { cluster } = testEnvironment;

const bare = (name: string) => testEnvironment.ref('v1', 'ConfigMap', name);
const config = (name: string, data: object = { a: '1' }) => ({ ...bare(name), data });
/** Annotations by which stacks are named on an object. */
const marksOf = ({ metadata }: ResponseBody) =>
  Object.entries(metadata.annotations ?? {}).flatMap(([name, value]) => (name.startsWith('fieldwise.dev/stack-') ? [value] : []));
const appliersOf = ({ metadata }: ResponseBody) =>
  (metadata.managedFields ?? []).filter(({ operation }: ResponseBody) => operation === 'Apply').map(({ manager }: ResponseBody) => manager);
/** As clients do that mean to forget who owns what. Source: Kubernetes documentation "Server-Side Apply", "Clearing managedFields". */
const wipe = (object: ObjectRef) => cluster.patch('wiper', object, { metadata: { managedFields: [{}] } });
const codesOf = ({ result }: Report) => eventsOf(result.events, 'warning').map(({ code }) => code);

describe('an owned object without a field of its own', () => {
  const namespace = ref('v1', 'Namespace', `${testEnvironment.namespace}-bare`);
  testEnvironment.removeNamespaceLater(namespace.metadata.name);

  test.each([
    ['Namespace', namespace],
    ['ServiceAccount', testEnvironment.ref('v1', 'ServiceAccount', 'bare')],
    ['ConfigMap', bare('bare')],
  ])('%s: it names its stack, the stack is on record as an owner, and destroy deletes it', async (kind, object) => {
    const project = testEnvironment.program({ main: [own(object)] });
    expect((await project.deploy()).only(kind).result).toBe('created');
    const live = await cluster.get(object);
    const manager = project.manager('main');
    expect(marksOf(live)).toEqual([manager.replace('fieldwise/', '')]);
    expect(appliersOf(live)).toEqual([manager]);
    expect(project.read('dist/main.yaml')).toContain('fieldwise.dev/stack-');
    expect((await project.deploy()).only(kind).result).toBe('unchanged');
    expect((await project.destroy(['--timeout', '0'])).only(kind).result).toBe('deleted');
  });

  test('an existing one: the tracking annotation is set and removed, the object stays', async () => {
    await cluster.create('somebody', bare('adopted'));
    const project = testEnvironment.program({ main: [own(bare('adopted'))] });
    const plan = eventsOf((await project.run(['diff', '-o', 'json'])).events, 'plan')[0];
    expect(plan?.fields.map(({ field, change }) => [field, change])).toEqual([
      [expect.stringMatching(/^\.metadata\.annotations.*fieldwise\.dev\/stack-/), 'set'],
    ]);
    expect((await project.deploy()).only()).toMatchObject({ adopted: { owners: [] } });
    expect(marksOf(await cluster.get(bare('adopted')))).toHaveLength(1);
    expect((await project.destroy()).only().result).toBe('released');
    expect(marksOf(await cluster.get(bare('adopted')))).toEqual([]);
  });

  test('of two stacks that own it, neither deletes it while the other does', async () => {
    const first = testEnvironment.program({ first: [own(bare('both'))] });
    const second = testEnvironment.program({ second: [own(bare('both'))] });
    await first.deploy();
    expect((await second.deploy()).exitCode).toBe(0);
    expect(marksOf(await cluster.get(bare('both')))).toHaveLength(2);
    const report = await first.destroy();
    expect(report.only()).toMatchObject({ result: 'released', reason: expect.stringContaining(second.manager('second')) });
    expect(marksOf(await cluster.get(bare('both')))).toHaveLength(1);
  });

  test('a stack that gets a first field of its own drops the mark', async () => {
    const project = testEnvironment.program({ main: [own(bare('grows'))] });
    await project.deploy();
    project.write({ 'main.ts': testEnvironment.text({ main: [own(config('grows'))] }) });
    expect((await project.deploy()).exitCode).toBe(0);
    const live = await cluster.get(bare('grows'));
    expect([marksOf(live), live.data]).toEqual([[], { a: '1' }]);
  });

  test('its life goes over whole with an adoption', async () => {
    const project = testEnvironment.program({ from: [own(bare('handed'))] });
    await project.deploy();
    project.write({ 'main.ts': testEnvironment.text({ from: [own(bare('handed'))], to: [own(bare('handed'))] }) });
    const handed = await project.run(['adopt', 'to', '--from', 'stack:from', '--yes', '-o', 'json']);
    expect(handed.exitCode, handed.stderr).toBe(0);
    expect(appliersOf(await cluster.get(bare('handed')))).toEqual([project.manager('to')]);
    project.write({ 'main.ts': testEnvironment.text({ to: [own(bare('handed'))] }) });
    expect((await project.destroy()).only().result).toBe('deleted');
  });

  test('shares are not marked', async () => {
    await cluster.create('somebody', bare('shared'));
    const project = testEnvironment.program({ main: [share({ ...bare('shared'), data: { mine: 'here' } })] });
    await project.deploy();
    expect(marksOf(await cluster.get(bare('shared')))).toEqual([]);
  });
});

/**
 * Times on record are whole seconds, and an object without a field tells of no owner: one that is applied to in the second in which it was made
 * looks as if the apply had made it.
 */
describe('an object without a field that somebody makes while a stack deploys one of its name', () => {
  /** Somebody makes an object at the begin of a second, the rest of which is enough for an apply. */
  const theirs = async (name: string) => {
    await waitForNextSecond();
    await cluster.create('somebody', bare(name));
  };
  const isApply = ({ method, path, query }: ProxiedRequest, name: string) =>
    method === 'PATCH' && path.endsWith(`/${name}`) && query.get('dryRun') === null;

  /** Does something before the first applies to an object get to the server, one each. */
  async function meanwhile(name: string, ...does: readonly (() => Promise<Interception | undefined>)[]) {
    const proxy = await testEnvironment.proxy();
    const left = [...does];
    proxy.onRequest = (request) => (isApply(request, name) ? left.shift()?.() : undefined);
    return proxy;
  }

  async function staysAfterDestroy(project: Project, name: string) {
    expect((await project.destroy()).only(name).result).toBe('released');
    const { data, metadata } = await cluster.get(bare(name));
    expect([data, marksOf({ metadata })]).toEqual([undefined, []]);
  }

  test.each([
    ['before the run looks', 'early', bare],
    ['between the look and the apply', 'between', bare],
    ['between the look and the apply of an intent with fields', 'fields', config],
  ])('%s: it is adopted, and stays after destroy', async (when, name, declare) => {
    const project = testEnvironment.program({ main: [own(declare(name))] });
    const made = async () => {
      await theirs(name);
      return undefined;
    };
    const proxy = await meanwhile(name, ...(name === 'early' ? [] : [made]));
    if (name === 'early') await theirs(name);
    const report = await project.deploy([], { kubeconfig: proxy.kubeconfig });
    expect(report.only(name), `${when}: ${report}`).toMatchObject({ adopted: { owners: [] } });
    await staysAfterDestroy(project, name);
  });

  test.each(['the apply is lost on its way', 'the answer of the apply is lost'])('%s: it stays', async (how) => {
    const name = how.startsWith('the apply') ? 'dropped' : 'unheard';
    const project = testEnvironment.program({ main: [own(bare(name))] });
    const proxy = await meanwhile(name, async () => {
      await theirs(name);
      return name === 'dropped' ? 'drop' : undefined;
    });
    let answers = 0;
    proxy.onResponse = (request) => (name === 'unheard' && isApply(request, name) && answers++ < 2 ? 'lose' : undefined);
    const report = await project.deploy([], { kubeconfig: proxy.kubeconfig });
    expect(report.only(name), String(report)).toMatchObject({ adopted: { owners: [] } });
    await staysAfterDestroy(project, name);
  });

  test.each([
    ['made before the run looks', 'killed-early'],
    ['made between the look and the apply', 'killed-between'],
  ])('%s, and the run is killed after its apply: it stays', async (_, name) => {
    const project = testEnvironment.program({ main: [own(bare(name))] });
    let made = false;
    const make = async () => {
      if (!made) await theirs(name);
      made = true;
    };
    if (name === 'killed-early') await make();
    const killed = testEnvironment.killRun(
      (options) => project.deploy([], options),
      async (request) => {
        if (request.method === 'GET' && request.path.endsWith(`/${name}`)) await make(); // the look has its answer
        return isApply(request, name) && request.status === 200;
      },
    );
    expect(await killed).toBe(true);
    expect(appliersOf(await cluster.get(bare(name)))).toEqual([project.manager('main')]);
    await project.deploy();
    await staysAfterDestroy(project, name);
  });

  /** The only owner that the object then names is the stack; the run has noted before what it was about to take. */
  test.each([
    ['the stack is destroyed', 'taken-destroyed'],
    ['the program is deployed again', 'taken-deployed'],
    ['the program is deployed again, and refused', 'taken-refused'],
    ['the object is no longer declared', 'taken-undeclared'],
  ])('by an apply, and the run takes its only field and is killed, then %s: it stays', async (_, name) => {
    const project = testEnvironment.program({ main: [own(config(name))] });
    let made = false;
    const killed = testEnvironment.killRun(
      (options) => project.deploy(['--yes'], options),
      async (request) => {
        if (!made && request.method === 'GET' && request.path.endsWith(`/${name}`)) {
          made = true;
          await waitForNextSecond();
          await cluster.apply('somebody', config(name, { a: 'theirs' }));
        }
        return isApply(request, name) && request.query.get('force') === 'true' && request.status === 200;
      },
    );
    expect(await killed).toBe(true);
    const live = await cluster.get(bare(name));
    expect([appliersOf(live), live.data]).toEqual([[project.manager('main')], { a: '1' }]);
    if (name === 'taken-deployed') await project.deploy(['--yes']);
    if (name === 'taken-refused') {
      const proxy = await meanwhile(name, async () => ({
        status: 403,
        body: { kind: 'Status', code: 403, reason: 'Forbidden', message: 'no' },
      }));
      expect((await project.deploy([], { kubeconfig: proxy.kubeconfig })).exitCode).not.toBe(0);
    }
    if (name !== 'taken-undeclared') return staysAfterDestroy(project, name);
    project.write({ 'main.ts': testEnvironment.text({ main: [own(config(`${name}-not`))] }) });
    expect((await project.deploy(['--prune', '--yes'])).only(name).result).toBe('released');
    expect((await cluster.get(bare(name))).data).toBeUndefined();
  });

  test('in place of one that was there at the last deploy: it stays', async () => {
    const project = testEnvironment.program({ main: [own(config('recreated'))] });
    await project.deploy();
    const proxy = await meanwhile('recreated', async () => {
      await cluster.remove(bare('recreated'));
      await theirs('recreated');
      return undefined;
    });
    const report = await project.deploy([], { kubeconfig: proxy.kubeconfig });
    expect(report.only(), String(report)).toMatchObject({ adopted: { owners: [] }, rejoined: true });
    await staysAfterDestroy(project, 'recreated');
  });

  test('in place of one that was there at the last deploy, and under the field manager of the stack: it stays', async () => {
    const name = 'imitated';
    const other = 'imitated-refused';
    const project = testEnvironment.program({ main: [own(config(name)), own(config(other), { ifPresent: 'fail' })] });
    await project.deploy();
    for (const each of [name, other]) {
      await cluster.remove(bare(each));
      await cluster.apply(project.manager('main'), config(each, { a: 'theirs' }));
    }
    const { uid } = (await cluster.get(bare(name))).metadata as { uid: string };
    const report = await project.deploy();
    expect(report.only(name), String(report)).toMatchObject({ result: 'updated', adopted: { owners: [] }, rejoined: true });
    expect(report.only(other), String(report)).toMatchObject({ result: 'failed', error: { code: 'object-already-exists' } });
    expect((await cluster.get(bare(other))).data).toEqual({ a: 'theirs' });
    await project.destroy();
    for (const each of [name, other]) expect(await cluster.find(bare(each)), each).toBeDefined();
    expect(((await cluster.get(bare(name))).metadata as { uid: string }).uid).toBe(uid);
  });

  test('in place of one that makes room for a replacement: it is not deleted', async () => {
    const name = 'replaced';
    const declared = (a: string) => testEnvironment.text({ main: [own({ ...config(name, { a }), immutable: true }, { replace: true })] });
    const project = testEnvironment.program({});
    project.write({ 'main.ts': declared('1') });
    await project.deploy();
    project.write({ 'main.ts': declared('2') });
    const proxy = await testEnvironment.proxy();
    proxy.onResponse = async ({ method, path }) => {
      if (method === 'DELETE' && path.endsWith(`/${name}`)) await theirs(name);
      return undefined;
    };
    const report = await project.deploy([], { kubeconfig: proxy.kubeconfig });
    expect(report.only(), String(report)).toMatchObject({ replaced: { data: { a: '1' } }, adopted: { owners: [] } });
    expect((await project.destroy()).only().result).toBe('failed'); // an immutable object gives up no field
    expect(await cluster.find(bare(name))).toBeDefined();
  });

  test.each(['duplicate', 'lose'] as const)('our own creation is ours where its answer goes astray (%s)', async (how) => {
    const name = `ours-${how}`;
    const project = testEnvironment.program({ main: [own(bare(name))] });
    const proxy = await meanwhile(name, async () => (how === 'duplicate' ? how : undefined));
    let lost = how === 'duplicate';
    proxy.onResponse = (request) => {
      if (lost || !isApply(request, name)) return undefined;
      lost = true;
      return 'lose';
    };
    const report = await project.deploy([], { kubeconfig: proxy.kubeconfig });
    expect(report.only(name).result, String(report)).toBe('created');
    expect((await project.destroy(['--timeout', '0'])).only(name).result).toBe('deleted');
  });

  test('what somebody made meanwhile is not taken by force', async () => {
    const name = 'contested';
    const project = testEnvironment.program({ main: [own(config(name, { a: 'ours' }))] });
    const proxy = await meanwhile(name, async () => {
      await cluster.create('somebody', config(name, { a: 'theirs' }));
      return undefined;
    });
    const report = await project.deploy([], { kubeconfig: proxy.kubeconfig });
    expect(report.only(name), String(report)).toMatchObject({ result: 'failed', error: { code: 'force-unconfirmed' } });
    expect((await cluster.get(bare(name))).data).toEqual({ a: 'theirs' });
  });
});

describe('managedFields wiped by another client', () => {
  test('a bare object is deleted: its mark and its uid together show whose it is', async () => {
    const project = testEnvironment.program({ main: [own(bare('wiped-bare'))] });
    await project.deploy();
    expect((await wipe(bare('wiped-bare'))).metadata.managedFields ?? []).toEqual([]);
    expect((await project.destroy()).only().result).toBe('deleted');
  });

  test('the same after somebody applied a label since', async () => {
    const project = testEnvironment.program({ main: [own(bare('wiped-later'))] });
    await project.deploy();
    await wipe(bare('wiped-later'));
    await cluster.apply('labels', { ...bare('wiped-later'), metadata: { ...bare('wiped-later').metadata, labels: { a: 'b' } } });
    expect((await project.destroy()).only().result).toBe('deleted');
  });

  test.each(['destroy', 'prune'])('an object with fields, %s: it is released, and a warning says how to go on', async (how) => {
    const name = `wiped-${how}`;
    const project = testEnvironment.program({ main: [own(config(name)), own(config(`${name}-kept`))] });
    await project.deploy();
    await wipe(config(name));
    if (how === 'prune') project.write({ 'main.ts': testEnvironment.text({ main: [own(config(`${name}-kept`))] }) });
    const plan = (await project.run(['diff', '-o', 'json'])).events.find(({ name: of }) => of === name);
    const report = how === 'prune' ? await project.deploy(['--yes']) : await project.destroy();
    expect(report.exitCode, String(report)).toBe(0);
    const reason = 'not deleted: nothing in its managedFields shows that this stack applied it';
    expect(report.only(name)).toMatchObject({ result: 'released', reason });
    if (how === 'prune') expect(plan).toMatchObject({ action: 'release', reason });
    expect(codesOf(report)).toEqual(['ownership-unproved']);
    expect((await cluster.get(config(name))).data).toEqual({ a: '1' });
  });

  test('the way out: a deploy puts the stack on record, then destroy deletes', async () => {
    const project = testEnvironment.program({ main: [own(config('wiped-again'))] });
    await project.deploy();
    await wipe(config('wiped-again'));
    expect((await project.deploy()).exitCode).toBe(0);
    expect((await project.destroy()).only().result).toBe('deleted');
  });

  test('with tracking: annotation every object carries the mark', async () => {
    const project = testEnvironment.program({ main: [own(config('tracked'))] });
    project.write({ 'fieldwise.yaml': 'app: main.ts\ntracking: annotation\n' });
    await project.deploy();
    await wipe(config('tracked'));
    expect((await project.destroy()).only().result).toBe('deleted');
  });
});

test('a clone with the mark and another uid is nobody’s', async () => {
  const project = testEnvironment.program({ main: [own(bare('cloned'))] });
  await project.deploy();
  const { annotations } = (await cluster.get(bare('cloned'))).metadata;
  await cluster.remove(bare('cloned'));
  await cluster.create('cloner', { ...bare('cloned'), metadata: { ...bare('cloned').metadata, annotations } });
  expect((await project.destroy()).only().result).toBe('absent');
  expect(await cluster.find(bare('cloned'))).toBeDefined();
});

test('every field taken by somebody else: released with a warning, and deleted once a deploy has taken them back', async () => {
  const project = testEnvironment.program({ main: [own(config('edited'))] });
  await project.deploy();
  await cluster.patch('kubectl-edit', config('edited'), { data: { a: '2' } });
  expect(appliersOf(await cluster.get(config('edited')))).toEqual([]);
  expect((await project.deploy()).exitCode).toBe(0);
  expect((await project.destroy()).only().result).toBe('deleted');
});
