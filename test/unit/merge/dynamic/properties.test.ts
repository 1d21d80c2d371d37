import fc from 'fast-check';
import { expect, test } from 'vitest';
import { emptyFieldSet, membersOf, serializeElement, union, valueAt } from '../../../../src/fields/index.js';
import { digestSecretValues, listRules, type ThreeWayResult, threeWayMerge } from '../../../../src/merge/dynamic/index.js';
import { compare, computeApply, type Managers, merge, updateManagers, versionedKind } from '../../../../src/merge/index.js';
import { isJsonObject, isList, type Json, type JsonObject } from '../../../../src/util/json.js';
import { frozen, kioskOf, ownable } from '../arbitrary.js';
import { kiosk, schema, type } from '../kiosk.js';

// An atomic map has one owner on the server; here its members merge.
const object = ownable.map(({ frame: _, ...value }) => frozen(kioskOf(value)));
const separator = '\u0000';
const rules = listRules({ root: kiosk });
const nothing = frozen({ apiVersion: 'example.com/v1', kind: 'Kiosk', metadata: { name: 'k', namespace: 'n' } });

/** A manager that declares one intent after the other, and remembers. */
function next(last: ThreeWayResult | undefined, intent: JsonObject, live: JsonObject): ThreeWayResult {
  return threeWayMerge({ base: last && digestSecretValues(last.applied), preexisting: last?.preexisting, intent, live, rules });
}

test('merging again changes nothing and finds nothing contested', () => {
  fc.assert(
    fc.property(fc.option(object, { nil: undefined }), object, object, (base, intent, live) => {
      const once = threeWayMerge({ base, intent, live, rules });
      const again = next(once, intent, frozen(once.merged));
      expect(again.merged).toBe(once.merged);
      expect([again.contested, again.collateral, again.retained]).toEqual([[], [], []]);
      expect(again.preexisting).toEqual(once.preexisting);
    }),
  );
});

test('what is declared is there afterwards', () => {
  fc.assert(
    fc.property(fc.option(object, { nil: undefined }), object, object, (base, intent, live) => {
      const { merged } = threeWayMerge({ base, intent, live, rules });
      const values = leavesOf(merged);
      for (const [field, value] of leavesOf(intent)) if (value !== '{}') expect([field, values.get(field)]).toEqual([field, value]);
    }),
  );
});

test('what is never declared survives a manager who comes, changes its mind and goes', () => {
  fc.assert(
    fc.property(object, object, object, (live, first, second) => {
      const one = next(undefined, first, live);
      const two = next(one, second, one.merged);
      const three = next(two, nothing, two.merged);
      const declared = [...leavesOf(first).keys(), ...leavesOf(second).keys()];
      const touched = (field: string) => declared.some((other) => isAround(other, field) || isAround(field, other));
      for (const [field, value] of leavesOf(live)) {
        if (touched(field)) continue;
        for (const { merged } of [one, two, three]) expect([field, leavesOf(merged).get(field)]).toEqual([field, value]);
      }
    }),
  );
});

test('a manager who took nothing leaves the object as it found it', () => {
  fc.assert(
    fc.property(object, object, (live, intent) => {
      const one = next(undefined, intent, live);
      fc.pre(one.contested.length === 0);
      const two = next(one, nothing, one.merged);
      expect(two.merged).toEqual(live);
      expect(two.collateral).toEqual([]);
    }),
  );
});

test('a contested field that is yielded stays as it is, now and when it is no longer declared', () => {
  fc.assert(
    fc.property(object, object, (live, intent) => {
      const yields = () => true;
      const one = threeWayMerge({ base: undefined, intent, live, rules, yields });
      const two = next(one, nothing, one.merged);
      for (const { merged } of [one, two]) {
        for (const [field, value] of leavesOf(live))
          if (value !== '{}') expect([field, leavesOf(merged).get(field)]).toEqual([field, value]);
      }
    }),
  );
});

/** Ours beside the server's own algorithm, while somebody else writes the object by updates before each apply. */
test('agrees with server-side apply wherever lists have keys', () => {
  const kind = versionedKind(kiosk);
  const apiVersion = 'example.com/v1';
  // On the server an entry of a map goes with what others have updated in it; here that stays.
  const keyed = ownable.map(({ frame: _, rooms: __, any: ___, ...value }) => frozen(kioskOf(value)));
  fc.assert(
    fc.property(fc.array(fc.tuple(keyed, keyed), { minLength: 1, maxLength: 3 }), (rounds) => {
      let managers: Managers = new Map();
      let [onServer, here]: [JsonObject, JsonObject] = [nothing, nothing];
      let last: ThreeWayResult | undefined;
      for (const [others, intent] of [...rounds, [nothing, nothing] as const]) {
        const updated = merge(schema, type, onServer, others) as JsonObject;
        const update = updateManagers({ kind, live: onServer, object: updated, apiVersion, managers });
        const held = union(update.managers.get('updater')?.set ?? emptyFieldSet, update.acquired);
        managers = new Map([...update.managers, ['updater', { set: held, apiVersion, applied: false }]]);
        const applied = computeApply({ kind, live: updated, intent, apiVersion, requester: 'me', managers, force: true });
        if (!('object' in applied)) throw new Error('a forced apply has no conflicts');
        [onServer, managers] = [applied.object, applied.managers];
        last = next(last, intent, merge(schema, type, here, others) as JsonObject);
        here = last.merged;
        expect(comparable(here)).toEqual(comparable(onServer));
      }
    }),
    { numRuns: 500 },
  );
});

/** Without order of items, empty containers and nulls: the server keeps the declared order, and leaves emptied containers as they are. */
function comparable(value: Json): Json | undefined {
  if (isList(value)) {
    const items = value.map(comparable);
    return items.every((item) => typeof item !== 'object' || isJsonObject(item))
      ? (items.toSorted((left, right) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1)) as Json)
      : (items as Json);
  }
  if (!isJsonObject(value)) return value ?? undefined;
  const members = Object.entries(value).map(([name, member]) => [name, member === undefined ? undefined : comparable(member)] as const);
  const kept = members.filter(([, member]) => member !== undefined && !(isJsonObject(member) && Object.keys(member).length === 0));
  return Object.fromEntries(kept);
}

/** Values of leaves by path. */
function leavesOf(value: JsonObject): ReadonlyMap<string, string> {
  const leaves = [...membersOf(compare(schema, type, nothing, value).added)].filter(({ leaf }) => leaf);
  return new Map(leaves.map(({ path }) => [path.map(serializeElement).join(separator), JSON.stringify(valueAt(value, path))]));
}

function isAround(outer: string, inner: string): boolean {
  return inner === outer || inner.startsWith(`${outer}${separator}`);
}
