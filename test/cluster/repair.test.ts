import { beforeAll, describe, expect, test } from 'vitest';
import { historyName } from '../../src/engine/history/history-secrets.js';
import { labelOf } from '../../src/engine/inventory/stack-identity.js';
import type { ResponseBody } from '../harness/api-client.js';
import type { ObjectRef } from '../harness/cluster.js';
import { configMapHelpers, deployed } from '../harness/config-map-helpers.js';
import { crdOf } from '../harness/crd.js';
import { eventsOf } from '../harness/events.js';
import { own, share } from '../harness/program-text.js';
import type { Project } from '../harness/project.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('repair');
const { cluster } = testEnvironment;
const { config, edit, live, owners, ref } = configMapHelpers(testEnvironment);

const repair = (project: Project, ...args: string[]) => project.run(['drift', '--repair', '-o', 'json', ...args]);
const unrepaired = (events: readonly ResponseBody[]) => eventsOf(events, 'unrepaired');
const changeByHand = (name: string, data: object = { byHand: 'edited' }) => cluster.patch('kubectl-edit', ref(name), { data });
const both = { mine: '1', byHand: 'declared' };

/** The one object that is not repaired, and an exit code that says so. */
async function notRepaired(project: Project, ...args: string[]) {
  const { events, exitCode, stderr } = await repair(project, ...args);
  expect([exitCode, stderr]).toEqual([4, '']);
  expect(eventsOf(events, 'object')).toEqual([]);
  expect(unrepaired(events)).toHaveLength(1);
  return unrepaired(events)[0]!;
}

/** The ConfigMap with the inventory of a stack. */
async function inventoryOf(project: Project, stack = 'main'): Promise<ResponseBody> {
  const all = await cluster.list('v1', 'ConfigMap', testEnvironment.namespace);
  const label = labelOf(project.manager(stack));
  return { ...all.find(({ metadata }) => metadata.labels?.['fieldwise.dev/inventory'] === label), apiVersion: 'v1', kind: 'ConfigMap' };
}

async function changeEntries(project: Project, change: (entry: ResponseBody) => ResponseBody): Promise<void> {
  const inventory = await inventoryOf(project);
  const lines = inventory.data.entries.split('\n').map((line: string) => (line === '' ? '' : JSON.stringify(change(JSON.parse(line)))));
  await cluster.patch('test', inventory as unknown as ObjectRef, { data: { entries: lines.join('\n') } });
}

const web = `import { App, Stack } from 'fieldwise';
import { container, deployment } from 'fieldwise/k8s/apps/v1';
const app = new App();
const labels = { app: 'NAME' };
new Stack(app, 'web').own(
  deployment('NAME').withSpec({
    selector: { matchLabels: labels },
    minReadySeconds: 5,
    template: { metadata: { labels }, spec: { containers: [container('web').withImage(app.node.tryGetContext('image') ?? 'web:1')] } },
  }),
);
`;

test('a repair without the flags of the deploy rolls out no other image, and names what differs', async () => {
  const project = testEnvironment.project({ 'fieldwise.yaml': 'app: main.ts\n', 'main.ts': web.replaceAll('NAME', 'flags') });
  await deployed(project, '-c', 'image=web:2');
  const deployment = testEnvironment.ref('apps/v1', 'Deployment', 'flags');
  await cluster.patch('kubectl-patch', deployment, { spec: { minReadySeconds: 9 } }, 'merge');
  const before = await cluster.resourceVersion(deployment);

  const image = '.spec.template.spec.containers[name="web"].image';
  expect(await notRepaired(project)).toMatchObject({
    object: `Deployment ${testEnvironment.namespace}/flags`,
    stack: 'web',
    reason: 'edited',
    comparedWith: 'revision',
    revision: 1,
    fields: [{ field: image, before: 'web:2', declared: 'web:1' }],
  });
  expect(await cluster.resourceVersion(deployment)).toBe(before);
  const { stdout } = await project.run(['drift', '--repair']);
  expect(stdout).toContain(`${image}: revision 1 has "web:2", the program declares "web:1"`);

  const { events, exitCode } = await repair(project, '-c', 'image=web:2');
  expect([exitCode, unrepaired(events)]).toEqual([0, []]);
  const { spec } = await cluster.get(deployment);
  expect([spec.minReadySeconds, spec.template.spec.containers[0].image]).toEqual([5, 'web:2']);
});

