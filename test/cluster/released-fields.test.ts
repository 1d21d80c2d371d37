import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { configMapHelpers, deployed } from '../harness/config-map-helpers.js';
import { eventsOf } from '../harness/events.js';
import { type Declared, own, share } from '../harness/program-text.js';
import { nthWrite, TestEnvironment, waitForNextSecond } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('released-fields');
const { config, ref, live, edit } = configMapHelpers(testEnvironment);
const proxy = await testEnvironment.proxy();

const deploymentRef = (name: string) => testEnvironment.ref('apps/v1', 'Deployment', name);
const deployment = (name: string, spec: object = {}) => ({
  ...deploymentRef(name),
  spec: {
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'api', image: 'registry.example.com/a:1' }] },
    },
    ...spec,
  },
});

describe('a field that a deploy drops is reported with what became of it', () => {
  test('defaulted: replicas from 3 to 1, in the text, too', async () => {
    const project = testEnvironment.program({ main: [own(deployment('scaled', { replicas: 3, minReadySeconds: 5 }))] });
    await project.deploy();
    edit(project, { main: [own(deployment('scaled', { minReadySeconds: 5 }))] });
    const { stdout } = await project.run(['deploy']);
    expect(stdout).toContain('    released .spec.replicas: 3, defaulted to 1\n');
    edit(project, { main: [own(deployment('scaled'))] });
    const report = await deployed(project);
    expect(report.only()).toMatchObject({
      result: 'updated',
      released: [{ field: '.spec.minReadySeconds', change: 'removed', oldValue: 5 }],
    });
    expect((await testEnvironment.cluster.get(deploymentRef('scaled'))).spec).toMatchObject({ replicas: 1 });
  });

  test('a default that has the same value, and a field that somebody else owns: in the report, and no line in the text', async () => {
    const project = testEnvironment.program({ main: [own(deployment('kept', { replicas: 1, minReadySeconds: 5 }))] });
    await project.deploy();
    await testEnvironment.cluster.apply('them', { ...deploymentRef('kept'), spec: { minReadySeconds: 5 } });
    edit(project, { main: [own(deployment('kept'))] });
    const { events, stdout } = await project.run(['deploy', '--output-file', 'report=report.json']);
    expect(stdout).not.toContain('released ');
    expect(events).toEqual([]);
    const [object] = JSON.parse(project.read('report.json')).objects;
    expect(object.released).toEqual([
      { field: '.spec.minReadySeconds', change: 'kept', oldValue: 5, newValue: 5, owners: [{ manager: 'them', operation: 'Apply' }] },
      { field: '.spec.replicas', change: 'defaulted', oldValue: 1, newValue: 1 },
    ]);
  });

  test('a list item goes whole, with what somebody updated in it', async () => {
    const two = [
      { name: 'api', image: 'registry.example.com/a:1' },
      { name: 'log', image: 'registry.example.com/log:1' },
    ];
    const template = { metadata: { labels: { app: 'items' } }, spec: { containers: two } };
    const project = testEnvironment.program({ main: [own(deployment('items', { template }))] });
    await project.deploy();
    const update = { template: { spec: { containers: [{ name: 'log', stdin: true }] } } };
    await testEnvironment.cluster.patch('tuner', deploymentRef('items'), { spec: update }, 'strategic');
    edit(project, { main: [own(deployment('items'))] });
    const report = await deployed(project, '--yes');
    const item = '.spec.template.spec.containers[name="log"]';
    expect(report.only().released).toMatchObject([
      {
        field: item,
        change: 'item-removed',
        oldValue: { name: 'log', image: 'registry.example.com/log:1', stdin: true },
        collateral: [{ field: `${item}.stdin`, oldValue: true, owners: [{ manager: 'tuner', operation: 'Update' }] }],
      },
    ]);
  });

  test('rejected: the server does not let a required field go', async () => {
    await testEnvironment.cluster.create('them', deployment('required'));
    const declares = (container: object) =>
      share({ ...deploymentRef('required'), spec: { template: { spec: { containers: [{ name: 'api', ...container }] } } } });
    const project = testEnvironment.program({ main: [declares({ image: 'registry.example.com/a:2' })] });
    await deployed(project, '--yes');
    edit(project, { main: [declares({ stdin: true })] });
    const report = await project.deploy(['--yes']);
    expect(report.exitCode).toBe(4);
    expect(report.only()).toMatchObject({
      result: 'failed',
      released: [
        {
          field: '.spec.template.spec.containers[name="api"].image',
          change: 'rejected',
          oldValue: 'registry.example.com/a:2',
          reason: 'Required value',
        },
      ],
    });
    const { stdout } = await project.run(['deploy', '--yes']);
    expect(stdout).toContain('rejected .spec.template.spec.containers[name="api"].image: "registry.example.com/a:2" cannot be removed');
  });

  test('values of Secrets are masked', async () => {
    const secret = (stringData: object) => own({ ...testEnvironment.ref('v1', 'Secret', 'masked'), stringData });
    const project = testEnvironment.program({ main: [secret({ a: 'hush-hush', b: 'keep-this' })] });
    await project.deploy();
    edit(project, { main: [secret({ b: 'keep-this' })] });
    const report = await deployed(project);
    expect(JSON.stringify(report.objects)).not.toMatch(/hush-hush|aHVzaC1odXNo/);
    expect(report.only().released).toEqual(expect.arrayContaining([expect.objectContaining({ change: 'removed', oldValue: '***' })]));
  });

  test('under the strategy dynamic, too', async () => {
    const project = testEnvironment.program({ main: [own(config('dynamic', { a: '1', b: '2' }), { strategy: 'dynamic' })] });
    await project.deploy();
    edit(project, { main: [own(config('dynamic', { a: '1' }), { strategy: 'dynamic' })] });
    const report = await deployed(project);
    expect(report.only().released).toEqual([{ field: '.data.b', change: 'removed', oldValue: '2' }]);
  });

  test('a yielded field is not a released one', async () => {
    const policy = { conflicts: 'yield' };
    const project = testEnvironment.program({ main: [own(config('yields', { a: 'ours', b: '1' }), policy)] });
    await project.deploy();
    await testEnvironment.cluster.apply('them', { ...ref('yields'), data: { a: 'theirs' } }, { force: true });
    edit(project, { main: [own(config('yields', { a: 'ours', c: '1' }), policy)] });
    const report = await deployed(project);
    expect(report.only()).toMatchObject({
      yielded: [{ field: '.data.a', value: 'theirs', declared: 'ours', from: 'them', operation: 'Apply' }],
      released: [{ field: '.data.b', change: 'removed', oldValue: '1' }],
    });
    expect(report.only().released).toHaveLength(1);
    const text = await project.run(['deploy']);
    expect(text.stdout).toContain('    yielded .data.a: stays "theirs", owned by them; declared "ours"\n');
  });
});

