import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { forEachField, ownersOf, yamlOf } from '../../src/cli/html/browser/page-tree.js';
import { whatIf } from '../../src/cli/html/browser/what-if.js';
import type { DiffPageData, ListPageData, OwnersPageData } from '../../src/cli/html/page-data.js';
import { own } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';
import { pageDataOf } from '../pages/page-of.js';

const testEnvironment = await TestEnvironment.create('paged');
const group = `${testEnvironment.namespace}.example.com`;
const project = testEnvironment.project({});

interface Write {
  readonly by: string;
  /** Applied, or patched by JSON merge where `update` is set. */
  readonly update?: true;
  readonly subresource?: string;
  readonly content: object;
}

interface Case {
  readonly title: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly writes: readonly Write[];
  /** The server rejects the release of these, because a field is required. */
  readonly required?: readonly string[];
}

const labels = { app: 'web' };
const selector = { matchLabels: labels };
const podOf = (...containers: object[]) => ({ spec: { selector, template: { metadata: { labels }, spec: { containers } } } });

const cases: readonly Case[] = [
  {
    title: 'members of a map',
    apiVersion: 'v1',
    kind: 'ConfigMap',
    writes: [
      {
        by: 'a',
        content: { metadata: { labels: { a: '1', both: '1' }, annotations: { 'example.com/a': '1' } }, data: { a: '1', both: '1' } },
      },
      { by: 'b', content: { metadata: { labels: { both: '1' } }, data: { b: '1', both: '1' } } },
      { by: 'c', update: true, content: { data: { c: '1' } } },
    ],
  },
  {
    title: 'the only owner of everything',
    apiVersion: 'v1',
    kind: 'ConfigMap',
    writes: [
      {
        by: 'a',
        content: { metadata: { labels: { a: '1' }, finalizers: ['example.com/a'] }, data: { a: '1' } },
      },
    ],
  },
  {
    title: 'containers of a Deployment, defaults beside them, and its scale',
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    required: ['a'],
    writes: [
      { by: 'a', content: podOf({ name: 'web', image: 'web:1', ports: [{ containerPort: 80 }, { containerPort: 81, name: 'b' }] }) },
      { by: 'b', content: podOf({ name: 'sidecar', image: 'sidecar:1', env: [{ name: 'A', value: '1' }], args: ['x', 'y'] }) },
      { by: 'c', content: podOf({ name: 'web', env: [{ name: 'C', value: '1' }], resources: { limits: { cpu: '1' } } }) },
      { by: 'd', update: true, content: { spec: { replicas: 3 } }, subresource: 'scale' },
    ],
  },
  {
    title: 'a struct whose other fields nobody owns',
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    required: ['a'],
    writes: [
      { by: 'a', content: podOf({ name: 'web', image: 'web:1' }) },
      { by: 'b', content: { spec: { strategy: { rollingUpdate: { maxSurge: 3 } } } } },
    ],
  },
  {
    title: 'ports of a Service by two keys',
    apiVersion: 'v1',
    kind: 'Service',
    required: ['b'],
    writes: [
      { by: 'a', content: { spec: { ports: [{ port: 80, name: 'http' }], selector: labels } } },
      { by: 'b', content: { spec: { ports: [{ port: 443, name: 'https' }] } } },
      { by: 'c', content: { spec: { ports: [{ port: 443, targetPort: 8443 }] } } },
    ],
  },
  {
    title: 'items, entries, sets and whole values of a custom resource',
    apiVersion: `${group}/v1`,
    kind: 'Paged',
    writes: [
      {
        by: 'a',
        content: {
          spec: {
            items: [
              { key: 'x', a: '1' },
              { key: 'y', a: '1' },
            ],
            entries: { x: { a: '1' }, y: { a: '1' } },
            set: ['x', 'y'],
            atomic: ['x'],
            whole: { x: '1' },
            struct: { a: '1' },
          },
        },
      },
      {
        by: 'b',
        content: {
          spec: { items: [{ key: 'y', b: '1' }], entries: { y: { b: '1' } }, set: ['y', 'z'], atomic: ['x'], struct: { b: '1' } },
        },
      },
      { by: 'c', content: { spec: { items: [{ key: 'z', inner: [{ key: 'p', a: '1' }] }], entries: { z: { a: '1' } } } } },
    ],
  },
];

