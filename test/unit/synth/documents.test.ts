import { describe, expect, test } from 'vitest';
import { DocumentObject } from '../../../src/app/document-object.js';
import type { DocumentedObject } from '../../../src/cli/documents/read-documents.js';
import { type App, Stack } from '../../../src/entry/index.js';
import { phasesOf } from '../../../src/synth/declared/hook-phases.js';
import type { JsonObject } from '../../../src/util/json.js';
import { synthError, synthesized } from './fixtures/synthesized.js';

const config = (name: string, more: JsonObject = {}, annotations: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...(Object.keys(annotations).length > 0 ? { annotations } : {}) },
  ...more,
});
const hook = (name: string, events: string, more: JsonObject = {}): JsonObject => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name, annotations: { 'helm.sh/hook': events, ...more } },
});

/** An app with a stack `web` of documents. */
const declare =
  (objects: readonly JsonObject[], { mode = 'skip', lifecycle = 'own' as 'own' | 'share' } = {}) =>
  (app: App) => {
    app.node.setContext('helmHooks', mode);
    const stack = new Stack(app, 'web', { namespace: 'edge' });
    const documents = objects.map((object, index): DocumentedObject => ({ object, source: `web.yaml:${index + 1}`, alterations: [] }));
    const phases = mode === 'order' ? phasesOf(stack, documents) : undefined;
    for (const one of documents) {
      const { scope, phase } = phases?.get(one) ?? { scope: stack, phase: undefined };
      new DocumentObject(scope, { ...one, lifecycle, phase });
    }
  };
const made = (objects: readonly JsonObject[], options = {}) => synthesized(declare(objects, options));

describe('objects of documents', () => {
  test('are sent as written, with the position of their document', () => {
    const spec = { unknown: { z: null, a: [] }, number: 9007199254740993n as never, '': 'empty' };
    const { files, intents } = made([config('a', { spec })]);
    expect(files.get('web.json')).toContain('"spec":{"unknown":{"z":null,"a":[]},"number":9007199254740993,"":"empty"}');
    expect(files.get('web.yaml')).toContain('number: 9007199254740993');
    expect(intents('web')[0]?.declaredBy).toEqual([{ construct: 'shop/web/ConfigMap-a', source: 'web.yaml:1' }]);
  });

  test('lose what only a server sets, and what Fieldwise wrote to a live object', () => {
    const exported = config(
      'a',
      { status: {} },
      { 'fieldwise.dev/stack-0123456789abcdef': 'shop/default/web', 'applied.fieldwise.dev/abc': 'x', note: 'kept' },
    );
    const ofServer = { uid: 'u', resourceVersion: '1', managedFields: [], deletionTimestamp: '2030-01-01T00:00:00Z' };
    Object.assign(exported.metadata as object, ofServer, { deletionGracePeriodSeconds: 0 });
    expect(made([exported]).objects('web')[0]).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', namespace: 'edge', annotations: { note: 'kept' } },
    });
  });

  test('a Secret in plain text is no warning: a document has no other way', () => {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' }, data: { a: 'eA==' } };
    expect(made([secret]).manifest.warnings).toEqual([]);
  });

  const grace = (terminationGracePeriodSeconds: unknown): JsonObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'a' },
    spec: { terminationGracePeriodSeconds, containers: [] } as never,
  });

  test.each([
    [9_007_199_254_740_993n, []],
    [2n ** 63n, [/: \.spec\.terminationGracePeriodSeconds: 9223372036854775808 is out of the range of int64\.$/]],
    [-(2n ** 63n) - 1n, [/-9223372036854775809 is out of the range of int64\.$/]],
  ])('the integer %s is compared with the range of its type', (seconds, messages) => {
    const warnings = made([grace(seconds)]).warnings('schema-not-met');
    expect(warnings.map(({ message }) => message)).toEqual(messages.map((message) => expect.stringMatching(message)));
  });

  test('a field that Kubernetes does not know is a warning', () => {
    expect(made([config('a', { date: {} })]).warnings('schema-not-met')[0]).toMatchObject({ source: 'web.yaml:1' });
  });

  test.each([
    { annotation: undefined, lifecycle: 'own', expected: { lifecycle: 'own' } },
    { annotation: undefined, lifecycle: 'share', expected: { lifecycle: 'share' } },
    { annotation: 'lifecycle=share,ifAbsent=create', lifecycle: 'own', expected: { lifecycle: 'share', policy: { ifAbsent: 'create' } } },
    { annotation: 'lifecycle=own', lifecycle: 'share', expected: { lifecycle: 'own' } },
    {
      annotation: 'lifecycle: share\nwaitFor: { condition: Ready }\nfields:\n  data.a: { conflicts: yield }\n',
      lifecycle: 'own',
      expected: {
        lifecycle: 'share',
        policy: { waitFor: { condition: 'Ready', status: 'True' }, fields: { '.data.a': { conflicts: 'yield' } } },
      },
    },
    {
      annotation: '{"conflicts":{"fail":["kubectl"],"otherwise":"force"}}',
      lifecycle: 'own',
      expected: { policy: { conflicts: { fail: ['kubectl'] } } },
    },
  ])('the annotation $annotation wins over --$lifecycle', ({ annotation, lifecycle, expected }) => {
    const annotations = annotation === undefined ? {} : { 'fieldwise.dev/options': annotation };
    const { intents, objects } = made([config('a', {}, annotations)], { lifecycle });
    expect(intents('web')[0]).toMatchObject(expected);
    expect(JSON.stringify(objects('web'))).not.toContain('fieldwise.dev/options');
  });

  test('helm.sh/resource-policy: keep retains an owned object, unless an option says otherwise', () => {
    const keep = { 'helm.sh/resource-policy': 'keep' };
    expect(made([config('a', {}, keep)]).intents('web')[0]?.policy.retain).toBe(true);
    expect(made([config('a', {}, { ...keep, 'fieldwise.dev/options': 'retain=false' })]).intents('web')[0]?.policy.retain).toBeUndefined();
    expect(made([config('a', {}, keep)], { lifecycle: 'share' }).intents('web')[0]?.policy.retain).toBeUndefined();
  });
});

