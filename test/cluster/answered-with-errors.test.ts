import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { historyName } from '../../src/engine/history/history-secrets.js';
import { connect, undoForcedConflicts } from '../../src/entry/deploy.js';
import { ApiClient, type ResponseBody } from '../harness/api-client.js';
import { configMapHelpers, deployed } from '../harness/config-map-helpers.js';
import type { InterceptionProxy, ProxiedRequest, ResponseFault } from '../harness/interception-proxy.js';
import { own, share } from '../harness/program-text.js';
import type { Project } from '../harness/project.js';
import { TestEnvironment, waitForNextSecond } from '../harness/test-environment.js';

// The server carries a request out, and the answer that arrives is an error: of a proxy, a login page, a webhook, a server that is gone.

const testEnvironment = await TestEnvironment.create('answers');
const { cluster } = testEnvironment;
const { config, placed, live, edit } = configMapHelpers(testEnvironment);

const status = (code: number, reason?: string) => ({
  status: code,
  body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', message: 'boom', code, ...(reason === undefined ? {} : { reason }) },
});

const answers: readonly (readonly [name: string, fault: ResponseFault, code: string])[] = [
  ['500', status(500, 'InternalError'), 'server-error'],
  ['500 without a reason', status(500), 'server-error'],
  ['400', status(400, 'BadRequest'), 'rejected'],
  ['403', status(403, 'Forbidden'), 'admission-denied'],
  ['200 with HTML', { status: 200, body: '<html><title>Sign in</title></html>' }, 'response-unexpected'],
];

/** What a run does that must not get lost. */
interface Case {
  /** Deploys what comes before; returns the project with the program that does it. */
  prepare(name: string): Promise<Project>;
  /** Picks the request whose answer is replaced. */
  is(request: ProxiedRequest, name: string): boolean;
  /** In the report if the object shows what became of it; and if it cannot be read. */
  readonly proved: object;
  readonly perhaps: object;
  /** In the report of the next run, after one that could not read the object. */
  readonly next: object;
  /** False where no value is at stake, so that nobody is warned. @default true */
  readonly warns?: false;
}

const isOf = ({ method, path, query }: ProxiedRequest, verb: string, name: string) =>
  method === verb && path.endsWith(`/configmaps/${name}`) && query.get('dryRun') === null;
const taken = { field: '.data.color', from: 'rival', operation: 'Apply', oldValue: 'theirs, and long', newValue: 'ours' };

/** The lines of the inventory and the texts of the history of a project, as they are stored. */
async function records(project: Project): Promise<{ readonly inventory: string; readonly history: Readonly<Record<string, string>> }> {
  const manager = project.manager('main');
  const maps = await cluster.list('v1', 'ConfigMap', testEnvironment.namespace);
  const secrets = await cluster.list('v1', 'Secret', testEnvironment.namespace);
  const name = historyName(manager);
  return {
    inventory: maps
      .filter(({ data }) => data?.manager === manager)
      .map(({ data }) => data.entries)
      .join('\n'),
    history: Object.fromEntries(
      secrets
        .filter(({ metadata }) => metadata.name.startsWith(name))
        .map(({ metadata, data }) => [
          metadata.name.slice(name.length),
          data['old-values'] === undefined ? '' : gunzipSync(Buffer.from(data['old-values'], 'base64')).toString(),
        ]),
    ),
  };
}

