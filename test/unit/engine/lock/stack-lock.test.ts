import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { StackLock } from '../../../../src/engine/lock/stack-lock.js';
import type { WaitingForLock } from '../../../../src/engine/report/events.js';
import { EmbeddedApiServer } from '../../../../src/entry/embedded.js';
import { inProcessClient } from '../../../../src/entry/in-process.js';
import { type ClusterClient, namespaces } from '../../../../src/kubernetes/index.js';
import type { JsonObject } from '../../../../src/util/json.js';
import { type Machine, thisMachine } from '../../../../src/util/machine.js';

const namespace = 'fieldwise-system';
const stack = { app: 'shop', instance: 'default', stack: 'web', manager: 'fieldwise/shop/default/web' };
const leases = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', plural: 'leases', namespaced: true };
const kept = () => true;

/** Both clocks of the machine of a run, which a test moves apart. */
class TestClocks {
  #monotonic = 0;
  #wall = Date.parse('2026-11-28T00:00:00Z');
  monotonic = () => this.#monotonic;
  wall = () => this.#wall;
  /** True to move the clocks instead of waiting. */
  skipsPauses = false;
  async pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
    if (!this.skipsPauses) return thisMachine.pause(milliseconds, signal);
    this.move({ monotonic: milliseconds / 1_000, wall: milliseconds / 1_000 });
  }
  /** Moves the clocks by so many seconds. */
  move({ monotonic, wall }: { readonly monotonic: number; readonly wall: number }): void {
    this.#monotonic += monotonic * 1_000;
    this.#wall += wall * 1_000;
  }
}

let requests: string[];
let server: EmbeddedApiServer;
/** Called before each request. */
let beforeRequest: (method: string, path: string, request: Parameters<EmbeddedApiServer['handle']>[0]) => Promise<void> | void;

beforeEach(async () => {
  server = await EmbeddedApiServer.start({ port: false });
  requests = [];
  beforeRequest = () => {};
});
afterEach(async () => {
  await server.stop();
});

/** A client of a run on a machine with these clocks. */
function clusterOf(clocks: TestClocks): ClusterClient {
  const machine: Machine = { ...thisMachine, monotonic: clocks.monotonic, wall: clocks.wall, pause: clocks.pause.bind(clocks) };
  const handle: EmbeddedApiServer['handle'] = async (request) => {
    await beforeRequest(request.method, request.path, request);
    const [, resource] = /\/(leases|namespaces|selfsubjectaccessreviews)(?:\/[^/]+)?$/.exec(request.path) ?? [];
    requests.push(`${request.method} ${resource}`);
    return server.handle(request);
  };
  return inProcessClient({ handle }, 'default', machine);
}

/** The requests since the last call. */
function sent(): readonly string[] {
  return requests.splice(0);
}

function acquire(
  clocks = new TestClocks(),
  options: {
    leaseDurationSeconds?: number;
    timeoutSeconds?: number;
    signal?: AbortSignal;
    onWait?: (wait: Omit<WaitingForLock, 'event'>) => void;
  } = {},
) {
  const { leaseDurationSeconds = 15, timeoutSeconds = 0, signal, onWait = () => {} } = options;
  return StackLock.acquire(clusterOf(clocks), [stack], { namespace, timeoutSeconds, leaseDurationSeconds, signal, onWait });
}

async function lease(): Promise<JsonObject & { readonly metadata: JsonObject; readonly spec: JsonObject }> {
  const [found] = await inProcessClient(server).list(leases, { namespace });
  return found as Awaited<ReturnType<typeof lease>>;
}

async function writeLease(spec: JsonObject, metadata: JsonObject = {}): Promise<void> {
  const now = await lease();
  await inProcessClient(server).mergePatch({ resource: leases, namespace, name: String(now.metadata.name) }, { metadata, spec }, 'test');
}

