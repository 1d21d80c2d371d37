import { describe, expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.js';
import { configMapHelpers } from '../harness/config-map-helpers.js';
import { eventsOf } from '../harness/events.js';
import { own, share } from '../harness/program-text.js';
import type { Project } from '../harness/project.js';
import { nthWrite, TestEnvironment, waitForNextSecond } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('wiped');

/** Acts as a client that sends back an object without the part that it does not know. */
const wipe = async (object: ResponseBody) => {
  const live = await testEnvironment.cluster.get(object);
  const path = await testEnvironment.cluster.path(object);
  const body = { ...live, metadata: { ...live.metadata, managedFields: [{}] } };
  await testEnvironment.cluster.client.call('PUT', path, { body, query: { fieldManager: 'careless' } });
};
const write = (project: Project, ...objects: object[]) =>
  project.write({ 'main.ts': testEnvironment.text({ main: objects.map((object) => own(object)) }) });
const codesOf = ({ result }: { result: { events: readonly ResponseBody[] } }) => eventsOf(result.events, 'warning').map(({ code }) => code);
const findingsOf = async (project: Project) => {
  const { events, exitCode } = await project.run(['doctor', '--objects', '-o', 'json']);
  return { exitCode, codes: eventsOf(events, 'diagnostic').map(({ code }) => code) };
};

const container = (name: string): ResponseBody => ({
  name,
  image: 'example.com/web:1',
  env: [{ name: 'A', value: '1' }],
  ports: [{ containerPort: 8080, name: `web-${name}` }],
});
const deployment = (name: string, spec: object = {}, containers = [container('c')]) => ({
  ...testEnvironment.ref('apps/v1', 'Deployment', name),
  spec: {
    replicas: 0,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers } },
    ...spec,
  },
});
const deployed = async (object: object) => {
  const project = testEnvironment.program({ main: [own(object)] });
  const report = await project.deploy();
  expect(report.exitCode, String(report)).toBe(0);
  await waitForNextSecond();
  return project;
};