test('what others are not repaired for is repaired beside it', async () => {
  const project = testEnvironment.program({ main: [own(config('beside-edited', both)), own(config('beside-same', both))] });
  await deployed(project);
  for (const name of ['beside-edited', 'beside-same']) await changeByHand(name);
  edit(project, { main: [own(config('beside-edited', { ...both, mine: '2' })), own(config('beside-same', both))] });
  const { events, exitCode } = await repair(project);
  expect(exitCode).toBe(4);
  expect(eventsOf(events, 'object').map(({ name, result }) => [name, result])).toEqual([['beside-same', 'updated']]);
  expect(unrepaired(events).map(({ name }) => name)).toEqual(['beside-edited']);
  expect((await live('beside-edited')).data).toEqual({ mine: '1', byHand: 'edited' });
  expect((await live('beside-same')).data).toEqual(both);
});

describe('without a revision of the last apply, the declaration is compared with the live fields of the stack', () => {
  const differsLive = { reason: 'edited', comparedWith: 'live', fields: [{ field: '.data.mine', before: '1', declared: '2' }] };
  const edited = async (project: Project, name: string) => {
    await changeByHand(name);
    edit(project, { main: [own(config(name, { ...both, mine: '2' }))] });
  };

  test('no history is kept', async () => {
    const project = testEnvironment.program({ main: [own(config('no-history', both))] });
    project.write({ 'fieldwise.yaml': 'app: main.ts\nhistory: false\n' });
    await deployed(project);
    await edited(project, 'no-history');
    expect(await notRepaired(project)).toMatchObject(differsLive);
    expect((await project.run(['drift', '--repair'])).stdout).toContain('.data.mine: the live object has "1", the program declares "2"');
  });

  test('the last revision is older than the last deploy', async () => {
    const project = testEnvironment.program({ main: [own(config('old-history', { ...both, mine: '2' }))] });
    await deployed(project);
    edit(project, { main: [own(config('old-history', both))] });
    project.write({ 'fieldwise.yaml': 'app: main.ts\nhistory: false\n' });
    await deployed(project);
    await edited(project, 'old-history'); // as the revision has it
    expect(await notRepaired(project)).toMatchObject(differsLive);
  });

  test('the history is damaged', async () => {
    const project = testEnvironment.program({ main: [own(config('damaged', both))] });
    await deployed(project);
    await cluster.patch('attacker', testEnvironment.ref('v1', 'Secret', historyName(project.manager('main'))), {
      data: { revisions: 'e30=' },
    });
    await edited(project, 'damaged');
    expect(await notRepaired(project)).toMatchObject(differsLive);
  });

  test('the history may not be read', async () => {
    const project = testEnvironment.program({ main: [own(config('forbidden', both))] });
    await deployed(project);
    await edited(project, 'forbidden');
    const rules = [
      { apiGroups: [''], resources: ['configmaps'], verbs: ['*'] },
      { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['*'] },
    ];
    const kubeconfig = await testEnvironment.account('no-secrets', rules);
    const { events, exitCode } = await project.run(['drift', '--repair', '-o', 'json'], { kubeconfig });
    expect(exitCode).toBe(4);
    expect(unrepaired(events)).toMatchObject([differsLive]);
  });

  test('fields that are no longer declared are among them', async () => {
    const project = testEnvironment.program({ main: [own(config('given-up', both))] });
    project.write({ 'fieldwise.yaml': 'app: main.ts\nhistory: false\n' });
    await deployed(project);
    await changeByHand('given-up');
    edit(project, { main: [own(config('given-up', { byHand: 'declared' }))] });
    expect((await notRepaired(project)).fields).toEqual([{ field: '.data.mine', before: '1' }]);
  });
});

test('an object that is gone is not made from another declaration than the last one', async () => {
  const project = testEnvironment.program({ main: [own(config('gone', both))] });
  await deployed(project);
  await cluster.remove(ref('gone'));
  edit(project, { main: [own(config('gone', { ...both, mine: '2' }))] });
  expect(await notRepaired(project)).toMatchObject({
    reason: 'edited',
    revision: 1,
    fields: [{ field: '.data.mine', before: '1', declared: '2' }],
  });
  expect(await cluster.find(ref('gone'))).toBeUndefined();
});

