import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { PlannedObject } from '../../src/deploy/index.js';
import type { ResponseBody } from '../harness/api-client.js';
import { configMapHelpers } from '../harness/config-map-helpers.js';
import { eventsOf } from '../harness/events.js';
import { own, share } from '../harness/program-text.js';
import type { Project } from '../harness/project.js';
import { kindWithRemovedVersion } from '../harness/removed-version.js';
import { TestEnvironment, waitForNextSecond } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('owners');

const { placed } = configMapHelpers(testEnvironment);
const write = (project: Project, ...objects: object[]) =>
  project.write({ 'main.ts': testEnvironment.text({ main: objects.map((object) => own(object)) }) });
const warningsOf = ({ result }: { result: { events: readonly ResponseBody[] } }) => eventsOf(result.events, 'warning');

describe('managedFields names a version that a CustomResourceDefinition no longer has', () => {
  test('deploy asks first, rewrites the entries, and every owner keeps its fields', async () => {
    let project!: Project;
    const { group, wheel } = await kindWithRemovedVersion(testEnvironment, async (of) => {
      project = testEnvironment.program({ main: [share(of('v1', { a: '1', b: '1' }))] });
      await testEnvironment.cluster.create('script', of('v1alpha1', { c: '1' }));
      await testEnvironment.cluster.apply('other', of('v1alpha1', { d: '1' }));
      expect((await project.deploy()).exitCode).toBe(0);
    });
    const live = wheel('v1', {});
    const unchanged = await project.deploy();
    expect(unchanged.only()).toMatchObject({ result: 'failed', error: { code: 'version-removed' } });
    expect(unchanged.only().error?.message).toContain(`${group}/v1alpha1`);

    project.write({ 'main.ts': testEnvironment.text({ main: [share(wheel('v1', { a: '1' }))] }) });
    const before = await testEnvironment.cluster.get(live);
    const refused = await project.deploy();
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain(`other at ${group}/v1alpha1`);
    expect(refused.stderr).toContain(`script (Update) at ${group}/v1alpha1`);
    expect(await testEnvironment.cluster.get(live)).toEqual(before);

    const report = await project.deploy(['--yes']);
    expect(report.exitCode, String(report)).toBe(0);
    const after = await testEnvironment.cluster.get(live);
    expect(after.spec).toEqual({ a: '1', c: '1', d: '1' });
    expect(await testEnvironment.cluster.owners(live)).toEqual({
      [project.manager('main')]: ['.spec.a'],
      other: ['.spec.d'],
      'script (Update)': ['.spec.c'],
    });
    expect(after.metadata.managedFields.map(({ apiVersion }: ResponseBody) => apiVersion)).toEqual([
      `${group}/v1`,
      `${group}/v1`,
      `${group}/v1`,
    ]);
    expect((await project.deploy()).only()).toMatchObject({ result: 'unchanged' });
  });

  test('nothing that Fieldwise patches wipes the owners of such an object: adopt and the strategy dynamic leave it alone', async () => {
    let project!: Project;
    const { wheel } = await kindWithRemovedVersion(testEnvironment, async (of) => {
      await testEnvironment.cluster.create('kubectl-create', of('v1', { a: '1' }));
      project = testEnvironment.program({ main: [share(of('v1', { a: '1' }))] });
      expect((await project.deploy()).exitCode).toBe(0);
      await testEnvironment.cluster.apply('other', of('v1alpha1', { d: '1' }));
    });
    const before = await testEnvironment.cluster.get(wheel('v1', {}));
    const { events, exitCode } = await project.run(['adopt', '-o', 'json', '--yes']);
    expect(exitCode).toBe(4);
    expect(events.filter(({ event }) => event === 'adoption')).toMatchObject([{ result: 'failed', error: { code: 'version-removed' } }]);
    expect(await testEnvironment.cluster.get(wheel('v1', {}))).toEqual(before);

    const dynamic = testEnvironment.program({ main: [share(wheel('v1', { a: '1', e: '1' }), { strategy: 'dynamic' })] });
    expect((await dynamic.deploy()).exitCode).toBe(2);
    expect(await testEnvironment.cluster.get(wheel('v1', {}))).toEqual(before);
    expect((await dynamic.deploy(['--yes'])).exitCode).toBe(0);
    expect(await testEnvironment.cluster.owners(wheel('v1', {}))).toMatchObject({
      other: ['.spec.d'],
      'kubectl-create (Update)': ['.spec.a'],
    });
  });

  test.each([{ names: ['gone'] }, { names: [] }])(
    'adopt --stale $names reaches a stack that the program does not declare any more, so that destroy ends it',
    async ({ names }) => {
      let project!: Project;
      const { wheel } = await kindWithRemovedVersion(testEnvironment, async (of) => {
        await testEnvironment.cluster.apply('other', of('v1alpha1', { d: '1' }));
        project = testEnvironment.program({ main: [own(placed('beside', {}))], gone: [share(of('v1', { a: '1' }))] });
        expect((await project.deploy()).exitCode).toBe(0);
      });
      write(project, placed('beside', {}));
      const refused = await project.run(['adopt', '--stale', ...names]);
      expect(refused.exitCode, refused.stderr).toBe(2);
      expect(refused.stdout).toContain(', of stack gone: to ');
      expect((await project.run(['adopt', '--stale', 'nobody', '--yes'])).stderr).toMatch(/There is no stack nobody .*stack-unknown/s);
      const { events, exitCode } = await project.run(['adopt', '--stale', ...names, '--yes', '-o', 'json']);
      expect({ exitCode, events }).toMatchObject({ exitCode: 0, events: [{ event: 'stale', stack: 'gone', result: 'rewritten' }] });
      const report = await project.destroy(['gone']);
      expect(report.only()).toMatchObject({ result: 'released' });
      expect(await testEnvironment.cluster.owners(wheel('v1', {}))).toEqual({ other: ['.spec.d'] });
      expect((await project.destroy()).exitCode).toBe(0);
    },
  );

  test('adopt --stale rewrites the entries of the stack itself too, so that a dropped field is removed', async () => {
    let project!: Project;
    const { group, wheel } = await kindWithRemovedVersion(testEnvironment, async (of) => {
      project = testEnvironment.program({ main: [own(of('v1alpha1', { a: '1', b: '1' }))] });
      expect((await project.deploy()).exitCode).toBe(0);
      await testEnvironment.cluster.apply('other', of('v1', { c: '1' }));
    });
    write(project, wheel('v1', { a: '1' }));
    const refused = await project.run(['adopt', '--stale']);
    expect(refused.exitCode).toBe(2);
    expect(refused.stdout).toContain(`${project.manager('main')} at ${group}/v1alpha1`);
    const { events, exitCode, stderr } = await project.run(['adopt', '--stale', '--yes', '-o', 'json']);
    expect(exitCode, stderr).toBe(0);
    expect(events).toMatchObject([
      {
        event: 'stale',
        stack: 'main',
        entries: [`${project.manager('main')} at ${group}/v1alpha1`],
        to: `${group}/v1`,
        result: 'rewritten',
      },
    ]);
    const report = await project.deploy(['--yes']);
    expect(report.exitCode, String(report)).toBe(0);
    expect((await testEnvironment.cluster.get(wheel('v1', {}))).spec).toEqual({ a: '1', c: '1' });
    expect((await project.run(['adopt', '--stale', '--yes'])).stdout).toContain('no stale entries');
  });
});

