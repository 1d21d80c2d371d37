import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { ObjectOwners } from '../../src/deploy/index.js';
import type { ResponseBody } from '../harness/api-client.js';
import { configMapHelpers } from '../harness/config-map-helpers.js';
import { eventsOf } from '../harness/events.js';
import { own } from '../harness/program-text.js';
import { TestEnvironment, waitForNextSecond } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('seen');

// The example with an API group and a kind of its own, because CustomResourceDefinitions are cluster-wide, and a kind is found by its name alone.
const group = `${testEnvironment.namespace}.example.com`;
const apps = testEnvironment.example('review-apps', (text) =>
  text
    .replaceAll('edge.example.com', group)
    .replaceAll(/(s)hared(?=gateway)/gi, (_, first) => (first === 's' ? 'seen' : 'Seen'))
    .replaceAll(/^name: shop\n|^namespace: .*\n/gm, ''),
);
const gateway = testEnvironment.ref(`${group}/v1`, 'SeenGateway', 'public');
const deployReview = (review: number) =>
  apps.run(['deploy', '-o', 'json', '-c', `review=${review}`, '--outdir', `dist/${review}`], { in: 'review' });

beforeAll(async () => {
  await testEnvironment.crd(parse(apps.read('crd.yaml')));
  expect(await apps.run(['import', 'crd.yaml', '--outdir', 'imports'])).toMatchObject({ exitCode: 0 });
  expect(await apps.run(['deploy', '-o', 'json'], { in: 'gateway' })).toMatchObject({ exitCode: 0 });
  await waitForNextSecond();
  for (const review of [1, 2, 3]) expect(await deployReview(review)).toMatchObject({ exitCode: 0 });
});

/** What `owners -o json` says of one object: its owners by field. */
const namesByField = ({ fields }: ObjectOwners): Record<string, string[]> =>
  Object.fromEntries(fields.map(({ field, owners }) => [field, owners.map(({ stack, manager }) => stack ?? manager).sort()]));