describe('managedFields of a Deployment were wiped', () => {
  test.each([
    { how: 'deploy --yes', cure: ['deploy', '-o', 'json', '--yes'] },
    { how: 'adopt', cure: ['adopt', '-o', 'json', '--yes'] },
  ])('$how really repairs it: doctor, deploy and adopt find nothing more, and a dropped container is removed', async ({ how, cure }) => {
    const name = `ends-${how.replaceAll(/\W+/g, '-')}`;
    const object = deployment(
      name,
      {},
      [container('c'), container('d')].map((one, index) => ({ ...one, ports: [{ ...one.ports[0], containerPort: 8080 + index }] })),
    );
    const project = await deployed(object);
    await wipe(object);
    expect(codesOf(await project.deploy())).toEqual(['managed-fields-cleared']);
    expect((await findingsOf(project)).codes).toEqual(['managed-fields-cleared']);
    expect((await project.run(cure)).exitCode).toBe(0);
    expect(await findingsOf(project)).toEqual({ exitCode: 0, codes: [] });
    expect(codesOf(await project.deploy())).toEqual([]);
    expect((await project.run(['adopt', '-o', 'json', '--yes'])).events.filter(({ event }) => event === 'adoption')).toEqual([]);

    write(project, deployment(name));
    const report = await project.deploy();
    expect(report.exitCode, String(report)).toBe(0);
    const { containers } = (await testEnvironment.cluster.get(object)).spec.template.spec;
    expect(containers.map(({ name }: ResponseBody) => name)).toEqual(['c']);
  });

  test('a container that is dropped in the repairing run is removed', async () => {
    const object = deployment('drops', {}, [container('c'), { ...container('d'), ports: [] }]);
    const project = await deployed(object);
    await wipe(object);
    await project.deploy();
    write(project, deployment('drops'));
    const report = await project.deploy(['--yes']);
    expect(report.exitCode, String(report)).toBe(0);
    const { containers } = (await testEnvironment.cluster.get(object)).spec.template.spec;
    expect(containers.map(({ name }: ResponseBody) => name)).toEqual(['c']);
    expect(await findingsOf(project)).toEqual({ exitCode: 0, codes: [] });
  });

  test('what somebody has set in a container keeps its place in it', async () => {
    const object = deployment('inside');
    const project = await deployed(object);
    const limits = { spec: { template: { spec: { containers: [{ name: 'c', resources: { limits: { cpu: '1' } } }] } } } };
    await testEnvironment.cluster.patch('person', object, limits, 'strategic');
    await wipe(object);
    await project.deploy();
    const report = await project.deploy(['--yes']);
    expect(report.exitCode, String(report)).toBe(0);
    const inside = (await testEnvironment.cluster.owners(object))['before-first-apply (Update)']?.filter((field) =>
      field.includes('containers'),
    );
    expect(inside).toEqual([
      '.spec.template.spec.containers[name="c"].name',
      `.spec.template.spec.containers[name="c"].resources.limits.cpu`,
    ]);
    expect(await findingsOf(project)).toEqual({ exitCode: 0, codes: [] });
    expect(codesOf(await project.deploy())).toEqual([]);
    expect((await project.run(['adopt', '-o', 'json', '--yes'])).events.filter(({ event }) => event === 'adoption')).toEqual([]);
  });

  test('strategy Recreate: the plan says what happens, and the first deploy does it', async () => {
    const object = deployment('recreate');
    const project = await deployed(object);
    await wipe(object);
    write(project, deployment('recreate', { strategy: { type: 'Recreate' } }));
    const plan = await project.run(['diff', '-o', 'json']);
    expect(plan.exitCode, plan.stdout).toBe(0);
    const [planned] = eventsOf(plan.events, 'plan');
    expect(planned).toMatchObject({ action: 'update' });
    const goes = planned?.fields.filter(({ change }) => change === 'removed').map(({ field }) => field);
    expect(goes).toEqual(['.spec.strategy.rollingUpdate.maxSurge', '.spec.strategy.rollingUpdate.maxUnavailable']);
    const report = await project.deploy(['--yes']);
    expect(report.exitCode, String(report)).toBe(0);
    const released = report.only().released?.filter(({ change }) => change === 'removed');
    expect(released?.map(({ field }) => field)).toEqual(goes);
    expect((await testEnvironment.cluster.get(object)).spec.strategy).toEqual({ type: 'Recreate' });
  });

  test('a rolling update that somebody has set is removed with Recreate only after a confirmation', async () => {
    const object = deployment('surge');
    const project = await deployed(object);
    await testEnvironment.cluster.patch('person', object, { spec: { strategy: { rollingUpdate: { maxSurge: 3 } } } }, 'strategic');
    await wipe(object);
    write(project, deployment('surge', { strategy: { type: 'Recreate' } }));
    const refused = await project.deploy();
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('.spec.strategy.rollingUpdate');
    expect((await testEnvironment.cluster.get(object)).spec.strategy.rollingUpdate.maxSurge).toBe(3);
    const report = await project.deploy(['--yes']);
    expect(report.exitCode, String(report)).toBe(0);
    expect((await testEnvironment.cluster.get(object)).spec.strategy).toEqual({ type: 'Recreate' });
    expect(JSON.stringify(report.only().forcedConflicts)).toContain('"maxSurge":3');
  });
});

const { placed } = configMapHelpers(testEnvironment);
const warningsOf = ({ result }: { result: { events: readonly ResponseBody[] } }) => eventsOf(result.events, 'warning');

