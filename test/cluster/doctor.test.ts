import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { ResponseBody } from '../harness/api-client.js';
import type { ObjectRef } from '../harness/cluster.js';
import { configMapHelpers } from '../harness/config-map-helpers.js';
import { crdOf } from '../harness/crd.js';
import { eventsOf } from '../harness/events.js';
import { own, share } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('doctor');

const { placed } = configMapHelpers(testEnvironment);

test('finds what a lost inventory knew, tells its manager and what releases it', async () => {
  await testEnvironment.cluster.apply('owner', placed('shared', { theirs: 'here' }));
  const project = testEnvironment.program({ main: [own(placed('owned', { a: '1' })), share(placed('shared', { ours: 'here' }))] });
  const stranger = testEnvironment.program({ main: [own(placed('stranger', { a: '1' }))] });
  await project.deploy();
  await stranger.deploy();
  const manager = project.manager('main');
  const orphansOf = async () => eventsOf((await project.run(['doctor', '--find-orphans', '-o', 'json'])).events, 'orphan');
  expect(await orphansOf()).toEqual([]);

  for (const inventory of await testEnvironment.cluster.list('v1', 'ConfigMap', testEnvironment.namespace)) {
    if (inventory.data?.manager) await testEnvironment.cluster.remove({ apiVersion: 'v1', kind: 'ConfigMap', ...inventory });
  }
  const orphans = await orphansOf();
  expect(orphans.map((orphan) => [orphan.object, orphan.manager])).toEqual([
    [`ConfigMap ${testEnvironment.namespace}/owned`, manager],
    [`ConfigMap ${testEnvironment.namespace}/shared`, manager],
  ]);
  const human = await project.run(['doctor', '--find-orphans']);
  expect(human.stdout).toContain(`--field-manager '${manager}'`);

  // Its advice releases the share.
  await testEnvironment.cluster.apply(manager, orphans[1]?.release as unknown as ObjectRef);
  expect(await testEnvironment.cluster.owners(testEnvironment.ref('v1', 'ConfigMap', 'shared'))).toEqual({ owner: ['.data.theirs'] });
});

test.each([{ also: false }, { also: true }])(
  'of what destroy --retain-rejected has left it prints a command that the server accepts (another owner: $also)',
  async ({ also }) => {
    const name = `left-${also}`;
    const object = {
      ...testEnvironment.ref('apps/v1', 'Deployment', name),
      spec: {
        selector: { matchLabels: { app: 'a' } },
        template: { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'a', image: 'example.com/a:1' }] } },
      },
    };
    const project = testEnvironment.program({ main: [share(object, { ifAbsent: 'create' })] });
    expect((await project.deploy()).exitCode).toBe(0);
    if (also)
      await testEnvironment.cluster.apply('other', {
        ...testEnvironment.ref('apps/v1', 'Deployment', name),
        metadata: { ...object.metadata, labels: { b: 'c' } },
      });
    expect((await project.destroy(['--retain-rejected'])).only().result).toBe('retained');
    const search = async (...args: string[]) => project.run(['doctor', '--find-orphans', ...args]);
    const [orphan] = eventsOf((await search('-o', 'json')).events, 'orphan');
    expect(orphan!.release).toBeUndefined();
    expect(orphan?.refused?.reason).toContain('Required value');
    const { stdout } = await search();
    const command = /^ {2}(kubectl patch .*)$/m.exec(stdout)?.[1] as string;
    expect(command).toBe(orphan?.refused?.disown);
    expect(stdout).not.toContain('kubectl apply');
    const before = await testEnvironment.cluster.get(object);
    if (testEnvironment.kubectl === undefined)
      await testEnvironment.cluster.patch('p', object, JSON.parse(/ -p '(.*)'$/.exec(command)?.[1] ?? ''), 'json');
    else {
      const shell = {
        env: { ...process.env, KUBECONFIG: testEnvironment.kubeconfig, PATH: `${dirname(testEnvironment.kubectl)}:${process.env.PATH}` },
      };
      await promisify(execFile)('sh', ['-c', command], shell);
    }
    expect((await testEnvironment.cluster.get(object)).spec).toEqual(before.spec);
    expect(Object.keys(await testEnvironment.cluster.owners(object))).toEqual(also ? ['other'] : []);
    expect((await search()).stdout).toContain('no orphans\n');
  },
);

