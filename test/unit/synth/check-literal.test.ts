import { ApiObject } from 'cdk8s';
import { describe, expect, it } from 'vitest';
import { deployment } from '../../../generated/apps/v1.js';
import { configMap } from '../../../generated/core/v1.js';
import { type App, acknowledge, type Policy, Stack } from '../../../src/entry/index.js';
import type { FieldwiseError } from '../../../src/util/error.js';
import { crdBuilder, crdOf } from './fixtures/crd-builder.js';
import { synthError, synthesized } from './fixtures/synthesized.js';

const stack = (app: App) => new Stack(app, 'web', { namespace: 'shop' });
const web = (spec: object) => ({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec });
const refused = (object: ReturnType<typeof web>, policy?: Policy) => synthError((app) => stack(app).own(object, policy)).message;
const prefix = 'Declared intent does not fit its schema: ';

describe('a literal of a built-in kind', () => {
  it.each([
    ['a scalar of another type', { replicas: '2' }, '.spec.replicas: expected an integer, got "2"'],
    ['a list', { template: { spec: { containers: {} } } }, '.spec.template.spec.containers: expected a list, got an object'],
    [
      'a missing list map key',
      { template: { spec: { containers: [{ image: 'x' }] } } },
      '.spec.template.spec.containers[0]: the list map key "name" is missing',
    ],
    ['null', { replicas: null }, '.spec.replicas: null, but the server sets an empty value or a default instead; leave the field out'],
  ])('%s is refused as a builder refuses it', (_, spec, message) => {
    expect(refused(web(spec))).toBe(prefix + message);
  });

  it('an unknown field is a warning, because another version may know it', () => {
    const { warnings } = synthesized((app) => stack(app).own(web({ replica: 2, strategy: { type: 'Rolling' } })));
    expect(warnings('schema-not-met')).toEqual([
      {
        code: 'schema-not-met',
        message:
          'Deployment shop/web does not fit its schema, and the server probably rejects or changes it: .spec.replica: unknown field "replica"; did you mean ' +
          '"replicas"?; also .spec.strategy.type: "Rolling" is not one of "Recreate", "RollingUpdate".',
        stack: 'web',
        object: 'Deployment shop/web',
        field: '.spec.replica',
        construct: 'shop/web/own-Deployment-web',
        source: expect.stringMatching(/check-literal\.test\.ts:\d+:\d+$/),
      },
    ]);
  });

  it.each([
    ['apps/v1', 'deployment', 'apps/v1 has no deployment; did you mean "Deployment"?'],
    ['v1', 'Configmap', 'v1 has no Configmap; did you mean "ConfigMap"?'],
    ['apps/v1beta1', 'Deployment', 'apps has Deployment in "apps/v1", not in "apps/v1beta1"'],
    ['app/v1', 'Deployment', 'there is no group "app"; did you mean "apps/v1"?'],
  ])('the kind %s %s is a warning', (apiVersion, kind, reason) => {
    const { warnings } = synthesized((app) => stack(app).own({ apiVersion, kind, metadata: { name: 'web' } }));
    expect(warnings('schema-not-met').map(({ message }) => message)).toEqual([
      `${kind} shop/web is of a kind that no schema at hand has: ${reason}`,
    ]);
  });

  it.each([
    ['example.com/v1', 'Deployment'],
    ['apps/v1', 'Rollout'],
    ['v1', 'Widget'],
  ])('the kind %s %s passes, because a cluster may have it', (apiVersion, kind) => {
    const { manifest } = synthesized((app) => stack(app).own({ apiVersion, kind, metadata: { name: 'web' } }));
    expect(manifest.warnings.filter(({ code }) => code === 'schema-not-met')).toEqual([]);
  });

  it('the warning can be acknowledged', () => {
    const { manifest } = synthesized((app) =>
      acknowledge(stack(app).own(web({ replica: 2 })), 'schema-not-met', 'The cluster is newer than Fieldwise.'),
    );
    expect(manifest.warnings).toEqual([]);
  });

  it('names and values of hostile literals are shown', () => {
    const spec = JSON.parse(`{"__proto__":{"x":1},"constructor":1,"${'long'.repeat(10_000)}":1}`);
    const [warning] = synthesized((app) => stack(app).own(web(spec))).warnings('schema-not-met');
    expect(warning?.message).toContain('.spec.__proto__: unknown field "__proto__"; also .spec.constructor: unknown field');
  });

  it('may be partial: no field is required', () => {
    expect(synthesized((app) => stack(app).share(web({ template: {} }))).manifest.warnings).toEqual([]);
  });

  it('beside a builder of the same kind is checked, too', () => {
    expect(
      synthError((app) => {
        const one = stack(app);
        one.own(deployment('other'));
        one.own(web({ replicas: true }));
      }).message,
    ).toBe(`${prefix}.spec.replicas: expected an integer, got true`);
  });

  it('merged client-side may have nulls and repeated items, which then have a meaning', () => {
    const containers = [{ name: 'a', env: [{ name: 'X' }, { name: 'X' }] }];
    const { manifest } = synthesized((app) =>
      stack(app).own(web({ replicas: null, template: { spec: { containers } } }), { strategy: 'dynamic' }),
    );
    expect(manifest.warnings).toEqual([]);
  });

  it('a repeated item is reported once', () => {
    const message = refused(web({ template: { spec: { containers: [{ name: 'a' }, { name: 'a' }] } } }));
    expect(message).toBe('Two items of .spec.template.spec.containers have the same key [name="a"]');
  });
});