/** An updater inside an item or entry of another: it owns its field, and not the item. */
const inside: Case = {
  title: 'fields of an updater inside an item and an entry',
  apiVersion: `${group}/v1`,
  kind: 'Paged',
  writes: [
    { by: 'a', content: { spec: { items: [{ key: 'x', a: '1' }], entries: { x: { a: '1' } }, struct: { a: '1' } } } },
    // Without another item, the server would reject the list as null.
    { by: 'b', content: { spec: { items: [{ key: 'y' }], entries: { y: {} } } } },
    {
      by: 'u',
      update: true,
      content: { spec: { items: [{ key: 'x', a: '1', b: '2' }, { key: 'y' }], entries: { x: { b: '2' } }, struct: { b: '2' } } },
    },
  ],
};

beforeAll(async () => {
  const text = { type: 'string' };
  const item = { type: 'object', required: ['key'], properties: { key: text, a: text, b: text } };
  const keyed = (items: object) => ({ type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['key'], items });
  const properties = {
    items: keyed({ ...item, properties: { ...item.properties, inner: keyed(item) } }),
    entries: { type: 'object', additionalProperties: { type: 'object', properties: { a: text, b: text } } },
    set: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
    atomic: { type: 'array', 'x-kubernetes-list-type': 'atomic', items: text },
    whole: { type: 'object', 'x-kubernetes-map-type': 'atomic', additionalProperties: text },
    struct: { type: 'object', properties: { a: text, b: text } },
  };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } } };
  await testEnvironment.crd({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `pageds.${group}` },
    spec: {
      group,
      names: { kind: 'Paged', plural: 'pageds' },
      scope: 'Namespaced',
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  });
});

async function pageOf(kind: string, name: string): Promise<OwnersPageData> {
  const { exitCode, stderr } = await project.run(['owners', `${kind.toLowerCase()}/${name}`, '--output-file', 'html=page.html']);
  expect([exitCode, stderr]).toEqual([0, 'page written to page.html\n']);
  return pageDataOf(join(project.directory, 'page.html'));
}

/** Each innermost field with its value and owners, and the outcome if an owner lets go. */
function fieldsOf(page: OwnersPageData, released?: string) {
  const fields = new Map<
    string,
    { readonly value: string | undefined; readonly owners: readonly string[]; readonly outcome: string | undefined }
  >();
  const owner = page.owners.findIndex(({ manager, canRelease }) => manager === released && canRelease);
  for (const object of page.objects) {
    const outcomes = released === undefined ? undefined : whatIf(page, object.fields, owner);
    forEachField(object.fields, page, (node, path) => {
      const owners = ownersOf(node, page).map((position) => page.owners[position]!.manager);
      fields.set(path, { value: yamlOf(node), owners, outcome: outcomes?.get(node) });
    });
  }
  return fields;
}

const releases = [...cases, inside].flatMap((one, position) =>
  one.writes.filter(({ update }) => !update).map(({ by }) => ({ ...one, by, name: `case-${position}-${by}` })),
);

describe('a release computed in the page is what the server leaves', () => {
  test.each(releases)('$title: $by', async ({ apiVersion, kind, writes, by, name, required }) => {
    const object = testEnvironment.ref(apiVersion, kind, name);
    for (const write of writes) {
      const content = write.content as { metadata?: object };
      if (write.update) await testEnvironment.cluster.patch(write.by, object, content, 'merge', write.subresource);
      else await testEnvironment.cluster.apply(write.by, { ...object, ...content, metadata: { ...content.metadata, ...object.metadata } });
    }
    const before = fieldsOf(await pageOf(kind, name), by);
    if (required?.includes(by)) {
      await expect(testEnvironment.cluster.apply(by, object)).rejects.toThrow(/required/i);
      expect([...before.values()].map(({ outcome }) => outcome)).toContain('removed');
      return;
    }
    await testEnvironment.cluster.apply(by, object);
    const after = fieldsOf(await pageOf(kind, name));
    const wrong: string[] = [];
    for (const [path, { value, owners, outcome }] of before) {
      const left = after.get(path);
      const others = owners.filter((owner) => owner !== by);
      const isRight = outcome?.startsWith('removed')
        ? left === undefined || left.owners.length === 0
        : left !== undefined && left.value === value && left.owners.join() === others.join();
      if (!isRight) wrong.push(`${path}: ${outcome ?? 'no change'}, but it is ${JSON.stringify(left)}`);
    }
    expect(wrong).toEqual([]);
    expect([...before.values()].some(({ outcome }) => outcome !== undefined)).toBe(true);
  });
});

