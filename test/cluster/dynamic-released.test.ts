import { beforeAll, describe, expect, test } from 'vitest';
import { crdOf } from '../harness/crd.js';
import { eventsOf } from '../harness/events.js';
import { own, share } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('dynamic-released');

const dynamic = { strategy: 'dynamic' };
const ref = (name: string) => testEnvironment.ref('apps/v1', 'Deployment', name);
/** With values that the server takes as one and the strategy `dynamic` by their parts: selector, nodeSelector, tolerations. */
const deployment = (name: string, nodeSelector: object, spec: object = {}) => ({
  ...ref(name),
  spec: {
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: {
        nodeSelector,
        tolerations: [{ key: 'k', operator: 'Exists' }],
        containers: [{ name: 'api', image: 'a:1', args: ['x', 'y'] }],
      },
    },
    ...spec,
  },
});

describe('a report and a plan name what is dropped, and nothing that is declared', () => {
  test.each([
    { way: 'dynamic to server-side', from: dynamic, to: undefined },
    { way: 'server-side to dynamic', from: undefined, to: dynamic },
    { way: 'dynamic to dynamic', from: dynamic, to: dynamic },
  ])('$way', async ({ way, from, to }) => {
    const name = way.replaceAll(' ', '-');
    const project = testEnvironment.program({
      main: [own(deployment(name, { zone: 'a', tier: 'b' }, { minReadySeconds: 5, replicas: 3 }), from)],
    });
    expect((await project.deploy()).exitCode).toBe(0);
    project.write({ 'main.ts': testEnvironment.text({ main: [own(deployment(name, { zone: 'a' }), to)] }) });
    const released = [
      { field: '.spec.minReadySeconds', change: 'removed', oldValue: 5 },
      { field: '.spec.replicas', change: 'defaulted', oldValue: 3, newValue: 1 },
      { field: '.spec.template.spec.nodeSelector.tier', change: 'removed', oldValue: 'b' },
    ];
    const plan = await project.run(['diff', '-o', 'json']);
    const fields = eventsOf(plan.events, 'plan')[0]?.fields ?? [];
    const isReleased = ({ change }: { change: string }) => ['removed', 'defaulted', 'kept', 'item-removed'].includes(change);
    expect(fields.filter(isReleased)).toEqual(released);
    const report = await project.deploy();
    expect(report.only(), String(report)).toMatchObject({ result: 'updated', forcedConflicts: [] });
    expect(report.only().released).toEqual(released);
  });
});

describe('what ends says who keeps it, at whichever grain they own it', () => {
  test.each(['pruned', 'destroyed'])('an intent of the strategy dynamic that is %s', async (name) => {
    await testEnvironment.cluster.apply('them', deployment(name, { zone: 'a' }));
    const object = { ...ref(name), spec: { minReadySeconds: 5, template: { spec: { nodeSelector: { zone: 'a' } } } } };
    const project = testEnvironment.program({ main: [share(object, dynamic)] });
    expect((await project.deploy()).exitCode).toBe(0);
    project.write({ 'main.ts': testEnvironment.text({ main: [] }) });
    const report = name === 'pruned' ? await project.deploy(['--yes']) : await project.destroy();
    expect(report.only().released, String(report)).toEqual([
      { field: '.spec.minReadySeconds', change: 'removed', oldValue: 5 },
      {
        field: '.spec.template.spec.nodeSelector.zone',
        change: 'kept',
        oldValue: 'a',
        newValue: 'a',
        owners: [{ manager: 'them', operation: 'Apply' }],
      },
    ]);
  });

  test('a field that a server-side intent drops and a dynamic one declares', async () => {
    const app = { environment: { FIELDWISE_APP_NAME: `${testEnvironment.app}-grains` } };
    const main = testEnvironment.program({ main: [own(deployment('grains', { zone: 'a' }))] }, app);
    expect((await main.deploy()).exitCode).toBe(0);
    const object = { ...ref('grains'), spec: { template: { spec: { nodeSelector: { zone: 'a' } } } } };
    const other = testEnvironment.program({ other: [share(object, dynamic)] }, app);
    expect((await other.deploy()).exitCode).toBe(0);
    const { nodeSelector: _, ...pod } = deployment('grains', {}).spec.template.spec;
    const less = deployment('grains', {}, { template: { metadata: { labels: { app: 'grains' } }, spec: pod } });
    main.write({ 'main.ts': testEnvironment.text({ main: [own(less)] }) });
    const report = await main.deploy(['--yes']);
    const nodeSelector = { zone: 'a' };
    expect(report.only().released, String(report)).toEqual([
      {
        field: '.spec.template.spec.nodeSelector',
        change: 'kept',
        oldValue: nodeSelector,
        newValue: nodeSelector,
        owners: [{ manager: other.manager('other'), operation: 'Apply', stack: 'other' }],
      },
    ]);
    expect((await testEnvironment.cluster.get(ref('grains'))).spec.template.spec.nodeSelector).toEqual(nodeSelector);
  });
});

describe('a plan names what others have in items that go, as the run does', () => {
  const group = `${testEnvironment.app}.example.com`;
  const text = { type: 'string' };
  const routes = { type: 'array', items: { type: 'object', properties: { name: text, to: text, note: text } } };
  const gateway = (name: string, routes: object) => ({ ...testEnvironment.ref(`${group}/v1`, 'Gateway', name), spec: { routes } });
  beforeAll(() => testEnvironment.crd(crdOf(group, 'Gateway', { spec: { type: 'object', properties: { routes } } })));

  test.each([
    { how: 'an item that is no longer declared', ends: false },
    { how: 'an object that is no longer declared', ends: true },
  ])('$how', async ({ how, ends }) => {
    const name = how.split(' ')[1] as string;
    await testEnvironment.cluster.create('creator', gateway(name, [{ name: 'c' }]));
    const program = (...routes: object[]) => ({ main: routes.length > 0 ? [share(gateway(name, routes), dynamic)] : [] });
    const project = testEnvironment.program(program({ name: 'a', to: 'x' }, { name: 'b' }));
    expect((await project.deploy()).exitCode).toBe(0);
    const theirs = [{ name: 'c' }, { name: 'a', to: 'x', note: 'theirs' }, { name: 'b' }];
    await testEnvironment.cluster.patch('them', gateway(name, []), { spec: { routes: theirs } });
    project.write({ 'main.ts': testEnvironment.text(ends ? program() : program({ name: 'b' })) });
    const owners = [{ manager: 'another writer', operation: 'Update' }];
    const lost = [{ field: '.spec.routes[name="a"].note', oldValue: 'theirs', owners }];
    const goes = { field: '.spec.routes[name="a"]', change: 'item-removed', oldValue: theirs[1], collateral: lost };
    for (const args of [[], ['--read-only']]) {
      const { events } = await project.run(['diff', '-o', 'json', ...args]);
      expect(eventsOf(events, 'plan')[0]?.fields, args.join(' ')).toContainEqual(goes);
    }
    const report = await project.deploy(['--yes']);
    expect(report.only(), String(report)).toMatchObject({
      collateral: [{ field: '.spec.routes[name="a"].note', oldValue: 'theirs', from: 'another writer' }],
      released: expect.arrayContaining([goes]),
    });
  });
});