describe('a key without a value', () => {
  const unset = process.env.NOBODY_SETS_THIS;
  const reason = 'undefined, but a key of a map has a value: leave the key out, or give it one';
  const container = { name: 'a', image: undefined, resources: { limits: { cpu: unset } } };

  it.each<readonly [what: string, object: object, field: string]>([
    ['data', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { a: unset, b: 'x' } }, '.data.a'],
    ['stringData', { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { a: unset } }, '.stringData.a'],
    ['labels', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c', labels: { team: unset } } }, '.metadata.labels.team'],
    [
      'labels of a kind that no schema at hand has',
      { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 'c', labels: { team: unset } } },
      '.metadata.labels.team',
    ],
    [
      'limits in a list',
      web({ template: { spec: { containers: [container] } } }),
      '.spec.template.spec.containers[name="a"].resources.limits.cpu',
    ],
  ])('in %s of a literal is refused', (_, object, field) => {
    const error = synthError((app) => stack(app).own(object as never)) as FieldwiseError;
    expect(error.message).toBe(`${prefix}${field}: ${reason}`);
    expect(error.location).toMatchObject({
      field,
      construct: expect.stringMatching(/^shop\/web\/own-/),
      source: expect.stringMatching(/check-literal/),
    });
  });

  it('of a builder names the construct and the line', () => {
    const error = synthError((app) => stack(app).own(configMap('c').withData({ a: unset as never }))) as FieldwiseError;
    expect(error.describe()).toMatch(
      /\.data\.a: undefined, but a key .* Where: ConfigMap c, declared by shop\/web\/own-ConfigMap-c \(.*check-literal\.test\.ts:\d+:\d+\)/,
    );
  });

  it('among the labels of a stack is refused', () => {
    const labels = { team: unset as never };
    expect(() => synthesized((app) => new Stack(app, 'web', { labels }))).toThrow('The label "team" of stack "web" is undefined');
  });

  it('in an object of a cdk8s construct is left out, as cdk8s does', () => {
    const { objects, manifest } = synthesized((app) => {
      new ApiObject(stack(app), 'x', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' }, data: { a: unset, b: 'x' } } as never);
    });
    expect(objects('web')).toMatchObject([{ data: { b: 'x' } }]);
    expect(manifest.warnings).toEqual([]);
  });

  it('is refused below x-kubernetes-preserve-unknown-fields; a declared field beside it may be undefined', () => {
    const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { size: { type: 'integer' } } };
    const thing = crdBuilder(crdOf('Thing', open));
    const declared = (spec: object) => (app: App) => {
      const one = stack(app);
      one.own(thing('y'));
      one.own({ ...thing('x').build(), spec } as never);
    };
    expect(synthesized(declared({ size: unset, free: { a: 1 } })).objects('web')).toMatchObject([{}, { spec: { free: { a: 1 } } }]);
    expect(synthError(declared({ size: 1, free: unset })).message).toBe(`${prefix}.spec.free: ${reason}`);
    expect(synthError(declared({ free: { deep: [{ a: unset }] } })).message).toBe(`${prefix}.spec.free.deep[0].a: ${reason}`);
  });
});

describe('a literal of a custom resource', () => {
  const properties = { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { mirror: {} as object } } };
  properties.spec.properties.mirror = { type: 'object', properties: { disabled: { type: 'boolean' } } };
  const thing = crdBuilder(crdOf('Thing', properties.spec));
  const literal = (spec: object) => ({ ...thing('x', {}).build(), spec }) as unknown as ReturnType<typeof web>;

  it('is checked by the builders of the program: unknown fields that the server drops are refused', () => {
    const error = synthError((app) => {
      const one = stack(app);
      one.own(thing('y', {}));
      one.own(literal({ free: 1, mirror: { dsiabled: false } }));
    });
    expect(error.message).toBe(
      `${prefix}.spec.mirror.dsiabled: unknown field "dsiabled", which the server drops without an error; did you mean "disabled"?`,
    );
  });

  it('of which the program has no builder is not checked', () => {
    expect(synthesized((app) => stack(app).own(literal({ mirror: { dsiabled: false } }))).manifest.warnings).toEqual([]);
  });

  it.each([
    ['a kind that the version does not have', { apiVersion: 'apps/v1', kind: 'Constructor' }],
    ['a group that does not ship', { apiVersion: 'example.com/v1', kind: 'Deployment' }],
    ['a kind with an odd name', { apiVersion: 'v1', kind: '__proto__' }],
  ])('%s is not checked', (_, identity) => {
    const object = { ...web({ replica: 1 }), ...identity };
    expect(synthesized((app) => stack(app).own(object)).manifest.warnings).toEqual([]);
  });
});

describe('an object of a cdk8s construct', () => {
  it('is only warned about: others wrote it, and the server decides', () => {
    const { warnings } = synthesized((app) => void new ApiObject(stack(app), 'x', web({ replicas: '2', replica: 2 }) as never));
    expect(warnings('schema-not-met').map(({ message, construct }) => [message, construct])).toEqual([
      [expect.stringContaining('did you mean "replicas"?; also .spec.replicas: expected an integer, got "2".'), 'shop/web/x'],
    ]);
  });
});