describe('an object whose managedFields were wiped moves to another stack of its app', () => {
  const moving = async (name: string, declare: typeof own) => {
    const kept = own(placed(`${name}-kept`, {}));
    const project = testEnvironment.program({ web: [kept, declare(placed(name, { a: '1', b: '1' }))], monitoring: [] });
    expect((await project.deploy()).exitCode).toBe(0);
    await waitForNextSecond();
    const move = () => project.write({ 'main.ts': testEnvironment.text({ web: [kept], monitoring: [declare(placed(name, { a: '1' }))] }) });
    return { project, object: placed(name, {}), move };
  };

  test.each([
    { lifecycle: 'own', declare: own },
    { lifecycle: 'share', declare: (object: object) => share(object, { ifAbsent: 'create' }) },
  ])('$lifecycle: the deploy says so, and lists what was dropped', async ({ lifecycle, declare }) => {
    const { project, object, move } = await moving(`moves-${lifecycle}`, declare);
    await wipe(object);
    move();
    const report = await project.deploy(['--yes']);
    expect(report.exitCode, String(report)).toBe(0);
    expect(codesOf(report)).toEqual(['managed-fields-cleared', 'dropped-after-clear']);
    expect(warningsOf(report)[1]?.message).toContain('.data.b of ConfigMap');
    expect(await testEnvironment.cluster.owners(object)).toEqual({
      [project.manager('monitoring')]: ['.data.a'],
      'before-first-apply (Update)': ['.data.b'],
    });
    expect(codesOf(await project.deploy())).toEqual([]);
    expect(await findingsOf(project)).toEqual({ exitCode: 0, codes: [] });
  });

  test('what the stack before still owned is dropped with a yes', async () => {
    const { project, object, move } = await moving('moves-shared', own);
    await wipe(object);
    expect(codesOf(await project.deploy())).toEqual(['managed-fields-cleared']);
    move();
    const report = await project.deploy(['--yes']);
    expect(report.exitCode, String(report)).toBe(0);
    expect(codesOf(report)).toEqual(['managed-fields-cleared']);
    expect((await testEnvironment.cluster.get(object)).data).toEqual({ a: '1' });
    expect(await testEnvironment.cluster.owners(object)).toEqual({ [project.manager('monitoring')]: ['.data.a'] });
  });

  test('without a yes each later deploy and doctor say it, until it is ended', async () => {
    const { project, object, move } = await moving('moves-open', own);
    await wipe(object);
    await project.deploy();
    move();
    const open = await project.deploy(['--prune']);
    expect(open.exitCode, String(open)).toBe(0);
    expect(warningsOf(open)[0]).toMatchObject({ code: 'managed-fields-cleared', message: expect.stringContaining('so .data.b stays') });
    expect(codesOf(await project.deploy())).toEqual(['managed-fields-cleared']);
    expect((await findingsOf(project)).codes).toEqual(['managed-fields-cleared']);
    const cured = await project.deploy(['--yes']);
    expect(codesOf(cured)).toEqual(['managed-fields-cleared', 'dropped-after-clear']);
    expect(codesOf(await project.deploy())).toEqual([]);
    expect((await testEnvironment.cluster.get(object)).data).toEqual({ a: '1', b: '1' });
  });
});

describe('an object whose managedFields were wiped under the strategy dynamic moves to the server', () => {
  test.each([
    { when: 'at once', between: 0 },
    { when: 'after a deploy under dynamic', between: 1 },
  ])('$when: the deploy says so, and what is dropped goes or is listed', async ({ when, between }) => {
    const name = `dynamic-${when.replaceAll(' ', '-')}`;
    const object = placed(name, { a: '1', b: '1' });
    const dynamic = { strategy: 'dynamic' };
    const project = testEnvironment.program({ main: [own(object, dynamic)] });
    expect((await project.deploy()).exitCode).toBe(0);
    await wipe(object);
    for (let run = 0; run < between; run++) expect((await project.deploy()).exitCode).toBe(0);
    write(project, placed(name, { a: '1' }));
    const report = await project.deploy(['--yes']);
    expect(report.exitCode, String(report)).toBe(0);
    expect(codesOf(report)).toEqual(['managed-fields-cleared']);
    expect(report.only().released).toMatchObject([{ field: '.data.b', change: 'removed' }]);
    expect(await testEnvironment.cluster.owners(object)).toEqual({ [project.manager('main')]: ['.data.a'] });
    expect(codesOf(await project.deploy())).toEqual([]);
    expect(await findingsOf(project)).toEqual({ exitCode: 0, codes: [] });
  });
});

