import fc from 'fast-check';
import { type FieldPath, type FieldSet, fieldSetOfPaths, type PathElement } from '../../../src/fields/index.js';
import type { Json } from '../../../src/util/json.js';

/** Few names, so that sets overlap; odd ones, so that escapes and orders are met. */
const name = fc.constantFrom('a', 'b', 'B', 'a<b', '"', 'ä', '\u{1f600}', '\uffff', '__proto__', '');
const scalar: fc.Arbitrary<Json> = fc.oneof(name, fc.integer({ min: -2, max: 3 }), fc.constantFrom(1.5, true, false, null));

const element: fc.Arbitrary<PathElement> = fc.oneof(
  { weight: 4, arbitrary: name.map((text) => ({ kind: 'field', name: text }) as const) },
  {
    weight: 2,
    arbitrary: fc
      .uniqueArray(fc.tuple(fc.constantFrom('k1', 'k2', 'port'), scalar), { minLength: 1, maxLength: 2, selector: ([key]) => key })
      .map((keys) => ({ kind: 'key', keys: keys.toSorted(([a], [b]) => (a < b ? -1 : 1)) }) as const),
  },
  { weight: 1, arbitrary: scalar.map((value) => ({ kind: 'value', value }) as const) },
  { weight: 1, arbitrary: fc.nat(3).map((index) => ({ kind: 'index', index }) as const) },
);

export const fieldPath: fc.Arbitrary<FieldPath> = fc.array(element, { minLength: 1, maxLength: 4 });
export const fieldSet: fc.Arbitrary<FieldSet> = fc.array(fieldPath, { maxLength: 12 }).map(fieldSetOfPaths);

/** Any JSON that a field set's `f:` names and values may hold. */
export const json: fc.Arbitrary<Json> = fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>;
