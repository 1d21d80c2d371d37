import { buildLiteral } from 'fieldwise/builders';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readCrd } from '../../../src/schema/index.js';

/** Builds `{ a: VALUE }` as the spec of a kind whose field `a` has the schema; returns the problem without its field path, or `fine`. */
function verdict(schema: string, value: unknown, complete = false): string {
  const spec = { type: 'object', properties: { a: parse(schema) } };
  const [root] = readCrd({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    spec: {
      group: 'rules.example.com',
      scope: 'Namespaced',
      names: { kind: 'Rule', plural: 'rules' },
      versions: [{ name: 'v1', served: true, schema: { openAPIV3Schema: { type: 'object', properties: { spec } } } }],
    },
  }).roots;
  try {
    buildLiteral(root!, { metadata: { name: 'x' }, spec: { a: value } }, { complete });
    return 'fine';
  } catch (error) {
    return (error as Error).message.replace(/^Declared intent does not fit its schema: \.spec\S*: /, '');
  }
}

test.each([
  // Texts
  ['{type: string, pattern: "^[a-z]+$"}', 'abc', 'fine'],
  ['{type: string, pattern: "^[a-z]+$"}', 'a1', '"a1" does not match ^[a-z]+$'],
  ['{type: string, pattern: "b"}', 'abc', 'fine'],
  ['{type: string, pattern: "^[a-z\\\\._\\\\-]{1,3}$"}', 'a._', 'fine'],
  // Patterns that JavaScript reads otherwise than the server.
  ['{type: string, pattern: "(?i)^a$"}', 'A', 'fine'],
  ['{type: string, pattern: "(?i)^a$"}', 'b', '"b" does not match (?i)^a$'],
  ['{type: string, pattern: "^[[:alpha:]]+$"}', 'abc', 'fine'],
  ['{type: string, pattern: "^[[:alpha:]]+$"}', 'a1', '"a1" does not match ^[[:alpha:]]+$'],
  ['{type: string, pattern: "\\\\Aabc\\\\z"}', 'abc', 'fine'],
  ['{type: string, pattern: "\\\\Aabc\\\\z"}', 'abcd', '"abcd" does not match \\Aabc\\z'],
  // Patterns that stop a matcher which backtracks.
  ['{type: string, pattern: "^(a+)+$"}', 'a'.repeat(1e6), 'fine'],
  ['{type: string, pattern: "^(a|a)*$"}', `${'a'.repeat(40)}b`, `"${'a'.repeat(40)}b" does not match ^(a|a)*$`],
  // Patterns that the server does not read: it refuses their definition.
  ['{type: string, pattern: "("}', 'abc', 'fine'],
  ['{type: string, pattern: "^(?=a)b"}', 'abc', 'fine'],
  ['{type: string, maxLength: 2}', '😀😀', 'fine'],
  ['{type: string, maxLength: 2}', 'abc', '"abc" is longer than 2 characters'],
  ['{type: string, minLength: 1}', '', '"" is shorter than 1 characters'],
  // Numbers
  ['{type: integer, minimum: 1}', 0, '0 is not at least 1'],
  ['{type: integer, minimum: 0, exclusiveMinimum: true}', 0, '0 is not above 0'],
  ['{type: number, maximum: 1.5}', 1.5, 'fine'],
  ['{type: number, maximum: 1.5, exclusiveMaximum: true}', 1.5, '1.5 is not below 1.5'],
  ['{type: number, multipleOf: 0.1}', 0.3, 'fine'],
  ['{type: integer, multipleOf: 4}', 6, '6 is not a multiple of 4'],
  ['{x-kubernetes-int-or-string: true, pattern: "^\\\\d+%$"}', 5, 'fine'],
  ['{x-kubernetes-int-or-string: true, pattern: "^\\\\d+%$"}', '5', '"5" does not match ^\\d+%$'],
  ['{x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}]}', '5', 'fine'],
  // Formats
  ['{type: string, format: duration}', '1h30m', 'fine'],
  ['{type: string, format: duration}', '3 days', 'fine'],
  ['{type: string, format: duration}', '-1.5h', 'fine'],
  ['{type: string, format: duration}', '0', 'fine'],
  ['{type: string, format: duration}', 'abc', '"abc" is not a valid duration'],
  ['{type: string, format: duration}', '10', '"10" is not a valid duration'],
  ['{type: string, format: date-time}', '2026-02-28T10:00:00Z', 'fine'],
  ['{type: string, format: date-time}', '2026-02-28t10:00:00.123456+02:00', 'fine'],
  ['{type: string, format: date-time}', '2026-02-28T10:00:00,5Z', 'fine'],
  ['{type: string, format: date-time}', '2026-02-30T10:00:00Z', '"2026-02-30T10:00:00Z" is not a valid date-time'],
  ['{type: string, format: date-time}', '2026-02-28', '"2026-02-28" is not a valid date-time'],
  ['{type: string, format: date}', '2024-02-29', 'fine'],
  ['{type: string, format: date}', '0000-02-29', 'fine'],
  ['{type: string, format: date}', '2026-02-29', '"2026-02-29" is not a valid date'],
  ['{type: string, format: byte}', 'YQ==', 'fine'],
  ['{type: string, format: byte}', 'a b', '"a b" is not a valid byte'],
  ['{type: string, format: ipv4}', '10.0.0.1', 'fine'],
  ['{type: string, format: ipv4}', '::1', '"::1" is not a valid ipv4'],
  ['{type: string, format: ipv4}', '010.0.0.01', 'fine'],
  ['{type: string, format: ipv4}', '10.0.0', '"10.0.0" is not a valid ipv4'],
  ['{type: string, format: ipv6}', '::1', 'fine'],
  ['{type: string, format: ipv6}', '::ffff:10.0.0.1', 'fine'],
  ['{type: string, format: ipv6}', '10.0.0.1', '"10.0.0.1" is not a valid ipv6'],
  ['{type: string, format: cidr}', '10.0.0.0/8', 'fine'],
  ['{type: string, format: cidr}', '010.0.0.0/08', 'fine'],
  ['{type: string, format: cidr}', '00001::/1', 'fine'],
  ['{type: string, format: cidr}', '10.0.0.0/40', '"10.0.0.0/40" is not a valid cidr'],
  ['{type: string, format: of-our-own}', '?', 'fine'],
  // Junctors about one scalar: nobody else can mend it.
  ['{type: string, anyOf: [{format: ipv4}, {format: ipv6}]}', '::1', 'fine'],
  ['{type: string, anyOf: [{format: ipv4}, {format: ipv6}]}', 'x', 'none of anyOf holds'],
  ['{type: string, not: {enum: [x]}}', 'x', 'what `not` forbids holds'],
  ['{type: string, allOf: [{pattern: a}, {pattern: b}]}', 'a', 'not all of allOf hold'],
  // Sets
  ['{type: array, x-kubernetes-list-type: set, items: {type: string}}', ['a', 'a'], 'the set has "a" twice'],
])('%s %j: %s', (schema, value, expected) => {
  expect(verdict(schema, value)).toBe(expected);
});