describe('an object whose managedFields were wiped moves to the strategy dynamic', () => {
  const dynamic = { strategy: 'dynamic' };
  const moved = async (name: string, declared: object, { between = 0, declare = own }: { between?: number; declare?: typeof own } = {}) => {
    const object = placed(name, { a: '1', b: '1' });
    const before = declare(object);
    if (declare === share) await testEnvironment.cluster.create('them', placed(name, { theirs: '1' }));
    const project = testEnvironment.program({ main: [before] });
    expect((await project.deploy(['--yes'])).exitCode).toBe(0);
    await waitForNextSecond();
    await wipe(object);
    for (let run = 0; run < between; run++) expect((await project.deploy()).exitCode).toBe(0);
    project.write({ 'main.ts': testEnvironment.text({ main: [declare(placed(name, declared), dynamic)] }) });
    return { project, object };
  };
  const data = async (object: object) => (await testEnvironment.cluster.get(object as ResponseBody)).data;

  test('at once: the deploy says so, and lists what was dropped', async () => {
    const { project, object } = await moved('to-dynamic', { a: '1' });
    const report = await project.deploy(['--yes']);
    expect(report.exitCode, String(report)).toBe(0);
    expect(codesOf(report)).toEqual(['managed-fields-cleared', 'dropped-after-clear']);
    expect(warningsOf(report)[1]?.message).toContain('.data.b of ConfigMap');
    expect(await data(object)).toEqual({ a: '1', b: '1' });
    expect(codesOf(await project.deploy())).toEqual([]);
    expect(await findingsOf(project)).toEqual({ exitCode: 0, codes: [] });
  });

  test('fields that the stack shared are removed when it releases them, preexisting ones stay', async () => {
    const { project, object } = await moved('to-dynamic-shared', { a: '1', b: '1' }, { declare: share });
    const report = await project.deploy(['--yes']);
    expect(report.exitCode, String(report)).toBe(0);
    expect(codesOf(report)).toEqual(['managed-fields-cleared', 'dropped-after-clear']);
    const gone = await project.destroy();
    expect(gone.exitCode, String(gone)).toBe(0);
    expect(await data(object)).toEqual({ theirs: '1' });
  });

  test('after a deploy: dropped fields are removed', async () => {
    const { project, object } = await moved('to-dynamic-later', { a: '1' }, { between: 1 });
    const report = await project.deploy(['--yes']);
    expect(report.exitCode, String(report)).toBe(0);
    expect(codesOf(report)).toEqual(['managed-fields-cleared']);
    expect(report.only().released).toMatchObject([{ field: '.data.b', change: 'removed' }]);
    expect(await data(object)).toEqual({ a: '1' });
    expect(codesOf(await project.deploy())).toEqual([]);
  });

  test('a run that was killed before it applied anything changes nothing of that', async () => {
    const { project } = await moved('to-dynamic-killed', { a: '1', b: '1' });
    expect(await testEnvironment.killRun((options) => project.deploy(['--yes'], options), nthWrite(1))).toBe(true);
    expect(codesOf(await project.deploy(['--yes']))).toEqual(['managed-fields-cleared']);
    expect(codesOf(await project.deploy())).toEqual([]);
  });

  test.each([
    { when: 'at once', between: 0 },
    { when: 'after a deploy', between: 1 },
  ])('$when, without a yes: each deploy and doctor say it, until it is ended', async ({ when, between }) => {
    const { project, object } = await moved(`to-dynamic-open-${when.replaceAll(' ', '-')}`, { a: '1', b: '1' }, { between });
    for (let run = 0; run < 2; run++) expect(codesOf(await project.deploy()), `run ${run}`).toEqual(['managed-fields-cleared']);
    expect((await findingsOf(project)).codes).toEqual(['managed-fields-cleared']);
    const cured = await project.deploy(['--yes']);
    expect(codesOf(cured)).toEqual(['managed-fields-cleared']);
    expect(codesOf(await project.deploy())).toEqual([]);
    expect(await findingsOf(project)).toEqual({ exitCode: 0, codes: [] });
    project.write({ 'main.ts': testEnvironment.text({ main: [own(placed(object.metadata.name, { a: '1' }), dynamic)] }) });
    expect((await project.deploy()).exitCode).toBe(0);
    expect(await data(object)).toEqual({ a: '1' });
  });
});