const cases: Readonly<Record<string, Case>> = {
  'a forced apply': {
    async prepare(name) {
      const project = testEnvironment.program({ main: [own(config(name, { color: 'ours', size: 'ours' }))] });
      await cluster.apply('rival', placed(name, { color: 'theirs, and long' }));
      return project;
    },
    is: (request, name) => isOf(request, 'PATCH', name) && request.query.get('force') === 'true',
    proved: { result: 'updated', forcedConflicts: [taken] },
    perhaps: { result: 'failed', forcedConflicts: [{ ...taken, perhaps: true }], reason: expect.stringMatching(/^perhaps applied: /) },
    next: { result: 'unchanged', forcedConflicts: [{ ...taken, earlier: true }] },
  },
  'a release of a field': {
    async prepare(name) {
      const project = testEnvironment.program({ main: [own(config(name, { a: '1', b: '2' }))] });
      await deployed(project);
      edit(project, { main: [own(config(name, { a: '1' }))] });
      await waitForNextSecond(); // a time in managedFields is a whole second
      return project;
    },
    is: (request, name) => isOf(request, 'PATCH', name),
    proved: { result: 'updated', released: [{ field: '.data.b', change: 'removed', oldValue: '2' }] },
    perhaps: { result: 'failed', released: [{ field: '.data.b', change: 'perhaps', oldValue: '2' }] },
    next: { result: 'unchanged' },
  },
  'a release of an object': {
    async prepare(name) {
      await cluster.create('other', placed(name, { theirs: '1' }));
      const project = testEnvironment.program({ main: [share(config(name, { b: '2' })), own(config(`${name}-stays`))] });
      await deployed(project);
      edit(project, { main: [own(config(`${name}-stays`))] });
      return project;
    },
    is: (request, name) => isOf(request, 'PATCH', name),
    proved: { result: 'released', released: [{ field: '.data.b', change: 'removed', oldValue: '2' }] },
    perhaps: { result: 'failed', released: [{ field: '.data.b', change: 'perhaps', oldValue: '2' }] },
    next: { result: 'released' },
  },
  'a transfer': {
    async prepare(name) {
      const project = testEnvironment.program({ main: [own(config(name, { a: '1', b: '2' }))], next: [] });
      await deployed(project);
      const transferFrom = { from: project.manager('main'), fields: ['data.b'] };
      edit(project, { main: [own(config(name, { a: '1' }))], next: [share(config(name, { b: '2' }), { transferFrom })] });
      return project;
    },
    is: (request, name) => isOf(request, 'PATCH', name) && Array.isArray(request.body),
    proved: { stack: 'next', transferred: { fields: ['.data.b'] } },
    perhaps: { stack: 'next', result: 'failed', error: { code: 'outcome-unknown', message: expect.stringContaining('.data.b') } },
    next: { stack: 'next' },
    warns: false,
  },
  'a deletion': {
    async prepare(name) {
      const project = testEnvironment.program({ main: [own(config(name)), own(config(`${name}-stays`))] });
      await deployed(project);
      edit(project, { main: [own(config(`${name}-stays`))] });
      return project;
    },
    is: (request, name) => isOf(request, 'DELETE', name),
    proved: { result: 'deleted' },
    perhaps: { result: 'failed', reason: expect.stringMatching(/^perhaps deleted: /) },
    next: { result: 'absent' },
  },
};

/** Replaces the answer to the first request that `is` picks. With `unread`, the object cannot be read afterwards. */
function spoil(proxy: InterceptionProxy, name: string, is: Case['is'], fault: ResponseFault, unread: boolean): () => boolean {
  let spoiled = false;
  proxy.onResponse = (request, { status: code }) => {
    if (spoiled || code >= 300 || !is(request, name)) return undefined;
    spoiled = true;
    return fault;
  };
  proxy.onRequest = ({ method, path }) => (spoiled && unread && method === 'GET' && path.endsWith(`/${name}`) ? status(500) : undefined);
  return () => spoiled;
}

const reportOn = (report: Awaited<ReturnType<Project['deploy']>>, name: string, { proved }: Case) => {
  const { stack } = proved as { readonly stack?: string };
  const found = report.objects.filter(({ name: one, stack: its }) => one === name && (stack === undefined || its === stack));
  expect(found, String(report)).toHaveLength(1);
  return found[0]!;
};

let number = 0;
const nameOf = () => `object-${++number}`;

describe.each(Object.entries(cases))('%s', (_, one) => {
  test.each(answers)('answered with %s, and the object shows it: reported as what it was', async (__, fault) => {
    const name = nameOf();
    const project = await one.prepare(name);
    const proxy = await testEnvironment.proxy();
    const isSpoiled = spoil(proxy, name, one.is, fault, false);
    const report = await project.deploy(['--yes'], { kubeconfig: proxy.kubeconfig });
    expect(isSpoiled()).toBe(true);
    expect(reportOn(report, name, one)).toMatchObject(one.proved);
    expect(report.exitCode, String(report)).toBe(0);
    if (one.warns !== false) expect(reportOn(report, name, one).warnings).toEqual([expect.stringContaining('answered with an error')]);
    const again = await deployed(project, '--yes');
    expect(again.objects.flatMap(({ forcedConflicts }) => forcedConflicts)).toEqual([]);
  });

  test.each(answers)('answered with %s, and the object cannot be read: perhaps; the next run resolves it once', async (__, fault, code) => {
    const name = nameOf();
    const project = await one.prepare(name);
    const proxy = await testEnvironment.proxy();
    const isSpoiled = spoil(proxy, name, one.is, fault, true);
    const report = await project.deploy(['--yes'], { kubeconfig: proxy.kubeconfig });
    expect(isSpoiled()).toBe(true);
    expect(reportOn(report, name, one)).toMatchObject({ error: { code }, ...one.perhaps });
    expect(report.exitCode).toBe(4);
    expect(reportOn(await deployed(project, '--yes'), name, one)).toMatchObject(one.next);
    const again = await deployed(project, '--yes');
    expect(again.objects.flatMap(({ forcedConflicts }) => forcedConflicts)).toEqual([]);
  });
});

