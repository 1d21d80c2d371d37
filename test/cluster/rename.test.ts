import { describe, expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.js';
import { eventsOf } from '../harness/events.js';
import { type Declared, own, share } from '../harness/program-text.js';
import type { Project } from '../harness/project.js';
import { nthWrite, TestEnvironment } from '../harness/test-environment.js';
import { watchObject } from '../harness/watch.js';

const testEnvironment = await TestEnvironment.create('rename');

const config = (name: string, data: object = { a: '1', b: '1' }) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });
const ref = (name: string) => testEnvironment.ref('v1', 'ConfigMap', name);
const live = (name: string) => testEnvironment.cluster.get(ref(name));

/** A program with one stack, whose names follow from the options of the App and the Stack. */
function program(declared: readonly Declared[], app: object, stack = 'main', props: object = {}): string {
  return testEnvironment
    .text({ [stack]: declared })
    .replace('new App()', `new App(${JSON.stringify(app)})`)
    .replace(`"${stack}")`, `"${stack}", ${JSON.stringify(props)})`);
}

/** A project that was deployed under its old names and is edited to have new ones. */
async function renamed(what: 'app' | 'instance' | 'stack' | 'all', declared: readonly Declared[], then = declared) {
  const old = `${testEnvironment.app}-${what}-${Math.random().toString(36).slice(2, 8)}`;
  const names = {
    app: { app: { name: `${old}-new`, renamedFrom: old }, stack: 'main', props: {} },
    instance: { app: { name: old, instance: 'live', renamedFrom: { instance: 'default' } }, stack: 'main', props: {} },
    stack: { app: { name: old }, stack: 'fresh', props: { renamedFrom: 'main' } },
    all: {
      app: { name: `${old}-new`, instance: 'live', renamedFrom: { name: old, instance: 'default' } },
      stack: 'fresh',
      props: { renamedFrom: 'main' },
    },
  }[what];
  const project = testEnvironment.project({ 'fieldwise.yaml': 'app: main.ts\n', 'main.ts': program(declared, { name: old }) });
  await project.run(['synth']);
  const former = project.manager('main');
  const rename = () => project.write({ 'main.ts': program(then, names.app, names.stack, names.props) });
  return { project, former, rename, stack: names.stack, apps: [old, `${old}-new`] };
}

const listed = async (project: Project, apps: readonly string[]) =>
  (await project.run(['list', '-o', 'json'])).events.filter(({ app }) => apps.includes(app));

/** Names of the appliers of an object. */
const appliers = async (name: string) => Object.keys(await testEnvironment.cluster.owners(ref(name))).sort();

describe.each(['app', 'instance', 'stack', 'all'] as const)('a rename of %s', (what) => {
  test('moves owned and shared objects, and the inventory, to the new field manager', async () => {
    await testEnvironment.cluster.apply('owner', { ...ref(`shared-${what}`), data: { theirs: 'here' } });
    const declared = [own(config(`owned-${what}`)), share(config(`shared-${what}`, { a: '1' }))];
    const { project, former, rename, stack, apps } = await renamed(what, declared);
    expect((await project.deploy()).exitCode).toBe(0);
    expect(await appliers(`owned-${what}`)).toEqual([former]);

    rename();
    const report = await project.deploy();
    expect(report.exitCode, String(report)).toBe(0);
    const manager = project.manager(stack);
    expect(manager).not.toBe(former);
    for (const object of report.objects) {
      expect(object).toMatchObject({ result: 'updated', renamedFrom: [former], forcedConflicts: [], yielded: [], conflicts: [] });
      expect(object.adopted).toBeUndefined();
    }
    expect(await testEnvironment.cluster.owners(ref(`owned-${what}`))).toEqual({ [manager]: ['.data.a', '.data.b'] });
    expect(await testEnvironment.cluster.owners(ref(`shared-${what}`))).toEqual({ [manager]: ['.data.a'], owner: ['.data.theirs'] });
    expect((await live(`owned-${what}`)).data).toEqual({ a: '1', b: '1' });
    expect(await listed(project, apps)).toMatchObject([{ stack, manager, owned: 1, shared: 1, pending: 0 }]);

    const again = await project.deploy();
    expect(again.objects.map(({ result, renamedFrom }) => [result, renamedFrom])).toEqual(declared.map(() => ['unchanged', undefined]));
    // An object created under the old name is deleted under the new one.
    expect((await project.destroy()).results).toEqual({
      [`ConfigMap ${testEnvironment.namespace}/owned-${what}`]: 'deleted',
      [`ConfigMap ${testEnvironment.namespace}/shared-${what}`]: 'released',
    });
    expect(await listed(project, apps)).toEqual([]);
  });
});