describe('what the inventory does not show to be applied is not repaired', () => {
  test('an entry without a digest, as another version may have written it', async () => {
    const project = testEnvironment.program({ main: [own(config('no-digest', both))] });
    await deployed(project);
    await changeEntries(project, ({ intent: _, ...entry }) => entry);
    await changeByHand('no-digest');
    expect(await notRepaired(project)).toMatchObject({ reason: 'unrecorded' });
    await deployed(project);
    await changeByHand('no-digest');
    expect(await repair(project)).toMatchObject({ exitCode: 0 });
    expect((await live('no-digest')).data).toEqual(both);
  });

  test('an apply of a killed run that never came to an end', async () => {
    const project = testEnvironment.program({ main: [own(config('killed', both))] });
    await deployed(project);
    edit(project, { main: [own(config('killed', { ...both, mine: '2' }))] });
    const isRecorded = ({ method, path }: { method: string; path: string }) => method === 'PUT' && path.includes('/configmaps/');
    expect(await testEnvironment.killRun((options) => project.run(['deploy'], options), isRecorded)).toBe(true);
    await changeByHand('killed');
    expect(await notRepaired(project)).toMatchObject({
      reason: 'unanswered',
      revision: 1,
      fields: [{ field: '.data.mine', before: '1', declared: '2' }],
    });
    expect((await live('killed')).data).toEqual({ mine: '1', byHand: 'edited' });
    await deployed(project);
    await changeByHand('killed');
    expect(await repair(project)).toMatchObject({ exitCode: 0 });
  });

  test('an apply that the server refused, though it is declared as before it', async () => {
    const service = (port: number) => ({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'refused' }, spec: { ports: [{ port }] } });
    const project = testEnvironment.program({ main: [own(service(80))] });
    await deployed(project);
    edit(project, { main: [own(service(-1))] });
    expect((await project.deploy()).exitCode).toBe(4);
    edit(project, { main: [own(service(80))] });
    await cluster.remove(testEnvironment.ref('v1', 'Service', 'refused'));
    expect(await notRepaired(project)).toMatchObject({ reason: 'unanswered' });
  });
});

describe('what is one value is repaired again and again', () => {
  const group = `whole.${testEnvironment.namespace}.example.com`;
  const lists = { type: 'object', properties: { args: { type: 'array', items: { type: 'string' } } } };
  const service = { apiVersion: 'v1', kind: 'Service', spec: { selector: { app: 'mine' }, ports: [{ port: 80 }] } };

  beforeAll(() => testEnvironment.crd(crdOf(group, 'Whole', { spec: lists })));

  test.each([
    { what: 'a map', intent: service, path: '/spec/selector', values: [{ app: 'first' }, { app: 'second' }] },
    {
      what: 'a list of a custom resource',
      intent: { apiVersion: `${group}/v1`, kind: 'Whole', spec: { args: ['mine'] } },
      path: '/spec/args',
      values: [['first'], ['second']],
    },
  ])('$what', async ({ intent, path, values }) => {
    const object = testEnvironment.ref(intent.apiVersion, intent.kind, 'whole');
    const project = testEnvironment.program({ main: [own({ ...intent, metadata: { name: 'whole' } })] });
    await deployed(project);
    for (const value of values) {
      await cluster.patch('kubectl-patch', object, [{ op: 'replace', path, value }], 'json');
      const { events, exitCode } = await repair(project);
      expect([exitCode, unrepaired(events)]).toEqual([0, []]);
      expect((await cluster.get(object)).spec).toMatchObject(intent.spec);
    }
  });
});

describe('a stack that was renamed and not deployed since', () => {
  const program = (data: object) =>
    testEnvironment
      .text({ fresh: [own(config('renamed', data)), own(config('renamed-too', data))] })
      .replace('"fresh")', '"fresh", { renamedFrom: "main" })');
  let project: Project;
  let former: string;

  beforeAll(async () => {
    project = testEnvironment.program({ main: [own(config('renamed', both)), own(config('renamed-too', both))] });
    await deployed(project);
    former = project.manager('main');
    await changeByHand('renamed');
  });

  test('with another declaration: not repaired, and compared with the revision under the former name', async () => {
    project.write({ 'main.ts': program({ ...both, mine: '2' }) });
    expect(await notRepaired(project)).toMatchObject({
      stack: 'fresh',
      comparedWith: 'revision',
      revision: 1,
      fields: [{ field: '.data.mine', before: '1', declared: '2' }],
    });
  });

  test('with the same declaration: repaired, object after object', async () => {
    project.write({ 'main.ts': program(both) });
    for (const name of ['renamed', 'renamed-too']) {
      if (name === 'renamed-too') await changeByHand(name);
      const { events, exitCode } = await repair(project);
      expect([exitCode, unrepaired(events)]).toEqual([0, []]);
      expect((await live(name)).data).toEqual(both);
      expect(Object.keys(await owners(name))).not.toContain(former);
    }
  });
});

describe('what is declared with the same fields, and otherwise', () => {
  test.each([
    { what: 'shared instead of owned', declared: share(config('shared-now', both)), name: 'shared-now' },
    { what: 'merged client-side', declared: own(config('dynamic-now', both), { strategy: 'dynamic' }), name: 'dynamic-now' },
  ])('$what: a deploy does that, and no repair', async ({ declared, name }) => {
    const project = testEnvironment.program({ main: [own(config(name, both))] });
    await deployed(project);
    await changeByHand(name);
    edit(project, { main: [declared] });
    expect(await notRepaired(project)).toMatchObject({ reason: 'edited', fields: [] });
    expect((await live(name)).data.byHand).toBe('edited');
  });
});