const object = '{type: object, properties: {x: {type: string}, y: {type: string}, z: {type: string, default: d}}';
const oneOf = `${object}, oneOf: [{required: [x]}, {required: [y]}]}`;
const set = 'type: array, x-kubernetes-list-type: set, items: {type: string}';

// What is missing may come from another owner, unless nobody else can add to the value.
test.each([
  ['a required field', `${object}, required: [x]}`, {}, 'fine', 'the schema requires this field'],
  [
    'a required field that is null',
    `${object}, required: [x]}`,
    { x: null },
    'null, but the server rejects it here; leave the field out',
    'null, but the server rejects it here; leave the field out; also .spec.a.x: the schema requires this field',
  ],
  ['a required field with a default', `${object}, required: [z]}`, {}, 'fine', 'fine'],
  ['too few items', `{${set}, minItems: 2}`, ['a'], 'fine', 'fewer than 2 items'],
  ['too many items', `{${set}, maxItems: 1}`, ['a', 'b'], 'more than 1 items', 'more than 1 items'],
  [
    'too few items of an atomic list',
    '{type: array, items: {type: string}, minItems: 2}',
    ['a'],
    'fewer than 2 items',
    'fewer than 2 items',
  ],
  ['too few members', '{type: object, minProperties: 1, additionalProperties: {type: string}}', {}, 'fine', 'fewer than 1 members'],
  [
    'too many members',
    '{type: object, maxProperties: 0, additionalProperties: {type: string}}',
    { k: 'v' },
    'more than 0 members',
    'more than 0 members',
  ],
  ['one of two groups', oneOf, { x: '1' }, 'fine', 'fine'],
  ['none of two groups', oneOf, {}, 'fine', '0 of oneOf hold where exactly one must (x, or y)'],
  ['both of two groups', oneOf, { x: '1', y: '2' }, 'fine', '2 of oneOf hold where exactly one must (x, or y)'],
  ['a group by a default', `${object}, anyOf: [{required: [z]}]}`, {}, 'fine', 'fine'],
  ['a forbidden field', `${object}, not: {required: [x]}}`, { x: '1' }, 'fine', 'what `not` forbids holds'],
  [
    'values of members',
    `${object}, oneOf: [{properties: {x: {enum: ['1']}}, required: [x]}]}`,
    { x: '2' },
    'fine',
    '0 of oneOf hold where exactly one must (x)',
  ],
  [
    'both of two groups in an atomic list',
    `{type: array, items: ${oneOf}}`,
    [{ x: '1', y: '2' }],
    '2 of oneOf hold where exactly one must (x, or y)',
    '2 of oneOf hold where exactly one must (x, or y)',
  ],
  [
    'both of two groups in an atomic map',
    `${object}, x-kubernetes-map-type: atomic, oneOf: [{required: [x]}, {required: [y]}]}`,
    { x: '1', y: '2' },
    '2 of oneOf hold where exactly one must (x, or y)',
    '2 of oneOf hold where exactly one must (x, or y)',
  ],
  [
    'a list that is no allowed one',
    '{type: array, items: {type: string}, enum: [[a], [b]]}',
    ['c'],
    '["c"] is not one of ["a"], ["b"]',
    '["c"] is not one of ["a"], ["b"]',
  ],
])('%s', (_, schema, value, partial, complete) => {
  expect({ partial: verdict(schema, value), complete: verdict(schema, value, true) }).toEqual({ partial, complete });
});