async function deleteLease(): Promise<void> {
  const { metadata } = await lease();
  const options = {
    uid: String(metadata.uid),
    resourceVersion: String(metadata.resourceVersion),
    propagationPolicy: 'Background',
  } as const;
  await inProcessClient(server).delete({ resource: leases, namespace, name: String(metadata.name) }, options);
}

/** Five reviews of the rights of the run in one round trip, and a Lease in a namespace that does not exist yet. */
const firstTaken = ['GET leases', ...Array(5).fill('POST selfsubjectaccessreviews'), 'PATCH leases', 'POST namespaces', 'PATCH leases'];

describe('requests of a run without any wait', () => {
  test.each([
    {
      at: 'the first deploy of a stack',
      before: false,
      hasInventory: true,
      taken: firstTaken,
      released: ['PUT leases'],
    },
    {
      at: 'a first deploy that was refused',
      before: false,
      hasInventory: false,
      taken: firstTaken,
      released: ['DELETE leases'],
    },
    {
      at: 'a deploy of a stack that has an inventory',
      before: true,
      hasInventory: true,
      taken: ['GET leases', 'PUT leases'],
      released: ['PUT leases'],
    },
    { at: 'a destroy', before: true, hasInventory: false, taken: ['GET leases', 'PUT leases'], released: ['DELETE leases'] },
  ])('$at', async ({ before, hasInventory, taken, released }) => {
    if (before) await (await acquire()).release(kept);
    sent();
    const lock = await acquire();
    expect(sent()).toEqual(taken);
    expect((await lease()).spec).toMatchObject({ holderIdentity: expect.stringMatching(/@/), leaseTransitions: before ? 1 : 0 });
    await lock.release(() => hasInventory);
    expect(sent()).toEqual(released);
    expect((await lease())?.spec.holderIdentity).toBe(hasInventory ? '' : undefined);
  });

  test('a run that does not know whether the stack has an inventory deletes only the Lease that it has made', async () => {
    await (await acquire()).release();
    expect(await lease()).toBeUndefined();
    await (await acquire()).release(kept);
    await (await acquire()).release();
    expect((await lease()).spec.holderIdentity).toBe('');
  });
});

describe('a run renews its Lease before the next request where one of its clocks has moved beyond 70 % of the duration', () => {
  test.each([
    { clocks: 'both by 10 s', move: { monotonic: 10, wall: 10 }, renewed: false },
    { clocks: 'both by 11 s', move: { monotonic: 11, wall: 11 }, renewed: true },
    { clocks: 'only the wall clock: the machine slept', move: { monotonic: 0.1, wall: 3_600 }, renewed: true },
    { clocks: 'only the monotonic clock: the wall clock was set', move: { monotonic: 11, wall: 0.1 }, renewed: true },
    { clocks: 'the wall clock went back', move: { monotonic: 1, wall: -0.5 }, renewed: true },
  ])('$clocks: $renewed', async ({ move, renewed }) => {
    const clocks = new TestClocks();
    const lock = await acquire(clocks);
    sent();
    clocks.move(move);
    expect(lock.isCertain).toBe(!renewed);
    await lock.ensureHeld();
    expect(lock.isCertain).toBe(true);
    expect(sent()).toEqual(renewed ? ['PUT leases', 'GET namespaces'] : []);
    await lock.release();
  });
});

