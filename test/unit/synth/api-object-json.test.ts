import { ApiObject, type ApiObjectProps, App as Cdk8sApp, Chart, JsonPatch, Lazy, Size, Testing } from 'cdk8s';
import { KubeDeployment } from 'cdk8s-plus-33/lib/imports/k8s.js';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { apiObjectJson } from '../../../src/synth/declared/api-object-json.js';

const names = fc.constantFrom('a', 'b', 'zeta', 'alpha', 'value', 'spec', '10', '9');
const leaves = fc.oneof(
  fc.string(),
  fc.integer(),
  fc.boolean(),
  fc.constantFrom(null, undefined, [], {}, Lazy.any({ produce: () => ({ b: 1, a: [] }) }), { resolve: () => ['x', {}] }, Size.mebibytes(1)),
);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    leaves,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(names, tie('value'), { maxKeys: 4 }),
  ),
}));
const metadata = fc.record(
  {
    name: fc.constant('n'),
    labels: fc.dictionary(names, fc.string(), { maxKeys: 2 }),
    annotations: fc.constantFrom({}, { a: 'b' }),
    odd: value,
  },
  { requiredKeys: [] },
);

it('equals what cdk8s gives, or fails with its words', () => {
  fc.assert(
    fc.property(fc.dictionary(names, value), fc.option(metadata), fc.boolean(), (props, described, sorted) => {
      const chart = new Chart(new Cdk8sApp(), 'chart', { labels: { team: 'a' } });
      const all = { apiVersion: 'v1', kind: 'Thing', ...props, ...(described ? { metadata: described } : {}) } as ApiObjectProps;
      const object = new ApiObject(chart, 'object', all);
      process.env.CDK8S_DISABLE_SORT = sorted ? '' : '1';
      expect(outcome(() => jsonOf(object))).toBe(outcome(() => object.toJson()));
    }),
    { numRuns: 500 },
  );
  delete process.env.CDK8S_DISABLE_SORT;
});

it.each<[string, (chart: Chart) => ApiObject]>([
  ['JSON patches', (chart) => patched(new ApiObject(chart, 'o', { apiVersion: 'v1', kind: 'X' }))],
  ['objects with a toJson of their own', (chart) => new KubeDeployment(chart, 'd', { spec: { replicas: 2, selector: {}, template: {} } })],
])('leaves %s to cdk8s', (_, make) => {
  const object = make(Testing.chart());
  expect(apiObjectJson(object.node.root as Cdk8sApp)(object)).toBeUndefined();
  expect(jsonOf(object)).toEqual(object.toJson());
});

it("leaves an app's own resolvers to cdk8s", () => {
  const app = new Cdk8sApp({ resolvers: [{ resolve: (context) => context.value === 'b' && context.replaceValue('resolved') }] });
  const object = new ApiObject(new Chart(app, 'chart'), 'o', { apiVersion: 'v1', kind: 'X', a: 'b' } as ApiObjectProps);
  expect(apiObjectJson(app)(object)).toBeUndefined();
  expect(jsonOf(object)).toMatchObject({ a: 'resolved' });
});

it.each<[string, unknown]>([
  ['a text that is not valid Unicode', '\ud800'],
  ['a name that is not valid Unicode', { '\ud800': 'x' }],
  ['a number that JSON does not have', Number.NaN],
  ['a function', () => 1],
  ['an item that is undefined', [undefined]],
])('leaves %s to cdk8s, for the check of it to tell where it stands', (_, a) => {
  const object = new ApiObject(Testing.chart(), 'o', { apiVersion: 'v1', kind: 'X', a } as ApiObjectProps);
  expect(apiObjectJson(object.node.root as Cdk8sApp)(object)).toBeUndefined();
});

it('leaves nothing ordinary to cdk8s', () => {
  const spec = { b: [1, 'x', false], a: Lazy.any({ produce: () => ({ z: -0, y: null }) }) };
  const object = new ApiObject(Testing.chart(), 'o', { apiVersion: 'v1', kind: 'X', spec } as ApiObjectProps);
  const json = apiObjectJson(object.node.root as Cdk8sApp)(object);
  expect(JSON.stringify(json)).toBe(JSON.stringify(object.toJson()));
});

function jsonOf(object: ApiObject): unknown {
  return apiObjectJson(object.node.root as Cdk8sApp)(object) ?? object.toJson();
}

function outcome(step: () => unknown): string {
  try {
    return JSON.stringify(step()) ?? 'undefined';
  } catch (error) {
    return (error as Error).message;
  }
}

function patched(object: ApiObject): ApiObject {
  object.addJsonPatch(JsonPatch.add('/x', 1));
  return object;
}
