import { describe, expect, test } from 'vitest';
import type { ChangedField, PlannedField, PlannedObject } from '../../src/deploy/index.js';
import { configMapHelpers, deployed } from '../harness/config-map-helpers.js';
import { own, share } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('changed');
const proxy = await testEnvironment.proxy();
const { config, placed } = configMapHelpers(testEnvironment);
const ref = (kind: string, name: string, apiVersion = 'v1') => testEnvironment.ref(apiVersion, kind, name);

const deployment = (name: string, { replicas, ...container }: { readonly replicas: number; readonly [member: string]: unknown }) => ({
  ...ref('Deployment', name, 'apps/v1'),
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'api', image: 'registry.example.com/a:1', ...container }] },
    },
  },
});

/** Deploys one object after another under one name, each as a plan has said, and returns the report of the last. */
async function deployedInTurn(objects: readonly object[]) {
  const [first, ...others] = objects as readonly [object, ...object[]];
  const project = testEnvironment.program({ main: [own(first)] });
  let report = (await deployed(project)).only();
  for (const object of others) {
    project.write({ 'main.ts': testEnvironment.text({ main: [own(object)] }) });
    const { events } = await project.run(['diff', '-o', 'json']);
    const planned = events.find(({ event }) => event === 'plan') as PlannedObject | undefined;
    report = (await deployed(project)).only();
    expect(report.changed ?? []).toEqual(rowsOf(planned?.fields ?? []));
  }
  return report;
}

/** The rows of a plan that the record has as `changed`. */
function rowsOf(fields: readonly PlannedField[]): readonly ChangedField[] {
  return fields.flatMap(({ field, change, oldValue, newValue, owners, gained }) => {
    const isKept = change === 'same' || change === 'co-own';
    if (!['set', 'change', 'reorder', 'server'].includes(change) && !(isKept && gained)) return [];
    const values = { ...(oldValue === undefined ? {} : { oldValue }), ...(newValue === undefined ? {} : { newValue }) };
    return [{ field, change, ...values, ...(owners ? { owners } : {}) } as ChangedField];
  });
}

const image = '.spec.template.spec.containers[name="api"].image';

test('the record names each declared field that was set or changed, with both values, as the plan does', async () => {
  const report = await deployedInTurn([
    deployment('image', { replicas: 2 }),
    deployment('image', { replicas: 2, image: 'registry.example.com/a:2', workingDir: '/srv' }),
  ]);
  expect(report.changed).toEqual([
    { field: image, change: 'change', oldValue: 'registry.example.com/a:1', newValue: 'registry.example.com/a:2' },
    { field: '.spec.template.spec.containers[name="api"].workingDir', change: 'set', newValue: '/srv' },
  ]);
  expect(report.sensitive).toBeUndefined();
});

test('an item that stands in a list twice is named once, with all that it was', async () => {
  const twice = { name: 'A', value: '1' };
  await testEnvironment.cluster.create('person', deployment('twice', { replicas: 1, env: [twice, twice] }));
  const project = testEnvironment.program({ main: [own(deployment('twice', { replicas: 1, env: [{ name: 'A', value: '2' }] }))] });
  const report = (await project.deploy(['--yes'])).only();
  const field = '.spec.template.spec.containers[name="api"].env[name="A"]';
  expect(report.forcedConflicts).toContainEqual(expect.objectContaining({ field, oldValue: [twice, twice] }));
  expect((report.changed ?? []).filter(({ change }) => change === 'server')).toEqual([]);
});

test('an unchanged deploy and a new object list nothing', async () => {
  const project = testEnvironment.program({ main: [own(deployment('same', { replicas: 1 }))] });
  const reports = [(await deployed(project)).only(), (await deployed(project)).only()];
  expect(reports.map(({ result }) => result)).toEqual(['created', 'unchanged']);
  for (const report of reports) expect([report.changed, report.sensitive]).toEqual([undefined, undefined]);
});

