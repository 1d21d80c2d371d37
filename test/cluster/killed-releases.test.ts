import { describe, expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.js';
import type { ProxiedRequest } from '../harness/interception-proxy.js';
import { own, share } from '../harness/program-text.js';
import type { Project } from '../harness/project.js';
import { nthWrite, TestEnvironment, waitForNextSecond } from '../harness/test-environment.js';

// A run releases, removes or overwrites something, and is killed before it can say so: the next run says it.

const testEnvironment = await TestEnvironment.create('killed-releases');
const { cluster } = testEnvironment;

const config = (name: string, data: object) => ({ ...testEnvironment.ref('v1', 'ConfigMap', name), data });
const service = (name: string, spec: object) => ({
  ...testEnvironment.ref('v1', 'Service', name),
  spec: { ports: [{ port: 80 }], ...spec },
});
const deployment = (name: string, spec: object, containers: readonly object[] = [{ name: 'web', image: 'web:1' }]) => ({
  ...testEnvironment.ref('apps/v1', 'Deployment', name),
  spec: {
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers } },
    ...spec,
  },
});
const side = { name: 'side', image: 'side:1' };

type Declared = Parameters<typeof testEnvironment.text>[0];

const isWriteOf = ({ method, path, query, status }: ProxiedRequest, name: string) =>
  method === 'PATCH' && path.endsWith(`/${name}`) && query.get('dryRun') === null && status === 200;

function edit(project: Project, stacks: Declared): void {
  project.write({ 'main.ts': testEnvironment.text(stacks) });
}

/** Deploys one program and then another one, whose run is killed as soon as the server has carried out its write to the object. */
async function killed(name: string, before: Declared, after: Declared, between: () => Promise<unknown> = async () => {}): Promise<Project> {
  const project = testEnvironment.program(before);
  expect((await project.deploy(['--yes'])).exitCode).toBe(0);
  await between();
  await waitForNextSecond();
  edit(project, after);
  const run = testEnvironment.killRun(
    (options) => project.deploy(['--yes', '--prune'], options),
    (request) => isWriteOf(request, name),
  );
  expect(await run).toBe(true);
  return project;
}

interface Case {
  readonly name: string;
  readonly before: object;
  readonly after: object;
  between?(name: string): Promise<unknown>;
  readonly told: object;
}

const cases: Readonly<Record<string, Case>> = {
  'a field that is removed': {
    name: 'removed',
    before: config('removed', { a: '1', b: '2' }),
    after: config('removed', { a: '1' }),
    told: { released: [{ field: '.data.b', change: 'removed', oldValue: '2', earlier: true }] },
  },
  'a field that gets its default': {
    name: 'defaulted',
    before: service('defaulted', { sessionAffinity: 'ClientIP' }),
    after: service('defaulted', {}),
    told: { released: [{ field: '.spec.sessionAffinity', change: 'defaulted', oldValue: 'ClientIP', newValue: 'None', earlier: true }] },
  },
  'a field that another manager keeps': {
    name: 'kept',
    before: config('kept', { a: '1', b: '2' }),
    after: config('kept', { a: '1' }),
    between: (name) => cluster.apply('other', config(name, { b: '2' })),
    told: {
      released: [
        {
          field: '.data.b',
          change: 'kept',
          oldValue: '2',
          newValue: '2',
          owners: [{ manager: 'other', operation: 'Apply' }],
          earlier: true,
        },
      ],
    },
  },
  'an item with a field of another manager': {
    name: 'along',
    before: deployment('along', {}, [{ name: 'web', image: 'web:1' }, side]),
    after: deployment('along', {}),
    between: (name) => {
      const containers = [{ name: 'side', imagePullPolicy: 'Never' }];
      return cluster.patch('tuner', deployment(name, {}), { spec: { template: { spec: { containers } } } }, 'strategic');
    },
    told: {
      collateral: [
        {
          field: '.spec.template.spec.containers[name="side"].imagePullPolicy',
          from: 'tuner',
          operation: 'Update',
          oldValue: 'Never',
          earlier: true,
        },
      ],
    },
  },
  'a value that had no owner': {
    name: 'unowned',
    before: deployment('unowned', {}),
    after: deployment('unowned', { replicas: 3 }),
    told: { overwritten: [{ field: '.spec.replicas', oldValue: 1, newValue: 3, earlier: true }] },
  },
};

