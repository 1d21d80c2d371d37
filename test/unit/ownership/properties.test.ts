import fc from 'fast-check';
import { expect, test } from 'vitest';
import { emptyFieldSet, equalSets } from '../../../src/fields/index.js';
import { fieldSetOf, merge } from '../../../src/merge/index.js';
import { applyRequest, createCache, managedFieldsOf, updateRequest, withoutNewTimes } from '../../../src/ownership/index.js';
import type { JsonObject } from '../../../src/util/json.js';
import { kioskOf, ownable } from '../merge/arbitrary.js';
import { kiosk } from '../merge/kiosk.js';
import { at, history, kind, manager, step } from './history.js';

test('the same apply twice is a no-op', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 5 }), manager, ownable, (steps, manager, value) => {
      const live = history([...steps, { manager, value, apply: true }], () => {});
      // Without any owner, the next apply finds a first owner for what is there.
      fc.pre(managedFieldsOf(live).length > 0);
      const request = { kind, apiVersion: 'example.com/v1', manager, now: at(99), live, intent: kioskOf(value) };
      const again = applyRequest(request);
      expect(again.outcome).toBe('applied');
      if (again.outcome === 'applied') expect(withoutNewTimes(live, again.object)).toEqual(live);
    }),
    { numRuns: 200 },
  );
});

test('what is applied by force is there afterwards, and owned', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 5 }), (steps) => {
      history(steps, (_, after, index) => {
        const { manager, value, apply } = steps[index]!;
        if (!apply) return;
        const intent = kioskOf(value);
        const { schema, type } = kiosk;
        expect(merge(schema, type, after, intent)).toBe(after);
        const declared = fieldSetOf(schema, type, { spec: intent.spec as JsonObject });
        const mine = managedFieldsOf(after).find((entry) => entry.manager === manager && entry.operation === 'Apply');
        expect(equalSets(mine?.fields ?? emptyFieldSet, declared)).toBe(true);
      });
    }),
    { numRuns: 200 },
  );
});

test('an update that changes nothing changes no owner', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 5 }), manager, (steps, manager) => {
      const live = history(steps, () => {}) as JsonObject;
      const object = structuredClone(live);
      expect(updateRequest({ kind, apiVersion: 'example.com/v1', manager, now: at(99), live, object })).toEqual(live);
    }),
    { numRuns: 200 },
  );
});

test('what is remembered between requests changes no answer', () => {
  const cache = createCache();
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 8 }), (steps) => {
      const texts = (memory: Parameters<typeof history>[2]) => {
        const results: string[] = [];
        history(steps, (_, after) => results.push(JSON.stringify(after)), memory);
        return results;
      };
      expect(texts({ kind, cache })).toEqual(texts({ kind: { versions: kind.versions } }));
    }),
    { numRuns: 200 },
  );
});