/** Acts as a client that sends back an object without the part that it does not know. */
const wipe = async (object: ResponseBody) => {
  const live = await testEnvironment.cluster.get(object);
  const path = await testEnvironment.cluster.path(object);
  const body = { ...live, metadata: { ...live.metadata, managedFields: [{}] } };
  await testEnvironment.cluster.client.call('PUT', path, { body, query: { fieldManager: 'careless' } });
  expect((await testEnvironment.cluster.get(object)).metadata.managedFields).toBeUndefined();
};

describe('another client wipes managedFields', () => {
  const deployed = async (name: string) => {
    const project = testEnvironment.program({ main: [own(placed(name, { a: '1', b: '1' }))] });
    expect((await project.deploy()).exitCode).toBe(0);
    await waitForNextSecond();
    return project;
  };

  test('the next deploy reports it, and a field that is dropped after it is removed', async () => {
    const project = await deployed('seen');
    const object = placed('seen', {});
    await wipe(object);
    const next = await project.deploy();
    expect(next.exitCode).toBe(0);
    expect(warningsOf(next)).toMatchObject([{ code: 'managed-fields-cleared', next: expect.stringContaining('fieldwise adopt') }]);
    expect((await testEnvironment.cluster.owners(object))['before-first-apply (Update)']).toEqual(['.data.a', '.data.b']);
    expect(warningsOf(await project.deploy())).toMatchObject([{ code: 'managed-fields-cleared' }]);

    write(project, placed('seen', { a: '1' }));
    const [planned] = eventsOf((await project.run(['diff', '-o', 'json'])).events, 'plan') as readonly PlannedObject[];
    expect(planned?.fields).toContainEqual(expect.objectContaining({ field: '.data.b', change: 'removed' }));
    expect(planned?.reason).toContain('without a yes, what the stack drops stays');
    const report = await project.deploy(['--yes']);
    expect(report.exitCode, String(report)).toBe(0);
    expect((await testEnvironment.cluster.get(object)).data).toEqual({ a: '1' });
    expect(warningsOf(report)).toMatchObject([
      { code: 'managed-fields-cleared', message: expect.stringContaining('it was removed as an owner of them') },
    ]);
    expect(warningsOf(await project.deploy())).toEqual([]);
  });

  test.each([
    { how: 'deploy --yes', cure: ['deploy', '-o', 'json', '--yes'] },
    { how: 'deploy --yes under reconcile: changed', cure: ['deploy', '-o', 'json', '--yes', '--reconcile', 'changed'] },
    { how: 'adopt', cure: ['adopt', '-o', 'json', '--yes'] },
  ])('$how ends it at any later time with the program as it was, and each wipe is said', async ({ how, cure }) => {
    const name = how.replaceAll(/\W+/g, '-');
    const project = testEnvironment.program({
      main: ['', '-2', '-3'].map((suffix) => own(placed(`${name}${suffix}`, { a: '1', b: '1' }))),
    });
    const reconcile = cure.includes('--reconcile') ? ['--reconcile', 'changed'] : [];
    for (let run = 0; run < 2; run++) expect((await project.deploy(reconcile)).exitCode).toBe(0); // the second notes its proofs
    const object = placed(name, {});
    const saidBy = async () => warningsOf(await project.deploy(reconcile)).map(({ code, message }) => [code, message.includes(name)]);
    expect(await saidBy()).toEqual([]);
    for (let time = 1; time <= 2; time++) {
      await wipe(object);
      for (let run = 0; run < 2; run++) expect(await saidBy(), `wipe ${time}, run ${run}`).toEqual([['managed-fields-cleared', true]]);
      const doctor = await project.run(['doctor', '--objects', '-o', 'json']);
      expect(eventsOf(doctor.events, 'diagnostic').map(({ code }) => code)).toEqual(['managed-fields-cleared']);
      expect((await project.run(cure)).exitCode).toBe(0);
      expect(await testEnvironment.cluster.owners(object)).toEqual({ [project.manager('main')]: ['.data.a', '.data.b'] });
      expect(await saidBy()).toEqual([]);
    }
  });

  test('fields that an object without owners had before its first deploy are not a wipe, and stay when the stack drops them', async () => {
    const object = placed('found', {});
    await testEnvironment.cluster.create('script', placed('found', { a: '1', b: '1' }));
    await wipe(object);
    const project = testEnvironment.program({ main: [share(placed('found', { a: '1', b: '1' }))] });
    for (let run = 0; run < 2; run++) {
      const report = await project.deploy(['--yes']);
      expect(report.exitCode, String(report)).toBe(0);
      expect(warningsOf(report)).toEqual([]);
    }
    expect((await project.run(['doctor', '--objects'])).exitCode).toBe(0);
    project.write({ 'main.ts': testEnvironment.text({ main: [share(placed('found', { a: '1' }))] }) });
    const report = await project.deploy(['--yes']);
    expect(report.only().released).toMatchObject([{ field: '.data.b', change: 'kept' }]);
    expect((await testEnvironment.cluster.get(object)).data).toEqual({ a: '1', b: '1' });
  });

  test('what is dropped before anybody saw it stays, and is listed with the command that removes it', async () => {
    const project = await deployed('unseen');
    const object = placed('unseen', {});
    await wipe(object);
    write(project, placed('unseen', { a: '1' }));
    const report = await project.deploy(['--yes']);
    expect(report.exitCode, String(report)).toBe(0);
    expect((await testEnvironment.cluster.get(object)).data).toEqual({ a: '1', b: '1' });
    expect(await testEnvironment.cluster.owners(object)).toEqual({
      [project.manager('main')]: ['.data.a'],
      'before-first-apply (Update)': ['.data.b'],
    });
    const warning = warningsOf(report).at(-1)!;
    expect(warning).toMatchObject({ code: 'dropped-after-clear', message: expect.stringContaining('.data.b of ConfigMap') });
    const operations = JSON.parse(/-p '(.*)'$/.exec(warning.next ?? '')?.[1] ?? '');
    expect(operations).toEqual([
      { op: 'test', path: '/data/b', value: '1' },
      { op: 'remove', path: '/data/b' },
    ]);
    await testEnvironment.cluster.patch('person', object, operations, 'json');
    expect((await testEnvironment.cluster.get(object)).data).toEqual({ a: '1' });
  });

  test.each([
    { how: 'in the deploy that ends it', before: [] },
    { how: 'after a deploy that nobody agreed to', before: [[]] },
  ])(
    'a container, an item in one, a probe and replicas that were dropped so ($how) go by the command, as it is printed',
    async ({ how, before }) => {
      const name = `parts-${how.split(' ').at(-1)}`;
      const deployment = (containers: object[], spec: object = {}) => ({
        ...testEnvironment.ref('apps/v1', 'Deployment', name),
        spec: { ...spec, selector: { matchLabels: { app: 'w' } }, template: { metadata: { labels: { app: 'w' } }, spec: { containers } } },
      });
      const env = [
        { name: 'A', value: '1' },
        { name: 'Z', value: "it's" },
        { name: 'K', value: '3' },
        { name: 'E', value: '2' },
      ];
      const web = { name: 'web', image: 'example.com/web:1' };
      const readinessProbe = { httpGet: { path: '/', port: 80 } };
      const side = { name: 'side', image: 'example.com/side:1', ports: [{ containerPort: 80 }], env };
      const containers = [{ ...web, env, readinessProbe }, side, { name: 'also', image: 'example.com/also:1' }];
      const object = deployment(containers, { replicas: 4 });
      const project = testEnvironment.program({ main: [own(object)] });
      expect((await project.deploy()).exitCode).toBe(0);
      await waitForNextSecond();
      await wipe(object);
      write(project, deployment([{ ...web, env: [env[2] as object] }]));
      for (const args of before) expect((await project.deploy(args)).exitCode).toBe(0);
      const report = before.length > 0 ? undefined : await project.deploy(['--yes']);
      const warnings = warningsOf(report ?? (await project.deploy(['--yes'])));
      const warning = warnings.find(({ code }) => code === 'dropped-after-clear') as ResponseBody;
      const at = '.spec.template.spec.containers';
      const item = (container: string) => `${at}[name="${container}"]`;
      const dropped = [item('also'), item('side'), ...['A', 'E', 'Z'].map((one) => `${item('web')}.env[name="${one}"]`)];
      expect(/owns (.*) of Deployment/.exec(warning.message)?.[1]?.split(', ').sort()).toEqual(
        [...dropped, `${item('web')}.readinessProbe`, '.spec.replicas'].sort(),
      );
      const command = /If nobody needs these fields: (kubectl patch .*)$/.exec(warning.next)?.[1] as string;
      const operations = JSON.parse(/ -p '(.*)'$/.exec(command)?.[1]?.replaceAll("'\\''", "'") ?? '') as ResponseBody[];
      const tests = operations.filter(({ op }) => op === 'test').map(({ path }) => path);
      expect(new Set(tests).size).toBe(tests.length);
      if (testEnvironment.kubectl === undefined) await testEnvironment.cluster.patch('person', object, operations, 'json');
      else {
        const shell = {
          env: { ...process.env, KUBECONFIG: testEnvironment.kubeconfig, PATH: `${dirname(testEnvironment.kubectl)}:${process.env.PATH}` },
        };
        await promisify(execFile)('sh', ['-c', command], shell);
      }
      const { spec } = await testEnvironment.cluster.get(object);
      expect(spec.replicas).toBe(1);
      expect(spec.template.spec.containers).toMatchObject([{ name: 'web', env: [env[2]] }]);
      expect(spec.template.spec.containers[0].readinessProbe).toBeUndefined();
      expect(warningsOf(await project.deploy(['--yes']))).toEqual([]);
    },
  );

  test.each([
    { at: 'the inventory', part: 'configmaps', n: 1 },
    { at: 'the end of the part of before-first-apply', part: 'killed', n: 1 },
    { at: 'the apply', part: 'killed', n: 2 },
  ])('killed after $at: the next deploy finishes', async ({ part, n }) => {
    const name = part === 'killed' ? `killed-${n}` : 'killed-0';
    const project = await deployed(name);
    const object = placed(name, {});
    await wipe(object);
    expect((await project.deploy()).exitCode).toBe(0);
    write(project, placed(name, { a: '1' }));
    let changes = 0;
    const isMeant = (path: string) => path.includes('/configmaps/') && path.endsWith(`/${name}`) === (part === 'killed');
    const killed = await testEnvironment.killRun(
      (options) => project.run(['deploy', '--yes'], options),
      ({ method, path, query, status }) => method !== 'GET' && isMeant(path) && !query.has('dryRun') && status < 300 && ++changes === n,
    );
    expect(killed).toBe(true);
    const report = await project.deploy(['--yes']);
    expect(report.exitCode, String(report)).toBe(0);
    expect((await testEnvironment.cluster.get(object)).data).toEqual({ a: '1' });
    expect((await testEnvironment.cluster.owners(object))[project.manager('main')]).toEqual(['.data.a']);
  });

  test('without a yes the run goes on, keeps the field, and says what it keeps', async () => {
    const project = await deployed('kept');
    const object = placed('kept', {});
    await wipe(object);
    await project.deploy();
    write(project, placed('kept', { a: '1' }));
    const report = await project.deploy();
    expect(report.exitCode, String(report)).toBe(0);
    expect((await testEnvironment.cluster.get(object)).data).toEqual({ a: '1', b: '1' });
    expect(warningsOf(report).map(({ code }) => code)).toEqual(['managed-fields-cleared', 'dropped-after-clear']);
    expect(warningsOf(report)[0]?.message).toContain('nobody has confirmed its removal, so .data.b stays');
  });
});

