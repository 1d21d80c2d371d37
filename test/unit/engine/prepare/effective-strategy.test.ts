import { describe, expect, it, test } from 'vitest';
import { EmbeddedApiServer } from '../../../../src/apiserver/index.js';
import type { IntentManifest, PartialObject, StackManifest } from '../../../../src/assembly/types.js';
import { strategyOption } from '../../../../src/cli/config/flags.js';
import type { Step } from '../../../../src/engine/graph/waves.js';
import { appliesOnServer, effectiveSteps, effectiveStrategy } from '../../../../src/engine/prepare/effective-strategy.js';
import type { RunDiagnostic } from '../../../../src/engine/report/run-diagnostic.js';
import { inProcessClient } from '../../../../src/entry/in-process.js';
import { ApiError } from '../../../../src/kubernetes/index.js';

describe('effectiveStrategy', () => {
  it.each([
    ['the default', undefined, undefined, true, 'server-side'],
    ['the policy', 'dynamic', undefined, true, 'dynamic'],
    ['the option, over the policy', 'dynamic', 'server-side', true, 'server-side'],
    ['an old server, over the default', undefined, undefined, false, 'dynamic'],
    ['the option, over an old server', undefined, 'server-side', false, 'server-side'],
  ] as const)('%s', (_, strategy, option, serverHasApply, expected) => {
    expect(effectiveStrategy(strategy ? { strategy } : {}, option, serverHasApply)).toBe(expected);
  });
});

test.each([
  ['v1.21.14', false],
  ['v1.9.0', false],
  ['v1.22.0', true],
  ['v1.36.3', true],
  ['v1.21.5-eks-bc4871b', false],
  ['1.30+', true],
  ['v2.0.0', true],
  ['something else', true],
])('a server %s applies: %s', (version, applies) => {
  expect(appliesOnServer(version)).toBe(applies);
});

describe('effectiveSteps', () => {
  const step = (name: string, strategy?: 'dynamic'): Step => ({
    stack: { name: 'main' } as StackManifest,
    index: 0,
    intent: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'n', name, policy: strategy ? { strategy } : {} } as IntentManifest,
    object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'n' } } as PartialObject,
    digest: '',
    key: name,
  });

  /** An API server that counts the requests for its version. */
  async function strategiesFor(version: string | undefined, steps: readonly Step[], strategy?: 'server-side' | 'dynamic') {
    const server = await EmbeddedApiServer.start();
    let times = 0;
    const cluster = {
      ...inProcessClient(server),
      version: async () => {
        times += 1;
        if (version === undefined) throw new ApiError('GET', '/version', 403, undefined);
        return version;
      },
    };
    const warnings: RunDiagnostic[] = [];
    const inForce = await effectiveSteps(cluster, steps, strategy ? { strategy } : {}, (warning) => warnings.push(warning));
    return { times, warnings: warnings.map(({ code }) => code), strategies: inForce.map(({ intent }) => intent.policy.strategy) };
  }

  const mixed = [step('a'), step('b', 'dynamic')];
  it.each([
    ['each by its policy', 'v1.36.3', mixed, undefined, { times: 1, warnings: [], strategies: [undefined, 'dynamic'] }],
    ['an old server', 'v1.21.0', mixed, undefined, { times: 1, warnings: ['server-without-apply'], strategies: ['dynamic', 'dynamic'] }],
    [
      'the option decides, and no request is sent',
      'v1.21.0',
      mixed,
      'server-side',
      { times: 0, warnings: [], strategies: [undefined, undefined] },
    ],
    [
      'all dynamic anyway, and no request is sent',
      'v1.21.0',
      [step('b', 'dynamic')],
      undefined,
      { times: 0, warnings: [], strategies: ['dynamic'] },
    ],
    [
      'a server that hides its version applies',
      undefined,
      mixed,
      undefined,
      { times: 1, warnings: [], strategies: [undefined, 'dynamic'] },
    ],
  ] as const)('%s', async (_, version, steps, strategy, expected) => {
    expect(await strategiesFor(version, steps, strategy)).toEqual(expected);
  });
});

describe('--strategy', () => {
  it.each([
    [{}, {}, {}],
    [{ strategy: 'dynamic' }, { FIELDWISE_STRATEGY: 'server-side' }, { strategy: 'dynamic' }],
    [{}, { FIELDWISE_STRATEGY: 'server-side' }, { strategy: 'server-side' }],
    [{}, { FIELDWISE_STRATEGY: '' }, {}],
  ])('%j with %j is %j', (flags, env, expected) => {
    expect(strategyOption(flags, { env })).toEqual(expected);
  });

  it.each([
    [{ strategy: 'client' }, {}, '`--strategy client`', 'flag-invalid'],
    [{}, { FIELDWISE_STRATEGY: 'client' }, '`FIELDWISE_STRATEGY client`', 'environment-invalid'],
  ])('%j with %j is refused', (flags, env, message, code) => {
    expect(() => strategyOption(flags, { env })).toThrow(expect.objectContaining({ code }));
    expect(() => strategyOption(flags, { env })).toThrow(message);
  });
});