describe('are refused', () => {
  test.each([
    {
      of: 'an object twice',
      objects: [config('a'), config('b'), config('a')],
      code: 'document-repeated',
      message: /web\.yaml:1 and web\.yaml:3/,
    },
    {
      of: 'an object in two versions',
      objects: ['v1', 'v2'].map((version) => ({ apiVersion: `a.example.com/${version}`, kind: 'A', metadata: { name: 'a' } })),
      code: 'document-repeated',
      message: /web\.yaml:2/,
    },
    {
      of: 'generateName',
      objects: [{ ...config('a'), metadata: { generateName: 'a-' } }],
      code: 'intent-without-name',
      message: /metadata\.name/,
    },
    {
      of: 'an unknown annotation',
      objects: [config('a', {}, { 'fieldwise.dev/lifecycle': 'share' })],
      code: 'policy-invalid',
      message: /fieldwise\.dev\/lifecycle is unknown/,
    },
    {
      of: 'an unknown option of a map',
      objects: [config('a', {}, { 'fieldwise.dev/options': 'conflict: yield' })],
      code: 'policy-invalid',
      message: /`conflict` is unknown/,
    },
    {
      of: 'a broken map',
      objects: [config('a', {}, { 'fieldwise.dev/options': '{a: ' })],
      code: 'policy-invalid',
      message: /does not parse/,
    },
    {
      of: 'a variable of the user',
      objects: [{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' }, data: { a: { 'fieldwise.dev/from-env': 'AWS_SECRET' } } }],
      code: 'reference-misplaced',
      message: /reference/,
    },
  ])('$of: $code', ({ objects, code, message }) => {
    const error = synthError(declare(objects));
    expect(error).toMatchObject({ code });
    expect(error.message).toMatch(message);
  });
});

describe('Helm hooks', () => {
  const chart = [
    config('settings'),
    { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' } },
    hook('late', 'post-install,post-upgrade', { 'helm.sh/hook-weight': '5' }),
    hook('second', 'pre-upgrade', { 'helm.sh/hook-weight': '5' }),
    hook('first', 'pre-install, pre-upgrade', { 'helm.sh/hook-weight': '-5' }),
    hook('test', 'test'),
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'edge' } },
  ];

  test('are left out, each with a warning', () => {
    const { intents, warnings } = made(chart);
    expect(intents('web').map(({ name }) => name)).toEqual(['settings', 'web', 'edge']);
    expect(warnings('helm-hook-skipped').map(({ object, source }) => `${object} ${source}`)).toEqual([
      'Job edge/late web.yaml:3',
      'Job edge/second web.yaml:4',
      'Job edge/first web.yaml:5',
      'Job edge/test web.yaml:6',
    ]);
  });

  test('are ordered by their moment and weight, each with a warning; tests are left out', () => {
    const { intents, warnings, manifest } = made(chart, { mode: 'order' });
    expect(intents('web').map(({ name, phase }) => `${name} ${phase}`)).toEqual([
      'edge 0',
      'first 1',
      'second 2',
      'settings 3',
      'web 3',
      'late 4',
    ]);
    expect(intents('web').map(({ policy }) => policy.replace === true)).toEqual([false, true, true, false, false, true]);
    expect(warnings('helm-hook-ordered').map(({ object }) => object)).toEqual(['Job edge/first', 'Job edge/second', 'Job edge/late']);
    expect(warnings('helm-hook-skipped').map(({ object }) => object)).toEqual(['Job edge/test']);
    expect(appliedBefore(manifest.stacks[0]!, 'late')).toEqual(['edge', 'first', 'second', 'settings', 'web']);
    expect(appliedBefore(manifest.stacks[0]!, 'settings')).toEqual(['edge', 'first', 'second']);
  });

  test('of a chart without hooks of an install, nothing is ordered', () => {
    const { intents } = made([config('settings'), hook('test', 'test')], { mode: 'order' });
    expect(intents('web')).toMatchObject([{ name: 'settings', dependsOn: [] }]);
    expect(intents('web')[0]).not.toHaveProperty('phase');
  });

  test('are refused, each by name', () => {
    const error = synthError(declare(chart, { mode: 'refuse' }));
    for (const name of ['late', 'second', 'first', 'test']) expect(error.message).toContain(`Job edge/${name} is a Helm hook`);
  });
});

/** The names of all intents that are applied before one. */
function appliedBefore({ intents, groups = [] }: ReturnType<typeof made>['manifest']['stacks'][number], name: string): readonly string[] {
  const found = new Set<number>();
  const open = [intents.findIndex((intent) => intent.name === name)];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    for (const needed of intents[node]?.dependsOn ?? groups[node - intents.length] ?? []) {
      if (!found.has(needed)) open.push(needed);
      found.add(needed);
    }
  }
  return intents.flatMap((intent, index) => (found.has(index) ? [intent.name] : [])).sort();
}