test('in every state that a watch sees, the field has its value and an owner', async () => {
  const { project, former, rename, stack } = await renamed('stack', [own(config('watched'))]);
  await project.deploy();
  const watched = await watchObject(testEnvironment.cluster, ref('watched'));
  rename();
  expect((await project.deploy()).exitCode).toBe(0);
  const manager = project.manager(stack);
  const namesOf = ({ object }: ResponseBody) => object.metadata.managedFields.map((entry: ResponseBody) => entry.manager);
  await watched.until((event) => !namesOf(event).includes(former));
  watched.stop();
  expect(watched.events.map(namesOf)).toEqual([[former], [manager, former], [manager]]);
  for (const { type, object } of watched.events) {
    expect(type).not.toBe('DELETED');
    expect(object.data).toEqual({ a: '1', b: '1' });
  }
});

test.each(['force', 'fail', 'yield'])(
  'with other values at the same time: no conflict with our own former self under %s',
  async (conflicts) => {
    const name = `changed-${conflicts}`;
    const { project, rename, stack } = await renamed('stack', [own(config(name))], [own(config(name, { a: '2' }), { conflicts })]);
    await project.deploy();
    rename();
    const report = await project.deploy();
    expect(report.exitCode, String(report)).toBe(0);
    expect(report.only()).toMatchObject({ result: 'updated', forcedConflicts: [], yielded: [], conflicts: [] });
    expect((await live(name)).data).toEqual({ a: '2' });
    expect(await testEnvironment.cluster.owners(ref(name))).toEqual({ [project.manager(stack)]: ['.data.a'] });
  },
);

test('what it forces is reported if the server then refuses to release the former manager', async () => {
  const web = testEnvironment.ref('apps/v1', 'Deployment', 'forced-then-refused');
  const deployment = (spec: object) => ({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: web.metadata.name }, spec });
  const withContainer = (container: object) => ({ template: { spec: { containers: [container] } } });
  await testEnvironment.cluster.apply('them', {
    ...web,
    spec: {
      replicas: 2,
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'main', image: 'theirs:1' }] } },
    },
  });
  const side = withContainer({ name: 'side', image: 'side:1' });
  const { project, former, rename, stack } = await renamed(
    'stack',
    [share(deployment(side))],
    [share(deployment({ replicas: 5, ...withContainer({ name: 'main', image: 'ours:2' }) }))],
  );
  expect((await project.deploy()).exitCode).toBe(0);
  // The container stays for its environment, and needs the image that the former manager would release.
  const needsImage = withContainer({ name: 'side', env: [{ name: 'A', value: 'b' }] });
  await testEnvironment.cluster.apply('other', { ...web, spec: needsImage });

  rename();
  const report = await project.deploy();
  expect(report.exitCode, String(report)).toBe(4);
  const image = '.spec.template.spec.containers[name="main"].image';
  expect(report.only()).toMatchObject({
    result: 'failed',
    error: { code: 'release-rejected' },
    forcedConflicts: [
      { field: '.spec.replicas', from: 'them', oldValue: 2, newValue: 5 },
      { field: image, from: 'them', oldValue: 'theirs:1', newValue: 'ours:2' },
    ],
  });
  expect(Object.keys(await testEnvironment.cluster.owners(web))).toEqual(
    expect.arrayContaining([former, project.manager(stack), 'them', 'other']),
  );
});

test.each([
  { conflicts: 'fail', exitCode: 5, data: { a: 'theirs', b: '1' }, shown: { conflicts: [{ field: '.data.a', from: 'them' }] } },
  {
    conflicts: 'yield',
    exitCode: 0,
    data: { a: 'theirs', b: '2' },
    shown: { yielded: [{ field: '.data.a', from: 'them' }], forcedConflicts: [] },
  },
  {
    conflicts: 'force',
    exitCode: 0,
    data: { a: '2', b: '2' },
    shown: { forcedConflicts: [{ field: '.data.a', oldValue: 'theirs', from: 'them' }] },
  },
])('a conflict with somebody else stays one under $conflicts', async ({ conflicts, exitCode, data, shown }) => {
  const name = `third-${conflicts}`;
  const then = [own(config(name, { a: '2', b: '2' }), { conflicts })];
  const { project, former, rename } = await renamed('stack', [own(config(name))], then);
  await project.deploy();
  await testEnvironment.cluster.apply('them', { ...ref(name), data: { a: 'theirs' } }, { force: true });
  rename();
  const report = await project.deploy();
  expect(report.exitCode, String(report)).toBe(exitCode);
  expect(report.only()).toMatchObject(shown);
  expect((await live(name)).data).toEqual(data);
  expect((await appliers(name)).includes(former)).toBe(conflicts === 'fail'); // then nothing of it was changed
});

