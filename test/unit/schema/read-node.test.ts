import { expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Field, SchemaDiagnostic, Type } from '../../../src/schema/index.js';
import { predefinedTypes, resolve } from '../../../src/schema/index.js';
import { readNode } from '../../../src/schema/read/read-node.js';
import { describeType } from './describe-type.js';

/** Reads one node; `Named` is a granular object with a field `a`. */
function read(yaml: string): { type: string; findings: readonly SchemaDiagnostic[] } {
  const findings: SchemaDiagnostic[] = [];
  const ref = readNode(parse(yaml), {
    subject: 'Test v1',
    path: '',
    depth: 0,
    preserve: false,
    docs: false,
    diagnostics: findings,
    refName: (name) => (name.endsWith('/Named') ? 'Named' : undefined),
  });
  const a: Field = { type: { inline: { scalar: { kind: 'string' } } } };
  const named: Type = { map: { relation: 'granular', fields: new Map([['a', a]]), required: [] } };
  const schema = { types: new Map<string, Type>([...predefinedTypes, ['Named', named]]) };
  return { type: describeType(schema, ref), findings };
}

// Kubernetes documentation "Server-Side Apply", "Merge strategy".
test.each([
  // Scalars
  ['{type: integer}', 'integer'],
  ['{type: number}', 'numeric'],
  ['{type: boolean}', 'boolean'],
  ['{type: string}', 'string'],
  ['{type: string, format: byte}', 'string'],
  ['{type: string, format: date-time}', 'untyped'],
  ['{type: string, enum: [a, ""]}', 'string a|'],
  ['{x-kubernetes-int-or-string: true}', 'int-or-string'],
  ['{x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}]}', 'int-or-string'],
  // Lists
  ['{type: array, items: {type: string}}', 'atomic [string]'],
  ['{type: array, x-kubernetes-list-type: atomic, items: {type: string}}', 'atomic [string]'],
  ['{type: array, x-kubernetes-list-type: set, items: {type: string}}', 'set [string]'],
  ['{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [b, a], items: {}}', 'keyed a+b [any]'],
  ['{type: array, x-kubernetes-patch-strategy: merge, x-kubernetes-patch-merge-key: k, items: {}}', 'keyed k [any]'],
  ['{type: array, x-kubernetes-patch-strategy: "merge,retainKeys", items: {type: string}}', 'set [string]'],
  ['{type: array, x-kubernetes-patch-strategy: replace, x-kubernetes-patch-merge-key: k, items: {}}', 'atomic [any]'],
  [
    '{type: array, x-kubernetes-list-type: atomic, x-kubernetes-patch-strategy: merge, x-kubernetes-patch-merge-key: k, items: {}}',
    'atomic [any]',
  ],
  // Maps
  ['{type: object, properties: {a: {type: string}}}', 'granular {a: string}'],
  ['{type: object, x-kubernetes-map-type: atomic, properties: {a: {type: string}}}', 'atomic {a: string}'],
  ['{type: object, additionalProperties: {type: string}}', 'granular {*: string}'],
  ['{type: object, additionalProperties: true, properties: {a: {}}}', 'granular {a: any, *: any}'],
  ['{type: object, additionalProperties: false}', 'granular {}'],
  ['{type: object}', 'granular {*: any}'],
  [
    '{type: object, x-kubernetes-preserve-unknown-fields: true, properties: {a: {type: object, properties: {b: {type: string}}}}}',
    'granular {a: granular {b: string, *: any}, *: any}',
  ],
  ['{x-kubernetes-preserve-unknown-fields: true}', 'any'],
  ['{}', 'any'],
  // Any value, and what an object or a list has among them. Source: observed, test/cluster/nodes-without-type.test.ts.
  [
    '{x-kubernetes-preserve-unknown-fields: true, properties: {a: {type: string}}}',
    'untyped + atomic [untyped atomic] + granular {a: string, *: any}',
  ],
  ['{x-kubernetes-preserve-unknown-fields: true, items: {type: string}}', 'untyped + atomic [string] + granular {*: any}'],
  [
    '{x-kubernetes-preserve-unknown-fields: true, additionalProperties: {type: string}}',
    'untyped + atomic [untyped atomic] + granular {*: string}',
  ],
  [
    '{x-kubernetes-preserve-unknown-fields: true, items: {type: object, properties: {b: {type: string}}}, properties: {a: {type: string}}}',
    'untyped + atomic [granular {b: string, *: any}] + granular {a: string, *: any}',
  ],
  ['{items: {type: string}, x-kubernetes-list-type: set}', 'untyped + set [string] + granular {*: any}'],
  ['{properties: {a: {type: string}}, x-kubernetes-map-type: atomic}', 'untyped + atomic [untyped atomic] + atomic {a: string}'],
  ['{x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k]}', 'untyped + keyed k [untyped atomic] + granular {*: any}'],
  ['{x-kubernetes-int-or-string: true, properties: {a: {type: string}}}', 'untyped + atomic [untyped atomic] + granular {a: string}'],
  // References
  ['{$ref: "#/components/schemas/Named"}', 'granular {a: string}'],
  ['{allOf: [{$ref: "#/components/schemas/Named"}], x-kubernetes-map-type: atomic}', 'atomic {a: string}'],
  ['{allOf: [{$ref: "#/components/schemas/Named"}], default: {}}', 'granular {a: string}'],
])('%s is %s', (yaml, type) => {
  expect(read(yaml)).toEqual({ type, findings: [] });
});

