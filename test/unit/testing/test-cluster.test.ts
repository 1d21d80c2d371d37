import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { configMap, secret } from '../../../generated/core/v1.js';
import { App, fromEnv, Stack } from '../../../src/entry/index.js';
import { metadataOf } from '../../../src/fields/object.js';
import { testCluster } from '../../../src/testing/index.js';
import type { JsonObject } from '../../../src/util/json.js';

const directory = mkdtempSync(join(tmpdir(), 'fieldwise-testing-'));
afterAll(() => rmSync(directory, { recursive: true }));

const schema = { type: 'object', properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } } };
const crd = (plural: string, kind: string, more = {}) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.example.com` },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural, kind, shortNames: [plural.slice(0, 2)] },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, ...more }],
  },
});
const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'first', namespace: 'shop' }, spec: { size: 1 } };

function program(replicas: number | undefined, image = 'shop:1') {
  const app = new App({ name: 'shop' });
  const stack = new Stack(app, 'web', { namespace: 'shop' });
  stack.own({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: {
      ...(replicas === undefined ? {} : { replicas }),
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image }] } },
    },
  });
  return { app, stack };
}

describe('what a server has when it starts', () => {
  beforeAll(() => {
    mkdirSync(join(directory, 'crds/deeper'), { recursive: true });
    writeFileSync(join(directory, 'crds/widgets.json'), JSON.stringify(crd('widgets', 'Widget')));
    writeFileSync(join(directory, 'crds/deeper/gadgets.yaml'), `# a comment\n---\n${JSON.stringify(crd('gadgets', 'Gadget'))}\n---\n`);
    writeFileSync(join(directory, 'crds/kustomization.yaml'), 'resources: [widgets.json]\n');
    writeFileSync(join(directory, 'crds/empty.yaml'), '');
    writeFileSync(
      join(directory, 'objects.yaml'),
      `${JSON.stringify(widget)}\n---\nkind: List\napiVersion: v1\nitems: [${JSON.stringify({ ...widget, metadata: { name: 'second' } })}]\n`,
    );
  });

  test('CRDs of a directory, and objects of a file with their namespaces', async () => {
    const cluster = await testCluster({ crds: join(directory, 'crds'), objects: pathToFileURL(join(directory, 'objects.yaml')) });
    expect(await cluster.get('Widget', 'first', 'shop')).toMatchObject({ spec: { size: 1 } });
    expect(await cluster.get('wi', 'second')).toMatchObject({ metadata: { namespace: 'default' } });
    expect(await cluster.get('gadgets.example.com', 'absent')).toBeUndefined();
  });

  test('builders and namespaces', async () => {
    const cluster = await testCluster({
      objects: [configMap('settings').withData({ color: 'blue' })],
      namespaces: ['shop'],
      namespace: 'edge',
    });
    expect(await cluster.get('ConfigMap', 'settings')).toMatchObject({ metadata: { namespace: 'edge' }, data: { color: 'blue' } });
    expect(await cluster.get('ns', 'shop')).toMatchObject({ status: { phase: 'Active' } });
  });

  test('objects with their status', async () => {
    const withStatus = {
      ...widget,
      metadata: { name: 'third', uid: 'foreign', resourceVersion: '77', generation: 9 },
      status: { ready: true },
    };
    const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    const crds = [
      crd('widgets', 'Widget', { subresources: { status: {} }, schema: { openAPIV3Schema: open } }),
      crd('gadgets', 'Gadget', { schema: { openAPIV3Schema: open } }),
    ];
    const cluster = await testCluster({ crds, objects: [withStatus, { ...withStatus, kind: 'Gadget' }] });
    for (const kind of ['Widget', 'Gadget']) {
      const live = await cluster.get(kind, 'third');
      expect(live).toMatchObject({ status: { ready: true }, metadata: { generation: 1 } });
      expect(metadataOf(live).uid).not.toBe('foreign');
    }
  });

  test('an exported object keeps its owners, its uid and its status', async () => {
    const first = await testCluster({ namespaces: ['shop'] });
    const { app, stack } = program(2);
    await first.deploy(app);
    await first.patch(
      'deployment-controller',
      { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace: 'shop' }, status: { replicas: 2 } },
      { subresource: 'status' },
    );
    const exported = (await first.get('Deployment', 'web', 'shop')) as JsonObject;
    const second = await testCluster({ objects: exported });
    const live = await second.get('Deployment', 'web', 'shop');
    const { resourceVersion: _, ...metadata } = exported.metadata as JsonObject;
    expect(live).toMatchObject({ metadata, status: { replicas: 2 } });
    expect(metadataOf(live).managedFields?.[0]?.manager).toBe(stack.manager);
    await second.apply(stack, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace: 'shop' },
      spec: exported.spec as JsonObject,
    });
  });

  test('a file that changes is read again', async () => {
    const file = join(directory, 'changing.json');
    for (const size of [1, 20]) {
      writeFileSync(
        file,
        JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'changing' }, data: { size: String(size) } }),
      );
      const cluster = await testCluster({ objects: file });
      expect(await cluster.get('cm', 'changing')).toMatchObject({ data: { size: String(size) } });
    }
  });

  test.each<[string, unknown, object]>([
    ['a path that does not exist', { crds: 'absent' }, { code: 'input-missing' }],
    ['an object in `crds` that is not a definition', { crds: widget }, { message: expect.stringContaining('a Widget') }],
    ['a kind that the server does not serve', { objects: widget }, { code: 'option-invalid', location: { object: 'Widget shop/first' } }],
    [
      'an object that the server rejects',
      { objects: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'A' } } },
      { message: expect.stringContaining('lowercase') },
    ],
    ['an unknown option', { crd: widget }, { message: 'There is no option `crd`' }],
    ['a number of namespaces', { namespaces: 2 }, { message: expect.stringContaining('`namespaces`'), next: 'Pass a list of names.' }],
    ['an invalid time', { time: 'tomorrow' }, { message: expect.stringContaining('`time`') }],
    ['no options', null, { message: expect.stringContaining('`options`') }],
  ])('%s is refused', async (_, options, refusal) => {
    await expect(testCluster(options as never)).rejects.toMatchObject({ kind: 'usage', ...refusal });
  });
});