describe('doctor --objects', () => {
  test('finds each trap in what the stacks have deployed, reads only, and says what to do', async () => {
    let project!: Project;
    const names = ['clean', 'wiped', 'lost', 'folded', 'large', 'plain'];
    const configs = names.map((name) => share(placed(`doctor-${name}`, { a: '1', b: '1' }), { ifAbsent: 'create' }));
    const { group } = await kindWithRemovedVersion(testEnvironment, async (of) => {
      project = testEnvironment.program({
        main: [own(of('v1alpha1', { a: '1' })), ...configs],
        other: [share(placed('doctor-large', { c: '1' }))],
      });
      for (let index = 0; index <= 11; index++) {
        const folded = placed('doctor-folded', {});
        if (index === 0) await testEnvironment.cluster.create('updater-0', placed('doctor-folded', { a: '1' }));
        else await testEnvironment.cluster.patch(`updater-${index}`, folded, { data: { [`k${index}`]: 'x' } });
      }
      expect((await project.deploy()).exitCode).toBe(0);
    });
    await wipe(placed('doctor-wiped', {}));
    await testEnvironment.cluster.apply('late', placed('doctor-wiped', { late: '1' }));
    await wipe(placed('doctor-lost', {}));
    const many = Object.fromEntries(Array.from({ length: 1500 }, (_, index) => [`${'key'.repeat(15)}-${index}`, 'x']));
    await testEnvironment.cluster.apply('hoarder', placed('doctor-large', many));

    const proxy = await testEnvironment.proxy();
    const methods = new Set<string>();
    proxy.onResponse = ({ method }) => void methods.add(method);
    const { events, exitCode, stderr } = await project.run(['doctor', '--objects', '-o', 'json'], { kubeconfig: proxy.kubeconfig });
    expect(exitCode, stderr).toBe(4);
    expect([...methods]).toEqual(['GET']);
    const findings = eventsOf(events, 'diagnostic');
    const manager = project.manager('main');
    expect(Object.fromEntries(findings.map(({ object, code, isError }) => [object.replace(/.*\//, ''), [code, isError]]))).toEqual({
      front: ['version-removed', true],
      'doctor-wiped': ['managed-fields-cleared', true],
      'doctor-lost': ['managed-fields-cleared', true],
      'doctor-folded': ['ancient-changes', false],
      'doctor-large': ['managed-fields-large', false],
    });
    const detailOf = (name: string) => findings.find(({ object }) => object.endsWith(`/${name}`));
    expect(detailOf('front')).toMatchObject({ stacks: ['main'], message: expect.stringContaining(`${manager} at ${group}/v1alpha1`) });
    expect(detailOf('doctor-large')).toMatchObject({ stacks: ['main', 'other'] });
    expect(detailOf('doctor-large')?.message).toMatch(
      /^managedFields takes \d+ KiB in 3 entries, [5-9] % of the 1\.5 MiB .*: hoarder \d+ KiB, /,
    );
    expect(events.at(-1)).toEqual({ event: 'inspection', objects: 7, diagnostics: 5, errors: 3, unread: [] });

    const one = await project.run(['doctor', '--objects', 'other', '-o', 'json']);
    expect(one.exitCode).toBe(0);
    expect(one.events.map(({ code, event }) => code ?? event)).toEqual(['managed-fields-large', 'inspection']);
    const person = await project.run(['doctor', '--objects', 'main']);
    expect(person.stdout.replaceAll('\n       ', ' ')).toMatch(
      /Run `fieldwise adopt --stale` .*stacks that the program no longer declares\. \[version-removed\]/,
    );
    expect(person.stdout).toContain('7 objects checked, 5 diagnostics, 3 errors');
    expect((await project.run(['doctor', '--objects', 'nobody'])).exitCode).toBe(2);
  });
});

test('adopt takes from ancient-changes, to which the server folds many updaters, without being told', async () => {
  const object = placed('ancient', {});
  await testEnvironment.cluster.create('updater-0', placed('ancient', { k0: 'x' }));
  for (let index = 1; index <= 12; index++)
    await testEnvironment.cluster.patch(`updater-${index}`, object, { data: { [`k${index}`]: 'x' } });
  const owners = await testEnvironment.cluster.owners(object);
  expect(owners['ancient-changes (Update)']).toContain('.data.k0');
  const project = testEnvironment.program({ main: [share(placed('ancient', { k0: 'x', k12: 'x' }))] });
  expect((await project.deploy()).exitCode).toBe(0);
  const { events, exitCode, stderr } = await project.run(['adopt', '-o', 'json', '--yes']);
  expect(exitCode, stderr).toBe(0);
  expect(events.filter(({ event }) => event === 'adoption')).toMatchObject([
    { result: 'adopted', transfers: [{ from: 'ancient-changes (Update)', fields: ['.data.k0'] }] },
  ]);
  project.write({ 'main.ts': testEnvironment.text({ main: [share(placed('ancient', { k12: 'x' }))] }) });
  expect((await project.deploy()).exitCode).toBe(0);
  expect((await testEnvironment.cluster.get(object)).data).not.toHaveProperty('k0');
});
