import fc from 'fast-check';
import { expect, test } from 'vitest';
import { emptyFieldSet, equalSets } from '../../../src/fields/index.js';
import { fieldSetOf, merge, type VersionedKind, versionedKind } from '../../../src/merge/index.js';
import {
  applyRequest,
  createCache,
  managedFieldsOf,
  type OwnershipCache,
  updateRequest,
  withoutNewTimes,
} from '../../../src/ownership/index.js';
import type { JsonObject } from '../../../src/util/json.js';
import { frozen, kioskOf, ownable } from '../merge/arbitrary.js';
import { kiosk } from '../merge/kiosk.js';

const kind: VersionedKind = versionedKind(kiosk);
const at = (second: number) => new Date(Date.UTC(2030, 0, 1) + second * 1000).toISOString().replace('.000Z', 'Z');
const manager = fc.constantFrom('m1', 'm2', 'm3');
const step = fc.record({ manager, value: ownable, apply: fc.boolean() });

/** Runs writes one after the other, every apply forced, and looks at each. */
function history(
  steps: readonly { manager: string; value: JsonObject; apply: boolean }[],
  each: (before: JsonObject | undefined, after: JsonObject, index: number) => void,
  memory: { readonly kind: VersionedKind; readonly cache?: OwnershipCache } = { kind },
) {
  let live: JsonObject | undefined;
  for (const [index, { manager, value, apply }] of steps.entries()) {
    const scope = { ...memory, apiVersion: 'example.com/v1', manager, now: at(index), live };
    const object = frozen(kioskOf(value));
    const outcome = apply ? applyRequest({ ...scope, intent: object, force: true }) : undefined;
    if (outcome && outcome.outcome !== 'applied') throw new Error(outcome.message);
    const sent = live === undefined ? object : { ...object, metadata: { ...(live.metadata as JsonObject), managedFields: undefined } };
    const after = frozen(outcome ? outcome.object : updateRequest({ ...scope, object: { ...sent } }));
    each(live, after, index);
    live = { ...after, metadata: { uid: 'u', ...(after.metadata as JsonObject) } };
  }
  return live;
}

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