describe('owners', () => {
  const services = '.spec.listeners[port=443].services';

  test('of an object that stacks share: each by its name, items of lists by their keys', async () => {
    const { events, exitCode } = await apps.run(['owners', 'gateway', '-o', 'json'], { in: 'gateway' });
    expect(exitCode).toBe(0);
    const summary = events[1];
    const view = eventsOf(events, 'owners')[0]!;
    expect(view).toMatchObject({ event: 'owners', object: `SeenGateway ${testEnvironment.namespace}/public` });
    const owners = namesByField(view);
    expect(owners['.spec.class']).toEqual(['gateway']);
    expect(owners[`${services}[name="review-1"].weight`]).toEqual(['review-1']);
    expect(owners[`${services}[name="review-3"].host`]).toEqual(['review-3']);
    expect(owners['.spec.listeners[port=443].port']).toEqual(['gateway', 'review-1', 'review-2', 'review-3']);
    const times = view.fields.flatMap((field) => field.owners.map(({ time }) => time));
    const recorded = (await testEnvironment.cluster.get(gateway)).metadata.managedFields.map(({ time }: ResponseBody) => time);
    expect(recorded).toEqual(expect.arrayContaining([...new Set(times)]));
    expect(summary).toMatchObject({ event: 'owners-summary', objects: 1, absent: 0, exitCode: 0 });
  });

  test('kinds are found by any of their names, stacks of other apps by their whole name', async () => {
    for (const word of ['seengateway/public', `SeenGateway.${group}/public`, `seengateways.${group}/public`]) {
      const { events } = await apps.run(['owners', word, '-o', 'json'], { environment: { FIELDWISE_APP_NAME: 'another' } });
      expect(eventsOf(events, 'owners'), JSON.stringify(events)).toHaveLength(1);
      expect(namesByField(eventsOf(events, 'owners')[0]!)['.spec.class'], word).toEqual([expect.stringMatching(/\/gateway$/)]);
    }
  });

  test('an Update through a subresource, a field that nobody owns, an object that is not there', async () => {
    const web = testEnvironment.ref('apps/v1', 'Deployment', 'web');
    const labels = { app: 'web' };
    const spec = { replicas: 2, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [] } } };
    const containers = [{ name: 'web', image: 'web:1' }];
    await testEnvironment.cluster.apply('team', { ...web, spec: { ...spec, template: { ...spec.template, spec: { containers } } } });
    await testEnvironment.cluster.patch('autoscaler', web, { spec: { replicas: 5 } }, 'merge', 'scale');
    apps.write({ 'two.yaml': `${JSON.stringify(web)}\n---\n${JSON.stringify(testEnvironment.ref('v1', 'ConfigMap', 'absent'))}\n` });
    const { events, exitCode } = await apps.run(['owners', '-f', 'two.yaml', '-o', 'json']);
    expect(exitCode).toBe(0);
    const field = (path: string) => eventsOf(events, 'owners')[0]!.fields.find((candidate) => candidate.field === path);
    expect(field('.spec.replicas')).toMatchObject({
      value: 5,
      owners: [{ manager: 'autoscaler', operation: 'Update', subresource: 'scale' }],
    });
    expect(field('.spec.template.spec.containers[name="web"].image')).toMatchObject({ owners: [{ manager: 'team', operation: 'Apply' }] });
    expect(field('.spec.template.spec.containers[name="web"].imagePullPolicy')?.owners).toEqual([]);
    expect(events[1]).toMatchObject({ object: `ConfigMap ${testEnvironment.namespace}/absent`, absent: true, fields: [] });

    const { stdout } = await apps.run(['owners', 'deployment/web']);
    expect(stdout).toMatch(/\.spec\.replicas: 5 {2}autoscaler \(Update, scale\)/);
    expect(stdout).toMatch(/\.imagePullPolicy: "\w+"\s+no owner/);
  });

  test('values of Secrets are not shown', async () => {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'key' }, stringData: { password: 'correct horse' } };
    const project = testEnvironment.program({ keys: [own(secret)] });
    await project.deploy();
    for (const flags of [['-o', 'json'], [], ['--without', 'keys'], ['--without', 'keys', '-o', 'json']]) {
      const { stdout, exitCode } = await project.run(['owners', 'keys', ...flags]);
      expect(exitCode).toBe(0);
      expect(stdout).toContain('.data.password');
      expect(stdout).not.toMatch(/correct horse|Y29ycmVjdCBob3JzZQ/);
    }
  });

  test('--without a stack: what would be removed, defaulted and kept, and nothing is changed', async () => {
    const before = await testEnvironment.cluster.resourceVersion(gateway);
    const { events, exitCode } = await apps.run(['owners', 'gateway', '--without', 'review-2', '-o', 'json'], { in: 'gateway' });
    expect(exitCode).toBe(0);
    expect(events).toMatchObject([{ stack: 'review-2', action: 'release', object: `SeenGateway ${testEnvironment.namespace}/public` }]);
    const changes = Object.fromEntries(eventsOf(events, 'plan')[0]!.fields.map(({ field, change }) => [field, change]));
    expect(changes[`${services}[name="review-2"]`]).toBe('item-removed');
    expect(changes['.spec.listeners[port=443].port']).toBe('kept');
    expect(await testEnvironment.cluster.resourceVersion(gateway)).toBe(before);
  });

  test.each(['cm', 'configmap', 'configmaps', 'ConfigMap', 'configmaps.core', 'cm.core'])('%s names a ConfigMap', async (kind) => {
    await testEnvironment.cluster.apply('team', { ...testEnvironment.ref('v1', 'ConfigMap', 'short'), data: { a: '1' } });
    const { events, exitCode, stderr } = await apps.run(['owners', `${kind}/short`, '-o', 'json']);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(events[0]).toMatchObject({ object: `ConfigMap ${testEnvironment.namespace}/short` });
  });

  test('a kind that nobody serves is answered with how to name one', async () => {
    const { exitCode, stderr } = await apps.run(['owners', 'cmx/short']);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/no kind cmx.*such as deployment\/web.*kubectl api-resources.*\[kind-unknown\]/s);
  });

  test.each([
    { words: ['nowhere'], code: 'stack-not-in-cluster' },
    { words: ['nonsense/public'], code: 'kind-unknown' },
    { words: ['-f', 'nothing.yaml'], code: 'input-missing' },
    { words: ['-f', 'text.yaml'], code: 'document-invalid' },
  ])('$words is refused: $code', async ({ words, code }) => {
    apps.write({ 'text.yaml': 'just text\n' });
    const { exitCode, stderr } = await apps.run(['owners', ...words]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`[${code}]`);
  });
});

const deployment = (name: string) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'api', image: 'registry.example.com/api:1' }] } },
  },
});
const { config, ref } = configMapHelpers(testEnvironment);

/** The only event of an object. */
const of = (events: readonly ResponseBody[], name: string): ResponseBody => {
  const found = events.filter(({ object }) => object?.endsWith(`/${name}`));
  expect(found).toHaveLength(1);
  return found[0];
};