describe('under the strategy dynamic', () => {
  test('what was applied last is restored, and another declaration is not applied', async () => {
    const declared = (data: object) => ({ main: [own(config('merged', data), { strategy: 'dynamic' })] });
    const project = testEnvironment.program(declared(both));
    await deployed(project);
    await changeByHand('merged');
    edit(project, declared({ ...both, mine: '2' }));
    expect(await notRepaired(project)).toMatchObject({ revision: 1, fields: [{ field: '.data.mine', before: '1', declared: '2' }] });
    edit(project, declared(both));
    expect(await repair(project)).toMatchObject({ exitCode: 0 });
    expect((await live('merged')).data).toEqual(both);
  });
});

test('an item of a custom list is named by its keys', async () => {
  const spec = {
    type: 'object',
    properties: {
      class: { type: 'string' },
      hosts: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['host'],
        items: { type: 'object', required: ['host'], properties: { host: { type: 'string' }, to: { type: 'string' } } },
      },
    },
  };
  const group = `${testEnvironment.namespace}.example.com`;
  await testEnvironment.crd(crdOf(group, 'Edge', { spec }));
  const edge = (to: string) => ({
    apiVersion: `${group}/v1`,
    kind: 'Edge',
    metadata: { name: 'e' },
    spec: { class: 'a', hosts: [{ host: 'x', to }] },
  });
  const project = testEnvironment.program({ main: [own(edge('web'))] });
  await deployed(project);
  await cluster.patch('kubectl-edit', testEnvironment.ref(`${group}/v1`, 'Edge', 'e'), { spec: { class: 'b' } }, 'merge');
  edit(project, { main: [own(edge('other'))] });
  expect((await notRepaired(project)).fields).toEqual([{ field: '.spec.hosts[host="x"].to', before: 'web', declared: 'other' }]);
});

test('values of Secrets are compared and not shown', async () => {
  const secret = (password: string) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'key' },
    stringData: { password },
    data: { other: 'YQ==' },
  });
  const project = testEnvironment.program({ main: [own(secret('correct horse'))] });
  await deployed(project);
  await cluster.patch('kubectl-edit', testEnvironment.ref('v1', 'Secret', 'key'), { data: { other: 'Yg==' } });
  edit(project, { main: [own(secret('battery staple'))] });
  const found = await notRepaired(project);
  expect(found).toMatchObject({ comparedWith: 'revision', fields: [{ field: '.data.password', before: '***', declared: '***' }] });
  const { stdout, stderr } = await project.run(['drift', '--repair']);
  expect(stdout).toContain('.data.password');
  expect(stdout + stderr).not.toMatch(/horse|battery|Y29ycmVjdC|YmF0dGVy/);
});

test('a deploy between the comparison and the lock of the repair wins', async () => {
  const sameApp = { environment: { FIELDWISE_APP_NAME: `${testEnvironment.app}-raced` } };
  const project = testEnvironment.program({ main: [own(config('raced', both))] }, sameApp);
  const other = testEnvironment.program({ main: [own(config('raced', { ...both, mine: '2' }))] }, sameApp);
  await deployed(project);
  await changeByHand('raced');
  const proxy = await testEnvironment.proxy();
  let isDeployed = false;
  proxy.onRequest = async ({ method, path }) => {
    if (isDeployed || method === 'GET' || !path.includes('/leases')) return undefined;
    isDeployed = true;
    await deployed(other);
    return undefined;
  };
  const { events, exitCode } = await project.run(['drift', '--repair', '-o', 'json'], { kubeconfig: proxy.kubeconfig });
  expect([isDeployed, exitCode]).toEqual([true, 4]);
  expect(eventsOf(events, 'refused')).toMatchObject([{ error: { code: 'repair-outdated' } }]);
  expect((await live('raced')).data).toEqual({ ...both, mine: '2' });
});

test('a repair says which fields it restores', async () => {
  const project = testEnvironment.program({ main: [own(config('told', both))] });
  await deployed(project);
  await cluster.patch('kubectl-patch', ref('told'), { data: { mine: null } });
  const { events, exitCode } = await repair(project);
  expect(exitCode).toBe(0);
  expect(eventsOf(events, 'object')).toMatchObject([{ result: 'updated', changed: [{ field: '.data.mine', newValue: '1' }] }]);
  expect(eventsOf(events, 'object')[0]).not.toHaveProperty('notRead');
});
