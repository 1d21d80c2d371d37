import { spawn } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { deploy, readAssembly } from '../../src/entry/deploy.js';
import { publicCluster } from '../../src/kubernetes/cluster.js';
import { connect, createClusterClient, Transport } from '../../src/kubernetes/index.js';
import type { ResponseBody } from '../harness/api-client.js';
import { configMapHelpers } from '../harness/config-map-helpers.js';
import { eventsOf } from '../harness/events.js';
import { commandLine } from '../harness/fieldwise.js';
import type { InterceptionProxy, ProxiedRequest } from '../harness/interception-proxy.js';
import { poll } from '../harness/poll.js';
import { own } from '../harness/program-text.js';
import type { Project } from '../harness/project.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('lock');

const { config, ref } = configMapHelpers(testEnvironment);
const leases = () => testEnvironment.cluster.list('coordination.k8s.io/v1', 'Lease', testEnvironment.namespace);
/** The Leases that a run holds; those of stacks that have an inventory stay without a holder. */
const held = async () => (await leases()).filter(({ spec }) => spec.holderIdentity !== '');

/** Waits until a run has been refused a renewal of its lock, and has read who holds it now and what became of the namespace; then for the run to look at that. */
async function toldOfLoss({ requests }: InterceptionProxy): Promise<void> {
  await poll('the run is told of its loss', () => {
    const refused = requests.findIndex(({ method, path, status }) => method === 'PUT' && path.includes('/leases/') && status === 409);
    const answers = refused < 0 ? [] : requests.slice(refused).filter(({ method, status }) => method === 'GET' && status === 200);
    return [/\/leases\//, /\/namespaces\/[^/]+$/].every((path) => answers.some((answer) => path.test(answer.path)));
  });
  await setTimeout(2_000);
}

/** What a lock says of the time after which a run that does not renew it counts as dead is cut from fifteen seconds to two. */
async function expireSoon(): Promise<void> {
  for (const { metadata } of await leases()) {
    const lease = testEnvironment.ref('coordination.k8s.io/v1', 'Lease', metadata.name);
    await testEnvironment.cluster.patch('test', lease, { spec: { leaseDurationSeconds: 2 } });
  }
}

/** Holds up the apply of an object, or other requests; resolves when one has come. */
function holdUp(
  proxy: InterceptionProxy,
  name: string,
  isIt = ({ method, path }: ProxiedRequest) => method === 'PATCH' && path.endsWith(`/${name}`),
): { readonly reached: Promise<void>; release(): void } {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const reached = new Promise<void>((resolve) => {
    proxy.onRequest = async (request) => {
      if (!isIt(request)) return undefined;
      resolve();
      await released;
      return undefined;
    };
  });
  return { reached, release };
}

/** A program of two objects, the second after the first, and a deploy of it that waits in the middle. */
async function heldUp(name: string) {
  const proxy = await testEnvironment.proxy();
  const project = testEnvironment.program({ main: [own(config(`${name}-1`))], next: [own(config(`${name}-2`))] });
  const hold = holdUp(proxy, `${name}-1`);
  const running = project.deploy(['--concurrency', '1'], { kubeconfig: proxy.kubeconfig, asProcess: true });
  await hold.reached;
  return { project, proxy, running, release: hold.release };
}

describe('two runs of one stack', () => {
  test('the second is refused, told who works on it since when, and changes nothing; no lock is left', async () => {
    const { project, running, release } = await heldUp('refused');
    const [lease] = await held();
    const refused = await project.deploy(['--outdir', 'out/2']);
    expect(refused.exitCode, String(refused)).toBe(4);
    expect(refused.summary.errors).toMatchObject([{ code: 'stack-locked', message: expect.stringContaining(lease.spec.holderIdentity) }]);
    expect(refused.summary.errors[0]?.message).toContain(lease.spec.acquireTime);
    expect(refused.objects.map(({ result }) => result)).toEqual(['skipped', 'skipped']);
    const destroy = await project.destroy(['--outdir', 'out/3']);
    expect(destroy.exitCode, String(destroy)).toBe(4);
    expect(String(destroy)).toContain('stack-locked');
    release();
    expect((await running).results).toEqual({
      [`ConfigMap ${testEnvironment.namespace}/refused-1`]: 'created',
      [`ConfigMap ${testEnvironment.namespace}/refused-2`]: 'created',
    });
    expect(await held()).toEqual([]);
  });

  test('with --wait-lock it waits', async () => {
    const { project, running, release } = await heldUp('waits');
    const proxy = await testEnvironment.proxy();
    const looks = () => proxy.requests.filter(({ method, path }) => method === 'GET' && path.includes('/leases/')).length;
    const waiting = project.deploy(['--wait-lock', '--outdir', 'out/2'], { kubeconfig: proxy.kubeconfig });
    await poll('the second run has looked at the lock three times', () => looks() > 2);
    release();
    expect((await running).exitCode).toBe(0);
    const report = await waiting;
    expect(report.exitCode, String(report)).toBe(0);
    expect(report.objects.map(({ result }) => result)).toEqual(['unchanged', 'unchanged']);
    expect(report.result.events).toContainEqual(
      expect.objectContaining({ event: 'waiting-for-lock', stack: 'main', timeoutSeconds: 600, leaseDurationSeconds: 15 }),
    );
    expect(await held()).toEqual([]);
  });
});

test('a run whose lock another one has taken when it gives it back says so', async () => {
  const project = testEnvironment.program({ main: [own(config('given-back'))] });
  const proxy = await testEnvironment.proxy();
  proxy.onRequest = async ({ method, path, body }) => {
    if (!path.includes('/leases/') || method === 'GET' || body?.spec?.holderIdentity !== '') return undefined;
    const lease = testEnvironment.ref('coordination.k8s.io/v1', 'Lease', path.split('/').at(-1) as string);
    await testEnvironment.cluster.patch('other', lease, { spec: { holderIdentity: 'other', leaseTransitions: 7 } });
    return undefined;
  };
  const report = await project.deploy([], { kubeconfig: proxy.kubeconfig });
  expect(report.exitCode, String(report)).toBe(0);
  expect(eventsOf(report.result.events, 'warning')).toMatchObject([{ code: 'lock-taken', message: expect.stringContaining('stack main') }]);
  for (const lease of await held())
    await testEnvironment.cluster.patch(
      'other',
      { ...lease, apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' },
      { spec: { holderIdentity: '' } },
    );
});

test('a run whose lock is taken over stops between two requests and says so', async () => {
  const { project, proxy, running, release } = await heldUp('lost');
  for (const lease of await leases()) {
    const taken = { spec: { holderIdentity: 'another run' } };
    await testEnvironment.cluster.patch('another', testEnvironment.ref('coordination.k8s.io/v1', 'Lease', lease.metadata.name), taken);
  }
  onTestFinished(() => testEnvironment.freeLeases());
  await toldOfLoss(proxy); // a renewal comes every five seconds
  release();
  const report = await running;
  expect(report.exitCode, String(report)).toBe(4);
  expect(String(report)).toContain('lock-lost');
  expect(report.only('lost-2')).toMatchObject({ result: 'skipped', reason: expect.stringContaining('another run') });
  expect(await testEnvironment.cluster.find(ref('lost-2'))).toBeUndefined();
  expect(String(report)).toContain('Run again when that run has ended: completed work is detected and skipped.');
  await testEnvironment.freeLeases();
  const again = await project.deploy();
  expect([again.exitCode, again.only('lost-2').result]).toEqual([0, 'created']);
});

test('a run whose Lease is deleted has stopped before the next one writes', async () => {
  const project = testEnvironment.program({ main: [own(config('unseen-1'))], next: [own(config('unseen-2'))] });
  expect((await project.deploy()).exitCode).toBe(0);
  const proxy = await testEnvironment.proxy();
  const hold = holdUp(proxy, 'unseen-2', ({ method, path }) => method === 'DELETE' && path.endsWith('/unseen-2'));
  const destroying = project.run(['destroy', '--yes', '--concurrency', '1', '-o', 'json'], { kubeconfig: proxy.kubeconfig });
  await hold.reached;
  for (const lease of await leases())
    await testEnvironment.cluster.remove({ ...lease, apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' });
  const deploying = project.deploy(['--yes'], { asProcess: true });
  await poll('the deploy has taken the locks', async () => (await held()).length > 0);
  await setTimeout(2_000);
  hold.release();
  const [report] = await Promise.all([deploying, destroying]);
  expect(report.exitCode, String(report)).toBe(0);
  for (const name of ['unseen-1', 'unseen-2']) expect(await testEnvironment.cluster.find(ref(name)), name).toBeDefined();
  const waits = eventsOf(report.result.events, 'waiting-for-lock').map(({ stack, holder }) => [stack, holder]);
  expect(waits.toSorted(([one = ''], [other = '']) => one.localeCompare(other))).toEqual([
    ['main', undefined],
    ['next', undefined],
  ]);
});

describe('a destroy of a stack that has no inventory', () => {
  test('is refused while a deploy works on it that has not written one yet', async () => {
    const proxy = await testEnvironment.proxy();
    const project = testEnvironment.program({ main: [own(config('early'))] });
    const hold = holdUp(
      proxy,
      'early',
      ({ method, path }) => method === 'PATCH' && path.includes('/configmaps/') && path.includes('.default.'),
    );
    const running = project.deploy([], { kubeconfig: proxy.kubeconfig });
    await hold.reached;
    const destroy = await project.destroy(['--outdir', 'out/2']);
    hold.release();
    expect(destroy.exitCode, String(destroy)).toBe(4);
    expect(String(destroy)).toContain('stack-locked');
    expect((await running).only().result).toBe('created');
  });

  test('gives up the lock of one that died after it had removed the inventory', async () => {
    const proxy = await testEnvironment.proxy();
    const project = testEnvironment.program({ main: [own(config('unlocked-late'))] });
    await project.deploy();
    const refusal = { status: 500, body: { kind: 'Status', message: 'dead by now' } };
    proxy.onRequest = ({ method, path }) => (method === 'DELETE' && path.includes('/leases/') ? refusal : undefined);
    await project.destroy([], { kubeconfig: proxy.kubeconfig });
    expect(await held()).toHaveLength(1);
    await expireSoon();
    const again = await project.destroy();
    expect(again.exitCode, String(again)).toBe(0);
    expect(await held()).toEqual([]);
  });
});

test('a lock that cannot be renewed is waited for as long as a request, and its loss fails the run', async () => {
  const proxy = await testEnvironment.proxy();
  const project = testEnvironment.program({ main: [own(config('away-1'))], next: [own(config('away-2'))] });
  await project.run(['synth', '--outdir', 'away']);
  const assembly = await readAssembly(`${project.directory}/away`);
  let dead = false;
  const dropped: number[] = [];
  const inDoubt = () => dropped.length > 0 && dropped.at(-1)! - dropped[0]! > 700; // milliseconds of the second that the lock lasts
  proxy.onRequest = async ({ method, path }) => {
    if (method === 'PATCH' && path.includes('/configmaps/') && path.includes('.default.')) {
      dead = true;
      await poll('the lock is in doubt before the inventory is written', inDoubt);
    }
    if (!dead || method !== 'PUT') return undefined;
    dropped.push(performance.now());
    return 'drop';
  };
  const cluster = publicCluster(
    createClusterClient(new Transport(await connect({ kubeconfig: proxy.kubeconfig }), { retryTimeoutMs: 300 }), testEnvironment.namespace),
  );
  const { objects, summary } = await deploy(assembly, cluster, {
    inventoryNamespace: testEnvironment.namespace,
    wait: false,
    leaseDurationSeconds: 1,
  });
  cluster.close();
  const next = expect.stringContaining('Find out why the API server does not respond, then run again');
  expect(summary).toMatchObject({
    ok: false,
    exitCode: 4,
    counts: { skipped: 2 },
    errors: [
      { code: 'lock-lost', next },
      { code: 'outcome-unknown', next },
    ],
  });
  proxy.onRequest = () => undefined;
  const again = await project.deploy(['--wait-lock']);
  expect([again.exitCode, Object.values(again.results)], String(again)).toEqual([0, ['created', 'created']]);
  expect(objects.map(({ name, result }) => [name, result]).sort()).toEqual([
    ['away-1', 'skipped'],
    ['away-2', 'skipped'],
  ]);
});

test('the lock of a run that was killed is waited for until it expires', async () => {
  const project = testEnvironment.program({ main: [own(config('dead-1')), own(config('dead-2'))] });
  const proxy = await testEnvironment.proxy();
  const kill = new AbortController();
  proxy.onResponse = ({ method, path }) => {
    if (method === 'PATCH' && path.includes('/dead-')) kill.abort();
  };
  const { exitCode } = await project.run(['deploy', '--concurrency', '1'], { kubeconfig: proxy.kubeconfig, signal: kill.signal });
  expect(exitCode).toBe(-1);
  const [left] = await held();
  expect(left.spec).toMatchObject({ holderIdentity: expect.stringMatching(/./), leaseDurationSeconds: 15 });
  await expireSoon();

  const report = await project.deploy();
  expect(report.exitCode, String(report)).toBe(0);
  expect(report.result.events).toContainEqual(expect.objectContaining({ event: 'waiting-for-lock', stack: 'main' }));
  expect(Object.keys(report.results)).toHaveLength(2);
  expect(await held()).toEqual([]);
});

describe('the Lease of a stack', () => {
  /** The names of the Leases of an app, with their holders. */
  async function leasesOf(project: Project): Promise<Record<string, string>> {
    const { app } = JSON.parse(project.read('dist/manifest.json'));
    const found = (await leases()).filter(({ metadata }) => metadata.name.startsWith(`${app}.`));
    return Object.fromEntries(found.map(({ metadata, spec }) => [metadata.name.split('.')[2], spec.holderIdentity]));
  }
  const programOf = (name: string, stacks: Parameters<typeof testEnvironment.program>[0]) =>
    testEnvironment.program(stacks, { environment: { FIELDWISE_APP_NAME: `${testEnvironment.app}-${name}` } });

  test('stays without a holder while the stack has an inventory, and counts the runs', async () => {
    const project = programOf('stays', { main: [own(config('stays'))] });
    for (const transitions of [0, 1, 2]) {
      expect((await project.deploy()).exitCode).toBe(0);
      expect(await leasesOf(project)).toEqual({ main: '' });
      const [lease] = (await leases()).filter(({ metadata }) => metadata.name.includes('-stays.'));
      expect(lease.spec.leaseTransitions).toBe(transitions);
    }
    expect((await project.destroy()).exitCode).toBe(0);
    expect(await leasesOf(project)).toEqual({});
  });

  test('is deleted with the former name of a renamed stack', async () => {
    const project = programOf('renamed', { before: [own(config('renamed'))] });
    await project.deploy();
    const text = testEnvironment.text({ after: [own(config('renamed'))] });
    project.write({ 'main.ts': text.replace('"after")', '"after", { renamedFrom: "before" })') });
    const report = await project.deploy();
    expect(report.exitCode, String(report)).toBe(0);
    expect(await leasesOf(project)).toEqual({ after: '' });
  });

  test('is deleted after a first deploy that was refused', async () => {
    await testEnvironment.cluster.apply('somebody', { ...ref('refused-first'), data: { a: 'theirs' } });
    const project = programOf('refused-first', { main: [own({ ...config('refused-first'), data: { a: 'ours' } })] });
    const report = await project.deploy();
    expect(report.exitCode, String(report)).toBe(2);
    expect(await leasesOf(project)).toEqual({});
  });

  test('is deleted with a stack that is pruned', async () => {
    const project = programOf('pruned', { kept: [own(config('pruned-kept'))], gone: [own(config('pruned-gone'))] });
    await project.deploy();
    project.write({ 'main.ts': testEnvironment.text({ kept: [own(config('pruned-kept'))] }) });
    const report = await project.deploy(['--prune-stacks', '--yes']);
    expect(report.exitCode, String(report)).toBe(0);
    expect(await leasesOf(project)).toEqual({ kept: '' });
  });
});

test('without the right to lock nothing is done', async () => {
  const kubeconfig = await testEnvironment.account('unlocked', [{ apiGroups: [''], resources: ['configmaps'], verbs: ['*'] }]);
  const report = await testEnvironment.program({ main: [own(config('unlocked'))] }).deploy([], { kubeconfig });
  expect(report.exitCode, String(report)).toBe(4);
  expect(report.summary.errors).toMatchObject([
    {
      code: 'lock-forbidden',
      message: expect.stringMatching(
        /^These credentials may not lock stacks: .*\. Missing in namespace \S+: get, create, patch, update, delete leases$/,
      ),
      next: expect.stringMatching(/^`fieldwise rbac` prints the permissions: .*leases\.coordination\.k8s\.io/),
    },
  ]);
  expect(await testEnvironment.cluster.find(ref('unlocked'))).toBeUndefined();
});

test('what that refusal says to grant suffices', async () => {
  const verbs = ['get', 'create', 'update', 'delete'];
  const rules = [
    { apiGroups: [''], resources: ['configmaps'], verbs: ['*'] },
    { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs },
  ];
  const kubeconfig = await testEnvironment.account('locked', rules);
  const report = await testEnvironment.program({ main: [own(config('granted'))] }).deploy([], { kubeconfig });
  expect(report.exitCode, String(report)).toBe(0);
  expect(await held()).toEqual([]);
});

test('two runs of the same stacks in any order never wait for each other', async () => {
  const app = { environment: { FIELDWISE_APP_NAME: `${testEnvironment.app}-order` } };
  const forwards = testEnvironment.program({ a: [own(config('order-a'))], z: [own(config('order-z'))] }, app);
  const backwards = testEnvironment.program({ z: [own(config('order-z'))], a: [own(config('order-a'))] }, app);
  const reports = await Promise.all([forwards, backwards].map((one) => one.deploy(['--wait-lock', '60'], { asProcess: true })));
  for (const report of reports) expect(report.exitCode, String(report)).toBe(0);
  expect(await held()).toEqual([]);
});

test('Ctrl-C stops between requests: every object is reported, what was under way is remembered, the lock is given up', async () => {
  const proxy = await testEnvironment.proxy();
  const app = { environment: { FIELDWISE_APP_NAME: `${testEnvironment.app}-interrupt` } };
  const project = testEnvironment.program({ main: [own(config('interrupt-1'))], next: [own(config('interrupt-2'))] }, app);
  const hold = holdUp(proxy, 'interrupt-1');
  const { child, told, ended } = start(project, proxy.kubeconfig);
  await hold.reached;
  child.kill('SIGINT');
  await told;
  hold.release();
  const { exitCode, events } = await ended;
  expect(exitCode).toBe(130);
  const results = eventsOf(events, 'object').map(({ name, result, reason }) => [name, result, reason]);
  expect(results).toEqual([
    ['interrupt-1', 'created', undefined],
    ['interrupt-2', 'skipped', 'interrupted'],
  ]);
  expect(await held()).toEqual([]);
  const again = await project.deploy();
  const outcomes = Object.fromEntries(again.objects.map(({ name, result }) => [name, result])); // two stacks end in any order
  expect(outcomes).toEqual({ 'interrupt-1': 'unchanged', 'interrupt-2': 'created' });
});

/** `fieldwise deploy -o json` as a process that can be interrupted. */
function start(project: Project, kubeconfig: string) {
  const environment = { FIELDWISE_APP_NAME: `${testEnvironment.app}-interrupt`, FIELDWISE_NAMESPACE: testEnvironment.namespace };
  const child = spawn(process.execPath, [commandLine, 'deploy', '-o', 'json', '--concurrency', '1'], {
    cwd: project.directory,
    env: { PATH: process.env.PATH ?? '', KUBECONFIG: kubeconfig, FIELDWISE_INVENTORY_NAMESPACE: testEnvironment.namespace, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  testEnvironment.onCleanup(() => child.kill('SIGKILL'));
  const told = new Promise<void>((resolve) => {
    child.stderr.on('data', (chunk: Buffer) => {
      if (String(chunk).includes('Stopping after the current requests')) resolve();
    });
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk;
  });
  const ended = new Promise<{ exitCode: number | null; events: ResponseBody[] }>((resolve) => {
    child.on('close', (exitCode) =>
      resolve({
        exitCode,
        events: output
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line)),
      }),
    );
  });
  return { child, told, ended };
}

describe('a Lease that the server refuses for ever', () => {
  const refusal = { kind: 'Status', status: 'Failure', reason: 'AlreadyExists', code: 409, message: 'leases "l" already exists' };
  const isLease = ({ path }: ProxiedRequest) => path.includes('/leases');

  test.each([
    {
      lie: 'as if it existed, and reads as absent',
      answer: ({ method }: ProxiedRequest) => (method === 'GET' ? undefined : { status: 409, body: refusal }),
      attempts: 8,
    },
    {
      lie: 'although it is free',
      answer: ({ method, path }: ProxiedRequest) =>
        method === 'GET'
          ? {
              status: 200,
              body: {
                apiVersion: 'coordination.k8s.io/v1',
                kind: 'Lease',
                metadata: { name: path.split('/').at(-1), namespace: testEnvironment.namespace, uid: 'u', resourceVersion: '1' },
                spec: {},
              },
            }
          : { status: 409, body: refusal },
      attempts: 8,
    },
  ])('$lie: a deploy ends after some attempts, and nothing was changed', async ({ answer, attempts }) => {
    const proxy = await testEnvironment.proxy();
    proxy.onRequest = (request) => (isLease(request) ? answer(request) : undefined);
    const project = testEnvironment.program({ main: [own(config('lied-to'))] }, { kubeconfig: proxy.kubeconfig });
    const report = await project.deploy();
    expect(report.summary, String(report)).toMatchObject({
      exitCode: 4,
      errors: [
        { code: 'lock-contended', next: expect.stringContaining(`in namespace ${testEnvironment.namespace}, and admission webhooks`) },
      ],
    });
    expect(report.only('lied-to').result).toBe('skipped');
    expect(proxy.requests.filter((request) => isLease(request) && request.method !== 'GET')).toHaveLength(attempts);
    expect(await testEnvironment.cluster.find(ref('lied-to'))).toBeUndefined();
  });
});
