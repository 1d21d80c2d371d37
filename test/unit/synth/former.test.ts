import { describe, expect, it } from 'vitest';
import type { AppProps } from '../../../src/app/app-root.js';
import { App, Stack } from '../../../src/entry/index.js';
import { synthesize } from '../../../src/synth/synthesize.js';

/** Former identities by stack, as `app/instance/stack`. */
function formerly(props: AppProps, build: (app: App) => void): Record<string, string[]> {
  const app = new App(props);
  build(app);
  const { stacks } = synthesize(app).manifest;
  return Object.fromEntries(
    stacks.map((stack) => [stack.name, (stack.formerIdentities ?? []).map((one) => `${one.app}/${one.instance}/${one.stack}`)]),
  );
}

describe('former identities of a stack', () => {
  const web = (app: App) => void new Stack(app, 'web');
  const renamedWeb = (app: App) => void new Stack(app, 'web', { renamedFrom: 'site' });

  it.each<[string, AppProps, (app: App) => void, string[]]>([
    ['nothing renamed', { name: 'shop' }, web, []],
    ['the app', { name: 'shop', renamedFrom: 'store' }, web, ['store/default/web']],
    ['the instance', { name: 'shop', instance: 'live', renamedFrom: { instance: 'prod' } }, web, ['shop/prod/web']],
    ['the stack', { name: 'shop' }, renamedWeb, ['shop/default/site']],
    ['a name that it has', { name: 'shop', renamedFrom: 'shop' }, web, []],
    [
      'app and stack, in whichever order',
      { name: 'shop', renamedFrom: 'store' },
      renamedWeb,
      ['shop/default/site', 'store/default/web', 'store/default/site'],
    ],
  ])('%s', (_, props, build, expected) => {
    expect(formerly(props, build).web).toEqual(expected);
  });

  it('a stack above was renamed', () => {
    const build = (app: App) => void new Stack(new Stack(app, 'team', { renamedFrom: 'squad' }), 'web');
    expect(formerly({ name: 'shop' }, build)).toEqual({ team: ['shop/default/squad'], 'team/web': ['shop/default/squad/web'] });
  });

  it.each<[string, (app: App) => void]>([
    [
      'a stack of that name',
      (app) => {
        new Stack(app, 'web', { renamedFrom: 'site' });
        new Stack(app, 'site');
      },
    ],
    [
      'two stacks that were one',
      (app) => {
        new Stack(app, 'web', { renamedFrom: 'site' });
        new Stack(app, 'shop', { renamedFrom: 'site' });
      },
    ],
    [
      'names that change places',
      (app) => {
        new Stack(app, 'web', { renamedFrom: 'site' });
        new Stack(app, 'site', { renamedFrom: 'web' });
      },
    ],
  ])('%s: refused', (_, build) => {
    expect(() => formerly({ name: 'shop' }, build)).toThrow(expect.objectContaining({ code: expect.stringMatching(/rename-ambiguous/) }));
  });

  it.each(['', 7, ' '])('renamedFrom %j: refused', (renamedFrom) => {
    expect(() => new App({ name: 'shop', renamedFrom: renamedFrom as string })).toThrow(expect.objectContaining({ code: 'name-invalid' }));
    expect(() => new Stack(new App({ name: 'shop' }), 'web', { renamedFrom: renamedFrom as string })).toThrow(
      expect.objectContaining({ code: 'name-invalid' }),
    );
  });
});