describe('a run has lost its lock', () => {
  const ofWeb = 'This run no longer holds the lock of stack web: ';
  test.each<{ readonly because: string; readonly change: () => Promise<unknown>; readonly message: string }>([
    { because: 'its Lease is absent', change: deleteLease, message: 'its Lease is gone, so that another run may have taken it and ended' },
    {
      because: 'its Lease has another uid, although it names this run',
      change: async () => {
        const { metadata, spec } = await lease();
        await deleteLease();
        const again = { apiVersion: leases.apiVersion, kind: leases.kind, metadata: { name: metadata.name ?? '', namespace }, spec };
        await inProcessClient(server).create(leases, namespace, again, 'test');
      },
      message: 'its Lease was written by somebody else, so that another run may have taken it and ended',
    },
    {
      because: 'another run has taken it',
      change: () => writeLease({ holderIdentity: 'ci', leaseTransitions: 1 }),
      message: 'ci took it over',
    },
    {
      because: 'another run has taken it and ended',
      change: () => writeLease({ holderIdentity: '', leaseTransitions: 1 }),
      message: 'another run took it over, and has ended',
    },
    {
      because: 'its transitions are not those that this run wrote',
      change: () => writeLease({ leaseTransitions: 7 }),
      message: 'its Lease was written by somebody else, so that another run may have taken it and ended',
    },
    {
      because: 'the namespace is being deleted',
      change: async () => {
        const found = await inProcessClient(server).get({ resource: namespaces, name: namespace });
        const { uid, resourceVersion } = found.metadata as Record<string, string>;
        // Its finalizer holds it until its content is deleted.
        await inProcessClient(server).create(
          { apiVersion: 'v1', kind: 'ConfigMap', plural: 'configmaps', namespaced: true },
          namespace,
          { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'held', namespace, finalizers: ['example.com/held'] } },
          'test',
        );
        await inProcessClient(server).delete(
          { resource: namespaces, name: namespace },
          { uid: uid!, resourceVersion: resourceVersion!, propagationPolicy: 'Background' },
        );
      },
      message: `the namespace of its Lease, ${namespace}, is being deleted`,
    },
  ])('$because', async ({ change, message }) => {
    const clocks = new TestClocks();
    const lock = await acquire(clocks);
    await change();
    expect(lock.isCertain).toBe(true);
    clocks.move({ monotonic: 20, wall: 20 });
    await expect(lock.ensureHeld()).rejects.toMatchObject({ code: 'lock-lost', message: ofWeb + message });
    sent();
    await expect(lock.ensureHeld()).rejects.toMatchObject({ code: 'lock-lost' });
    await lock.release(() => false);
    expect(sent()).toEqual([]); // neither the Lease nor anything else is written by a run that has lost it
  });

  test('before it has taken the lock of another stack: it takes none', async () => {
    const clocks = new TestClocks();
    let isSuspended = false;
    beforeRequest = async (_, path) => {
      if (isSuspended || !path.includes('selfsubjectaccessreviews') || (await lease()) === undefined) return;
      isSuspended = true;
      await deleteLease();
      clocks.move({ monotonic: 20, wall: 20 }); // suspended while it asks for its rights on the second Lease
    };
    const two = [stack, { ...stack, stack: 'zone', manager: 'fieldwise/shop/default/zone' }];
    const options = { namespace, timeoutSeconds: 0, leaseDurationSeconds: 15, signal: undefined, onWait: () => {} };
    await expect(StackLock.acquire(clusterOf(clocks), two, options)).rejects.toMatchObject({ code: 'lock-lost' });
    expect(sent().filter((request) => request === 'PATCH leases')).toHaveLength(2); // that of the first stack, before and after the namespace
    expect(await lease()).toBeUndefined();
  });

  test('not where others have written labels to the Lease', async () => {
    const clocks = new TestClocks();
    const lock = await acquire(clocks);
    await writeLease({}, { labels: { team: 'shop' } });
    clocks.move({ monotonic: 20, wall: 20 });
    await lock.ensureHeld();
    expect((await lease()).spec).toMatchObject({ leaseTransitions: 0, renewTime: '2026-11-28T00:00:20.000000Z' });
    await lock.release();
  });

  test('a renewal counts from when it was sent: one that takes longer than the duration proves nothing', async () => {
    const clocks = new TestClocks();
    const lock = await acquire(clocks);
    clocks.move({ monotonic: 20, wall: 20 });
    let delays = 1;
    beforeRequest = (method) => {
      if (method === 'PUT' && delays-- > 0) clocks.move({ monotonic: 20, wall: 20 });
    };
    sent();
    await lock.ensureHeld();
    expect(sent().filter((request) => request === 'PUT leases')).toHaveLength(2);
    await lock.release();
  });
});

