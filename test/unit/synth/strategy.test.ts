import { describe, expect, it } from 'vitest';
import { clusterRole } from '../../../generated/rbac/v1.js';
import { type App, acknowledge, type Policy, Stack } from '../../../src/entry/index.js';
import type { RootType } from '../../../src/schema/index.js';
import { atomicGateway, crdBuilder, crdOf, sharedGateway } from './fixtures/crd-builder.js';
import { synthError, synthesized } from './fixtures/synthesized.js';

const listeners = { spec: { listeners: [{ port: 443, services: [{ name: 'web' }] }] } };
const dynamic: Policy = { strategy: 'dynamic' };

describe('the strategy in the manifest', () => {
  const policyOf = (app: Policy | undefined, stack: Policy | undefined, intent: Policy | undefined) => {
    const props = { name: 'shop', ...(app ? { policy: app } : {}) };
    const { manifest } = synthesized((root) => void new Stack(root, 'web', { policy: stack }).own(sharedGateway('a'), intent), props);
    return manifest.stacks[0]?.intents[0]?.policy;
  };

  it.each<[string, Policy | undefined, Policy | undefined, Policy | undefined, 'dynamic' | undefined]>([
    ['nothing', undefined, undefined, undefined, undefined],
    ['the app', dynamic, undefined, undefined, 'dynamic'],
    ['the stack over the app', dynamic, { strategy: 'server-side' }, undefined, undefined],
    ['the stack', undefined, dynamic, undefined, 'dynamic'],
    ['the intent over the stack', undefined, dynamic, { strategy: 'server-side' }, undefined],
    ['the intent', undefined, undefined, dynamic, 'dynamic'],
  ])('%s', (_, app, stack, intent, expected) => {
    expect(policyOf(app, stack, intent)?.strategy).toBe(expected);
  });

  it('list keys are given path by path, the nearest of each', () => {
    const stack: Policy = { ...dynamic, listKeys: { 'spec.listeners': ['name'], 'spec.args': 'atomic' } };
    expect(policyOf(undefined, stack, { listKeys: { 'spec.listeners': ['port'] } })?.listKeys).toEqual({
      '.spec.args': 'atomic',
      '.spec.listeners': ['port'],
    });
  });

  it('two declarations of one object may each say keys of other lists, and not of the same', () => {
    const declare = (left: Policy, right: Policy) => (app: App) => {
      const stack = new Stack(app, 'web', { policy: dynamic });
      stack.own(atomicGateway('a', { spec: { args: ['a'] } }), left);
      stack.own(atomicGateway('a', listeners), right);
    };
    const [args, ports] = [{ listKeys: { 'spec.args': 'set' } }, { listKeys: { 'spec.listeners': ['port'] } }] as const;
    expect(synthesized(declare(args, ports)).intents('web')[0]?.policy.listKeys).toEqual({
      '.spec.args': 'set',
      '.spec.listeners': ['port'],
    });
    expect(synthError(declare(args, { listKeys: { 'spec.args': 'atomic' } }))).toMatchObject({
      code: 'policy-conflict',
      message: expect.stringContaining('`listKeys` of .spec.args'),
    });
  });

  it.each(['spec.listeners', 'spec.listeners.services', 'metadata.finalizers', 'spec.selfSigned.any.thing'])(
    'listKeys may name %s',
    (path) => {
      const { intents } = synthesized(
        (app) => void new Stack(app, 'web', { policy: dynamic }).own(sharedGateway('a'), { listKeys: { [path]: 'atomic' } }),
      );
      expect(intents('web')[0]?.policy.listKeys).toEqual({ [`.${path}`]: 'atomic' });
    },
  );

  it.each(['spec.class', 'spec.listener', 'spec.listeners.port', 'metadata.labels'])('listKeys may not name %s', (path) => {
    const error = synthError(
      (app) => void new Stack(app, 'web', { policy: dynamic }).own(sharedGateway('a'), { listKeys: { [path]: 'set' } }),
    );
    expect(error).toMatchObject({ code: 'policy-invalid', message: `The policy names .${path}, but SharedGateway has no such list` });
  });

  it('keys that were laid over a list on import are the list keys of a dynamic intent', () => {
    const root = {
      type: 'object',
      properties: {
        listeners: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['port'],
          items: { type: 'object', required: ['port'], properties: { port: { type: 'integer' } } },
        },
      },
    };
    const gateway = crdBuilder(crdOf('Gateway', root), (type: RootType) => ({ ...type, overlaid: ['.spec.listeners'] }));
    const declare = (policy: Policy) => (app: App) =>
      void new Stack(app, 'web', { policy }).share(gateway('a', { spec: { listeners: [{ port: 1 }] } }));
    expect(synthesized(declare(dynamic)).intents('web')[0]?.policy.listKeys).toEqual({ '.spec.listeners': ['port'] });
    expect(synthError(declare({}))).toMatchObject({ code: 'list-type-not-deployed' });
  });
});

describe('lints of dynamic intents', () => {
  const shared = (policy: Policy) => (app: App) => void new Stack(app, 'a', { policy }).share(atomicGateway('x', listeners));

  it('an atomic list of a CRD whose items the convention or listKeys tell apart is shared without a word', () => {
    expect(synthesized(shared({})).warnings('atomic-list-shared')).toHaveLength(1);
    expect(synthesized(shared(dynamic)).manifest.warnings).toEqual([]);
  });

  it.each<[string, Policy]>([['nothing in common', { ...dynamic, listKeys: { 'spec.listeners': 'atomic' } }]])(
    '%s: it is replaced all the same',
    (_, policy) => {
      expect(synthesized(shared(policy)).warnings('atomic-list-shared')).toMatchObject([
        { message: expect.stringContaining('set the key in `listKeys`') },
      ]);
    },
  );

  it('lists of built-in kinds stay as their schema says, unless listKeys say otherwise', () => {
    const role = (policy: Policy) => (app: App) =>
      void new Stack(app, 'a', { policy }).share(clusterRole('reader').set('rules', [{ verbs: ['get'], resources: ['pods'] }]));
    expect(synthesized(role(dynamic)).warnings('atomic-list-shared')).toHaveLength(1);
    expect(synthesized(role({ ...dynamic, listKeys: { rules: ['resources'] } })).manifest.warnings).toEqual([]);
  });

  it('two stacks may declare one atomic list where both merge it here', () => {
    const both =
      (...policies: Policy[]) =>
      (app: App) => {
        for (const [index, policy] of policies.entries()) new Stack(app, `s${index}`, { policy }).share(atomicGateway('x', listeners));
      };
    expect(synthesized(both({}, {})).warnings('atomic-list-contested')).toHaveLength(1);
    expect(synthesized(both(dynamic, dynamic)).warnings('atomic-list-contested')).toEqual([]);
  });

  it('listKeys beside an intent that the server merges are a warning that can be acknowledged', () => {
    const declare =
      (policy: Policy, known = false) =>
      (app: App) => {
        const stack = new Stack(app, 'a', { policy });
        const intent = stack.own(sharedGateway('x', listeners), { listKeys: { 'spec.listeners': ['port'] } });
        if (known) acknowledge(intent, 'list-keys-unused', 'For a cluster of 1.21');
      };
    expect(synthesized(declare({})).warnings('list-keys-unused')).toMatchObject([
      { field: '.spec.listeners', construct: 'shop/a/own-SharedGateway-x', message: expect.stringContaining("`strategy: 'dynamic'`") },
    ]);
    expect(synthesized(declare({}, true)).manifest.warnings).toEqual([]);
    expect(synthesized(declare(dynamic)).manifest.warnings).toEqual([]);
  });
});