describe('what an ending releases', () => {
  const endings: { how: string; args: string[]; stacks: (object: Declared) => Record<string, Declared[]> }[] = [
    { how: 'prune', args: ['deploy', '--yes'], stacks: () => ({ main: [own(config('beside', {}))] }) },
    { how: 'prune-stacks', args: ['deploy', '--prune-stacks', '--yes'], stacks: () => ({ other: [own(config('beside', {}))] }) },
    { how: 'destroy', args: ['destroy', '--yes'], stacks: (object) => ({ main: [own(config('beside', {})), object] }) },
  ];
  test.each(endings)('$how: each field with what became of it', async ({ how, args, stacks }) => {
    const name = `ends-${how}`;
    await testEnvironment.cluster.create('them', { ...deployment(name, { replicas: 2 }) });
    const shared = share({ ...deploymentRef(name), spec: { minReadySeconds: 5, template: { spec: { hostNetwork: true } } } });
    const project = testEnvironment.program({ main: [own(config('beside', {})), shared] });
    await deployed(project, '--yes'); // the tests before left an object of that name
    await testEnvironment.cluster.apply('too', { ...deploymentRef(name), spec: { template: { spec: { hostNetwork: true } } } });
    edit(project, stacks(shared));
    const { events, exitCode, stdout } = await project.run([...args, '-o', 'json']);
    expect(exitCode, stdout).toBe(0);
    const object = eventsOf(events, 'object').find((event) => event.name === name);
    expect(object).toMatchObject({ result: 'released' });
    expect(object!.released).toEqual(
      expect.arrayContaining([
        { field: '.spec.minReadySeconds', change: 'removed', oldValue: 5 },
        {
          field: '.spec.template.spec.hostNetwork',
          change: 'kept',
          oldValue: true,
          newValue: true,
          owners: [{ manager: 'too', operation: 'Apply' }],
        },
      ]),
    );
    expect(object!.released).toHaveLength(2);
  });
});