describe.each(Object.entries(cases))('%s', (_, { name, before, after, between, told }) => {
  test('a run is killed after its write: the next one says it, once', async () => {
    const project = await killed(name, { main: [own(before)] }, { main: [own(after)] }, () => between?.(name) ?? Promise.resolve());
    const report = await project.deploy(['--yes']);
    expect(report.only(name), String(report)).toMatchObject({ result: 'unchanged', ...told });
    const again = await project.deploy(['--yes']);
    for (const list of ['released', 'overwritten', 'collateral']) expect(again.only(name)).not.toHaveProperty(list);
    expect(await notesOf(project)).toEqual([]);
  });

  test('a run is killed before its write: the next one does it, and says it as its own', async () => {
    const other = JSON.parse(JSON.stringify([before, after]).replaceAll(`"${name}"`, `"${name}-not"`)) as [object, object];
    const project = testEnvironment.program({ main: [own(other[0])] });
    expect((await project.deploy(['--yes'])).exitCode).toBe(0);
    await between?.(`${name}-not`);
    edit(project, { main: [own(other[1])] });
    const proxy = await testEnvironment.proxy();
    const kill = new AbortController();
    proxy.onRequest = (request) => {
      if (request.method !== 'PATCH' || !request.path.endsWith(`/${name}-not`) || request.query.get('dryRun') !== null) return undefined;
      kill.abort();
      return 'drop';
    };
    expect((await project.deploy(['--yes'], { kubeconfig: proxy.kubeconfig, signal: kill.signal })).exitCode).toBe(-1);
    await testEnvironment.freeLeases();
    proxy.onRequest = () => undefined;
    const report = (await project.deploy(['--yes'])).only(`${name}-not`);
    const lists = ['released', 'overwritten', 'collateral'].flatMap((list) => (report as never as ResponseBody)[list] ?? []);
    expect(lists.length).toBeGreaterThan(0);
    expect(lists.filter((field: ResponseBody) => field.earlier)).toEqual([]);
  });
});

describe('a share', () => {
  const told = { released: [{ field: '.data.b', change: 'perhaps', oldValue: '2', earlier: true }] };

  test('that is pruned: the next deploy says what it was', async () => {
    await cluster.create('other', config('pruned', { theirs: '1' }));
    const stays = own(config('pruned-stays', { a: '1' }));
    const project = await killed('pruned', { main: [share(config('pruned', { b: '2' })), stays] }, { main: [stays] });
    const report = await project.deploy(['--yes', '--prune']);
    expect(report.only('pruned'), String(report)).toMatchObject(told);
    expect(await notesOf(project)).toEqual([]);
  });

  test('that is destroyed: the next destroy says what it was', async () => {
    await cluster.create('other', config('destroyed', { theirs: '1' }));
    const project = testEnvironment.program({ main: [share(config('destroyed', { b: '2' }))] });
    expect((await project.deploy(['--yes'])).exitCode).toBe(0);
    const run = testEnvironment.killRun(
      (options) => project.destroy(['--yes'], options),
      (request) => isWriteOf(request, 'destroyed'),
    );
    expect(await run).toBe(true);
    const report = await project.destroy(['--yes']);
    expect(report.only('destroyed'), String(report)).toMatchObject(told);
    expect(await recordsOf(project)).toEqual([]);
  });
});