test('the dead holder of several stacks proves it for all of them at the same time', async () => {
  const two = [stack, { ...stack, stack: 'zone', manager: 'fieldwise/shop/default/zone' }];
  const options = { namespace, timeoutSeconds: 0, leaseDurationSeconds: 15, signal: undefined, onWait: () => {} };
  const dead = await StackLock.acquire(clusterOf(new TestClocks()), two, options);
  sent();
  const clocks = new TestClocks();
  clocks.skipsPauses = true;
  const lock = await StackLock.acquire(clusterOf(clocks), two, options);
  // Both at first, and the first one each second.
  expect(sent().filter((request) => request === 'GET leases').length).toBeLessThan(20);
  clocks.skipsPauses = false;
  await Promise.all([lock.release(kept), dead.release(kept)]);
});

describe('an inventory without a Lease', () => {
  /** Lets a run wait for one whose Lease was deleted, without the time. */
  function outwait(lock: StackLock, clocks: TestClocks): Promise<boolean> {
    clocks.skipsPauses = true;
    const waiting = lock.outwait([stack]);
    clocks.skipsPauses = false;
    return waiting;
  }

  test.each([
    { leaseDurationSeconds: 60, waits: 60 },
    { leaseDurationSeconds: 15, waits: 15 },
    { leaseDurationSeconds: 2, waits: 15 },
  ])('of a run whose Leases last for $leaseDurationSeconds s: it says that it waits for $waits s, and does so once', async (one) => {
    const waits: unknown[] = [];
    const clocks = new TestClocks();
    const lock = await acquire(clocks, { ...one, onWait: (wait) => waits.push(wait) });
    clocks.move({ monotonic: 0.5, wall: 0.5 });
    expect(lock.lastRunOf(stack)).toBeUndefined();
    expect(await outwait(lock, clocks)).toBe(true);
    expect(clocks.monotonic()).toBe(one.waits * 1_000);
    expect(waits).toEqual([{ stack: 'web', timeoutSeconds: one.waits, leaseDurationSeconds: one.waits }]);
    expect(await lock.outwait([stack])).toBe(false);
    await lock.release(kept);
  });

  test('afterwards, the other run is one that was cut off: what it has sent may arrive late, and the next run is told so', async () => {
    const clocks = new TestClocks();
    const lock = await acquire(clocks);
    await outwait(lock, clocks);
    const { late } = lock.lastRunOf(stack) ?? {};
    expect(late).toMatchObject({ until: 66_000 }); // a renewal after the Lease was created, a second for whole seconds, and a minute
    await lock.release(kept);
    expect((await lease()).metadata.annotations).toEqual({ 'fieldwise.dev/late-until': new Date(late?.untilOnServer ?? 0).toISOString() });
  });

  test('two readers wait together', async () => {
    const waits: unknown[] = [];
    const clocks = new TestClocks();
    const lock = await acquire(clocks, { onWait: (wait) => waits.push(wait) });
    expect(await Promise.all([outwait(lock, clocks), lock.outwait([stack])])).toEqual([true, true]);
    expect([waits.length, clocks.monotonic()]).toEqual([1, 15_000]);
    await lock.release(kept);
  });

  test('an interrupt ends the wait, and the Lease is deleted again, so that the next run waits', async () => {
    const interrupt = new AbortController();
    const lock = await acquire(new TestClocks(), { signal: interrupt.signal, onWait: () => interrupt.abort() });
    await expect(lock.outwait([stack])).rejects.toMatchObject({ code: 'interrupted' });
    await lock.release();
    expect(await lease()).toBeUndefined();
  });

  test('no run waits that has found a Lease, be it that the answer was lost with which it took it', async () => {
    await (await acquire()).release(kept, kept);
    for (const isLost of [false, true]) {
      let repeats = isLost;
      beforeRequest = async (method, path, request) => {
        if (method !== 'PUT' || !path.includes('/leases/') || !repeats) return;
        repeats = false;
        await server.handle(request); // the attempt whose answer is lost; the next one is refused
      };
      const lock = await acquire();
      expect(repeats).toBe(false);
      expect(lock.lastRunOf(stack)).toMatchObject({ wroteUntil: expect.any(Number) });
      expect(await lock.outwait([stack])).toBe(false);
      await lock.release(kept, kept);
    }
  });
});