describe('owners --output-file html=FILE', () => {
  test('the objects of a stack: masked Secrets, an absent object, the stack that deletes them; only the summary is printed', async () => {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'key' }, stringData: { password: 'correct horse' } };
    const config = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { a: '1' } });
    const shop = testEnvironment.program({ keys: [own(secret), own(config('there')), own(config('gone')), own(config('helped'))] });
    await shop.deploy();
    await testEnvironment.cluster.remove(testEnvironment.ref('v1', 'ConfigMap', 'gone'));
    await testEnvironment.cluster.apply('helm', { ...testEnvironment.ref('v1', 'ConfigMap', 'helped'), data: { b: '1' } });
    const { exitCode, stdout, stderr } = await shop.run(['owners', 'keys', '--output-file', 'html=keys.html']);
    expect([exitCode, stderr]).toEqual([0, 'page written to keys.html\n']);
    expect(stdout.split('\n')).toEqual([
      `ConfigMap ${testEnvironment.namespace}/gone  does not exist`,
      expect.stringMatching(/^owners: 4 objects/),
      '',
    ]);
    expect(shop.read('keys.html')).not.toMatch(/correct horse|Y29ycmVjdCBob3JzZQ/);
    const page = pageDataOf<OwnersPageData>(join(shop.directory, 'keys.html'));
    const named = (name: string) => page.objects.find(({ object }) => object.endsWith(`/${name}`));
    expect(named('gone')).toMatchObject({ problem: 'does not exist', fields: [] });
    expect(named('there')?.deleters?.map(([owner, keptBy]) => [page.owners[owner]?.text, keptBy])).toEqual([['stack keys', '']]);
    expect(named('helped')?.deleters?.map(([owner, keptBy]) => [page.owners[owner]?.text, keptBy])).toEqual([
      ['stack keys', 'helm (Helm 4)'],
    ]);
    expect(fieldsOf({ ...page, objects: [named('key')!] }).get('.data.password')).toMatchObject({ value: '"***"' });
  });

  test('-o json prints the objects, too', async () => {
    await testEnvironment.cluster.apply('team', { ...testEnvironment.ref('v1', 'ConfigMap', 'plain'), data: { a: '1' } });
    const { events } = await project.run(['owners', 'cm/plain', '--output-file', 'html=plain.html', '-o', 'json']);
    expect(events).toMatchObject([{ event: 'owners' }, { event: 'owners-summary', objects: 1 }]);
    expect(pageDataOf<OwnersPageData>(join(project.directory, 'plain.html')).objects).toHaveLength(1);
  });

  test.each([
    { words: ['--output-file', 'html=page.html', '--without', 'keys'], code: 'flag-without-use' },
    { words: ['--output-file', 'html=.'], code: 'flag-invalid' },
    { words: ['--output-file', 'html=nowhere/page.html'], code: 'file-unwritable' },
  ])('$words is refused: $code', async ({ words, code }) => {
    const { exitCode, stderr, stdout } = await project.run(['owners', 'cm/plain', ...words]);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`[${code}]`);
  });
});

