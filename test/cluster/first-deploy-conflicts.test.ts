import { describe, expect, test } from 'vitest';
import { configMapHelpers, deployed } from '../harness/config-map-helpers.js';
import { eventsOf } from '../harness/events.js';
import { own, share } from '../harness/program-text.js';
import { nthWrite, TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('first-contact');
const { config, ref, live, edit } = configMapHelpers(testEnvironment);
const proxy = await testEnvironment.proxy();

const theirs = (name: string, data: object) => testEnvironment.cluster.create('them', { ...ref(name), data });
const inventories = async () =>
  (await testEnvironment.cluster.list('v1', 'ConfigMap', testEnvironment.namespace)).map(({ metadata }) => metadata.name).length;

describe('a first deploy that would take fields of others by force', () => {
  test.each([
    { how: 'own', declare: own },
    { how: 'share', declare: share },
  ])('$how: is refused without a yes, names object, field and owner, and writes nothing', async ({ how, declare }) => {
    const name = `forced-${how}`;
    await theirs(name, { a: 'theirs', b: 'same' });
    const before = await inventories();
    const project = testEnvironment.program({ main: [declare(config(name, { a: 'ours', b: 'same', c: 'new' }))] });
    const refused = await project.run(['deploy']);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain(`${name} .data.a of them (Update)`);
    expect(refused.stderr).not.toContain('.data.b');
    expect(refused.stderr).toContain('[confirmation-needed]');
    expect((await live(name)).data).toEqual({ a: 'theirs', b: 'same' });
    expect(await inventories()).toBe(before);

    const report = await deployed(project, '--yes');
    expect(report.only().forcedConflicts).toMatchObject([{ field: '.data.a', oldValue: 'theirs', from: 'them' }]);
    await testEnvironment.cluster.patch('them', ref(name), { data: { a: 'again' } });
    expect((await deployed(project)).only().forcedConflicts).toMatchObject([{ field: '.data.a', oldValue: 'again' }]); // no first contact
  });

  test.each(['yield', 'fail'])('under %s nothing is taken and nothing asked', async (conflicts) => {
    await theirs(`under-${conflicts}`, { a: 'theirs' });
    const project = testEnvironment.program({ main: [own(config(`under-${conflicts}`, { a: 'ours' }), { conflicts })] });
    const report = await project.deploy();
    expect(report.exitCode, String(report)).toBe(conflicts === 'fail' ? 5 : 0);
    expect((await live(`under-${conflicts}`)).data).toEqual({ a: 'theirs' });
  });

  test('the same values are co-owned without a question', async () => {
    await theirs('same', { a: '1' });
    const report = await testEnvironment.program({ main: [own(config('same', { a: '1' }))] }).deploy();
    expect(report.exitCode, String(report)).toBe(0);
    expect(report.only()).toMatchObject({ adopted: { owners: ['them (Update)'] }, forcedConflicts: [] });
  });

  describe('a quantity that is written in another way', () => {
    const limited = (name: string, limits: object) => ({
      ...testEnvironment.ref('apps/v1', 'Deployment', name),
      spec: {
        selector: { matchLabels: { app: name } },
        template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'web', image: 'web:1', resources: { limits } }] } },
      },
    });
    const limitsOf = async (name: string) =>
      (await testEnvironment.cluster.get(limited(name, {}))).spec.template.spec.containers[0].resources.limits;

    test.each(['apply', 'create'] as const)('is no question where the schema says quantity, and is told (%s)', async (how) => {
      const name = `same-amount-${how}`;
      await testEnvironment.cluster[how]('them', limited(name, { memory: '2Gi', cpu: '1' }));
      const project = testEnvironment.program({ main: [own(limited(name, { memory: '2048Mi', cpu: '1000m' }), { wait: false })] });
      for (const args of [[], ['--read-only']]) expect((await project.run(['diff', ...args])).stdout).not.toContain('a deploy asks');
      const report = await project.deploy();
      expect(report.exitCode, String(report)).toBe(0);
      expect(
        report
          .only()
          .forcedConflicts.map(({ oldValue, newValue }) => `${oldValue} ${newValue}`)
          .sort(),
      ).toEqual(['1 1000m', '2Gi 2048Mi']);
      expect(await limitsOf(name)).toEqual({ memory: '2Gi', cpu: '1' }); // as the server writes it
    });

    test('is a question beside another amount, which alone it names', async () => {
      await testEnvironment.cluster.create('them', limited('other-amount', { memory: '2Gi', cpu: '1' }));
      const project = testEnvironment.program({ main: [own(limited('other-amount', { memory: '2048Mi', cpu: '2' }), { wait: false })] });
      expect((await project.run(['diff'])).stdout).toContain('a deploy asks whether to force fields of others');
      const { exitCode, stderr } = await project.run(['deploy']);
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining('.resources.limits.cpu of them (Update)')]);
      expect(stderr).not.toContain('.limits.memory of');
      expect(await limitsOf('other-amount')).toEqual({ memory: '2Gi', cpu: '1' });
    });

    test('is a question where it is a text', async () => {
      await theirs('text-amount', { a: '2Gi' });
      const { exitCode, stderr } = await testEnvironment.program({ main: [own(config('text-amount', { a: '2048Mi' }))] }).run(['deploy']);
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining('.data.a of them (Update)')]);
    });
  });

  test('a saved plan that shows the takes is a yes', async () => {
    await theirs('planned', { a: 'theirs' });
    const project = testEnvironment.program({ main: [own(config('planned', { a: 'ours' }))] });
    const says =
      'a deploy asks whether to force fields of others, because the stack deploys or owns it for the first time; without a terminal that needs --yes';
    for (const args of [[], ['--read-only']]) {
      expect((await project.run(['diff', ...args])).stdout).toMatch(new RegExp(`\\[main, \\w+\\].*; ${says}\n.*force`));
      const { events } = await project.run(['diff', '-o', 'json', ...args]);
      expect(eventsOf(events, 'plan')[0]).toMatchObject({ action: 'update', reason: says });
    }
    await project.run(['diff', '--output-file', 'plan=plan.json']);
    expect((await deployed(project, '--plan', 'plan.json')).only().forcedConflicts).toHaveLength(1);
    await testEnvironment.cluster.patch('them', ref('planned'), { data: { a: 'again' } });
    const later = eventsOf((await project.run(['diff', '-o', 'json'])).events, 'plan')[0];
    expect(later).toMatchObject({ fields: [{ change: 'force' }] });
    expect(later!.reason).toBeUndefined();
  });

  test('an object that comes in place of the known one: nothing of it is taken', async () => {
    const project = testEnvironment.program({ main: [own(config('swapped', { a: 'ours', b: '1' }))] });
    await deployed(project);
    project.write({ 'main.ts': testEnvironment.text({ main: [own(config('swapped', { a: 'ours', b: '2' }))] }) });
    let made = false;
    proxy.onRequest = async ({ method, path }) => {
      if (made || method !== 'PATCH' || !path.endsWith('/swapped')) return undefined;
      made = true;
      await testEnvironment.cluster.remove(testEnvironment.ref('v1', 'ConfigMap', 'swapped'));
      await theirs('swapped', { a: 'theirs' });
      return undefined;
    };
    const report = await project.deploy([], { kubeconfig: proxy.kubeconfig });
    proxy.onRequest = () => undefined;
    expect(report.only()).toMatchObject({ result: 'failed', error: { code: 'force-unconfirmed' } });
    expect((await live('swapped')).data).toEqual({ a: 'theirs' });
    expect((await deployed(project, '--yes')).only().forcedConflicts).toMatchObject([{ field: '.data.a', oldValue: 'theirs' }]);
  });

  test('an object that replaced that of an unchanged intent: nothing of it is taken, and the next run asks before its first write', async () => {
    const project = testEnvironment.program({ main: [own(config('rebuilt', { a: 'ours' }))] });
    await deployed(project);
    await testEnvironment.cluster.remove(testEnvironment.ref('v1', 'ConfigMap', 'rebuilt'));
    await theirs('rebuilt', { a: 'theirs' });
    expect((await project.deploy()).only()).toMatchObject({ result: 'failed', error: { code: 'force-unconfirmed' } });
    const asking = await project.deploy();
    expect(asking.exitCode).toBe(2);
    expect(asking.stderr).toContain('rebuilt .data.a of them (Update)');
    expect((await live('rebuilt')).data).toEqual({ a: 'theirs' });
    expect((await deployed(project, '--yes')).only().forcedConflicts).toMatchObject([{ field: '.data.a', oldValue: 'theirs' }]);
    expect((await deployed(project)).only()).toMatchObject({ result: 'unchanged' });
  });

  test('an object that appears after the look: nothing of it is taken', async () => {
    const project = testEnvironment.program({ main: [own(config('late', { a: 'ours' }))] });
    let made = false;
    proxy.onRequest = async ({ method, path }) => {
      if (made || method !== 'PATCH' || !path.endsWith('/late')) return undefined;
      made = true;
      await theirs('late', { a: 'theirs' });
      return undefined;
    };
    const report = await project.deploy([], { kubeconfig: proxy.kubeconfig });
    proxy.onRequest = () => undefined;
    expect(report.only()).toMatchObject({ result: 'failed', error: { code: 'force-unconfirmed' } });
    expect((await live('late')).data).toEqual({ a: 'theirs' });
    expect((await deployed(project, '--yes')).only().forcedConflicts).toHaveLength(1);
  });
});

