import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readCrd, resolve } from '../../../src/schema/index.js';
import { describeType } from './describe-type.js';

const crd = (change: string) =>
  parse(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
spec:
  group: edge.example.com
  scope: Namespaced
  names: { kind: Thing, plural: things }
  versions: [{ name: v1, served: true, storage: true, schema: { openAPIV3Schema: { type: object } } }]
${change}`);

test('every version is a root, with metadata and its subresources', () => {
  const document = parse(readFileSync(new URL('../codegen/fixtures/shared-gateway.yaml', import.meta.url), 'utf8'));
  const { roots } = readCrd(document);
  expect(roots).toHaveLength(1);
  const [root] = roots;
  expect(root).toMatchObject({
    apiVersion: 'edge.example.com/v1',
    kind: 'SharedGateway',
    scope: 'Namespaced',
    resource: 'sharedgateways',
    subresources: ['status'],
  });
  const type = resolve(root!.schema, root!.type);
  expect([...(type.map?.fields.keys() ?? [])]).toEqual(['apiVersion', 'kind', 'metadata', 'spec', 'status']);
  const meta = resolve(root!.schema, { name: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' }).map!.fields;
  expect(describeType(root!.schema, meta.get('labels')!.type)).toBe('granular {*: string}');
  expect(describeType(root!.schema, meta.get('finalizers')!.type)).toBe('set [string]');
  expect(describeType(root!.schema, meta.get('ownerReferences')!.type)).toMatch(/^keyed uid \[atomic \{/);
  expect(describeType(root!.schema, meta.get('managedFields')!.type)).toMatch(/^atomic \[/);
});

test.each([
  ['{x-kubernetes-preserve-unknown-fields: true}', 'apiVersion kind metadata', true],
  ['{type: object, x-kubernetes-preserve-unknown-fields: true}', 'apiVersion kind metadata', true],
  ['{type: object}', 'apiVersion kind metadata', false],
  ['{type: object, properties: {spec: {type: string}}}', 'apiVersion kind metadata spec', false],
  ['{type: object, properties: {metadata: {type: object}, kind: {type: integer}}}', 'apiVersion kind metadata', false],
])('a root %s has %s; open: %s', (schema, fields, open) => {
  const [root] = readCrd(
    parse(`{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, spec: {group: a.b, scope: Cluster,
      names: {kind: T, plural: ts}, versions: [{name: v1, schema: {openAPIV3Schema: ${schema}}}]}}`),
  ).roots;
  const map = resolve(root!.schema, root!.type).map!;
  expect([...map.fields.keys()].join(' ')).toBe(fields);
  expect(map.fields.get('kind')?.type).toEqual({ inline: { scalar: { kind: 'string' } } });
  expect(map.element !== undefined).toBe(open);
});

test.each([
  ['not an object', 'text', '', /not a CustomResourceDefinition/],
  ['another kind', { apiVersion: 'v1', kind: 'ConfigMap' }, '', /not a CustomResourceDefinition/],
  ['v1beta1', { apiVersion: 'apiextensions.k8s.io/v1beta1', kind: 'CustomResourceDefinition' }, '.apiVersion', /v1beta1/],
  ['no group', { ...crd(''), spec: {} }, '.spec.group', /missing/],
  ['a group that climbs out of its directory', { ...crd(''), spec: { ...crd('').spec, group: '../../etc' } }, '.spec.group', /not allow/],
  ['an odd kind', { ...crd(''), spec: { ...crd('').spec, names: { kind: 'A\nB', plural: 'x' } } }, '.spec.names.kind', /not allow/],
  ['no versions', { ...crd(''), spec: { ...crd('').spec, versions: [] } }, '.spec.versions', /no versions/],
  ['a version that is text', { ...crd(''), spec: { ...crd('').spec, versions: ['v1'] } }, '.spec.versions[0]', /not an object/],
  ['a version without a name', { ...crd(''), spec: { ...crd('').spec, versions: [{}] } }, '.spec.versions[0].name', /missing/],
])('refuses %s', (_, document, field, message) => {
  expect(() => readCrd(document, { file: 'crd.yaml' })).toThrow(
    expect.objectContaining({
      code: 'crd-invalid',
      kind: 'usage',
      message: expect.stringMatching(message),
      location: field ? { file: 'crd.yaml', field } : { file: 'crd.yaml' },
    }),
  );
});

test('a version that is not served is read, and said to be', () => {
  const document = crd('');
  document.spec.versions[0].served = false;
  expect(readCrd(document)).toMatchObject({
    roots: [{ kind: 'Thing' }],
    diagnostics: [{ code: 'version-not-served', subject: 'Thing edge.example.com/v1' }],
  });
});