describe.each([
  ['500', status(500, 'InternalError')],
  ['422', status(422, 'Invalid')],
  ['400', status(400, 'BadRequest')],
  ['403', status(403, 'Forbidden')],
  ['409', status(409, 'AlreadyExists')],
  ['200 with HTML', { status: 200, body: '<html><title>Sign in</title></html>' }],
] as const)('an apply that takes and gives up nothing, answered with %s', (_, fault) => {
  const prepare = async (name: string) => {
    const project = testEnvironment.program({ main: [own(config(name, { a: '1' }))] });
    await deployed(project);
    edit(project, { main: [own(config(name, { a: '2' }))] });
    await waitForNextSecond(); // a time in managedFields is a whole second
    return project;
  };
  const changed = [{ field: '.data.a', change: 'change', oldValue: '1', newValue: '2' }];

  test.each([
    ['the object shows it: reported as what it was', false, { result: 'updated', changed }],
    ['the object cannot be read: perhaps', true, { result: 'failed', reason: expect.stringMatching(/^perhaps applied: /) }],
  ])('%s', async (__, unread, expected) => {
    const name = nameOf();
    const project = await prepare(name);
    const proxy = await testEnvironment.proxy();
    const isSpoiled = spoil(proxy, name, (request) => isOf(request, 'PATCH', name), fault, unread);
    const report = await project.deploy(['--yes'], { kubeconfig: proxy.kubeconfig });
    expect(isSpoiled()).toBe(true);
    expect(report.only(name), String(report)).toMatchObject(expected);
  });

  test('in the place of the server, which has not seen it: failed, and not perhaps', async () => {
    const name = nameOf();
    const project = await prepare(name);
    const proxy = await testEnvironment.proxy();
    proxy.onRequest = (request) => (isOf(request, 'PATCH', name) ? fault : undefined);
    const { result, reason } = (await project.deploy(['--yes'], { kubeconfig: proxy.kubeconfig })).only(name);
    expect([result, reason]).toEqual(['failed', undefined]);
  });

  test('in its place, of an object that is as it was deployed just now: no refusal is perhaps an apply', async () => {
    const name = nameOf();
    const project = testEnvironment.program({ main: [own(config(name, { a: '1' }))] });
    await deployed(project);
    const proxy = await testEnvironment.proxy();
    proxy.onRequest = (request) => (isOf(request, 'PATCH', name) ? fault : undefined);
    const { result, reason } = (await project.deploy(['--reconcile', 'full'], { kubeconfig: proxy.kubeconfig })).only(name);
    expect(result).toBe('failed');
    if (fault.status < 500 && fault.status > 200) expect(reason).toBeUndefined();
  });

  test('in the second of the deploy before: the object shows it, and reported as applied', async () => {
    const name = nameOf();
    const project = testEnvironment.program({ main: [own(config(name, { a: '1' }))] });
    const proxy = await testEnvironment.proxy();
    const second = () => live(name).then(({ metadata }) => metadata.managedFields[0].time);
    for (let round = 0, before = ''; ; round++) {
      edit(project, { main: [own(config(name, { a: `${round}` }))] });
      await deployed(project);
      before = await second();
      edit(project, { main: [own(config(name, { a: `${round} too` }))] });
      spoil(proxy, name, (request) => isOf(request, 'PATCH', name), fault, false);
      const report = await project.deploy(['--yes'], { kubeconfig: proxy.kubeconfig });
      if ((await second()) !== before) continue;
      const row = { field: '.data.a', oldValue: `${round}`, newValue: `${round} too` };
      expect(report.only(name), String(report)).toMatchObject({ result: 'applied', changed: [row] });
      break;
    }
  });

  test('in its place, while somebody else writes: failed, and not perhaps', async () => {
    const name = nameOf();
    const project = await prepare(name);
    const proxy = await testEnvironment.proxy();
    proxy.onRequest = async (request) => {
      if (!isOf(request, 'PATCH', name)) return undefined;
      await cluster.patch('editor', placed(name), { data: { theirs: String(Math.random()) } });
      return fault;
    };
    const { result, reason } = (await project.deploy(['--yes'], { kubeconfig: proxy.kubeconfig })).only(name);
    expect(result).toBe('failed');
    if (fault.status < 500 && fault.status > 200) expect(reason).toBeUndefined();
  });

  test('to a creation: perhaps, and the next run resolves it', async () => {
    const name = nameOf();
    const project = testEnvironment.program({ main: [own(config(name, { a: '1' }))] });
    const proxy = await testEnvironment.proxy();
    const isSpoiled = spoil(proxy, name, (request) => isOf(request, 'PATCH', name), fault, false);
    const report = await project.deploy(['--yes'], { kubeconfig: proxy.kubeconfig });
    expect(isSpoiled()).toBe(true);
    expect(report.only(name), String(report)).toMatchObject({ result: 'failed', reason: expect.stringMatching(/^perhaps applied: /) });
    expect((await deployed(project, '--yes')).only(name).result).toBe('unchanged');
  });

  test('to a creation of which somebody takes a field at once: perhaps', async () => {
    const name = nameOf();
    const project = testEnvironment.program({ main: [own(config(name, { a: '1', b: '1' }))] });
    const proxy = await testEnvironment.proxy();
    proxy.onResponse = async (request) => {
      if (!isOf(request, 'PATCH', name)) return undefined;
      await cluster.apply('rival', { ...placed(name), data: { b: '2' } }, { force: true });
      return fault;
    };
    const report = await project.deploy(['--yes'], { kubeconfig: proxy.kubeconfig });
    expect(report.only(name), String(report)).toMatchObject({ result: 'failed', reason: expect.stringMatching(/^perhaps applied: /) });
  });
});

