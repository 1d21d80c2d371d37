import { ApiObject } from 'cdk8s';
import { describe, expect, it } from 'vitest';
import { type App, Stack } from '../../../src/entry/index.js';
import { synthError, synthesized } from './fixtures/synthesized.js';

const config = (options: string, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'settings', annotations: { 'fieldwise.dev/options': options, ...more } },
  data: { a: '1' },
});

/** What the object of a cdk8s construct becomes. */
function made(options: string, more: object = {}) {
  const { objects, intents } = synthesized((app) => {
    const stack = new Stack(app, 'web', { namespace: 'edge', labels: { team: 'shop' } });
    new ApiObject(stack, 'settings', config(options, more));
  });
  return { object: objects('web')[0], intent: intents('web')[0] };
}

describe('the annotation fieldwise.dev/options', () => {
  it.each([
    ['lifecycle=share', { lifecycle: 'share' }, {}],
    ['lifecycle=own', { lifecycle: 'own' }, {}],
    ['conflicts=yield', { lifecycle: 'own' }, { conflicts: 'yield' }],
    [' lifecycle = share , conflicts=fail,ifAbsent=create', { lifecycle: 'share' }, { conflicts: 'fail', ifAbsent: 'create' }],
    ['lifecycle=share,waitSeconds=7', { lifecycle: 'share' }, { waitSeconds: 7 }],
    [
      'strategy=dynamic, listKeys=spec.ports:port+protocol; .spec.args : atomic;a:set',
      {},
      { strategy: 'dynamic', listKeys: { '.a': 'set', '.spec.args': 'atomic', '.spec.ports': ['port', 'protocol'] } },
    ],
    ['replace=true,retain=false,deletePropagation=Orphan', { lifecycle: 'own' }, { replace: true, deletePropagation: 'Orphan' }],
    ['deleteExisting=true,ifPresent=own', { lifecycle: 'own' }, { adopt: true }],
    // Documents keep the former names.
    ['adopt=true,ifPresent=adopt', { lifecycle: 'own' }, { adopt: true }],
    ['{ adopt: true, ifPresent: adopt }', { lifecycle: 'own' }, { adopt: true }],
  ])('%s', (options, intent, policy) => {
    const found = made(options);
    expect(found.intent).toMatchObject(intent);
    expect(found.intent?.policy).toMatchObject(policy);
    expect(JSON.stringify(found.object)).not.toContain('fieldwise.dev/options');
  });

  it('is taken out, and the other annotations stay', () => {
    expect(made('conflicts=yield', { note: 'kept' }).object?.metadata.annotations).toEqual({ note: 'kept' });
    expect(made('conflicts=yield').object?.metadata).not.toHaveProperty('annotations');
  });

  it('a share does not get the labels of its chart', () => {
    expect(made('lifecycle=own').object?.metadata.labels).toEqual({ team: 'shop' });
    expect(made('lifecycle=share').object?.metadata).not.toHaveProperty('labels');
  });

  it('may stand on an intent, where it agrees with the program', () => {
    const declare = (policy?: object) => (app: App) => void new Stack(app, 'web').own(config('conflicts=yield') as never, policy);
    expect(synthesized(declare()).intents('web')[0]?.policy.conflicts).toBe('yield');
    expect(synthesized(declare({ conflicts: 'yield' })).intents('web')[0]?.policy.conflicts).toBe('yield');
    expect(synthError(declare({ conflicts: 'force' }))).toMatchObject({
      code: 'policy-invalid',
      message: expect.stringMatching(/conflicts=yield.*"force"/),
    });
  });

  it.each([
    ['conflict=yield', /`conflict` is unknown/],
    ['conflicts=maybe', /conflicts/],
    ['conflicts', /not of the form name=value/],
    ['conflicts=yield,conflicts=yield', /twice/],
    ['lifecycle=both', /own, share/],
    ['lifecycle=share,adopt=true', /deleteExisting/],
    ['strategy=client', /strategy/],
    ['listKeys=spec.ports', /listKeys/],
    ['listKeys=spec.ports:a+,strategy=dynamic', /listKeys/],
    ['listKeys=a:b,strategy=server-side', /where the schema decides/],
    ['waitSeconds=soon,lifecycle=share', /waitSeconds/],
    ['', /not of the form name=value/],
  ])('is refused: %j', (options, message) => {
    const declare = (app: App) => void new ApiObject(new Stack(app, 'web'), 'settings', config(options));
    const error = synthError(declare);
    expect(error).toMatchObject({ code: 'policy-invalid', location: { construct: 'shop/web/settings' } });
    expect(error.message).toMatch(message);
  });

  it('contradicts own and share of the program', () => {
    const declare = (app: App) => void new Stack(app, 'web').own(config('lifecycle=share') as never);
    expect(synthError(declare)).toMatchObject({ code: 'policy-invalid', message: expect.stringMatching(/lifecycle=share/) });
  });
});