test('an object that is replaced, in a run that is killed after the deletion: the next one says what others had in its metadata', async () => {
  const labelled = (app: string) => ({
    ...testEnvironment.ref('apps/v1', 'Deployment', 'replaced'),
    spec: {
      selector: { matchLabels: { app } },
      template: { metadata: { labels: { app } }, spec: { containers: [{ name: 'web', image: 'web:1' }] } },
    },
  });
  const project = testEnvironment.program({ main: [own(labelled('old'), { replace: true })] });
  expect((await project.deploy(['--yes'])).exitCode).toBe(0);
  const annotations = { 'example.com/contact': 'them' };
  await cluster.patch('other', labelled('old'), { metadata: { annotations } });
  edit(project, { main: [own(labelled('new'), { replace: true })] });
  const run = testEnvironment.killRun(
    (options) => project.deploy(['--yes'], options),
    ({ method, path, status }) => method === 'DELETE' && path.endsWith('/replaced') && status === 200,
  );
  expect(await run).toBe(true);
  const report = await project.deploy(['--yes']);
  const lost = { from: 'other', operation: 'Update', oldValue: 'them', perhaps: true, earlier: true };
  expect(report.only('replaced'), String(report)).toMatchObject({
    result: 'created',
    collateral: [{ field: '.metadata.annotations.example.com/contact', ...lost }],
  });
  expect((await project.deploy(['--yes'])).only('replaced')).not.toHaveProperty('collateral');
  expect(await notesOf(project)).toEqual([]);
});

test('no value of a Secret is noted', async () => {
  const secret = (data: object) => ({ ...testEnvironment.ref('v1', 'Secret', 'hidden'), stringData: data });
  const canary = 'canary-of-the-secret';
  const project = testEnvironment.program({ main: [own(secret({ a: '1', b: canary }))] });
  expect((await project.deploy(['--yes'])).exitCode).toBe(0);
  await waitForNextSecond();
  edit(project, { main: [own(secret({ a: '1' }))] });
  const run = testEnvironment.killRun(
    (options) => project.deploy(['--yes'], options),
    (request) => isWriteOf(request, 'hidden'),
  );
  expect(await run).toBe(true);
  expect(await notesOf(project)).toEqual([expect.stringContaining('.data.b')]);
  const stored = JSON.stringify(await recordsOf(project));
  expect(stored).not.toContain(canary);
  expect(stored).not.toContain(Buffer.from(canary).toString('base64'));
  const report = await project.deploy(['--yes']);
  expect(report.only('hidden'), String(report)).toMatchObject({ released: [{ field: '.data.b', change: 'removed', earlier: true }] });
  expect(String(report)).not.toContain(canary);
});

test('a run that is killed at any of its writes: the change is told by it, by the next one, or made by the next one', async () => {
  for (let n = 1; ; n++) {
    const name = `each-${n}`;
    const project = testEnvironment.program({ main: [own(config(name, { a: '1', b: '2' }))] });
    expect((await project.deploy(['--yes'])).exitCode).toBe(0);
    edit(project, { main: [own(config(name, { a: '1' }))] });
    let said = '';
    const isKilled = await testEnvironment.killRun(async (options) => {
      const report = await project.deploy(['--yes'], options);
      said = String(report);
      return report;
    }, nthWrite(n));
    if (!isKilled) {
      expect(n).toBeGreaterThan(3);
      return;
    }
    const report = await project.deploy(['--yes']);
    const told = [said, JSON.stringify(report.only(name))].filter(
      (text) => /"field":"\.data\.b"/.test(text) && text.includes('"oldValue":"2"'),
    );
    expect(told.length, `write ${n}: ${said}\n${report}`).toBeGreaterThan(0);
  }
});

async function recordsOf(project: Project): Promise<readonly string[]> {
  const manager = project.manager('main');
  const maps = await cluster.list('v1', 'ConfigMap', testEnvironment.namespace);
  return maps.flatMap(({ data }) => (data?.manager === manager ? [String(data.entries)] : []));
}

/** The lines of the inventory that have a note. */
async function notesOf(project: Project): Promise<readonly string[]> {
  return (await recordsOf(project)).flatMap((entries) => entries.split('\n')).filter((line) => line.includes('pendingForces'));
}