describe('a 404 shows nothing by itself', () => {
  const fault = status(404, 'NotFound');

  test('in place of a request for a deletion: the object is read, and deleted', async () => {
    const name = nameOf();
    const project = await cases['a deletion']!.prepare(name);
    const proxy = await testEnvironment.proxy();
    let met = 0;
    proxy.onRequest = (request) => (isOf(request, 'DELETE', name) && met++ === 0 ? fault : undefined);
    const report = await project.deploy(['--yes'], { kubeconfig: proxy.kubeconfig });
    expect(report.only(name), String(report)).toMatchObject({ result: 'deleted' });
    expect(met).toBe(2);
  });

  test('in place of a request for a release: it failed, and the next run releases', async () => {
    const name = nameOf();
    const project = await cases['a release of an object']!.prepare(name);
    const proxy = await testEnvironment.proxy();
    let met = 0;
    proxy.onRequest = (request) => (isOf(request, 'PATCH', name) && met++ === 0 ? fault : undefined);
    const report = await project.deploy(['--yes'], { kubeconfig: proxy.kubeconfig });
    expect(report.only(name), String(report)).toMatchObject({ result: 'failed', error: { code: 'not-found' } });
    expect((await live(name)).data).toEqual({ theirs: '1', b: '2' });
    const next = await deployed(project, '--yes');
    expect(next.only(name)).toMatchObject({ result: 'released', released: [{ field: '.data.b', change: 'removed', oldValue: '2' }] });
  });

  test('in place of the answer to a release: the object shows it', async () => {
    const name = nameOf();
    const one = cases['a release of an object']!;
    const project = await one.prepare(name);
    const proxy = await testEnvironment.proxy();
    const isSpoiled = spoil(proxy, name, one.is, fault, false);
    const report = await project.deploy(['--yes'], { kubeconfig: proxy.kubeconfig });
    expect(isSpoiled()).toBe(true);
    expect(report.only(name), String(report)).toMatchObject(one.proved);
  });

  test('in place of the answer to a deletion: the object is gone', async () => {
    const name = nameOf();
    const one = cases['a deletion']!;
    const project = await one.prepare(name);
    const proxy = await testEnvironment.proxy();
    const isSpoiled = spoil(proxy, name, one.is, fault, false);
    const report = await project.deploy(['--yes'], { kubeconfig: proxy.kubeconfig });
    expect(isSpoiled()).toBe(true);
    expect(report.only(name), String(report)).toMatchObject({ result: 'absent', reason: expect.stringContaining('perhaps by this run') });
  });
});