describe('verbs', () => {
  test('deploys an App, a Stack, and what others changed', async () => {
    const cluster = await testCluster({ namespaces: ['shop'] });
    const { app, stack } = program(2);
    expect(await cluster.deploy(app)).toMatchObject({ summary: { ok: true, counts: { created: 1 } } });
    expect(await cluster.deploy(stack)).toMatchObject({ stacks: ['web'], summary: { ok: true, counts: { unchanged: 1 } } });
    await cluster.patch(
      'hpa',
      { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace: 'shop' }, spec: { replicas: 5 } },
      { subresource: 'scale' },
    );
    expect(await cluster.get('Deployment', 'web', 'shop')).toMatchObject({ spec: { replicas: 5 } });
    expect((await cluster.plan(app)).summary.counts).toEqual({ update: 1 });
    await cluster.delete('Deployment', 'web', 'shop');
    await expect(cluster.delete('Deployment', 'web', 'shop')).rejects.toMatchObject({ code: 404 });
    expect((await cluster.plan(stack)).summary.counts).toEqual({ create: 1 });
  });

  test('deploys one stack of two, and destroys', async () => {
    const cluster = await testCluster({ namespaces: ['shop'] });
    const { app } = program(2);
    const other = new Stack(app, 'other', { namespace: 'shop' });
    other.own(configMap('other').withData({ color: 'blue' }));
    await cluster.deploy(other);
    expect(await cluster.get('Deployment', 'web', 'shop')).toBeUndefined();
    expect(await cluster.get('ConfigMap', 'other', 'shop')).toBeDefined();
    expect(await cluster.destroy(app)).toMatchObject({ summary: { ok: true, counts: { deleted: 1 } } });
    expect(await cluster.get('ConfigMap', 'other', 'shop')).toBeUndefined();
  });

  test('deploys an assembly of a directory, and one in memory', async () => {
    const cluster = await testCluster({ namespaces: ['shop'] });
    const app = new App({ name: 'shop', outdir: join(directory, 'dist') });
    new Stack(app, 'web', { namespace: 'shop' }).own(secret('db').withStringData({ password: fromEnv('FIELDWISE_TEST_PASSWORD') }));
    app.synth();
    const { readAssembly } = await import('../../../src/entry/deploy.js');
    for (const assembly of [app.outdir, await readAssembly(app.outdir), app]) {
      const references = { env: { FIELDWISE_TEST_PASSWORD: 'secret' }, directory };
      expect(await cluster.deploy(assembly, { references })).toMatchObject({ summary: { ok: true } });
    }
    expect(await cluster.get('Secret', 'db', 'shop')).toMatchObject({ data: { password: 'c2VjcmV0' } });
  });

  test('refuses an App in which something was declared after its last synth', async () => {
    const cluster = await testCluster({ namespaces: ['shop'] });
    const app = new App({ name: 'shop', outdir: join(directory, 'late') });
    const web = new Stack(app, 'web', { namespace: 'shop' });
    app.synth();
    web.own(configMap('late').withData({ color: 'blue' }));
    const late = { code: 'declared-after-synth', location: { source: expect.stringContaining('test-cluster.test.ts:') } };
    for (const verb of ['deploy', 'plan', 'destroy'] as const) await expect(cluster[verb](app)).rejects.toMatchObject(late);
    expect(() => app.synthYaml()).toThrow(expect.objectContaining({ code: 'declared-after-synth' }));
    app.synth();
    expect(app.synthYaml()).toContain('late');
    expect(await cluster.deploy(app)).toMatchObject({ summary: { ok: true } });
  });

  test.each([undefined, null, 42, {}])('%o is not a program', async (wrong) => {
    const cluster = await testCluster();
    for (const verb of ['deploy', 'plan', 'destroy'] as const)
      await expect(cluster[verb](wrong as never)).rejects.toMatchObject({
        code: 'option-invalid',
        message: expect.stringContaining('`program`'),
      });
  });

  test('an absent object of a share fails at once', { timeout: 15_000 }, async () => {
    const cluster = await testCluster();
    const app = new App({ name: 'shop' });
    new Stack(app, 'web', { namespace: 'default' }).share(configMap('absent').withData({ color: 'blue' }));
    expect(await cluster.deploy(app)).toMatchObject({ summary: { ok: false } });
  });

  test('wrong arguments are refused', async () => {
    const cluster = await testCluster();
    const refusal = { code: 'option-invalid' };
    await expect(cluster.get('' as never, 'web')).rejects.toMatchObject(refusal);
    await expect(cluster.get('Deployment', undefined as never)).rejects.toMatchObject(refusal);
    await expect(cluster.get('Deploymint', 'web')).rejects.toMatchObject({ code: 'kind-unknown' });
    await expect(cluster.apply('', {})).rejects.toMatchObject(refusal);
    await expect(cluster.apply('kubectl', 'web' as never)).rejects.toMatchObject(refusal);
    await expect(cluster.apply('kubectl', {})).rejects.toMatchObject({ code: 'intent-without-kind' });
    await expect(cluster.deploy(program(2).app, { wiat: false } as never)).rejects.toMatchObject(refusal);
    expect(() => cluster.setTime('tomorrow')).toThrow(expect.objectContaining(refusal));
    expect(() => cluster.advanceTime(-1)).toThrow(expect.objectContaining(refusal));
  });
});