test('what the renamed stack no longer declares is deleted or released, whoever of the two knew it', async () => {
  await testEnvironment.cluster.apply('owner', { ...ref('left-share'), data: { theirs: 'here' } });
  const declared = [own(config('left-kept')), own(config('left-own')), share(config('left-share', { a: '1' }))];
  const { project, rename, apps } = await renamed('app', declared, [own(config('left-kept'))]);
  await project.deploy();
  rename();
  const report = await project.deploy(['--yes']);
  expect(report.exitCode, String(report)).toBe(0);
  expect([report.only('left-own').result, report.only('left-share').result]).toEqual(['deleted', 'released']);
  expect(await testEnvironment.cluster.find(ref('left-own'))).toBeUndefined();
  expect(await testEnvironment.cluster.owners(ref('left-share'))).toEqual({ owner: ['.data.theirs'] });
  expect(await listed(project, apps)).toMatchObject([{ owned: 1, shared: 0 }]);
});

test('diff tells a rename, and what it drops on the way', async () => {
  const { project, former, rename } = await renamed('app', [own(config('planned'))], [own(config('planned', { a: '1' }))]);
  await project.deploy();
  rename();
  const { events } = await project.run(['diff', '-o', 'json']);
  const plan = eventsOf(events, 'plan')[0];
  expect(plan).toMatchObject({ action: 'update', renamedFrom: [former] });
  expect(plan!.adopts).toBeUndefined();
  expect(plan?.fields.map(({ field, change }) => [field, change])).toEqual([
    ['.data.a', 'same'],
    ['.data.b', 'removed'],
  ]);
  const { stdout } = await project.run(['diff']);
  expect(stdout).toContain(`renamed from ${former}`);
  expect(await appliers('planned')).toEqual([former]);
});

test('plan and record name neither a former manager as another owner, nor its fields as new', async () => {
  const { project, rename } = await renamed('all', [own(config('value'))], [own(config('value', { a: '2', b: '1' }))]);
  await project.deploy();
  rename();
  const { events } = await project.run(['diff', '-o', 'json']);
  expect(eventsOf(events, 'plan')[0]?.fields.map(({ field, change, owners }) => [field, change, owners])).toEqual([
    ['.data.a', 'change', undefined],
    ['.data.b', 'same', undefined],
  ]);
  const report = await project.deploy();
  expect(report.only().changed).toEqual([{ field: '.data.a', change: 'change', oldValue: '1', newValue: '2' }]);
});

describe('a stack that was deployed under its new name before it says renamedFrom', () => {
  const service = (name: string, ports: readonly number[]) => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name },
    spec: { selector: { app: 'x' }, ports: ports.map((port) => ({ name: `p-${port}`, port })) },
  });

  test('fields of others in an item that only the former name declared are removed only after a confirmation', async () => {
    const app = { name: `${testEnvironment.app}-late-items` };
    const project = testEnvironment.project({
      'fieldwise.yaml': 'app: main.ts\n',
      'main.ts': program([own(service('late', [80, 81]))], app, 'old'),
    });
    expect((await project.deploy()).exitCode).toBe(0);
    const object = testEnvironment.ref('v1', 'Service', 'late');
    await testEnvironment.cluster.patch('them', object, { spec: { ports: [{ port: 81, appProtocol: 'http' }] } }, 'strategic');
    const declared = [own(service('late', [80]))];
    project.write({ 'main.ts': program(declared, app, 'new') });
    expect((await project.deploy()).exitCode).toBe(0);
    project.write({ 'main.ts': program(declared, app, 'new', { renamedFrom: 'old' }) });

    const plan = await project.run(['diff']);
    expect(plan.stdout).toMatch(/item-removed \.spec\.ports\[port=81,protocol="TCP"\]/);
    const refused = await project.run(['deploy']);
    expect(refused.exitCode, refused.stderr).toBe(2);
    expect(refused.stderr).toContain('.appProtocol of them');
    expect((await testEnvironment.cluster.get(object)).spec.ports).toHaveLength(2);

    const report = await project.deploy(['--yes']);
    expect(report.exitCode, String(report)).toBe(0);
    expect(report.only()).toMatchObject({
      collateral: [{ field: expect.stringContaining('.appProtocol'), from: 'them', oldValue: 'http' }],
    });
    expect((await testEnvironment.cluster.get(object)).spec.ports).toHaveLength(1);
  });

  test('a field that only the former declared is released by the policy, and reported', async () => {
    const app = { name: `${testEnvironment.app}-late-fields` };
    const policy = { releases: 'fail' };
    const project = testEnvironment.project({
      'fieldwise.yaml': 'app: main.ts\n',
      'main.ts': program([own(config('late', { a: '1', b: '1' }), policy)], app, 'old'),
    });
    expect((await project.deploy()).exitCode).toBe(0);
    project.write({ 'main.ts': program([own(config('late', { a: '1' }), policy)], app, 'new') });
    expect((await project.deploy()).exitCode).toBe(0);
    project.write({ 'main.ts': program([own(config('late', { a: '1' }), policy)], app, 'new', { renamedFrom: 'old' }) });
    const refused = await project.run(['deploy']);
    expect(refused.stderr).toContain('.data.b');
    expect(refused.stderr).toContain('[release-refused]');
    expect((await live('late')).data).toEqual({ a: '1', b: '1' });

    project.write({ 'main.ts': program([own(config('late', { a: '1' }))], app, 'new', { renamedFrom: 'old' }) });
    const report = await project.deploy();
    expect(report.exitCode, String(report)).toBe(0);
    expect(report.only()).toMatchObject({ released: [{ field: '.data.b', change: 'removed', oldValue: '1' }] });
    expect((await live('late')).data).toEqual({ a: '1' });
  });
});