test('what is scaled to 0 is said, in the text, too', async () => {
  const report = await deployedInTurn([deployment('zero', { replicas: 2 }), deployment('zero', { replicas: 0 })]);
  expect(report.changed).toEqual([{ field: '.spec.replicas', change: 'change', oldValue: 2, newValue: 0 }]);
  expect(report.sensitive).toEqual(['scaled-to-zero']);
  const project = testEnvironment.program({ main: [own(deployment('text', { replicas: 2 }))] });
  await deployed(project);
  project.write({ 'main.ts': testEnvironment.text({ main: [own(deployment('text', { replicas: 0 }))] }) });
  const { stdout } = await project.run(['deploy', '--problems']);
  expect(stdout).toContain('    change  .spec.replicas: 2 → 0\n    scales to 0 replicas\n');
});

test('a replica count that is taken from somebody and is 0 now is said, too', async () => {
  const scaled = { ...ref('Deployment', 'taken', 'apps/v1'), spec: { replicas: 5 } };
  const project = testEnvironment.program({ main: [own(deployment('taken', { replicas: 2 }))] });
  await deployed(project);
  await testEnvironment.cluster.apply('rival', scaled, { force: true });
  project.write({ 'main.ts': testEnvironment.text({ main: [own(deployment('taken', { replicas: 0 }))] }) });
  const report = (await deployed(project)).only();
  expect(report).toMatchObject({ forcedConflicts: [{ field: '.spec.replicas' }], sensitive: ['scaled-to-zero'] });
  expect(report.changed).toBeUndefined();
});

test('new rights and new privileges are said', async () => {
  const privileged = deployment('privileged', { replicas: 1, securityContext: { allowPrivilegeEscalation: true } });
  expect(await deployedInTurn([privileged])).toMatchObject({ result: 'created', sensitive: ['privileged-pod'] });
  const role = { ...ref('Role', 'reader', 'rbac.authorization.k8s.io/v1'), rules: [] };
  expect(await deployedInTurn([role])).toMatchObject({ result: 'created', sensitive: ['rights-changed'] });
});

test('a share lists what it adds, and values of a Secret are masked', async () => {
  const secret = (data: object) => ({ ...ref('Secret', 'shared'), stringData: data });
  await testEnvironment.cluster.apply('platform', secret({ theirs: 'x' }));
  const project = testEnvironment.program({ main: [share(secret({ ours: 'canary-of-a-secret' }))] });
  const report = (await deployed(project)).only();
  expect(report.changed).toEqual([{ field: '.data.ours', change: 'set', newValue: '***' }]);
  expect(JSON.stringify(report)).not.toContain('canary');
});

const sendings = ['server-side', 'dynamic'].flatMap((strategy) =>
  (['answer lost', 'sent twice'] as const).flatMap((fault) =>
    ['contested', 'not contested'].map((contest) => [strategy, fault, contest] as const),
  ),
);

// Within one second, the time of an entry in managedFields does not show which of two sendings has written.
test.each(sendings)('strategy %s, %s, %s: the changes are listed, and what is given up', async (strategy, fault, contest) => {
  const isContested = contest === 'contested';
  const name = `${strategy}-${fault}-${contest}`.replaceAll(' ', '-');
  const declared = (data: object) => testEnvironment.text({ main: [own(config(name, data), { strategy })] });
  const project = testEnvironment.program({});
  project.write({ 'main.ts': declared({ a: '1', b: '2', c: '3' }) });
  await deployed(project);
  if (isContested) await testEnvironment.cluster.apply('rival', placed(name, { a: 'theirs' }), { force: true });
  project.write({ 'main.ts': declared({ a: '9', c: '9', d: '9' }) });
  let met = 0;
  const isFirst = (method: string, path: string) => method !== 'GET' && path.endsWith(`/${name}`) && met++ === 0;
  proxy.onRequest = ({ method, path }) => (fault === 'sent twice' && isFirst(method, path) ? 'duplicate' : undefined);
  proxy.onResponse = ({ method, path }) => (fault === 'answer lost' && isFirst(method, path) ? 'lose' : undefined);
  const report = (await project.deploy([], { kubeconfig: proxy.kubeconfig })).only();
  proxy.onRequest = () => undefined;
  proxy.onResponse = () => undefined;
  expect(met).toBeGreaterThan(0);
  expect(report.changed).toEqual([
    ...(isContested ? [] : [{ field: '.data.a', change: 'change', oldValue: '1', newValue: '9' }]),
    { field: '.data.c', change: 'change', oldValue: '3', newValue: '9' },
    { field: '.data.d', change: 'set', newValue: '9' },
  ]);
  expect(report.forcedConflicts).toHaveLength(isContested ? 1 : 0);
  expect(report.released).toEqual([{ field: '.data.b', change: expect.stringMatching(/^(removed|perhaps)$/) as unknown, oldValue: '2' }]);
});

