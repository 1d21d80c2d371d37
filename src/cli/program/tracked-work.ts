import { AsyncLocalStorage, createHook } from 'node:async_hooks';

/** Tells in a process with other work what a program has started. */
export interface TrackedWork {
  /** Does something whose work is followed. */
  run<Result>(work: () => Result): Result;
  /** True while something would keep a process of its own alive. */
  isPending(): boolean;
  stop(): void;
}

/** Follows work by its asynchronous context. It costs time for each promise of the process, so it is for processes of tests. */
export function trackWork(): TrackedWork {
  const followed = new AsyncLocalStorage<true>();
  const resources = new Map<number, { readonly type: string; readonly resource: Resource }>();
  const hook = createHook({
    init: (id, type, _, resource) => {
      if (!passing.has(type) && followed.getStore()) resources.set(id, { type, resource });
    },
    after: (id) => {
      if (/req/i.test(resources.get(id)?.type ?? '')) resources.delete(id);
    },
    destroy: (id) => {
      resources.delete(id);
    },
  }).enable();
  return {
    run: (work) => followed.run(true, work),
    isPending: () => [...resources.values()].some(({ type, resource }) => keepsAlive(type, resource)),
    stop: () => {
      hook.disable();
      followed.disable(); // otherwise every promise of the process has its context, to the end
    },
  };
}

/** The kinds of resources that do not keep an event loop alive by themselves. */
export const passing: ReadonlySet<string> = new Set(['PROMISE', 'TickObject', 'Microtask', 'AsyncLocalStorage']);

/** The members of a resource of `async_hooks`, as far as it has them. */
interface Resource {
  hasRef?(): boolean;
  readonly ondone?: unknown;
  readonly buffer?: unknown;
}

function keepsAlive(type: string, resource: Resource): boolean {
  // Jobs of cryptography and of compression are also made where their callers wait for them.
  if (/REQUEST$/.test(type)) return resource.ondone !== undefined;
  if (type === 'ZLIB') return resource.buffer !== undefined && resource.buffer !== null;
  return resource.hasRef?.() ?? /req|immediate/i.test(type);
}