/** A project whose next deploy takes `.data.color` from `rival`. */
const contested = cases['a forced apply']!;
const force = (request: ProxiedRequest, name: string) => contested.is(request, name);

describe('the note of a pass that takes fields', () => {
  test('stands in inventory and history while the pass is sent, and nowhere afterwards', async () => {
    const name = nameOf();
    const project = await contested.prepare(name);
    const proxy = await testEnvironment.proxy();
    let noted: Awaited<ReturnType<typeof records>> | undefined;
    proxy.onRequest = async (request) => {
      if (force(request, name)) noted = await records(project);
      return undefined;
    };
    expect((await project.deploy(['--yes'], { kubeconfig: proxy.kubeconfig })).only().forcedConflicts).toMatchObject([taken]);
    const { metadata } = await live(name);
    expect(JSON.parse(noted!.inventory).pendingForces).toMatchObject([
      { uid: metadata.uid, fields: [{ field: '.data.color', from: 'rival', operation: 'Apply' }] },
    ]);
    expect(noted!.inventory).not.toContain('theirs');
    expect(Object.entries(noted!.history)).toEqual([[expect.stringMatching(/^\.\d+$/), expect.stringContaining('theirs')]]);
    const after = await records(project);
    expect(after.inventory).not.toContain('pendingForces');
    expect(Object.values(after.history).join('')).toBe('');
    expect(Object.keys(after.history)).not.toEqual(expect.arrayContaining(Object.keys(noted!.history)));
  });

  test('is written for all objects that wait together, and not where nothing is taken', async () => {
    const names = Array.from({ length: 12 }, () => nameOf());
    const project = testEnvironment.program({ main: names.map((name) => own(config(name, { color: 'ours' }))) });
    const proxy = await testEnvironment.proxy();
    const writes = () => proxy.requests.filter(({ method, path }) => method === 'PUT' && /configmaps/.test(path)).length;
    await project.deploy([], { kubeconfig: proxy.kubeconfig });
    const ordinary = writes();
    for (const name of names) await cluster.apply('rival', placed(name, { color: 'theirs, and long' }), { force: true });
    proxy.requests.length = 0;
    const report = await project.deploy([], { kubeconfig: proxy.kubeconfig });
    expect(report.summary.forcedConflicts).toBe(12);
    expect(ordinary, 'the results, and the history').toBe(2);
    expect(writes()).toBeLessThan(names.length);
  });

  test.each([
    [
      'of a Secret',
      { apiVersion: 'v1', kind: 'Secret', stringData: { color: 'ours' } },
      { apiVersion: 'v1', kind: 'Secret', data: { color: 'dGhlaXJz' } },
      'secrets',
    ],
    [
      'longer than 1 KiB',
      { apiVersion: 'v1', kind: 'ConfigMap', data: { color: 'ours' } },
      { apiVersion: 'v1', kind: 'ConfigMap', data: { color: 'theirs'.repeat(200) } },
      'configmaps',
    ],
  ])('has no value %s, and the next run says which field, from whom', async (_, declared, theirs, plural) => {
    const name = nameOf();
    const project = testEnvironment.program({ main: [own({ ...declared, metadata: { name } })] });
    const metadata = { name, namespace: testEnvironment.namespace };
    await cluster.apply('rival', { ...theirs, metadata });
    const proxy = await testEnvironment.proxy();
    let noted: Awaited<ReturnType<typeof records>> | undefined;
    const is = ({ method, path, query }: ProxiedRequest) =>
      method === 'PATCH' && path.endsWith(`/${plural}/${name}`) && query.get('force') === 'true';
    spoil(proxy, name, is, status(500), true);
    const { onRequest } = proxy;
    proxy.onRequest = async (request) => {
      if (is(request)) noted = await records(project);
      return onRequest(request);
    };
    const report = await project.deploy(['--yes'], { kubeconfig: proxy.kubeconfig });
    expect(report.only().forcedConflicts).toMatchObject([{ field: '.data.color', from: 'rival', perhaps: true }]);
    expect(noted!.inventory).toContain('pendingForces');
    expect(JSON.stringify(noted)).not.toMatch(/theirs|dGhlaXJz/);
    const next = (await deployed(project, '--yes')).only();
    expect(next.forcedConflicts).toEqual([{ field: '.data.color', from: 'rival', operation: 'Apply', earlier: true }]);
  });

  test('has no value with `history: false`; the run itself still knows it', async () => {
    const name = nameOf();
    const project = await contested.prepare(name);
    project.write({ 'fieldwise.yaml': 'app: main.ts\nhistory: false\n' });
    const proxy = await testEnvironment.proxy();
    spoil(proxy, name, contested.is, status(500), true);
    const report = await project.deploy(['--yes'], { kubeconfig: proxy.kubeconfig });
    expect(report.only()).toMatchObject(contested.perhaps);
    expect((await records(project)).history).toEqual({});
    const next = (await deployed(project, '--yes')).only();
    expect(next.forcedConflicts).toEqual([{ field: '.data.color', from: 'rival', operation: 'Apply', earlier: true }]);
  });

  test.each([
    ['that `fieldwise rbac` prints', true],
    ['without those to the history', false],
  ])('is written with the rights %s', async (_, withHistory) => {
    const name = nameOf();
    const project = await contested.prepare(name);
    const printed = parseAllDocuments((await project.run(['rbac'])).stdout).map((document) => document.toJS());
    const rules = printed.filter(({ kind }) => kind === 'Role').flatMap((role) => role.rules as ResponseBody[]);
    const allowed = rules.filter(({ resources }) => withHistory || !resources.includes('secrets'));
    const account = await testEnvironment.account(`deployer-${name}`, allowed);
    const proxy = await testEnvironment.proxy();
    proxy.upstream = new ApiClient(account);
    testEnvironment.onCleanup(() => proxy.upstream.close());
    const isSpoiled = spoil(proxy, name, contested.is, status(500), true);
    const report = await project.deploy(['--yes'], { kubeconfig: proxy.kubeconfig });
    expect(isSpoiled(), String(report)).toBe(true);
    expect(report.only()).toMatchObject(contested.perhaps);
    expect(
      Object.values((await records(project)).history)
        .join('')
        .includes('theirs'),
    ).toBe(withHistory);
    const next = await project.deploy(['--yes'], { kubeconfig: account });
    const { oldValue: _old, newValue: _new, ...named } = taken;
    expect(next.only().forcedConflicts).toEqual([{ ...(withHistory ? taken : named), earlier: true }]);
    expect(Object.values((await records(project)).history).join('')).toBe('');
  });
});