describe('diff --output-file html=FILE', () => {
  const data = (values: Readonly<Record<string, string>>) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'planned' },
    data: values,
  });

  test('old and new values, the losers of conflicts, declarations; the plan is printed, too', async () => {
    const shop = testEnvironment.program({ web: [own(data({ a: '1', b: '1', c: '1' }))] });
    await shop.deploy();
    await testEnvironment.cluster.patch('kubectl-edit', testEnvironment.ref('v1', 'ConfigMap', 'planned'), { data: { b: '2' } });
    shop.write({ 'main.ts': testEnvironment.text({ web: [own(data({ a: '3', b: '1' }))] }) });
    const { exitCode, stdout } = await shop.run(['diff', '--output-file', 'html=plan.html']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/update .*planned/);
    const page = pageDataOf<DiffPageData>(join(shop.directory, 'plan.html'));
    expect(page.headline).toBe('+0 ~1 −0 · takes 1 field from kubectl-edit · releases 1 · blocked 0');
    expect(page.classes).toEqual([['risky', '1 risky object']]);
    expect(page.subject.title).toMatch(/^Plan of .*, instance default$/);
    expect(page.subject.cluster).toMatch(/^https:\/\/.* \(context /);
    expect(shop.read('plan.html')).toContain(`<title>${page.subject.title}</title>`);
    const [object] = page.objects;
    expect(object).toMatchObject({
      object: `ConfigMap ${testEnvironment.namespace}/planned`,
      stack: 'web',
      action: 'update',
      class: 'risky',
      effects: ['takes 1 field from kubectl-edit', 'releases 1 field'],
    });
    expect(object?.declaredBy).toEqual([expect.stringContaining('main.ts')]);
    const fields = Object.fromEntries(
      object!.fields.map((position) => {
        const { field, change, value, owners } = page.fields[position]!;
        return [field, [change, value, owners]];
      }),
    );
    expect(fields).toMatchObject({
      '.data.a': ['change', { old: '"1"', new: '"3"' }, undefined],
      '.data.b': ['force', { old: '"2"', new: '"1"' }, [expect.stringContaining('kubectl-edit')]],
      '.data.c': ['removed', { old: '"1"' }, undefined],
    });
  });

  test('values of Secrets are masked', async () => {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'planned' }, stringData: { password: 'correct horse' } };
    const shop = testEnvironment.program({ web: [own(secret)] });
    expect(await shop.run(['diff', '--output-file', 'html=plan.html'])).toMatchObject({ exitCode: 0 });
    expect(shop.read('plan.html')).toContain('password');
    expect(shop.read('plan.html')).not.toMatch(/correct horse|Y29ycmVjdCBob3JzZQ/);
  });

  test('a page is of one environment, and a name with {env} is of each', async () => {
    const shop = testEnvironment.program({ web: [own(data({ a: '1' }))] });
    const refused = await shop.run(['diff', '--output-file', 'html=plan.html', '--env', 'staging,production']);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toMatch(/`--output-file html=plan-\{env\}\.html`.*\[flag-invalid\]/s);
    expect(shop.files('.')).not.toContain('plan.html');
    shop.write({ 'fieldwise.yaml': 'app: main.ts\nenvironments: { staging: {}, production: {} }\n' });
    const written = await shop.run(['diff', '--output-file', 'html=plan-{env}.html', '--env', 'staging,production']);
    expect([written.exitCode, written.stderr]).toEqual([0, expect.not.stringContaining('error')]);
    expect(shop.files('.').filter((name) => name.startsWith('plan'))).toEqual(['plan-production.html', 'plan-staging.html']);
    for (const environment of ['staging', 'production']) {
      const page = pageDataOf<DiffPageData>(join(shop.directory, `plan-${environment}.html`));
      expect(page.objects).toHaveLength(1);
    }
  });

  test('of two processes that write one page, the last leaves a whole one', async () => {
    const shop = testEnvironment.program({ web: [own(data({ a: '1' }))] });
    const runs = await Promise.all(
      [1, 2, 3].map(() => shop.run(['diff', '-a', 'main.ts', '--output-file', 'html=plan.html'], { asProcess: true })),
    );
    expect(runs.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);
    expect(pageDataOf<DiffPageData>(join(shop.directory, 'plan.html')).objects).toHaveLength(1);
    expect(shop.files('.').filter((name) => !name.startsWith('node_modules/') && name.includes('.part'))).toEqual([]);
  });
});