describe('the Lease of somebody else', () => {
  const forged = { holderIdentity: 'ci on runner-7', acquireTime: '2026-11-28T06:00:00.000000Z', renewTime: '2026-11-28T06:00:00.000000Z' };

  async function forge(spec: JsonObject): Promise<void> {
    await (await acquire()).release(kept);
    await writeLease({ ...forged, ...spec });
    sent();
  }

  /** The clocks of a run that waits; `look` is called before each of its looks at the Lease, until it takes it. */
  function waiting(look: (count: number) => Promise<unknown> | unknown = () => {}): TestClocks {
    const clocks = new TestClocks();
    clocks.skipsPauses = true;
    let count = 0;
    beforeRequest = async (method, path) => {
      if (method === 'PUT') clocks.skipsPauses = false;
      if (method === 'GET' && path.includes('/leases/')) await look(++count);
    };
    return clocks;
  }

  test.each([
    { leaseDurationSeconds: 2 ** 31 - 1, counts: 60 },
    { leaseDurationSeconds: 61, counts: 60 },
    { leaseDurationSeconds: 5, counts: 5 },
  ])('one of $leaseDurationSeconds s that nobody renews is taken over after $counts s', async ({ leaseDurationSeconds, counts }) => {
    await forge({ leaseDurationSeconds });
    const waits: Omit<WaitingForLock, 'event'>[] = [];
    const clocks = waiting();
    const lock = await acquire(clocks, { onWait: (wait) => waits.push(wait) });
    expect(waits).toMatchObject([{ holder: 'ci on runner-7', leaseDurationSeconds: counts, timeoutSeconds: counts }]);
    expect(Math.ceil(clocks.monotonic() / 1_000)).toBe(counts + 1); // it looks once a second, and once more after the time
    await lock.release();
  });

  test('labels and annotations do not keep it alive', async () => {
    await forge({ leaseDurationSeconds: 5 });
    const lock = await acquire(waiting((count) => writeLease({}, { annotations: { 'example.com/look': String(count) } })));
    await lock.release();
    expect((await lease()).spec.leaseTransitions).toBe(1);
  });

  test.each([
    { waits: 0, looks: 2 },
    { waits: 100, looks: 101 },
  ])('one that its holder renews is refused after a wait of $waits s, with the command that ends that run', async ({ waits, looks }) => {
    await forge({ leaseDurationSeconds: 2 ** 31 - 1 });
    let looked = 0;
    const clocks = waiting((count) => {
      looked = count;
      return writeLease({ renewTime: `2026-11-28T06:00:00.${String(count).padStart(6, '0')}Z` });
    });
    await expect(acquire(clocks, { timeoutSeconds: waits })).rejects.toMatchObject({
      code: 'stack-locked',
      next: expect.stringMatching(/`kubectl delete lease shop\.default\.web\.[0-9a-f]{10} --namespace fieldwise-system` ends it/),
    });
    expect(looked).toBe(looks);
  });

  test('the highest number of transitions is followed by 0', async () => {
    await forge({ leaseTransitions: 2 ** 31 - 1, holderIdentity: '' });
    const lock = await acquire();
    expect((await lease()).spec.leaseTransitions).toBe(0);
    await lock.release();
  });
});
