import { generateModules } from 'fieldwise/codegen';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readCrd, readOpenApi } from '../../../src/schema/index.js';

/** Generates a CRD of kind Thing with these properties below `.spec`; `more` are further members of the version. */
async function generate(properties: string, more = '') {
  const crd =
    parse(`{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, spec: {group: ex.io, scope: Namespaced, names: {kind: Thing, plural: things},
    versions: [{name: v1, served: true, ${more} schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: ${properties}}}}}}]}}`);
  const { files, diagnostics } = await generateModules(readCrd(crd, { docs: true }).roots, { docs: true });
  const text = files[0]!.text;
  return {
    text,
    findings: diagnostics,
    functions: [...text.matchAll(/^export function (\w+)\((.*)\):/gm)].map((match) => `${match[1]}(${match[2]})`),
  };
}

test('equal objects are one type, named by the nearest of equally frequent properties', async () => {
  const { functions } = await generate(`{
    deep: {type: object, properties: {inner: {type: object, properties: {a: {type: string}}}}},
    short: {type: object, properties: {a: {type: string}}}}`);
  expect(functions).toEqual(['deep()', 'short()', 'thing(name: $Name, namespace?: string)', 'thingSpec()']);
});

const text = '{type: string}';
const secretKey = `{type: object, properties: {key: ${text}, name: ${text}, optional: {type: boolean}}}`;
const one = `{type: object, properties: {a: ${text}}}`;
const block = (...properties: string[]) => `{type: object, properties: {${properties.join(', ')}}}`;

const requirements = `{type: array, items: ${block(`key: ${text}`, `operator: ${text}`, `values: {type: array, items: ${text}}`)}}`;
const quantities = '{type: object, additionalProperties: {x-kubernetes-int-or-string: true}}';

test.each([
  [
    'the commonest property',
    `{a: ${block(`mirror: ${one}`)}, b: ${block(`destination: ${one}`)}, c: ${block(`destination: ${one}`, `z: ${text}`)}}`,
    'destination',
  ],
  ['the words in which most properties end', `{b: ${block(`tokenSecret: ${one}`, `passwordSecret: ${one}`, `other: ${one}`)}}`, 'secret'],
  [
    'what `any` and `all` combine',
    `{b: ${block(...['match', 'exclude'].map((name) => `${name}: ${block(...['any', 'all'].map((part) => `${part}: {type: array, items: ${one}}`), `${name}: ${text}`)}`))}}`,
    'bMatch',
  ],
  ['no vague word alone', `{b: ${block(`tokenRef: ${one}`, `passRef: ${one}`)}}`, 'passRef'],
  ['two vague words', `{b: ${block(`configMapKeyRef: ${one}`, `secretKeyRef: ${one}`)}}`, 'keyRef'],
  [
    'the built-in API, where most properties say so',
    `{b: ${block(`tokenSecret: ${secretKey}`, `keySecret: ${secretKey}`, `cert: ${secretKey}`)}}`,
    'secretKeySelector',
  ],
  [
    'the built-in API, for rare fields',
    `{b: ${block(`chosen: {type: object, properties: {matchLabels: {type: object, additionalProperties: ${text}}, matchExpressions: {type: array, items: ${one}}}}`)}}`,
    'labelSelector',
  ],
  [
    'its property, where two types of the built-in API fit',
    `{a: ${block(`matchFields: ${requirements}`)}, ${['b', 'c', 'd', 'e', 'f'].map((name) => `${name}: ${block(`matchExpressions: ${requirements}`, `${name}: ${text}`)}`).join(', ')}}`,
    'matchExpression',
  ],
  [
    'its property, where the built-in API has maps in place of its structs',
    `{b: ${block(`resources: ${block(`limits: ${one}`, `requests: ${one}`)}`)}}`,
    'resources',
  ],
  [
    'the built-in API, which has maps as well',
    `{b: ${block(`resources: ${block(`limits: ${quantities}`, `requests: ${quantities}`)}`)}}`,
    'volumeResourceRequirements',
  ],
  ['no singular that is no word', `{b: ${block(`shardStatuses: {type: array, items: ${one}}`)}}`, 'shardStatus'],
  ['no global of a program', `{b: ${block(`window: ${one}`)}}`, 'bWindow'],
  ['no name that would make a promise of the module', `{b: ${block(`then: ${one}`)}}`, 'bThen'],
  ['no word of TypeScript', `{b: ${block(`keys: ${one}`)}}`, 'bKeys'],
])('a type is named after %s', async (_, properties, expected) => {
  expect((await generate(properties)).functions).toContain(`${expected}()`);
});