test('checks the server, its version and the rights that inventories need', async () => {
  const project = testEnvironment.program({ main: [own(placed('checked', { a: '1' }))] });
  const { events, exitCode } = await project.run(['doctor', '-o', 'json']);
  expect(exitCode).toBe(0);
  expect(events.map(({ check }) => check)).toEqual(expect.arrayContaining(['server', 'version', 'permission']));
  const kubeconfig = await testEnvironment.account('reader', [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list'] }]);
  const poor = await project.run(['doctor', '-o', 'json'], { kubeconfig });
  expect(poor.exitCode).toBe(0); // they suffice for a plan
  expect(poor.events.filter(({ ok }) => !ok)).toContainEqual(
    expect.objectContaining({
      neededBy: 'deploy',
      detail: expect.stringContaining(`create configmaps in namespace ${testEnvironment.namespace}`),
    }),
  );
  const some = await testEnvironment.account('some', [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list', 'create'] }]);
  expect((await project.run(['doctor'], { kubeconfig: some })).exitCode).toBe(4);
  const none = await project.run(['doctor', '-o', 'json'], { kubeconfig: await testEnvironment.account('none', []) });
  expect(none.exitCode).toBe(4);
  expect(none.events).toContainEqual(expect.objectContaining({ ok: false, right: 'list configmaps', neededBy: 'diff' }));
});

test('what cannot be read is no check that passes', async () => {
  const group = `${testEnvironment.namespace}.unread.example.com`;
  const listeners = { type: 'array', items: { type: 'object', properties: { port: { type: 'integer' } } } };
  await testEnvironment.crd(crdOf(group, 'Gate', { spec: { type: 'object', properties: { listeners } } }));
  const gate = { ...testEnvironment.ref(`${group}/v1`, 'Gate', 'unread'), spec: { listeners: [{ port: 80 }] } };
  const proxy = await testEnvironment.proxy();
  const project = testEnvironment.program({ main: [own(gate)] }, { kubeconfig: proxy.kubeconfig });
  const refused = /\/namespaces\/kube-system$|validatingadmissionpolicies|selfsubjectaccessreviews|\/gates\/unread$/;
  const body = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Forbidden', code: 403, message: 'it is forbidden' };
  proxy.onRequest = ({ path }) => (refused.test(path) ? { status: 403, body } : undefined);
  const { events, exitCode } = await project.run(['doctor', '-o', 'json']);
  expect(exitCode).toBe(0);
  const unread = events.filter(({ event, notRead }) => event === 'check' && notRead);
  expect(unread.map(({ check, ok, detail }) => [check, ok, detail])).toEqual([
    ['cluster uid', false, expect.stringContaining('it is forbidden')],
    ['permission', false, 'the server does not answer access reviews'],
    ['guard', false, expect.stringContaining('it is forbidden')],
    ['strategies', false, expect.stringContaining('it is forbidden')],
  ]);
  const { stdout } = await project.run(['doctor']);
  expect(stdout.split('\n').filter((line) => line.startsWith('unread '))).toHaveLength(4);
  expect(stdout).toMatch(/^ok {5}3 checks: server /m);
});

test('says what to do in one line for missing rights, and what is right in one', async () => {
  const project = testEnvironment.program({ main: [own(placed('told', { a: '1' }))] });
  const { stdout, exitCode } = await project.run(['doctor']);
  expect(exitCode).toBe(0);
  expect(stdout.replaceAll('\n       ', ' ')).toMatch(
    /^ok {5}1\d checks: server https:\S+; cluster uid \S+; version v[\d.]+\S*; clock as that of the server; \d+ permissions\n$/,
  );
  const manifests = parseAllDocuments((await project.run(['rbac', '--read-only'])).stdout).map(
    (document) => document.toJS() as ResponseBody,
  );
  const rules = manifests.filter(({ kind }) => /Role$/.test(kind)).flatMap(({ rules = [] }) => rules);
  const readOnly = await project.run(['doctor'], { kubeconfig: await testEnvironment.account('read-only', rules) });
  expect(readOnly.exitCode).toBe(0);
  const [note, uid, guard, ok, ...others] = readOnly.stdout.replaceAll('\n       ', ' ').trimEnd().split('\n');
  expect(others).toEqual([]);
  expect(note).toMatch(
    new RegExp(
      `^note   permission: these credentials may read records, as \`fieldwise diff\` does, beside the declared objects; a deploy also needs, in namespace ${testEnvironment.namespace}: .*create configmaps, .*update leases.*; \`fieldwise rbac\` prints them$`,
    ),
  );
  expect([uid, guard]).toEqual([
    expect.stringMatching(/^unread cluster uid: .*forbidden/),
    expect.stringMatching(/^unread guard: .*forbidden/),
  ]);
  expect(ok).toMatch(/^ok {5}\d+ checks: server /);
});

test('is content with exactly the rights that rbac prints, and names what is missing of them', async () => {
  const project = testEnvironment.program({ main: [own(placed('least', { a: '1' }))] });
  const manifests = parseAllDocuments((await project.run(['rbac'])).stdout).map((document) => document.toJS() as ResponseBody);
  const records = manifests.filter(({ kind }) => kind === 'Role').flatMap(({ rules }) => rules) as ResponseBody[];
  const permissions = async (rules: ResponseBody[], name: string) => {
    const { events, exitCode } = await project.run(['doctor', '-o', 'json'], { kubeconfig: await testEnvironment.account(name, rules) });
    return { exitCode, failed: events.filter(({ check, ok }) => check === 'permission' && !ok).map(({ detail }) => detail) };
  };
  expect(await permissions(records, 'least')).toEqual({ exitCode: 0, failed: [] });

  const lock = records.find(({ resources, resourceNames }) => resources.includes('leases') && resourceNames) as ResponseBody;
  const { exitCode, failed } = await permissions(
    records.filter((rule) => rule !== lock),
    'less',
  );
  expect(exitCode).toBe(4);
  expect(failed).toContain(`update leases in namespace ${testEnvironment.namespace}: ${lock.resourceNames[0]}`);
});

test('checks the names of all shards of a large inventory', async () => {
  const large = Array.from({ length: 400 }, (_, index) => own(placed(`large-${index}`, { a: 'x'.repeat(100) })));
  const project = testEnvironment.program({ main: large });
  const manifests = parseAllDocuments((await project.run(['rbac'])).stdout).map((document) => document.toJS() as ResponseBody);
  const records = manifests.filter(({ kind }) => kind === 'Role').flatMap(({ rules }) => rules) as ResponseBody[];
  const named = records.find(
    ({ resources, resourceNames }) => resources.includes('configmaps') && resourceNames?.length > 1,
  ) as ResponseBody;
  const [first, second] = named.resourceNames as string[];
  const rules = records.map((rule) => (rule === named ? { ...rule, resourceNames: [first] } : rule));
  const { events, exitCode } = await project.run(['doctor', '-o', 'json'], {
    kubeconfig: await testEnvironment.account('one-shard', rules),
  });
  expect(exitCode).toBe(4);
  expect(events.filter(({ check, ok }) => check === 'permission' && !ok).map(({ detail }) => detail)).toContain(
    `update configmaps in namespace ${testEnvironment.namespace}: ${second}`,
  );
});

test('says which strategy suits each intent, from the list types of its kind', async () => {
  const group = `${testEnvironment.namespace}.example.com`;
  const listener = { type: 'object', properties: { port: { type: 'integer' }, route: { type: 'string' } } };
  const listeners = { type: 'array', items: listener };
  const keyed = {
    ...listeners,
    items: { ...listener, required: ['port'] },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['port'],
  };
  await testEnvironment.crd(crdOf(group, 'Gate', { spec: { type: 'object', properties: { listeners, keyed } } }));
  const gate = (name: string, spec: object) => ({ ...testEnvironment.ref(`${group}/v1`, 'Gate', name), spec });
  await testEnvironment.cluster.apply('other', gate('injected', { listeners: [{ port: 80 }, { port: 81, route: 'theirs' }] }));
  const project = testEnvironment.program({
    owner: [
      own(gate('alone', { listeners: [{ port: 80 }] })),
      own(gate('injected', { listeners: [{ port: 80 }] })),
      own(gate('keyed', { keyed: [{ port: 80 }] }), { strategy: 'dynamic' }),
      own(placed('plain', { a: '1' })),
    ],
    guest: [share(gate('public', { listeners: [{ port: 443, route: 'b' }] }))],
  });
  const advice = async () => {
    const { events } = await project.run(['doctor', '-o', 'json']);
    return eventsOf(events, 'strategy');
  };
  expect(
    (await advice()).map(({ name, current, recommended, lists }) => [
      name,
      current,
      recommended,
      lists.map((list: ResponseBody) => list.field),
    ]),
  ).toEqual([
    ['alone', 'server-side', 'server-side', ['.spec.listeners']],
    ['injected', 'server-side', 'dynamic', ['.spec.listeners']],
    ['keyed', 'dynamic', 'server-side', []],
    ['plain', 'server-side', 'server-side', []],
    ['public', 'server-side', 'dynamic', ['.spec.listeners']],
  ]);
  const human = await project.run(['doctor']);
  const paragraphs = human.stdout.replaceAll('\n       ', ' ');
  expect(paragraphs).toContain(
    `better Gate ${testEnvironment.namespace}/public [guest] dynamic, not server-side: the server gives .spec.listeners one owner, and dynamic merges its items by port\n`,
  );
  expect(paragraphs).not.toMatch(/ConfigMap \S+\/plain|^fits /m); // there is nothing to do
  // What needs attention is first, and everything fits a terminal.
  const verdicts = paragraphs.split('\n').map((line) => /^(better|ok) /.exec(line)?.[1]);
  expect(verdicts.filter((verdict, index) => verdict !== verdicts[index - 1])).toEqual(['better', 'ok', undefined]);
  expect(human.stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
});

test.each([[['doctor', '--objects']], [['owners']]])('%j of an app that is not in the cluster says which are', async (words) => {
  const project = testEnvironment.program({ main: [own(placed(`named-${words[0]}`, { a: '1' }))] });
  await project.deploy();
  const { stdout, stderr, exitCode } = await project.run(words, { environment: { FIELDWISE_APP_NAME: 'directory' } });
  expect([exitCode, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(
    /No stack of app directory\b.* has an inventory in the cluster, so nothing was looked at.*\/default\/main.*\[stack-not-in-cluster\]/s,
  );
});