describe('a run that is killed', () => {
  test('between its note and the pass has taken nothing, and the next one says what it takes itself', async () => {
    const name = nameOf();
    const project = await contested.prepare(name);
    const killed = await testEnvironment.killRun(
      (options) => project.run(['deploy', '--yes'], options),
      async ({ method, path }) =>
        method === 'PUT' && /configmaps/.test(path) && (await records(project)).inventory.includes('pendingForces'),
    );
    expect(killed).toBe(true);
    expect((await live(name)).data).toEqual({ color: 'theirs, and long' });
    expect((await deployed(project, '--yes')).only().forcedConflicts).toEqual([taken]);
    expect((await deployed(project, '--yes')).only().forcedConflicts).toEqual([]);
  });

  test('right after the pass is reported by the next one, once, and can be undone', async () => {
    const name = nameOf();
    const project = await contested.prepare(name);
    const killed = await testEnvironment.killRun(
      (options) => project.run(['deploy', '--yes'], options),
      (request) => force(request, name),
    );
    expect(killed).toBe(true);
    expect((await live(name)).data.color).toBe('ours');
    const next = await project.run(['deploy', '--yes', '--output-file', 'report=report.json']);
    expect(next.stdout).toContain('forced in an earlier run  .data.color: "theirs, and long" → "ours", from rival');
    expect((await deployed(project, '--yes')).only().forcedConflicts).toEqual([]);
    const connection = await connect({ kubeconfig: testEnvironment.kubeconfig });
    const undone = await undoForcedConflicts(JSON.parse(project.read('report.json')), connection).finally(() => connection.close());
    expect(undone).toMatchObject([{ field: '.data.color', to: 'rival', undone: true }]);
    expect((await live(name)).data.color).toBe('theirs, and long');
  });

  test('that repaired a drift is reported by the next deploy with the old value', async () => {
    const name = nameOf();
    const project = testEnvironment.program({ main: [own(config(name, { color: 'ours', size: 'ours' }))] });
    await deployed(project, '--yes');
    await cluster.patch('rival', { ...placed(name, {}), data: undefined }, { data: { color: 'theirs, and long' } });
    const killed = await testEnvironment.killRun(
      (options) => project.run(['drift', '--repair', '--yes'], options),
      (request) => force(request, name),
    );
    expect(killed).toBe(true);
    expect((await live(name)).data.color).toBe('ours');
    expect((await deployed(project, '--yes')).only().forcedConflicts).toMatchObject([
      { field: '.data.color', oldValue: 'theirs, and long', newValue: 'ours', from: 'rival', earlier: true },
    ]);
  });

  test.each([
    ['drift --repair', ['drift', '--repair', '--yes']],
    ['adopt', ['adopt', '--yes']],
    ['adopt from the loser', ['adopt', '--from', 'rival', '--yes']],
  ])('is named by %s, and reported by the next deploy', async (_, args) => {
    const name = nameOf();
    const project = await contested.prepare(name);
    await cluster.apply('rival', placed(name, { color: 'theirs, and long', also: 'theirs' }), { force: true });
    const killed = await testEnvironment.killRun(
      (options) => project.run(['deploy', '--yes'], options),
      (request) => force(request, name),
    );
    expect(killed).toBe(true);
    const named = await project.run(args);
    expect(named.exitCode, named.stderr).toBe(0);
    expect(named.stderr).toMatch(new RegExp(`warning: An earlier run ended .*${name}.*\\[earlier-changes-untold\\]`));
    expect((await deployed(project, '--yes')).only().forcedConflicts).toEqual([{ ...taken, earlier: true }]);
    expect((await project.run(args)).stderr).not.toContain('earlier-changes-untold');
  });

  test('is reported by a destroy', async () => {
    const name = nameOf();
    const project = await contested.prepare(name);
    await testEnvironment.killRun(
      (options) => project.run(['deploy', '--yes'], options),
      (request) => force(request, name),
    );
    const report = await project.destroy();
    expect(report.only().forcedConflicts).toEqual([{ ...taken, earlier: true }]);
    expect(await records(project)).toEqual({ inventory: '', history: {} });
  });
});