test('a property that the name of its type contradicts has a function of its own, which stays', async () => {
  const roots = (properties: string) =>
    readCrd(
      parse(`{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, spec: {group: ex.io, scope: Namespaced, names: {kind: Thing, plural: things},
    versions: [{name: v1, served: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: ${properties}}}}}}]}}`),
    ).roots;
  const constraints = `{b: ${block(`excluded: ${one}`, `permitted: ${one}`, `alsoExcluded: ${one}`)}}`;
  const { files, names } = await generateModules(roots(constraints));
  expect(files[0]!.text).toContain('\nexport { excluded as permitted };\n');
  expect(names['ex.io/v1']).toMatchObject({ Excluded: 'Thing ex.io/v1 .spec.b.alsoExcluded', Permitted: 'Excluded' });
  // A new type of that name gets another one.
  const grown = roots(`{b: ${block(`excluded: ${one}`, `permitted: ${one}`, `alsoExcluded: ${one}`)}, permitted: ${block(`z: ${text}`)}}`);
  const later = await generateModules(grown, { names });
  expect(later.files[0]!.text).toContain('\nexport { excluded as permitted };\n');
  expect(later.names['ex.io/v1']).toMatchObject({ Excluded: 'Thing ex.io/v1 .spec.b.alsoExcluded', Permitted: 'Excluded' });
  expect((await generateModules(grown)).files[0]!.text).not.toContain('as permitted');
});

test('a part of an atomic list is not said to have owners of its own', async () => {
  const headers = `{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name], items: {type: object, required: [name], properties: {name: ${text}}}}`;
  const rules = await generate(`{rules: {type: array, items: ${block(`headers: ${headers}`)}}}`);
  expect(rules.text).toContain('/** List keyed by name: it is part of an atomic value, which has one owner. */');
  const both = await generate(`{rules: {type: array, items: ${block(`headers: ${headers}`)}}, rule: ${block(`headers: ${headers}`)}}`);
  expect(both.text).toContain('/** List keyed by name: each item has owners of its own. */');
});

test('a type keeps its name when the CRD gains fields, by the names of the earlier run', async () => {
  const roots = (properties: string) =>
    readCrd(
      parse(`{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, spec: {group: ex.io, scope: Namespaced, names: {kind: Thing, plural: things},
    versions: [{name: v1, served: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: ${properties}}}}}}]}}`),
    ).roots;
  const { names } = await generateModules(roots(`{b: ${block(`mirror: ${one}`)}}`));
  const grown = roots(`{b: ${block(`mirror: ${one}`, `route: ${one}`, `backRoute: ${one}`)}}`);
  expect(Object.keys((await generateModules(grown)).names['ex.io/v1']!)).toContain('Route');
  expect(Object.keys((await generateModules(grown, { names })).names['ex.io/v1']!)).toContain('Mirror');
});

test('objects that differ in a list relation only are two types', async () => {
  const list = (type: string) => `{type: object, properties: {l: {type: array, ${type} items: {type: string}}}}`;
  const { functions } = await generate(`{one: ${list('')}, two: ${list('x-kubernetes-list-type: set,')}}`);
  expect(functions).toContain('one()');
  expect(functions).toContain('two()');
});

