import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type FieldPath, type FieldSet, formatPath, membersOf, serializeElement, writeFieldsV1 } from '../../../src/fields/index.js';
import { itemsAppliedBy } from '../../../src/ownership/index.js';
import type { Json } from '../../../src/util/json.js';
import { fieldSet } from '../fields/arbitrary.js';

const objectOf = (fieldsV1: Json) => ({ metadata: { managedFields: [{ manager: 'me', operation: 'Apply', fieldsV1 }] } });

/** As it is said of them: list items, and members with others below. */
function expectedOf(set: FieldSet): string[] {
  const members = [...membersOf(set)].map(({ path }) => path);
  const isBelow = (outer: FieldPath, inner: FieldPath) =>
    inner.length > outer.length && outer.every((element, place) => serializeElement(element) === serializeElement(inner[place]!));
  return members.filter((path) => path.at(-1)?.kind === 'key' || members.some((other) => isBelow(path, other))).map(formatPath);
}

test('list items and entries that hold fields, in the order of the set, whatever the set', () => {
  fc.assert(
    fc.property(fieldSet, (set) => {
      expect(itemsAppliedBy(objectOf(writeFieldsV1(set)), 'me')).toEqual(expectedOf(set));
    }),
  );
});

test('as a server records them', () => {
  const container = { '.': {}, 'f:image': {}, 'f:name': {}, 'f:ports': { 'k:{"containerPort":80,"protocol":"TCP"}': { '.': {} } } };
  const fields = {
    'f:metadata': { 'f:labels': { 'f:app': {} } },
    'f:spec': { 'f:containers': { 'k:{"name":"web"}': container }, 'f:x': {} },
  };
  expect(itemsAppliedBy(objectOf(fields), 'me')).toEqual([
    '.spec.containers[name="web"]',
    '.spec.containers[name="web"].ports[containerPort=80,protocol="TCP"]',
  ]);
});

test('what is no element is passed over; without an entry there are none', () => {
  const odd = { 'k:{': { 'f:a': {} }, 'x:a': { '.': {}, 'f:b': {} }, '.': {}, 'f:a': { 'v:"b"': {}, 'k:{"name":"c"}': null } };
  expect(itemsAppliedBy(objectOf(odd), 'me')).toEqual(['.a[name="c"]']);
  expect([
    itemsAppliedBy(objectOf({ 'k:{"a":1}': {} }), 'another'),
    itemsAppliedBy(objectOf(null), 'me'),
    itemsAppliedBy({}, 'me'),
  ]).toEqual([[], [], []]);
});