test('a server that is gone for good after a forced apply: perhaps forced, with both values; undone once it is back', async () => {
  const name = nameOf();
  const project = await contested.prepare(name);
  const proxy = await testEnvironment.proxy();
  let isGone = false;
  proxy.onResponse = (request) => {
    isGone ||= force(request, name);
    return isGone ? 'lose' : undefined;
  };
  proxy.onRequest = () => (isGone ? 'drop' : undefined);
  const report = await project.deploy(['--yes', '--output-file', 'report=report.json'], { kubeconfig: proxy.kubeconfig });
  expect(report.only()).toMatchObject({ ...contested.perhaps, error: { code: 'cluster-unreachable' } });
  expect(report.summary).toMatchObject({ forcedConflicts: 0, perhapsForced: 1, exitCode: 4 });
  await testEnvironment.freeLeases();
  expect((await deployed(project, '--yes')).only()).toMatchObject(contested.next);
  const connection = await connect({ kubeconfig: testEnvironment.kubeconfig });
  const undone = await undoForcedConflicts(JSON.parse(project.read('report.json')), connection).finally(() => connection.close());
  expect(undone).toMatchObject([{ field: '.data.color', to: 'rival', undone: true }]);
  expect((await live(name)).data.color).toBe('theirs, and long');
});