describe('the record is true where others write meanwhile and answers are lost', () => {
  const drops = async (name: string) => {
    const project = testEnvironment.program({ main: [own(config(name, { a: '1', b: '2' }))] });
    await project.deploy();
    edit(project, { main: [own(config(name, { a: '1' }))] });
    return project;
  };

  test('somebody writes the field between the read and the apply: the value that went is theirs, and nothing is said twice', async () => {
    const project = await drops('raced');
    let written = false;
    proxy.onRequest = async ({ method, path }) => {
      if (written || method !== 'PATCH' || !path.endsWith('/raced')) return undefined;
      written = true;
      await testEnvironment.cluster.patch('them', ref('raced'), { data: { b: 'theirs' } });
      return undefined;
    };
    const report = await project.deploy([], { kubeconfig: proxy.kubeconfig });
    proxy.onRequest = () => undefined;
    expect(report.exitCode, String(report)).toBe(0);
    expect((await live('raced')).data).toEqual({ a: '1', b: 'theirs' });
    expect(report.only().released ?? []).toEqual([]); // theirs by then: nothing of the stack was left to release
  });

  test.each([
    [
      'HTML once',
      1,
      (html: string) => ({ respond: (response: ServerResponse) => void response.setHeader('content-type', 'text/html').end(html) }),
    ],
    ['a refusal once', 1, () => ({ status: 403, body: { kind: 'Status', status: 'Failure', reason: 'Forbidden', code: 403 } })],
  ] as const)('the look at it got %s: it is looked at again, and reported', async (what, times, answer) => {
    const name = `lied-${what.split(' ')[0]?.toLowerCase()}`;
    const project = await drops(name);
    let lied = 0;
    proxy.onRequest = ({ method, path }) =>
      method === 'GET' && path.endsWith(`/${name}`) && lied++ < times ? answer('<html>login</html>') : undefined;
    const report = await project.deploy([], { kubeconfig: proxy.kubeconfig });
    proxy.onRequest = () => undefined;
    expect(lied).toBeGreaterThan(0);
    expect(report.only(), String(report)).toMatchObject({
      result: 'updated',
      released: [{ field: '.data.b', change: 'removed', oldValue: '2' }],
    });
  });

  test('the look at it gets HTML each time: nothing is written', async () => {
    const project = await drops('html');
    proxy.onRequest = ({ method, path }) =>
      method === 'GET' && path.endsWith('/html')
        ? { respond: (response) => void response.setHeader('content-type', 'text/html').end('<html>login</html>') }
        : undefined;
    const report = await project.deploy([], { kubeconfig: proxy.kubeconfig });
    proxy.onRequest = () => undefined;
    expect(report.only(), String(report)).toMatchObject({ result: 'failed', error: { code: 'response-unexpected' } });
    expect((await live('html')).data).toEqual({ a: '1', b: '2' });
  });

  test('it may not be looked at: the deploy says that it does not know what it released', async () => {
    const project = await drops('unseen');
    proxy.onRequest = ({ method, path }) =>
      method === 'GET' && path.endsWith('/unseen')
        ? { status: 403, body: { kind: 'Status', status: 'Failure', reason: 'Forbidden', code: 403 } }
        : undefined;
    const report = await project.deploy([], { kubeconfig: proxy.kubeconfig });
    proxy.onRequest = () => undefined;
    expect(report.exitCode, String(report)).toBe(0);
    expect(report.only().warnings).toEqual([expect.stringContaining('may not read the object')]);
  });

  test('the response is lost: read, and reported nevertheless', async () => {
    const project = await drops('lost');
    await waitForNextSecond(); // a time in managedFields is a whole second
    let lost = false;
    proxy.onResponse = ({ method, path }) => {
      if (lost || method !== 'PATCH' || !path.endsWith('/lost')) return undefined;
      lost = true;
      return 'lose';
    };
    const report = await project.deploy([], { kubeconfig: proxy.kubeconfig });
    proxy.onResponse = () => undefined;
    expect(report.only()).toMatchObject({ result: 'updated', released: [{ field: '.data.b', change: 'removed', oldValue: '2' }] });
  });

  test('a run that is killed before its apply: the next one reports it', async () => {
    const project = await drops('killed');
    expect(await testEnvironment.killRun((options) => project.deploy([], options), nthWrite(1))).toBe(true);
    expect((await live('killed')).data).toEqual({ a: '1', b: '2' });
    const report = await deployed(project);
    expect(report.only()).toMatchObject({ result: 'updated', released: [{ field: '.data.b', change: 'removed', oldValue: '2' }] });
  });
});

test('after a rename what the former name held and the program drops is reported', async () => {
  const project = testEnvironment.program({ before: [own(config('renamed', { a: '1', b: '2' }))] });
  await project.deploy();
  const text = testEnvironment.text({ after: [own(config('renamed', { a: '1' }))] });
  project.write({ 'main.ts': text.replace('new Stack(app, "after")', 'new Stack(app, "after", { renamedFrom: "before" })') });
  const report = await deployed(project, '--yes');
  expect(report.only('renamed')).toMatchObject({
    result: 'updated',
    renamedFrom: [expect.stringContaining('before')],
    released: [{ field: '.data.b', change: 'removed', oldValue: '2' }],
  });
});