test('a description stays only where all merged positions agree', async () => {
  const part = (own: string, field: string) =>
    `{type: object, description: ${own}, properties: {a: {type: string, description: ${field}}}}`;
  const { text } = await generate(`{one: ${part('ONE', 'SAME')}, two: ${part('TWO', 'SAME')}}`);
  expect(text.split('export interface OneApply')[0]).not.toContain('TWO');
  expect(text).toMatch(/export interface OneApply extends \$Literal \{\n {2}\/\*\* SAME \*\//);
});

const items = (required: string) => `{type: object, required: [${required}], properties: {name: {type: string}, port: {type: integer}}}`;
const keyed = (key: string, required = 'name, port') =>
  `{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [${key}], items: ${items(required)}}`;

test.each([
  ['keys that agree are arguments', `{doors: ${keyed('name')}, gates: ${keyed('name')}}`, ['door(name: string)']],
  [
    'keys that are not required come last and may be left out',
    `{peers: ${keyed('name, port', 'port')}}`,
    ['peer(port: number, name?: string)'],
  ],
  [
    'positions that disagree have a constructor each',
    `{peers: ${keyed('name')}, others: ${keyed('port')}}`,
    ['peer()', 'peerByName(name: string)', 'peerByPort(port: number)'],
  ],
  ['an atomic list asks for no key', `{peers: {type: array, items: ${items('name')}}}`, ['peer()']],
])('%s', async (_, properties, expected) => {
  const { functions } = await generate(properties);
  expect(functions.filter((name) => !name.startsWith('thing'))).toEqual(expected);
});

test('wire names that want one method get one each, and it is said', async () => {
  const { text, findings } = await generate(
    '{a-b: {type: string}, a_b: {type: string}, aB: {type: string}, "-XX": {type: object, additionalProperties: {type: string}}}',
  );
  expect([...text.matchAll(/^ {2}(with\w+)/gm)].map((match) => match[1]).slice(0, 6)).toEqual([
    'withMetadata',
    'withSpec',
    'withXX',
    'withAB2',
    'withAB',
    'withAB3',
  ]);
  expect(findings.map(({ code, path, message }) => [code, path, message])).toEqual([
    ['name-changed', '.spec', 'field "a-b" is set by withAB2: a shorter name was taken'],
    ['name-changed', '.spec', 'field "a_b" is set by withAB3: a shorter name was taken'],
  ]);
});

test('status has a root of its own where it is a subresource; its type has one name either way', async () => {
  const crd = (more: string) =>
    parse(`{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, spec: {group: ex.io, scope: Cluster, names: {kind: Thing, plural: things},
      versions: [{name: v1, ${more} schema: {openAPIV3Schema: {type: object, properties: {status: {type: object, properties: {a: {type: string}}}}}}}]}}`);
  const functions = async (more: string) =>
    (await generateModules(readCrd(crd(more)).roots)).files[0]!.text.match(/^export function \w+\(.*\)/gm);
  expect(await functions('')).toEqual(['export function thing(name: $Name)', 'export function thingStatusFields()']);
  expect(await functions('subresources: {status: {}},')).toEqual([
    'export function thing(name: $Name)',
    'export function thingStatus(name: $Name)',
    'export function thingStatusFields()',
  ]);
});

test('a constructor by keys gives way to a type of that name', async () => {
  const { functions } = await generate(
    `{peers: ${keyed('name')}, others: ${keyed('port')}, peerByName: {type: object, properties: {a: {type: string}}}}`,
  );
  expect(functions).toEqual(expect.arrayContaining(['peerByName()', 'peerByName_(name: string)', 'peerByPort(port: number)']));
});

test('a custom resource of a live server’s OpenAPI goes to its full group and takes ObjectMeta from the package', async () => {
  const gvk = { group: 'edge.example.com', version: 'v1', kind: 'Gate' };
  const spec = {
    type: 'object',
    properties: { bolts: { type: 'array', items: { type: 'object', properties: { size: { type: 'integer' } } } } },
  };
  const { roots } = readOpenApi([
    {
      name: 'edge',
      document: {
        openapi: '3.0.0',
        paths: { '/apis/edge.example.com/v1/gates/{name}': { patch: { 'x-kubernetes-group-version-kind': gvk } } },
        components: {
          schemas: {
            'com.example.edge.v1.Gate': {
              type: 'object',
              properties: { metadata: { allOf: [{ $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' }] }, spec },
              'x-kubernetes-group-version-kind': [gvk],
            },
            'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta': { type: 'object', properties: { name: { type: 'string' } } },
          },
        },
      },
    },
  ]);
  const { files } = await generateModules(roots);
  expect(files.map(({ path }) => path)).toEqual(['edge.example.com/v1.ts']);
  expect(files[0]!.text).toContain("from 'fieldwise/k8s/meta/v1'");
  expect(files[0]!.text.match(/^export function .*(?=:)/gm)).toEqual([
    'export function bolt()',
    'export function gate(name: $Name)',
    'export function gateSpec()',
  ]);
});

test('a kind that is a part of a kind of another group-version stands in its own module', async () => {
  const [setKind, claimKind] = [
    { group: 'a.example.com', version: 'v1', kind: 'Set' },
    { group: 'b.example.com', version: 'v1', kind: 'Claim' },
  ];
  const claims = { type: 'array', items: { $ref: '#/components/schemas/Claim' } };
  const { roots } = readOpenApi([
    {
      name: 'both',
      document: {
        openapi: '3.0.0',
        paths: {
          '/apis/a.example.com/v1/sets/{name}': { patch: { 'x-kubernetes-group-version-kind': setKind } },
          '/apis/b.example.com/v1/claims/{name}': { patch: { 'x-kubernetes-group-version-kind': claimKind } },
        },
        components: {
          schemas: {
            Set: { type: 'object', properties: { claims }, 'x-kubernetes-group-version-kind': [setKind] },
            Claim: { type: 'object', properties: { size: { type: 'integer' } }, 'x-kubernetes-group-version-kind': [claimKind] },
          },
        },
      },
    },
  ]);
  const { files } = await generateModules(roots);
  expect(files.map(({ path, kinds }) => [path, kinds])).toEqual([
    ['a.example.com/v1.ts', ['Set']],
    ['b.example.com/v1.ts', ['Claim']],
  ]);
});