describe('ifPresent', () => {
  test('fail: nothing of the run is written', async () => {
    await theirs('failing', { a: '1' });
    const project = testEnvironment.program({
      main: [own(config('beside', {})), own(config('failing', { a: '1' }), { ifPresent: 'fail' })],
    });
    const report = await project.deploy(['--yes']);
    expect(report.exitCode).toBe(4);
    expect(report.summary.errors).toEqual([
      {
        code: 'object-already-exists',
        message: `The policy \`ifPresent\` does not let a stack own an object that exists already: ConfigMap ${testEnvironment.namespace}/failing, owned by them (Update)`,
        next: expect.stringContaining('Declare it with `share`, set its policy to `ifPresent: own`, or remove the object.'),
      },
    ]);
    const plan = await project.run(['diff']);
    expect(plan.stdout).toContain('existed before: this stack did not create it, and them (Update) owns fields of it');
    expect(plan.stdout).toMatch(/^plan: 1 create, 1 blocked$/m);
    expect(Object.values(report.results)).toEqual(['skipped', 'skipped']);
    expect(await testEnvironment.cluster.find(ref('beside'))).toBeUndefined();
  });

  test('ask: needs a yes', async () => {
    await theirs('asking', { a: '1' });
    const project = testEnvironment.program({ main: [own(config('asking', { a: '1' }), { ifPresent: 'ask' })] });
    const refused = await project.deploy();
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('asking, owned by them (Update)')]);
    expect((await deployed(project, '--yes')).only().adopted).toBeDefined();
    expect((await project.deploy()).exitCode).toBe(0); // its own by now
  });

  test('fail: what this stack created is its own, after a killed run and a lost answer, too', async () => {
    const declared = { main: [own(config('ours', { a: '1' }), { ifPresent: 'fail' })] };
    const project = testEnvironment.program(declared);
    expect(await testEnvironment.killRun((options) => project.deploy([], options), nthWrite(2))).toBe(true);
    expect((await deployed(project)).only().result).toBe('unchanged');
    const other = testEnvironment.program({ main: [own(config('unheard', { a: '1' }), { ifPresent: 'fail' })] });
    let lost = false;
    proxy.onResponse = ({ method, path }) => {
      if (lost || method !== 'PATCH' || !path.endsWith('/unheard')) return undefined;
      lost = true;
      return 'lose';
    };
    const report = await other.deploy([], { kubeconfig: proxy.kubeconfig });
    proxy.onResponse = () => undefined;
    expect(report.only(), String(report)).toMatchObject({ result: 'created' });
  });

  test('fail: nor one that appears after the look and may not be read any more', async () => {
    const project = testEnvironment.program({ main: [own(config('unreadable', { a: '1' }), { ifPresent: 'fail' })] });
    let made = false;
    proxy.onRequest = async ({ method, path }) => {
      if (!path.endsWith('/unreadable')) return undefined;
      const message = 'configmaps "unreadable" is forbidden';
      if (made) return method === 'GET' ? { status: 403, body: { kind: 'Status', code: 403, reason: 'Forbidden', message } } : undefined;
      if (method !== 'PATCH') return undefined;
      made = true;
      await theirs('unreadable', { b: 'theirs' });
      return undefined;
    };
    const report = await project.deploy([], { kubeconfig: proxy.kubeconfig });
    proxy.onRequest = () => undefined;
    expect(made).toBe(true);
    expect(report.only(), String(report)).toMatchObject({ result: 'failed', error: { code: 'forbidden' } });
    expect((await live('unreadable')).data).toEqual({ b: 'theirs' });
  });

  test('fail: an object that appears after the look is not touched', async () => {
    const project = testEnvironment.program({ main: [own(config('raced', { a: '1' }), { ifPresent: 'fail' })] });
    let made = false;
    proxy.onRequest = async ({ method, path }) => {
      if (made || method !== 'PATCH' || !path.endsWith('/raced')) return undefined;
      made = true;
      await theirs('raced', { b: 'theirs' });
      return undefined;
    };
    const report = await project.deploy([], { kubeconfig: proxy.kubeconfig });
    proxy.onRequest = () => undefined;
    const message = expect.stringContaining(`: ConfigMap ${testEnvironment.namespace}/raced, created by another client during this run`);
    expect(report.only()).toMatchObject({ result: 'failed', error: { code: 'object-already-exists', message } });
    expect((await live('raced')).data).toEqual({ b: 'theirs' });
  });
});