test('the clock stands still until the test moves it', async () => {
  const cluster = await testCluster({ time: '2030-01-01T00:00:00Z' });
  const created = async (name: string) => {
    await cluster.apply('somebody', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
    return metadataOf(await cluster.get('cm', name)).creationTimestamp;
  };
  expect(await created('one')).toBe('2030-01-01T00:00:00Z');
  cluster.advanceTime(90);
  expect(await created('two')).toBe('2030-01-01T00:01:30Z');
  cluster.setTime(new Date('2031-01-01T00:00:00Z'));
  expect([await created('three'), cluster.time.toISOString()]).toEqual(['2031-01-01T00:00:00Z', '2031-01-01T00:00:00.000Z']);
  expect(await cluster.get('ns', 'default')).toMatchObject({ metadata: { creationTimestamp: '2030-01-01T00:00:00Z' } });
});

test('two servers of one test, and a fork, are independent', async () => {
  const [one, other] = await Promise.all([testCluster({ namespaces: ['shop'] }), testCluster({ namespaces: ['shop'] })]);
  const { app } = program(2);
  await one.deploy(app);
  const fork = await one.fork();
  await fork.destroy(app);
  expect(await Promise.all([one, other, fork].map((cluster) => cluster.get('deploy', 'web', 'shop').then(Boolean)))).toEqual([
    true,
    false,
    false,
  ]);
});

test('a program runs under fake timers', async () => {
  vi.useFakeTimers({ now: new Date('2031-05-01T00:00:00Z'), toFake: undefined as never });
  try {
    const cluster = await testCluster({ namespaces: ['shop'] });
    const { app } = program(2);
    expect(await cluster.deploy(app)).toMatchObject({ summary: { ok: true } });
    expect(await cluster.plan(app)).toMatchObject({ summary: { differs: false } });
    expect(await cluster.destroy(app)).toMatchObject({ summary: { ok: true } });
    await cluster.apply('somebody', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one' } });
    expect(await cluster.get('cm', 'one')).toMatchObject({ metadata: { creationTimestamp: '2031-05-01T00:00:00Z' } });
    const kubeconfig = await cluster.kubeconfig();
    expect(kubeconfig).toContain('https://127.0.0.1:');
    await cluster.stop();
  } finally {
    vi.useRealTimers();
  }
});

test('a stopped cluster is closed', async () => {
  const cluster = await testCluster();
  await cluster.stop();
  await cluster.stop();
  await expect(cluster.deploy(program(2).app)).rejects.toMatchObject({ code: 'cluster-closed' });
  await expect(cluster.get('cm', 'one')).rejects.toMatchObject({ code: 'cluster-closed' });
});

test('hundreds of servers start at once', async () => {
  await testCluster({ crds: crd('widgets', 'Widget') });
  const started = performance.now();
  const clusters = await Promise.all(Array.from({ length: 300 }, () => testCluster({ crds: crd('widgets', 'Widget') })));
  // Generous: about 0.3 ms each on a quiet machine, and other tests run beside it.
  expect((performance.now() - started) / 300).toBeLessThan(10);
  expect(await clusters[299]?.get('crd', 'widgets.example.com')).toBeDefined();
});