describe('status', () => {
  test('in sync means that our fields hold: what others do beside them is a note', async () => {
    await waitForNextSecond();
    await testEnvironment.cluster.patch('kubectl-edit', gateway, { metadata: { annotations: { note: 'seen' } } });
    const { events, exitCode } = await apps.run(['status', '-o', 'json'], { in: 'gateway' });
    expect(exitCode).toBe(0);
    const shown = of(events, 'public');
    expect(shown).toMatchObject({ event: 'status', stack: 'gateway', state: 'in-sync', drift: [], pending: [] });
    expect(shown.otherWriters).toContainEqual({ manager: 'kubectl-edit', operation: 'Update', time: expect.any(String) });
    expect(shown.otherWriters.map(({ stack }: ResponseBody) => stack)).toContain('review-3');
    expect(events.at(-1)).toMatchObject({ event: 'status-summary', counts: { 'in-sync': 1 }, drifted: 0, exitCode: 0 });
  });

  test('an object of which nothing but its name is declared is in sync, deploy after deploy', async () => {
    const project = testEnvironment.program({ main: [own(testEnvironment.ref('v1', 'ConfigMap', 'bare'))] });
    for (const round of [1, 2]) {
      expect((await project.deploy()).exitCode, `round ${round}`).toBe(0);
      const { events } = await project.run(['status', '-o', 'json']);
      expect(of(events, 'bare')).toMatchObject({ state: 'in-sync', otherWriters: [] });
      expect((await project.run(['drift', '--exit-code'])).exitCode).toBe(0);
    }
  });

  test('`changed since` names who wrote after the last apply, not before it', async () => {
    const object = testEnvironment.ref('v1', 'ConfigMap', 'earlier');
    await testEnvironment.cluster.create('earlier', { ...object, data: { a: '1' } });
    const project = testEnvironment.program({ main: [own(config('earlier', { a: '1' }))] });
    const foreign = async () =>
      of((await project.run(['status', '-o', 'json'])).events, 'earlier').otherWriters.map(({ manager }: ResponseBody) => manager);
    expect((await project.deploy()).exitCode).toBe(0); // owns an equal value, which leaves no time
    expect(await foreign()).toEqual([]);
    await testEnvironment.cluster.patch('labeller', object, { metadata: { labels: { by: 'labeller' } } });
    expect(await foreign()).toEqual([]); // no time tells which of the two came later
    project.write({ 'main.ts': testEnvironment.text({ main: [own(config('earlier', { a: '1', b: '1' }))] }) });
    await waitForNextSecond();
    expect((await project.deploy()).exitCode).toBe(0);
    expect(await foreign()).toEqual([]);
    await waitForNextSecond();
    await testEnvironment.cluster.patch('later', object, { data: { c: '1' } });
    expect(await foreign()).toEqual(['later']);
    expect((await project.deploy()).only().result).toBe('applied'); // nothing to do
    expect(await foreign()).toEqual([]);
  });

  test('each state of an object has its word, and readiness stands beside it', async () => {
    const names = ['kept', 'edited', 'taken', 'deleted', 'going', 'changed'];
    const declared = names.map((name) => own(config(name, { a: '1' })));
    const project = testEnvironment.program({ main: [...declared, own(deployment('slow'))] });
    expect((await project.deploy()).exitCode).toBe(0);
    await testEnvironment.cluster.patch('kubectl-edit', ref('edited'), { data: { a: '2' } });
    await testEnvironment.cluster.apply(project.manager('main'), ref('taken')); // the empty intent in our name
    await testEnvironment.cluster.remove(ref('deleted'));
    const changed = ['kept', 'edited', 'taken', 'deleted'].map((name) => own(config(name, { a: '1' })));
    project.write({
      'main.ts': testEnvironment.text({ main: [...changed, own(config('changed', { a: '1', b: '2' })), own(deployment('slow'))] }),
    });

    const { events, exitCode } = await project.run(['status', '-o', 'json']);
    expect(exitCode).toBe(0);
    const states = Object.fromEntries([...names, 'slow'].map((name) => [name, of(events, name).state]));
    expect(states).toEqual({
      kept: 'in-sync',
      edited: 'drifted',
      taken: 'released',
      deleted: 'absent',
      going: 'undeclared',
      changed: 'pending',
      slow: 'in-sync',
    });
    expect(of(events, 'changed').pending).toEqual(['.data.b']);
    expect(of(events, 'kept').readiness.state).toBe('current');
    expect(of(events, 'slow').readiness.state).toBe('in-progress'); // no controller runs
    expect(of(events, 'deleted').readiness).toBeUndefined();

    const { stdout } = await project.run(['status']);
    expect(stdout).toMatch(/drifted {5}ConfigMap \S+\/edited {2}\[main\]/);
    expect(stdout).toMatch(/\.data\.a: declared "1", is "2", owned by kubectl-edit \(Update\), \d{4}-/);
  });
});

