import { ApiObject } from 'cdk8s';
import { Secret } from 'cdk8s-plus-33';
import { describe, expect, it } from 'vitest';
import { secret } from '../../../generated/core/v1.js';
import { type App, fromEnv, fromFile, Stack } from '../../../src/entry/index.js';
import { synthError, synthesized } from './fixtures/synthesized.js';

const web = (app: App) => new Stack(app, 'web', { namespace: 'edge' });
const data = { a: { 'fieldwise.dev/from-env': 'PASSWORD' }, b: { 'fieldwise.dev/from-file': 'tls.key' } };

describe('references to values of Secrets', () => {
  it.each<[string, (app: App) => void]>([
    ['literals', (app) => web(app).own({ ...head, stringData: { a: fromEnv('PASSWORD') }, data: { b: fromFile('tls.key') } })],
    [
      'builders',
      (app) =>
        web(app).own(
          secret('s')
            .withStringData({ a: fromEnv('PASSWORD') })
            .withData({ b: fromFile('tls.key') }),
        ),
    ],
    [
      'cdk8s objects',
      (app) => new ApiObject(web(app), 's', { ...head, stringData: { a: fromEnv('PASSWORD'), b: fromFile('tls.key') } } as never),
    ],
    [
      'cdk8s-plus Secrets',
      (app) => new Secret(web(app), 's', { metadata: { name: 's' }, stringData: { a: fromEnv('PASSWORD'), b: fromFile('tls.key') } }),
    ],
  ])('stay references in the assembly, in %s', (_, declare) => {
    const { objects, manifest, files } = synthesized(declare);
    expect(Object.fromEntries(Object.entries(objects('web')[0]?.data ?? {}).sort())).toEqual(data);
    expect(files.get('web.yaml')).toContain('    fieldwise.dev/from-env: PASSWORD\n');
    expect(manifest.warnings).toEqual([]);
  });

  const misplaced: [string, (app: App) => void, string | undefined][] = [
    ['in a ConfigMap', (app) => web(app).own({ ...head, kind: 'ConfigMap', data: { a: fromEnv('X') } }), '.data.a'],
    ['in the type of a Secret', (app) => web(app).own({ ...head, type: fromEnv('X') }), '.type'],
    ['in a label', (app) => web(app).own({ ...head, metadata: { name: 's', labels: { a: fromEnv('X') } } }), '.metadata.labels.a'],
    [
      'in a list',
      (app) => web(app).own({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { args: [fromEnv('X')] } }),
      '.spec.args[0]',
    ],
    ['as text', (app) => web(app).own({ ...head, stringData: { a: `x${fromEnv('X')}` } }), undefined],
  ];
  it.each(misplaced)('are refused %s', (_, declare, field) => {
    expect(synthError(declare)).toMatchObject({ code: 'reference-misplaced', ...(field ? { location: { field } } : {}) });
  });

  it.each([() => fromEnv(''), () => fromEnv('A B'), () => fromFile(''), () => fromEnv(undefined as never)])(
    'must name something: %s',
    (make) => {
      expect(make).toThrow(/names no/);
    },
  );

  it('clash with another reference for the same key, and no name of a variable is told as a value', () => {
    const error = synthError((app) => {
      const stack = web(app);
      for (const name of ['A', 'B']) stack.own({ ...head, stringData: { a: fromEnv(name) } });
    });
    expect(error).toMatchObject({ code: 'intent-conflict' });
  });
});

const head = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } };
