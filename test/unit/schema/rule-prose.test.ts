import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { describeNode } from '../../../src/schema/read/describe-node.js';

test.each([
  ['{type: string}', undefined],
  ['{description: " Text. "}', 'Text.'],
  ['{description: Text., default: TCP}', 'Text.\n\nDefault: "TCP"'],
  ['{default: {}}', undefined],
  ['{default: 0}', 'Default: 0'],
  ['{type: string, format: date-time, pattern: "^a"}', 'Value: format date-time, matches ^a'],
  ['{type: integer, minimum: 0, exclusiveMinimum: true, maximum: 9, multipleOf: 3}', 'Value: more than 0, at most 9, a multiple of 3'],
  ['{type: array, minItems: 1, maxItems: 4, uniqueItems: true}', 'Value: at least 1 items, at most 4 items, items are unique'],
  ['{oneOf: [{required: [a]}, {required: [b, c]}]}', 'Exactly one of: a, b with c'],
  ['{oneOf: [{required: [a], properties: {a: {}}}, {required: [b]}]}', 'Exactly one of: a, b'],
  ['{anyOf: [{required: [a]}, {required: [b]}]}', 'At least one of: a, b'],
  ['{not: {required: [a, b]}}', 'Not together: a, b'],
  ['{not: {required: [a]}}', 'Not: a'],
  ['{not: {anyOf: [{required: [a]}, {required: [b]}]}}', 'None of: a, b'],
  ['{not: {pattern: x}}', 'Some forms are forbidden, which only the API server knows (not)'],
  ['{oneOf: [{properties: {a: {enum: [x]}}}, {}]}', 'Exactly one of 2 forms, which only the API server tells apart (oneOf)'],
  ['{x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}]}', undefined],
  ['{allOf: [{$ref: "#/components/schemas/A"}]}', undefined],
  [
    '{x-kubernetes-validations: [{rule: "self.a\n  > 1", message: "a is large"}, {rule: self.b}]}',
    'Rule: a is large (self.a > 1)\nRule: self.b',
  ],
])('%s', (yaml, prose) => {
  expect(describeNode(parse(yaml))).toBe(prose);
});