describe('list --output-file html=FILE', () => {
  const config = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'listed' }, stringData: { password: 'correct horse' } };
  const named = (name: string) => ({ environment: { FIELDWISE_APP_NAME: `${testEnvironment.app}-${name}` } });
  /** The state of each stack of an app in a page, and its row as text. */
  const stacksOf = (of: typeof project, app: string) => {
    const { stacks } = pageDataOf<ListPageData>(join(of.directory, 'stacks.html'));
    const rows = [...of.read('stacks.html').matchAll(/<tbody.*?<\/tbody>/g)].map(([row]) => row.replace(/(<[^>]+>)+/g, '|'));
    expect(rows).toHaveLength(stacks.length);
    return stacks.flatMap((stack, index) =>
      stack.app === `${testEnvironment.app}-${app}` ? [[stack.state, stack.namespaces, rows[index]]] : [],
    );
  };

  test('every stack without a script, those that need somebody first, with the cluster and the time; the list is printed, too', async () => {
    const shop = testEnvironment.program({ keys: [own(secret), own(config('listed'))], web: [own(config('lost'))] }, named('listed'));
    expect((await shop.deploy()).exitCode).toBe(0);
    await testEnvironment.cluster.remove(testEnvironment.ref('v1', 'ConfigMap', 'lost'));
    const { exitCode, stdout, stderr } = await project.run(['list', '--output-file', 'html=stacks.html']);
    expect([exitCode, stderr]).toEqual([0, 'page written to stacks.html\n']);
    expect(stdout).toContain(`${testEnvironment.app}-listed/default/web`);
    const { namespace, app } = testEnvironment;
    expect(stacksOf(project, 'listed')).toEqual([
      [
        'not-ready',
        [namespace],
        expect.stringMatching(
          `^\\|${app}-listed/default/web\\|20.*Z\\|succeeded\\|.+\\|1 owned\\|ConfigMap ${namespace}/lost: absent: it does not exist\\|$`,
        ),
      ],
      ['ready', [namespace], expect.stringMatching(`^\\|${app}-listed/default/keys\\|20.*Z\\|succeeded\\|.+\\|2 owned\\|$`)],
    ]);
    const html = project.read('stacks.html');
    expect(html).toMatch(/class="headline">\d+ stacks: \d+ not ready/);
    expect(html).toMatch(/https:\/\/[^<]* \(context [^<]*\), read <time datetime="20/);
    expect(html).not.toMatch(/correct horse|Y29ycmVjdCBob3JzZQ/);
    const { events } = await project.run(['list', '-o', 'json', '--output-file', 'html=stacks.html']);
    expect(events.filter((event) => event.app === `${app}-listed`)).toMatchObject([
      { stack: 'keys', namespaces: [namespace] },
      { stack: 'web' },
    ]);
  });

  test('objects and histories that may not be read are not known, and never ready', async () => {
    const hidden = { ...secret, metadata: { name: 'hidden' } };
    expect((await testEnvironment.program({ main: [own(hidden)] }, named('unread')).deploy()).exitCode).toBe(0);
    const kubeconfig = await testEnvironment.account('page-reader', [
      { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] },
    ]);
    const reader = testEnvironment.project({}, { kubeconfig });
    expect(await reader.run(['list', '--output-file', 'html=stacks.html'])).toMatchObject({ exitCode: 0 });
    const [[state, , row]] = stacksOf(reader, 'unread') as [[string, unknown, string]];
    expect(state).toBe('not-known');
    expect(row).toMatch(
      /^\|[^|]*\|not known\|not known\|not known\|1 owned\|Secret [^|]*: not known: [^|]*forbidden[^|]*\|its history was not read: /,
    );
  });

  test.each(['html=.', 'html=nowhere/page.html'])('%s is refused before the cluster is asked', async (file) => {
    const { exitCode, stdout } = await project.run(['list', '--output-file', file]);
    expect([exitCode, stdout]).toEqual([2, '']);
  });
});

test('the page of a plan has the warnings of synth and of the run, with what to do', async () => {
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'paged-plain' }, stringData: { token: 'battery-staple' } };
  const program = testEnvironment.program({ main: [own(secret)] });
  expect((await program.deploy()).exitCode).toBe(0);
  program.write({ 'fieldwise.yaml': `app: main.ts\nid: ${'a'.repeat(20)}\n` });
  const { exitCode, stderr } = await program.run(['diff', '--output-file', 'html=plan.html']);
  expect(exitCode, stderr).toBe(0);
  const { warnings } = pageDataOf<DiffPageData>(join(program.directory, 'plan.html'));
  expect(warnings).toEqual([
    expect.stringMatching(/^Secret \S+paged-plain has values in plain text.* Declared by .*main\.ts.*\[secret-in-plain-text\]$/),
    expect.stringMatching(/^Stack main was last deployed by a program without an `id`.* A deploy notes the id.*\[program-unknown\]$/),
  ]);
});
