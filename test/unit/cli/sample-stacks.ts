import type { ObjectProblem, ObservedStack } from '../../../src/inspect/observed-stacks.js';

export const healthy = { state: 'ready', ready: 12, notReady: 0, notKnown: 0, problems: [] } as const;
export const last = { revision: 3, at: '2026-11-30T04:00:00.123Z', result: 'succeeded', by: 'alice' } as const;
const web = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web', object: 'Deployment shop/web' };
export const crash = { ...web, state: 'failed', message: 'container web crashes' } as const;
const secret = { apiVersion: 'v1', kind: 'Secret', namespace: 'shop', name: 'db', object: 'Secret shop/db' };

/** A ready stack, unless it has problems. */
export const stack = (name: string, more: Partial<ObservedStack> = {}): ObservedStack => ({
  app: 'shop',
  instance: 'prod',
  stack: name,
  manager: `fieldwise/shop/prod/${name}`,
  namespaces: ['shop'],
  owned: 12,
  shared: 0,
  pending: 0,
  last,
  health: healthy,
  ...more,
});

export const notReady = (...problems: readonly ObjectProblem[]) => ({
  health: { ...healthy, state: 'not-ready', notReady: problems.length, problems } as const,
});

export const undeployed = ({ last: _, ...others }: ObservedStack): ObservedStack => others;
export const broken = stack('db', { last: { ...last, result: 'failed' }, ...notReady(crash) });
export const forbidden = undeployed(
  stack('base', {
    historyNotRead: 'secrets is forbidden',
    health: { ...healthy, state: 'not-known', notKnown: 1, problems: [{ ...secret, state: 'not-known', message: 'forbidden' }] },
  }),
);