describe('drift', () => {
  test('by foreign applies, edits, a scale and a removal: which fields, whose they are now and since when', async () => {
    const project = testEnvironment.program({
      main: [
        own(deployment('api'), { fields: { 'spec.replicas': { conflicts: 'yield' } } }),
        own(deployment('scaled')),
        own(config('shared', { a: '1', b: '1', c: '1' })),
        own({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'hidden' }, data: { key: 'b2xkIHZhbHVl' } }),
        own({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'written' }, stringData: { key: 'never drifts' } }),
      ],
    });
    expect((await project.deploy()).exitCode).toBe(0);
    expect(await project.run(['drift', '--exit-code', '-o', 'json'])).toMatchObject({ exitCode: 0 });

    await testEnvironment.cluster.patch(
      'autoscaler',
      testEnvironment.ref('apps/v1', 'Deployment', 'api'),
      { spec: { replicas: 7 } },
      'merge',
      'scale',
    );
    await testEnvironment.cluster.patch(
      'autoscaler',
      testEnvironment.ref('apps/v1', 'Deployment', 'scaled'),
      { spec: { replicas: 7 } },
      'merge',
      'scale',
    );
    const shared = testEnvironment.ref('v1', 'ConfigMap', 'shared');
    await testEnvironment.cluster.apply('rival', { ...shared, data: { a: '2' } }, { force: true });
    await testEnvironment.cluster.patch('kubectl-edit', shared, { data: { b: null } });
    await testEnvironment.cluster.patch('kubectl-edit', testEnvironment.ref('v1', 'Secret', 'hidden'), { data: { key: 'bmV3IHZhbHVl' } });

    const { events, exitCode, stdout } = await project.run(['drift', '--exit-code', '-o', 'json']);
    expect(exitCode).toBe(1);
    expect(stdout).not.toMatch(/b2xkIHZhbHVl|bmV3IHZhbHVl|never drifts/);
    expect(eventsOf(events, 'drift').map(({ name }) => name)).toEqual(expect.arrayContaining(['scaled', 'shared', 'hidden']));
    expect(events.at(-1)).toMatchObject({ event: 'drift-summary', objects: 5, drifted: 3, fields: 4 });
    const rival = { manager: 'rival', operation: 'Apply', time: expect.any(String) };
    expect(of(events, 'shared').fields).toEqual([
      { field: '.data.a', drift: 'changed', declared: '1', live: '2', owners: [rival] },
      { field: '.data.b', drift: 'removed', declared: '1', owners: [] },
    ]);
    expect(of(events, 'scaled').fields).toMatchObject([
      { field: '.spec.replicas', drift: 'changed', declared: 2, live: 7, owners: [{ manager: 'autoscaler', subresource: 'scale' }] },
    ]);
    expect(of(events, 'hidden').fields).toMatchObject([{ field: '.data.key', declared: '***', live: '***' }]);
    expect(await project.run(['drift', '-o', 'json'])).toMatchObject({ exitCode: 0 });
  });

  test('a field that is left to its owner has not drifted, also where the owner has given it the declared value', async () => {
    const yields = { conflicts: 'yield' };
    const project = testEnvironment.program({ main: [own(config('left', { a: '1', b: '1' }), yields), own(config('forced', { a: '1' }))] });
    await project.deploy();
    for (const name of ['left', 'forced']) {
      for (const a of ['2', '1'])
        await testEnvironment.cluster.patch('human', testEnvironment.ref('v1', 'ConfigMap', name), { data: { a } });
    }
    expect(await project.run(['status', '-o', 'json']).then(({ events }) => of(events, 'left'))).toMatchObject({
      state: 'in-sync',
      yielded: ['.data.a'],
      drift: [],
    });
    const { events } = await project.run(['drift', '-o', 'json']);
    expect(events.at(-1)).toMatchObject({ event: 'drift-summary', drifted: 1, fields: 1 });
    expect(of(events, 'forced').fields).toMatchObject([{ field: '.data.a', drift: 'ownership-lost' }]);
  });

  test('--repair applies what has drifted, and nothing else', async () => {
    const project = testEnvironment.program({
      main: [own(config('mended', { a: '1' })), own(config('calm', { a: '1' })), own(config('gone', { a: '1' }))],
    });
    await project.deploy();
    const mended = testEnvironment.ref('v1', 'ConfigMap', 'mended');
    await testEnvironment.cluster.patch('kubectl-edit', mended, { data: { a: '2', theirs: 'stays' } });
    await testEnvironment.cluster.remove(testEnvironment.ref('v1', 'ConfigMap', 'gone'));
    project.write({ 'main.ts': testEnvironment.text({ main: ['mended', 'calm', 'gone'].map((name) => own(config(name, { a: '1' }))) }) });
    const calm = await testEnvironment.cluster.resourceVersion(testEnvironment.ref('v1', 'ConfigMap', 'calm'));

    const { events, exitCode } = await project.run(['drift', '--repair', '-o', 'json']);
    expect(exitCode).toBe(0);
    const reports = eventsOf(events, 'object').map(({ name, result }) => [name, result]);
    expect(reports.sort()).toEqual([
      ['gone', 'created'],
      ['mended', 'updated'],
    ]);
    expect((await testEnvironment.cluster.get(mended)).data).toEqual({ a: '1', theirs: 'stays' });
    expect((await testEnvironment.cluster.owners(mended))[project.manager('main')]).toContain('.data.a');
    expect(await testEnvironment.cluster.resourceVersion(testEnvironment.ref('v1', 'ConfigMap', 'calm'))).toBe(calm);
    expect(await project.run(['drift', '--exit-code'])).toMatchObject({ exitCode: 0 });
  });

  test('--repair prunes nothing, and does what the policy says: fail stays as it is', async () => {
    const project = testEnvironment.program({
      main: [own(config('firm', { a: '1' }), { conflicts: 'fail' }), own(config('dropped', { a: '1' }))],
    });
    await project.deploy();
    const firm = testEnvironment.ref('v1', 'ConfigMap', 'firm');
    await testEnvironment.cluster.apply('rival', { ...firm, data: { a: '2' } }, { force: true });
    project.write({ 'main.ts': testEnvironment.text({ main: [own(config('firm', { a: '1' }), { conflicts: 'fail' })] }) });
    const { events, exitCode } = await project.run(['drift', '--repair', '-o', 'json']);
    expect(exitCode).toBe(5);
    expect(eventsOf(events, 'object').map(({ name, result }) => [name, result])).toEqual([['firm', 'conflict']]);
    expect((await testEnvironment.cluster.get(firm)).data).toEqual({ a: '2' });
    expect(await testEnvironment.cluster.find(testEnvironment.ref('v1', 'ConfigMap', 'dropped'))).toBeDefined();
  });

  test('a field taken three times in a row from the same manager is a fight: it is reported and not taken again', async () => {
    const project = testEnvironment.program({ main: [own(config('fought', { a: '1' })), own(config('other', { a: '1' }))] });
    await project.deploy();
    const fought = testEnvironment.ref('v1', 'ConfigMap', 'fought');
    const takeBack = () => testEnvironment.cluster.apply('rival', { ...fought, data: { a: '2' } }, { force: true });
    for (const _ of [1, 2, 3]) {
      await takeBack();
      expect(await project.run(['drift', '--repair', '-o', 'json'])).toMatchObject({ exitCode: 0 });
      expect((await testEnvironment.cluster.get(fought)).data.a).toBe('1');
    }
    await takeBack();
    await testEnvironment.cluster.patch('kubectl-edit', testEnvironment.ref('v1', 'ConfigMap', 'other'), { data: { a: '2' } });
    const { events, exitCode } = await project.run(['drift', '--repair', '-o', 'json']);
    expect(exitCode).toBe(5);
    expect(eventsOf(events, 'contention')).toMatchObject([
      { stack: 'main', object: `ConfigMap ${testEnvironment.namespace}/fought`, field: '.data.a', from: 'rival', count: 3 },
    ]);
    expect((await testEnvironment.cluster.get(fought)).data.a).toBe('2');
    expect((await testEnvironment.cluster.get(testEnvironment.ref('v1', 'ConfigMap', 'other'))).data.a).toBe('1');
    expect((await project.run(['drift', '--repair', '--contention-limit', '4', '-o', 'json'])).exitCode).toBe(0);
    expect((await testEnvironment.cluster.get(fought)).data.a).toBe('1');
  });
});