describe('a deploy that was killed', () => {
  const three = (prefix: string) => ['a', 'b', 'c'].map((letter) => own(config(`${prefix}-${letter}`)));

  const killedAtWrite = (project: Project, n: number) =>
    testEnvironment.killRun((options) => project.run(['deploy', '--yes', '--concurrency', '1'], options), nthWrite(n));

  test('before the rename: the renamed deploy finishes it, and what it created is ours to delete', async () => {
    const { project, rename, stack, apps } = await renamed('all', three('before'));
    expect(await killedAtWrite(project, 4)).toBe(true);
    rename();
    const report = await project.deploy();
    expect(report.exitCode, String(report)).toBe(0);
    for (const { metadata } of three('before').map(({ object }) => object as ResponseBody)) {
      expect(await appliers(metadata.name)).toEqual([project.manager(stack)]);
    }
    expect(await listed(project, apps)).toMatchObject([{ stack, owned: 3, pending: 0 }]);
    expect((await project.destroy()).objects.map(({ result }) => result)).toEqual(['deleted', 'deleted', 'deleted']);
  });

  // Written in this order: the inventory, then each object applied and released, then both inventories.
  test.each([2, 3, 5, 6])('in the middle of the rename, at write %i: running it again finishes it', async (n) => {
    const { project, rename, stack, apps } = await renamed('stack', three(`middle-${n}`).slice(1));
    await project.deploy();
    rename();
    expect(await killedAtWrite(project, n)).toBe(true);
    const report = await project.deploy();
    expect(report.exitCode, String(report)).toBe(0);
    for (const letter of ['b', 'c']) {
      expect(await testEnvironment.cluster.owners(ref(`middle-${n}-${letter}`))).toEqual({
        [project.manager(stack)]: ['.data.a', '.data.b'],
      });
    }
    expect(await listed(project, apps)).toMatchObject([{ stack, owned: 2, pending: 0 }]);
  });

  test('at any write from the history on: the next deploy leaves nothing of the former name', async () => {
    const leftOf = async (former: string) => {
      const all = await Promise.all([
        testEnvironment.cluster.list('v1', 'ConfigMap', testEnvironment.namespace),
        testEnvironment.cluster.list('v1', 'Secret', testEnvironment.namespace),
        testEnvironment.cluster.list('coordination.k8s.io/v1', 'Lease', testEnvironment.namespace),
      ]);
      return all.flat().filter((object) => JSON.stringify(object).includes(former));
    };
    const left: object[] = [];
    let n = 5;
    for (let isKilled = true; isKilled; n++) {
      const { project, former, rename } = await renamed('stack', [own(config(`history-${n}`))]);
      await project.deploy();
      rename();
      isKilled = await killedAtWrite(project, n);
      const report = await project.deploy();
      expect(report.exitCode, String(report)).toBe(0);
      left.push(...(await leftOf(former)).map(({ kind, metadata }) => ({ n, kind, name: metadata.name })));
    }
    expect(n).toBeGreaterThan(8);
    expect(left).toEqual([]);
  });

  test.each([2, 3, 4])('in the middle of the rename, at write %i: destroy cleans both names', async (n) => {
    const { project, rename, apps } = await renamed('stack', three(`destroyed-${n}`));
    await project.deploy();
    rename();
    expect(await killedAtWrite(project, n)).toBe(true);
    const report = await project.destroy();
    expect(report.exitCode, String(report)).toBe(0);
    expect(report.objects.map(({ result }) => result)).toEqual(['deleted', 'deleted', 'deleted']);
    for (const letter of ['a', 'b', 'c']) expect(await testEnvironment.cluster.find(ref(`destroyed-${n}-${letter}`))).toBeUndefined();
    expect(await listed(project, apps)).toEqual([]);
  });
});