describe('what a write changes beside what it declares', () => {
  const service = (name: string, spec: object) => ({
    ...ref('Service', name),
    spec: { selector: { app: name }, ports: [{ port: 80, protocol: 'TCP' }], ...spec },
  });

  test('a value of others that the server removes', async () => {
    const project = testEnvironment.program({ main: [own(service('lost', { type: 'NodePort', sessionAffinity: 'ClientIP' }))] });
    await deployed(project);
    await testEnvironment.cluster.apply(
      'netops',
      service('lost', {
        ports: [{ port: 80, protocol: 'TCP', nodePort: 31_778 }],
        sessionAffinityConfig: { clientIP: { timeoutSeconds: 60 } },
      }),
      { force: true },
    );
    project.write({ 'main.ts': testEnvironment.text({ main: [own(service('lost', { type: 'ClusterIP', sessionAffinity: 'None' }))] }) });
    const { events } = await project.run(['diff', '-o', 'json']);
    const planned = events.find(({ event }) => event === 'plan') as PlannedObject | undefined;
    const removed = planned?.fields.filter(({ change }) => change === 'removed') ?? [];
    expect(removed).toMatchObject([
      { field: '.spec.ports[port=80,protocol="TCP"].nodePort', oldValue: 31_778, owners: [{ manager: 'netops' }] },
      { field: '.spec.sessionAffinityConfig.clientIP.timeoutSeconds', oldValue: 60, owners: [{ manager: 'netops' }] },
    ]);
    const report = (await deployed(project)).only();
    expect(report.released).toEqual(removed);
    expect(report.changed).toEqual(rowsOf(planned?.fields ?? []));
  });

  test('values that the server sets', async () => {
    const project = testEnvironment.program({ main: [own(service('opens', {}))] });
    await deployed(project);
    project.write({ 'main.ts': testEnvironment.text({ main: [own(service('opens', { type: 'NodePort' }))] }) });
    const { changed, overwritten } = (await deployed(project)).only();
    expect(overwritten).toEqual([{ field: '.spec.type', oldValue: 'ClusterIP', newValue: 'NodePort' }]);
    expect(changed).toEqual([
      { field: '.spec.ports[port=80,protocol="TCP"].nodePort', change: 'server', newValue: expect.any(Number) as number },
      { field: '.spec.externalTrafficPolicy', change: 'server', newValue: 'Cluster' },
    ]);
  });

  test('a new order of items', async () => {
    const init = (name: string) => ({ name, image: 'registry.example.com/a:1' });
    const ordered = (names: readonly string[]) => {
      const object = deployment('ordered', { replicas: 1 });
      object.spec.template.spec = { ...object.spec.template.spec, initContainers: names.map(init) } as never;
      return object;
    };
    const report = await deployedInTurn([ordered(['migrate', 'seed']), ordered(['seed', 'migrate'])]);
    expect(report.changed).toEqual([
      { field: '.spec.template.spec.initContainers', change: 'reorder', oldValue: ['migrate', 'seed'], newValue: ['seed', 'migrate'] },
    ]);
  });

  test('a new item, with what the server fills in', async () => {
    const sidecar = { name: 'sidecar', image: 'registry.example.com/b:1' };
    const withSidecar = deployment('sidecar', { replicas: 1 });
    withSidecar.spec.template.spec.containers.push(sidecar);
    const report = await deployedInTurn([deployment('sidecar', { replicas: 1 }), withSidecar]);
    const at = '.spec.template.spec.containers[name="sidecar"]';
    expect(report.changed).toContainEqual({ field: `${at}.image`, change: 'set', newValue: 'registry.example.com/b:1' });
    expect(report.changed).toContainEqual({ field: `${at}.terminationMessagePath`, change: 'server', newValue: '/dev/termination-log' });
  });

  test('a declared field with an equal value that others own', async () => {
    const project = testEnvironment.program({ main: [own(config('joined', { a: '1' }))] });
    await deployed(project);
    await testEnvironment.cluster.apply('platform', placed('joined', { b: '2' }));
    project.write({ 'main.ts': testEnvironment.text({ main: [own(config('joined', { a: '1', b: '2' }))] }) });
    expect((await deployed(project)).only().changed).toEqual([
      { field: '.data.b', change: 'co-own', oldValue: '2', newValue: '2', owners: [{ manager: 'platform', operation: 'Apply' }] },
    ]);
  });

  test.each([true, false])(
    'a value that somebody else sets between the read and the apply is not told as ours (by apply: %s)',
    async (byApply) => {
      const name = `between-${byApply}`;
      const project = testEnvironment.program({ main: [own(config(name, { a: '2' }))] });
      await deployed(project);
      project.write({ 'main.ts': testEnvironment.text({ main: [own(config(name, { a: '3', n: '1' }))] }) });
      let met = 0;
      proxy.onRequest = async ({ method, path }) => {
        if (method !== 'PATCH' || !path.endsWith(`/${name}`) || met++ > 0) return undefined;
        const data = { a: '3', n: '1', w: '1' };
        if (byApply) await testEnvironment.cluster.apply('rival', placed(name, data), { force: true });
        else await testEnvironment.cluster.patch('rival', placed(name), { data });
        return undefined;
      };
      const report = (await project.deploy([], { kubeconfig: proxy.kubeconfig })).only();
      proxy.onRequest = () => undefined;
      expect(met).toBe(2);
      const owners = [{ manager: 'rival', operation: byApply ? 'Apply' : 'Update' }];
      expect(report.changed).toEqual([
        { field: '.data.a', change: 'co-own', oldValue: '3', newValue: '3', owners },
        { field: '.data.n', change: 'co-own', oldValue: '1', newValue: '1', owners },
      ]);
      expect([report.overwritten, report.released]).toEqual([undefined, undefined]);
    },
  );

  test('a map that is declared empty: of its members, only ours are told', async () => {
    const project = testEnvironment.program({ main: [own(config('emptied', { a: '1' }))] });
    await deployed(project);
    await testEnvironment.cluster.patch('somebody', placed('emptied'), { data: { foreign: 'stays' } });
    project.write({ 'main.ts': testEnvironment.text({ main: [own(config('emptied', {}))] }) });
    const report = (await deployed(project)).only();
    expect(report.released).toMatchObject([{ field: '.data.a', change: 'removed' }]);
    expect([report.overwritten, report.changed?.filter(({ change }) => change !== 'same')]).toEqual([undefined, []]);
  });

  test('a map that is new, with labels whose names have dots: its members alone are told', async () => {
    const labels = { 'app.kubernetes.io/name': 'x', plain: 'y' };
    const project = testEnvironment.program({ main: [own(config('labelled', { a: '1' }))] });
    await deployed(project);
    const labelled = { ...config('labelled', { a: '1' }), metadata: { name: 'labelled', labels } };
    project.write({ 'main.ts': testEnvironment.text({ main: [own(labelled)] }) });
    expect((await deployed(project)).only().changed).toEqual([
      { field: '.metadata.labels.app.kubernetes.io/name', change: 'set', newValue: 'x' },
      { field: '.metadata.labels.plain', change: 'set', newValue: 'y' },
    ]);
  });
});
