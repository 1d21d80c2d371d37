import { describe, expect, test } from 'vitest';
import {
  type ApplyOptions,
  apply,
  extract,
  FieldwiseError,
  fieldSet,
  fieldSetOfPaths,
  type JsonObject,
  readFieldsV1,
  readSchema,
  update,
} from '../../../src/entry/ssa.js';

const type = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const crd = (kind: string) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${kind.toLowerCase()}s.example.com` },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { kind, plural: `${kind.toLowerCase()}s` },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties: { spec: type } } } }],
  },
});
const kinds = readSchema(crd('Widget'), crd('Gadget'));
const kind = kinds.get('example.com/v1', 'Widget') as ApplyOptions['kind'];
const widget = (spec: unknown) => ({ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' }, spec }) as JsonObject;

function nested(levels: number): object {
  let value = {};
  for (let level = 0; level < levels; level++) value = { a: value };
  return value;
}

const cyclic: Record<string, unknown> = {};
cyclic.list = [cyclic];

describe.each<[problem: string, value: unknown, message: string]>([
  ['a cycle', cyclic, 'contains a value that contains itself'],
  ['20,000 levels', nested(20_000), 'or nests deeper than 1000 levels'],
  ['NaN', { a: [Number.NaN] }, 'contains NaN'],
  ['a function', () => {}, 'contains a function'],
  ['a hole in a list', [undefined], 'contains undefined'],
  ['an object of a class', new Map(), 'contains an object of class Map'],
])('an object with %s', (_, value, message) => {
  const refusal = expect.objectContaining({ code: 'option-invalid', message: expect.stringContaining(message) });
  const object = widget({ value });
  test.each<[string, () => unknown]>([
    ['apply', () => apply({ kind, live: undefined, intent: object, manager: 'm' })],
    ['apply to', () => apply({ kind, live: object, intent: widget({}), manager: 'm' })],
    ['update', () => update({ kind, live: undefined, object, manager: 'm' })],
    ['fieldSet', () => fieldSet(kind, object)],
    ['extract', () => extract({ kind, object, fields: fieldSetOfPaths([]) })],
  ])('is refused by %s', (_name, call) => {
    expect(call).toThrow(refusal);
    expect(call).toThrow(FieldwiseError);
  });
});

test('the error has the path of the value', () => {
  expect(() => fieldSet(kind, widget({ list: [{ a: Number.NaN }] }))).toThrow(
    expect.objectContaining({ location: { field: '.spec.list[0].a' } }),
  );
});

test.each<[string, unknown]>([
  ['no options', undefined],
  ['an intent that is null', { kind, live: undefined, intent: null, manager: 'm' }],
  ['a list as the intent', { kind, live: undefined, intent: [], manager: 'm' }],
  ['a live object that is null', { kind, live: null, intent: widget({}), manager: 'm' }],
  ['no kind', { live: undefined, intent: widget({}), manager: 'm' }],
  ['no manager', { kind, live: undefined, intent: widget({}) }],
  ['an invalid time', { kind, live: undefined, intent: widget({}), manager: 'm', now: () => new Date(Number.NaN) }],
  ['an intent of another kind', { kind, live: undefined, intent: { ...widget({}), kind: 'Gadget' }, manager: 'm' }],
  ['a live object of another kind', { kind, live: { ...widget({}), kind: 'Gadget' }, intent: widget({}), manager: 'm' }],
  ['a live object in another version', { kind, live: { ...widget({}), apiVersion: 'example.com/v2' }, intent: widget({}), manager: 'm' }],
])('apply refuses %s', (_, options) => {
  expect(() => apply(options as ApplyOptions)).toThrow(expect.objectContaining({ code: 'option-invalid', kind: 'usage' }));
});

test('an object of 900 levels, with integers beyond 2^53 and undefined members, is applied', () => {
  const intent = widget({ big: 9007199254740993n, absent: undefined, deep: nested(900) });
  expect(apply({ kind, live: undefined, intent, manager: 'm' })).toMatchObject({ outcome: 'applied' });
});

test('readFieldsV1 refuses a cycle', () => {
  const fields: Record<string, unknown> = {};
  fields['f:a'] = fields;
  expect(() => readFieldsV1(fields as JsonObject)).toThrow(expect.objectContaining({ code: 'option-invalid' }));
});