describe('releases', () => {
  const of = (name: string, data: object, policy: object) => ({
    main: [own(config(name, data), policy), own(config(`${name}-beside`, data))],
  });

  test.each([
    { level: 'intent', policy: { releases: 'fail' } },
    { level: 'field', policy: { fields: { 'data.b': { releases: 'fail' } } } },
  ])('fail, given at the $level: nothing of the run is written', async ({ level, policy }) => {
    const name = `refused-${level}`;
    const project = testEnvironment.program(of(name, { a: '1', b: '2' }, policy));
    await project.deploy();
    edit(project, of(name, { a: '1' }, policy));
    const report = await project.deploy(['--yes']);
    expect(report.exitCode).toBe(4);
    expect(report.summary.errors).toMatchObject([
      { code: 'release-refused', message: expect.stringContaining(`${name} .data.b: "2", removed`) },
    ]);
    expect((await live(`${name}-beside`)).data).toEqual({ a: '1', b: '2' });
    await testEnvironment.cluster.apply('them', { ...ref(name), data: { b: '2' } }); // now it is no last owner
    expect((await deployed(project)).only(name).released).toMatchObject([{ field: '.data.b', change: 'kept' }]);
  });

  test('ask, given in the configuration: needs a yes, and nothing is asked where no value changes', async () => {
    const project = testEnvironment.program(of('asked', { a: '1', b: '2' }, {}));
    const asks = { 'fieldwise.yaml': 'app: main.ts\npolicy:\n  releases: ask\n' };
    project.write(asks);
    await deployed(project);
    edit(project, of('asked', { a: '1', c: '3' }, {}));
    const refused = await project.deploy();
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('asked .data.b: "2", removed')]);
    expect((await live('asked')).data).toEqual({ a: '1', b: '2' });
    expect((await deployed(project, '--yes')).only('asked').released).toMatchObject([{ field: '.data.b', change: 'removed' }]);
  });

  test('of an object that is pruned: fail ends the run, and a destroy asks', async () => {
    await theirs('pruned', { b: '1' });
    const declared = { main: [own(config('pruned-beside', {})), share(config('pruned', { a: '1' }), { releases: 'fail' })] };
    const project = testEnvironment.program(declared);
    await deployed(project);
    edit(project, { main: declared.main.slice(0, 1) });
    const report = await project.deploy(['--yes']);
    expect(report.summary.errors).toMatchObject([
      { code: 'release-refused', message: expect.stringContaining('pruned .data.a: "1", removed') },
    ]);
    const refused = await project.run(['destroy']);
    expect(refused.exitCode).toBe(2);
    expect((await project.destroy()).only('pruned').released).toMatchObject([{ field: '.data.a', change: 'removed' }]);
  });
});