test('an embedded resource gets apiVersion, kind and ObjectMeta', () => {
  const ref = readNode(
    parse('{type: object, x-kubernetes-embedded-resource: true, properties: {metadata: {type: object}, spec: {type: string}}}'),
    {
      subject: '',
      path: '',
      depth: 0,
      preserve: false,
      docs: false,
      diagnostics: [],
      refName: () => undefined,
    },
  );
  const map = resolve({ types: new Map() }, ref).map;
  expect([...(map?.fields.keys() ?? [])]).toEqual(['apiVersion', 'kind', 'metadata', 'spec']);
  expect(map?.fields.get('metadata')?.type).toEqual({ name: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' });
});

test.each([
  ['{type: object, properties: {a: {oneOf: [{required: [x]}], type: object}}}', 'junctor-not-checked', '.a'],
  ['{type: object, properties: {a: {type: string, x-kubernetes-validations: [{rule: x}]}}}', 'value-rule-not-checked', '.a'],
  ['{type: object, properties: {"a.b": {type: array}}}', 'node-widened', '["a.b"]'],
  ['{type: array, items: {type: [string, integer]}}', 'node-widened', '[]'],
  ['{type: array, x-kubernetes-list-type: map, items: {}}', 'node-widened', '.'],
  ['{type: array, x-kubernetes-list-type: bag, items: {}}', 'node-widened', '.'],
  ['{$ref: "#/elsewhere"}', 'node-widened', '.'],
  ['{type: array, enum: [[a]], items: {type: string}}', 'value-rule-not-checked', '.'],
])('%s is reported as %s at %s', (yaml, code, path) => {
  expect(read(yaml).findings.map((finding) => [finding.code, finding.path])).toEqual([[code, path]]);
});

test('a schema deeper than any in use is refused with its path', () => {
  let node: unknown = { type: 'string' };
  for (let level = 0; level < 2000; level++) node = { type: 'object', properties: { a: node } };
  expect(() =>
    readNode(node as never, {
      subject: 'Deep v1',
      path: '',
      depth: 0,
      preserve: false,
      docs: false,
      diagnostics: [],
      refName: () => undefined,
    }),
  ).toThrow(expect.objectContaining({ code: 'schema-too-deep', kind: 'usage' }));
});

test('a CRD with a node without a type is read, and reported where the server refuses it', () => {
  const node = (yaml: string) => {
    const diagnostics: SchemaDiagnostic[] = [];
    const context = { subject: 'Kind', path: '.a', depth: 0, preserve: false, prunes: true, docs: false, refName: () => undefined };
    readNode(parse(yaml), { ...context, diagnostics });
    return diagnostics.map(({ code, path }) => `${code} ${path}`);
  };
  expect(node('{properties: {b: {type: string}}}')).toEqual(['node-widened .a']);
  expect(node('{type: object, x-kubernetes-preserve-unknown-fields: true, properties: {b: {items: {type: string}}}}')).toEqual([
    'node-widened .a.b',
  ]);
  expect(node('{x-kubernetes-preserve-unknown-fields: true, properties: {b: {type: string}}}')).toEqual([]);
  expect(node('{x-kubernetes-int-or-string: true}')).toEqual([]);
});
