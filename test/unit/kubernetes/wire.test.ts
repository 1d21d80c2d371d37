import { afterEach, expect, test, vi } from 'vitest';
import { deploy } from '../../../src/deploy/deploy/deploy.js';
import type { DeployEvent } from '../../../src/engine/report/events.js';
import { EmbeddedApiServer } from '../../../src/entry/embedded.js';
import { createClusterClient, Transport } from '../../../src/kubernetes/index.js';
import { thisMachine } from '../../../src/util/machine.js';
import { type Fate, inProcessConnection, inProcessWire } from '../../harness/in-process-wire.js';
import { VirtualMachine } from '../../harness/virtual-machine.js';
import { configMap, dataOf, options, program, removeProgramsAfterAll } from '../deploy/run-fixture.js';

removeProgramsAfterAll();
afterEach(() => vi.restoreAllMocks());

interface Attempt {
  readonly request: string;
  readonly fate: Fate;
  readonly at: number;
}

/** A client whose attempts have the fates that a test says, by their number for one request. */
async function clusterWith(fateOf: (request: string, attempt: number) => Fate, seed = 1) {
  const virtual = new VirtualMachine(seed);
  const { machine } = virtual;
  const server = await EmbeddedApiServer.startOn(machine, { port: false });
  const attempts: Attempt[] = [];
  const wire = inProcessWire(server, ({ method, path }) => {
    const request = `${method} ${path.replace(/\?.*/, '')}`;
    const fate = fateOf(request, attempts.filter((one) => one.request === request).length + 1);
    attempts.push({ request, fate, at: virtual.now });
    return fate;
  });
  const cluster = createClusterClient(new Transport(inProcessConnection, { wire, machine }), 'default');
  return { virtual, cluster, attempts, of: (pattern: RegExp) => attempts.filter(({ request }) => pattern.test(request)) };
}

const applies = /^PATCH .*\/default\/configmaps\//;

/** Deploys two ConfigMaps; each apply is first refused at the door, then carried out without an answer, then answered. */
async function deployTwo(seed: number) {
  const fates: readonly Fate[] = ['unsent', 'lost', 'answered'];
  const found = await clusterWith((request, attempt) => (applies.test(request) ? (fates[attempt - 1] ?? 'answered') : 'answered'), seed);
  const events: DeployEvent[] = [];
  const assembly = await program(configMap('a', { x: '1' }), configMap('b', { x: '1' }));
  const summary = await found.virtual.run(deploy(assembly, found.cluster, options, (event) => events.push(event)));
  return { ...found, events, summary, objects: await found.cluster.list(await found.cluster.resourceOf('v1', 'ConfigMap'), {}) };
}

test('a deploy over a wire that loses requests and answers sends them again, after pauses of its machine', async () => {
  const { cluster, events, summary, of, virtual } = await deployTwo(1);
  expect(summary).toMatchObject({ ok: true });
  expect(await virtual.run(dataOf(cluster, 'b'))).toEqual({ x: '1' });
  for (const name of ['a', 'b']) {
    const [first, second, third] = of(new RegExp(`^PATCH .*/default/configmaps/${name}$`));
    expect([first?.fate, second?.fate, third?.fate]).toEqual(['unsent', 'lost', 'answered']);
    // 200 and 400 ms, of which the random part of up to a half is subtracted.
    expect((second?.at ?? 0) - (first?.at ?? 0)).toSatisfy((pause: number) => pause >= 100 && pause < 200);
    expect((third?.at ?? 0) - (second?.at ?? 0)).toSatisfy((pause: number) => pause >= 200 && pause < 400);
  }
  const reasons = events.flatMap((event) => (event.event === 'retrying' ? [event.reason] : []));
  expect(new Set(reasons)).toEqual(new Set(['the wire is broken (ECONNREFUSED)', 'the wire is broken (ECONNRESET)']));
  expect(virtual.timers).toBe(0);
});

test('the seed of the machine decides over all that a run does, reports and leaves behind', async () => {
  await deployTwo(0); // loads the modules that the others need
  const [one, same, other] = [await deployTwo(1), await deployTwo(1), await deployTwo(2)];
  for (const part of ['attempts', 'events', 'objects', 'summary'] as const) expect(same[part]).toEqual(one[part]);
  expect(other.attempts).not.toEqual(one.attempts);
});

/** Where our sources ask this machine for a time, a timer or a random number. */
function usesOfThisMachine(): readonly string[] {
  const uses: string[] = [];
  const note = (name: string) => {
    const caller = new Error().stack
      ?.split('\n')
      .find((line) => /\/(lib|src)\/src\/|\/src\/[a-z]+\//.test(line) && !line.includes('/test/'));
    if (caller !== undefined) uses.push(`${name} ${caller.trim()}`);
  };
  const watch = <Owner extends object>(owner: Owner, name: keyof Owner & string) => {
    const real = owner[name] as (...args: unknown[]) => unknown;
    vi.spyOn(owner as Record<string, () => unknown>, name).mockImplementation((...args: unknown[]) => {
      note(name);
      return real.apply(owner, args);
    });
  };
  watch(Date, 'now');
  watch(Math, 'random');
  watch(performance, 'now');
  for (const name of ['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask'] as const) watch(globalThis, name);
  return uses;
}

test('neither a run nor its server in this process asks this machine for anything', async () => {
  const uses = usesOfThisMachine();
  const { summary } = await deployTwo(3);
  expect(summary).toMatchObject({ ok: true });
  expect(uses).toEqual([]);
  thisMachine.after(0, () => {})();
  expect(uses).toEqual([expect.stringContaining('setTimeout')]);
});

test.each<{ readonly fate: Fate; readonly attempts: number; readonly reason: string }>([
  { fate: 'unsent', attempts: 3, reason: 'ECONNREFUSED' },
  { fate: 'lost', attempts: 6, reason: 'ECONNRESET' },
])('a server behind a wire on which each attempt is $fate is unreachable after $attempts attempts', async ({ fate, attempts, reason }) => {
  const found = await clusterWith(() => fate);
  await expect(found.virtual.run(found.cluster.version())).rejects.toMatchObject({
    code: 'cluster-unreachable',
    message: expect.stringContaining(reason),
  });
  expect(found.attempts).toHaveLength(attempts);
});

test('a watch over a wire ends at the time of its machine', async () => {
  const { cluster, virtual } = await clusterWith(() => 'answered');
  const resource = await cluster.resourceOf('v1', 'ConfigMap');
  const { resourceVersion } = await cluster.listWithVersion(resource, {});
  const { signal } = new AbortController();
  const watch = async () => {
    for await (const _ of cluster.watch(resource, { resourceVersion, timeoutSeconds: 60, signal }));
  };
  const ended = watch().then(
    () => virtual.now,
    () => virtual.now,
  );
  expect(await virtual.run(ended)).toBe(60_000);
});