describe('the next run says it, too,', () => {
  /** A run that is killed right after it has taken `.data.color`. */
  async function killedAfterForce() {
    const name = nameOf();
    const project = await contested.prepare(name);
    await testEnvironment.killRun(
      (options) => project.run(['deploy', '--yes'], options),
      (request) => force(request, name),
    );
    return { name, project };
  }

  test('where it no longer declares the object', async () => {
    const { name, project } = await killedAfterForce();
    const other = nameOf();
    edit(project, { main: [own(config(other))] });
    const report = await deployed(project, '--yes');
    expect(report.only(name).forcedConflicts).toEqual([{ ...taken, earlier: true }]);
    expect((await records(project)).inventory).not.toContain('pendingForces');
    expect(Object.values((await records(project)).history).join('')).toBe('');
  });

  test('where it fails, and not again', async () => {
    const { name, project } = await killedAfterForce();
    const proxy = await testEnvironment.proxy();
    proxy.onRequest = ({ method, path }) => (method === 'PATCH' && path.endsWith(`/${name}`) ? status(403, 'Forbidden') : undefined);
    const failed = await project.deploy(['--yes', '--reconcile', 'full'], { kubeconfig: proxy.kubeconfig });
    expect(failed.only()).toMatchObject({ result: 'failed', forcedConflicts: [{ ...taken, earlier: true }] });
    expect((await deployed(project, '--yes')).only().forcedConflicts).toEqual([]);
  });

  test('where it is refused first: the run after it says it', async () => {
    const { name, project } = await killedAfterForce();
    edit(project, { main: [own(config(nameOf()))] });
    const refused = await project.deploy();
    expect(refused.exitCode, String(refused)).toBe(2);
    expect(refused.objects.flatMap(({ forcedConflicts }) => forcedConflicts)).toEqual([]);
    expect((await deployed(project, '--yes')).only(name).forcedConflicts).toEqual([{ ...taken, earlier: true }]);
  });

  test('where its stack has another name', async () => {
    const { name, project } = await killedAfterForce();
    const text = testEnvironment.text({ renamed: [own(config(name, { color: 'ours', size: 'ours' }))] });
    project.write({ 'main.ts': text.replace('"renamed")', '"renamed", { renamedFrom: "main" })') });
    const report = await deployed(project, '--yes');
    expect(report.only().forcedConflicts).toEqual([{ ...taken, earlier: true }]);
    expect((await deployed(project, '--yes')).only().forcedConflicts).toEqual([]);
  });

  test('where a rollback writes first', async () => {
    const name = nameOf();
    const project = testEnvironment.program({ main: [own(config(name, { color: 'first' }))] });
    await deployed(project);
    await cluster.apply('rival', placed(name, { color: 'theirs, and long' }), { force: true });
    edit(project, { main: [own(config(name, { color: 'ours' }))] });
    await testEnvironment.killRun(
      (options) => project.run(['deploy', '--yes'], options),
      (request) => force(request, name),
    );
    const { events, exitCode, stderr } = await project.run(['rollback', '1', '--yes', '-o', 'json']);
    expect(exitCode, stderr).toBe(0);
    expect(events.filter(({ event }) => event === 'object')).toMatchObject([{ forcedConflicts: [{ ...taken, earlier: true }] }]);
  });
});

test('a field that somebody takes back before the next run is perhaps forced', async () => {
  const name = nameOf();
  const project = await contested.prepare(name);
  await testEnvironment.killRun(
    (options) => project.run(['deploy', '--yes'], options),
    (request) => force(request, name),
  );
  await cluster.apply('third', placed(name, { color: 'third', size: 'third' }), { force: true });
  const { forcedConflicts } = (await deployed(project, '--yes')).only();
  const { newValue: _, ...named } = taken;
  expect(forcedConflicts[0]).toEqual({ ...named, perhaps: true, earlier: true });
  expect(forcedConflicts.slice(1)).toMatchObject([
    { field: '.data.color', from: 'third' },
    { field: '.data.size', from: 'third' },
  ]);
});

describe('an apply whose answer is lost, before somebody takes a field: the conflicts are those of its repetition', () => {
  const dropped = { field: '.data.c', change: 'removed', oldValue: '1' };

  test.each([
    ['fail', { result: 'failed', error: { code: 'outcome-unknown' }, released: [{ ...dropped, change: 'perhaps' }] }, 'edited'],
    ['yield', { result: 'updated', yielded: [{ field: '.data.a' }], released: [dropped] }, 'edited'],
    ['force', { result: 'updated', forcedConflicts: [{ field: '.data.a', oldValue: 'edited', newValue: '2' }], released: [dropped] }, '2'],
  ] as const)('%s', async (conflicts, reported, left) => {
    const name = `repeated-${conflicts}`;
    const project = testEnvironment.program({ main: [own(config(name, { a: '1', b: '1', c: '1' }))] });
    await deployed(project);
    edit(project, { main: [own(config(name, { a: '2', b: '2' }), { conflicts })] });
    await waitForNextSecond();
    const proxy = await testEnvironment.proxy();
    let isLost = false;
    proxy.onResponse = async (request) => {
      if (isLost || !isOf(request, 'PATCH', name)) return undefined;
      isLost = true;
      await cluster.patch('editor', placed(name), { data: { a: 'edited' } });
      return 'lose';
    };
    const report = await project.deploy(['--yes'], { kubeconfig: proxy.kubeconfig });
    expect(report.only(), String(report)).toMatchObject(reported);
    expect((await live(name)).data).toEqual({ a: left, b: '2' });
  });
});
