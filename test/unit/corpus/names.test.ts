import { describe, expect, test } from 'vitest';
import { readCrd } from '../../../codegen/index.js';
import { planModules } from '../../../codegen/plan-modules.js';
import { objectMetaName } from '../../../src/schema/index.js';
import { builtInShapes, hasBuiltInShape, isNamedAfterBuiltIn } from '../../corpus/names/built-in-shapes.js';
import { contradicts, wordsOf } from '../../corpus/names/contradiction.js';
import { isBadSingular } from '../../corpus/names/english.js';
import { javascriptGlobals } from '../../corpus/names/javascript-globals.js';
import { countContradictions, functionsOf, namesText } from '../../corpus/names/measure-names.js';
import { usedTypes } from '../../corpus/names/type-uses.js';

describe('a name and a property', () => {
  test.each([
    ['Listener', 'listeners', true],
    ['Policy', 'policies', true],
    ['SharedGatewayListener', 'listeners', true],
    ['Ref', 'secretRef', false],
    ['TlsConfig', 'tls', false],
    ['Http2', 'http', false],
    ['SecretKeyRef', 'bearerTokenSecret', false],
    ['SecretKeySelector', 'bearer_token-secret', false],
  ])('%s agrees with %s', (base, property, many) => {
    expect(contradicts(base, { property, many })).toBe(false);
  });

  test.each([
    ['AdditionalConfigs', 'key', false],
    ['BearerTokenSecret', 'passwordSecret', false],
    ['Exclude', 'match', false],
    ['EgressProxy', 'destination', false],
    ['TlsConfig', 'httpConfig', false],
    // Nothing but words that say no more than what kind of thing it is.
    ['KeySelector', 'username', false],
    ['Listener', 'routes', true],
    ['__proto__', 'constructor', false],
  ])('%s contradicts %s', (base, property, many) => {
    expect(contradicts(base, { property, many })).toBe(true);
  });

  test('words of a name', () => {
    expect(wordsOf('tlsConfigRef')).toEqual(['tls', 'config', 'ref']);
    expect(wordsOf('HTTPRoute')).toEqual(['http', 'route']);
    expect(wordsOf('')).toEqual([]);
  });
});

test('a name of the built-in API is right for its shape only', async () => {
  const shapes = await builtInShapes();
  expect(isNamedAfterBuiltIn('SecretKeySelector', ['key', 'name', 'optional'], shapes)).toBe(true);
  expect(isNamedAfterBuiltIn('SecretKeySelector2', ['key', 'name'], shapes)).toBe(true);
  expect(isNamedAfterBuiltIn('SecretKeySelector', ['key', 'name', 'namespace'], shapes)).toBe(false);
  expect(isNamedAfterBuiltIn('LabelSelector', ['key', 'name', 'optional'], shapes)).toBe(false);
  expect(isNamedAfterBuiltIn('Container', ['name'], shapes)).toBe(false);
  expect(isNamedAfterBuiltIn('toString', [], shapes)).toBe(false);
  expect(hasBuiltInShape(['optional', 'name', 'key'], shapes)).toBe(true);
  expect(hasBuiltInShape(['optional', 'name', 'keys'], shapes)).toBe(false);
  expect(hasBuiltInShape(['name', 'value'], shapes)).toBe(false);
});

test.each(['HostAliase', 'ShardStatuse', 'Policie', 'Statu', 'Matche', 'Boxe', 'PodIngres'])('%s is no English singular', (name) => {
  expect(isBadSingular(name)).toBe(true);
});

test.each(['HostAlias', 'Policy', 'Release', 'Database', 'MaintenanceWindow', 'Cookie', 'TlsConfigs', 'Http2', 'Response', ''])(
  '%s passes as one',
  (name) => {
    expect(isBadSingular(name)).toBe(false);
  },
);

test('names that a function should not have', () => {
  const names = javascriptGlobals();
  for (const name of ['window', 'object', 'keys', 'type', 'name', 'status', 'fetch', 'process', 'escape']) expect(names).toContain(name);
  for (const name of ['listener', 'certificate', 'labelSelector']) expect(names).not.toContain(name);
});

test('functions of a module', () => {
  const text = `export interface WindowApply {}\nexport function window(): X {\n  return 1;\n}\nexport const object = 1;\nexport const $table = 1;\n`;
  expect(functionsOf(text)).toEqual(['window', 'object']);
});

const selector = { type: 'object', properties: { key: { type: 'string' }, name: { type: 'string' } } };
const endpoint = { type: 'object', properties: { password: selector, token: selector } };
const spec = {
  type: 'object',
  properties: { first: endpoint, others: { type: 'array', items: endpoint }, byName: { type: 'object', additionalProperties: selector } },
};
const crd = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gateways.edge.example.com' },
  spec: {
    group: 'edge.example.com',
    scope: 'Namespaced',
    names: { kind: 'Gateway', plural: 'gateways' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties: { spec } } } }],
  },
};

test('uses are counted by position in the schema', () => {
  const used = usedTypes(planModules(readCrd(crd).roots, (name) => (name === objectMetaName ? 'meta/v1' : undefined)));
  const uses = Object.fromEntries(
    used.map((type) => [type.fields.join(), type.uses.map(({ property, many, count }) => `${property}${many ? '[]' : ''} ${count}`)]),
  );
  expect(uses).toEqual({
    'byName,first,others': ['spec 1'],
    'key,name': ['password 2', 'token 2', 'byName[] 1'],
    'password,token': ['first 1', 'others[] 1'],
  });
});

test('a type contradicts most of its uses if more than half say another thing', () => {
  const uses = [
    { property: 'password', many: false, count: 3 },
    { property: 'token', many: false, count: 2 },
  ];
  const type = { module: 'edge.example.com/v1', base: 'Token', fields: ['key'], uses };
  expect(countContradictions(type, false)).toMatchObject({ total: 5, contradicted: 3 });
  expect(countContradictions(type, true)).toMatchObject({ total: 5, contradicted: 0 });
  const result = {
    types: [countContradictions(type, false), countContradictions({ ...type, base: 'Password' }, false)],
    lookalikes: { types: 3, named: 1 },
    badSingulars: [],
    shadowing: ['m window()'],
    shadowingKinds: [],
  };
  const text = namesText(result, true);
  expect(text).toContain('1 of 2 types contradict most of their uses (50.0 %)');
  expect(text).toContain('5 of 10 uses are contradicted (50.0 %)');
  expect(text).toContain('edge.example.com/v1 Token: 3 of 5, at password 3, token 2');
  expect(text).toContain('1 functions of parts hide a global of JavaScript: m window()');
});
