import fc from 'fast-check';
import { expect, test } from 'vitest';
import { equalSets, formatPath, isEmpty, membersOf } from '../../../src/fields/index.js';
import { compare, extract, fieldSetOf, merge, remove, withNamedFields } from '../../../src/merge/index.js';
import type { JsonObject } from '../../../src/util/json.js';
import { frozen, kioskOf, spec } from './arbitrary.js';
import { schema, type } from './kiosk.js';

const object = spec.map((value) => frozen(kioskOf(value)));
/** The open part holds a map at `a`, if anything: content of another kind would erase what is below. */
const openMap = fc.constantFrom({}, { a: { b: 1 } }, { a: { b: 2, c: [1] }, d: 'x' }, { a: { c: [] } });
const sameKinds = fc.tuple(spec, fc.option(openMap)).map(([{ any: _, ...value }, any]) => frozen(kioskOf(any ? { ...value, any } : value)));

test('merging an intent again changes nothing', () => {
  fc.assert(
    fc.property(object, object, (live, intent) => {
      const merged = merge(schema, type, live, intent);
      expect(merge(schema, type, merged, intent)).toBe(merged);
    }),
  );
});

test('a value merged with itself is itself, and with nothing the intent', () => {
  fc.assert(
    fc.property(object, (value) => {
      expect(merge(schema, type, value, structuredClone(value))).toBe(value);
      expect(merge(schema, type, {}, value)).toEqual(value);
    }),
  );
});

test('comparing tells nothing of a value and itself, and left and right mirror each other', () => {
  fc.assert(
    fc.property(object, object, (left, right) => {
      const same = compare(schema, type, left, structuredClone(left));
      expect([same.added, same.removed, same.modified].every(isEmpty)).toBe(true);
      const there = compare(schema, type, left, right);
      const back = compare(schema, type, right, left);
      expect(equalSets(there.added, back.removed)).toBe(true);
      expect(equalSets(there.removed, back.added)).toBe(true);
      expect(equalSets(there.modified, back.modified)).toBe(true);
    }),
  );
});

test('a merge removes nothing', () => {
  fc.assert(
    fc.property(sameKinds, sameKinds, (live, intent) => {
      const { removed } = compare(schema, type, live, merge(schema, type, live, intent));
      expect(isEmpty(removed)).toBe(true);
    }),
  );
});

test.each([
  ['a scalar', ['.spec.any.a.b'], 1],
  ['a list', ['.spec.any.a.b'], [1]],
  ['a map', [], { c: 2 }],
  ['null', [], null],
])('%s, merged into a map of the open part: removes %j', (_, paths, value) => {
  const [live, intent] = [{ b: 1 }, value].map((a) => kioskOf({ any: { a } })) as [JsonObject, JsonObject];
  const { removed } = compare(schema, type, live, merge(schema, type, live, intent));
  expect(membersOf(removed).map(({ path }) => formatPath(path))).toEqual(paths);
});

test('removing all fields of a value leaves nothing declared but empty containers', () => {
  fc.assert(
    fc.property(object, (value) => {
      const set = withNamedFields(schema, type, fieldSetOf(schema, type, value));
      const rest = remove(schema, type, value, set);
      expect(JSON.stringify(rest)).toMatch(/^(\{\}|null|\{"spec":\{.*\}\})$/);
      expect(extract(schema, type, value, fieldSetOf(schema, type, value)) ?? {}).toEqual(withoutEmptyLists(value));
    }),
  );
});

// An empty associative list declares nothing, so nothing of it can be read back.
function withoutEmptyLists(value: unknown): unknown {
  const text = JSON.stringify(value, (name, member: unknown) =>
    ['tags', 'parts', 'ports'].includes(name) && Array.isArray(member) && member.length === 0 ? undefined : member,
  );
  const result = JSON.parse(text) as { spec?: object };
  if (result.spec && Object.keys(result.spec).length === 0 && Object.keys((value as { spec: object }).spec).length > 0) delete result.spec;
  return result;
}