test('under the strategy dynamic it is said once somebody applies to the wiped object, until it is ended', async () => {
  const dynamic = { strategy: 'dynamic' };
  const object = placed('dynamic-shared', { a: '1', b: '1' });
  const project = testEnvironment.program({ main: [own(object, dynamic)] });
  expect((await project.deploy()).exitCode).toBe(0);
  await waitForNextSecond();
  await wipe(object);
  expect(codesOf(await project.deploy())).toEqual([]);
  await testEnvironment.cluster.apply('them', placed('dynamic-shared', { theirs: '1' }));
  expect(codesOf(await project.deploy())).toEqual(['managed-fields-cleared']);
  expect((await findingsOf(project)).codes).toEqual(['managed-fields-cleared']);
  expect(codesOf(await project.deploy(['--yes']))).toEqual(['managed-fields-cleared']);
  expect(codesOf(await project.deploy())).toEqual([]);
  project.write({ 'main.ts': testEnvironment.text({ main: [own(placed('dynamic-shared', { a: '1' }), dynamic)] }) });
  expect((await project.deploy()).only().released).toEqual([{ field: '.data.b', change: 'removed', oldValue: '1' }]);
  const kept = await project.destroy(['--delete', 'shared']);
  expect(kept.exitCode, String(kept)).toBe(0);
});

test('of such an object each deploy and doctor say it as long as nobody has agreed', async () => {
  const object = placed('dynamic-open', { a: '1', b: '1' });
  const project = testEnvironment.program({ main: [own(object, { strategy: 'dynamic' })] });
  expect((await project.deploy()).exitCode).toBe(0);
  await wipe(object);
  write(project, object);
  for (let run = 0; run < 2; run++) expect(codesOf(await project.deploy()), `run ${run}`).toEqual(['managed-fields-cleared']);
  expect((await findingsOf(project)).codes).toEqual(['managed-fields-cleared']);
  expect((await project.run(['adopt', '--yes'])).exitCode).toBe(0);
  expect(codesOf(await project.deploy())).toEqual([]);
  expect(await findingsOf(project)).toEqual({ exitCode: 0, codes: [] });
});

test('an object without owners that a stack found under the strategy dynamic moves to the server, and nobody has wiped it', async () => {
  const object = placed('dynamic-found', { a: '1' });
  await testEnvironment.cluster.create('script', object);
  await wipe(object);
  const project = testEnvironment.program({ main: [share(object, { strategy: 'dynamic' })] });
  expect((await project.deploy(['--yes'])).exitCode).toBe(0);
  project.write({ 'main.ts': testEnvironment.text({ main: [share(object)] }) });
  expect(codesOf(await project.deploy(['--yes']))).toEqual([]);
  expect(await findingsOf(project)).toEqual({ exitCode: 0, codes: [] });
});

describe('managedFields are wiped between the read of a deploy that drops a field and its apply', () => {
  test.each([
    { args: ['--yes'], declared: { a: '1' }, codes: [] },
    { args: [], declared: { a: '1' }, codes: ['managed-fields-cleared'] },
    { args: [], declared: { c: '1' }, codes: [] },
  ])('the deploy lists what was dropped (flags: $args, declared: $declared)', async ({ args, declared, codes }) => {
    const name = `raced${args.join('')}-${Object.keys(declared)}`;
    const object = placed(name, {});
    const project = await deployed(placed(name, { a: '1', b: '1' }));
    write(project, placed(name, declared));
    const proxy = await testEnvironment.proxy();
    let wiped = false;
    proxy.onRequest = async ({ method, path, query }) => {
      if (wiped || method !== 'PATCH' || !path.endsWith(`/${name}`) || query.has('dryRun')) return undefined;
      wiped = true;
      await wipe(object);
      return undefined;
    };
    const report = await project.deploy(args, { kubeconfig: proxy.kubeconfig });
    expect(wiped).toBe(true);
    expect(report.exitCode, String(report)).toBe(0);
    expect(codesOf(report)).toEqual(['managed-fields-cleared', 'dropped-after-clear']);
    expect((await testEnvironment.cluster.get(object)).data).toEqual({ a: '1', b: '1', ...declared });
    expect(codesOf(await project.deploy())).toEqual(codes);
    expect((await findingsOf(project)).codes).toEqual(codes);
  });
});
