import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type VersionedKind, versionedKind } from '../../../src/merge/index.js';
import { applyRequest, isIntentApplied, updateRequest, withoutNewTimes } from '../../../src/ownership/index.js';
import type { JsonObject } from '../../../src/util/json.js';
import { kioskOf, ownable } from '../merge/arbitrary.js';
import { kiosk } from '../merge/kiosk.js';

const kind: VersionedKind = versionedKind(kiosk);
const scope = { kind, apiVersion: 'example.com/v1' };
const uid = (object: JsonObject): JsonObject => ({ ...object, metadata: { uid: 'u', ...(object.metadata as JsonObject) } });

function apply(live: JsonObject | undefined, manager: string, intent: JsonObject, now = '2030-01-01T00:00:00Z'): JsonObject {
  const outcome = applyRequest({ ...scope, live, manager, intent, now, force: true });
  if (outcome.outcome !== 'applied') throw new Error(outcome.message);
  return uid(outcome.object);
}

describe('what is proved is so', () => {
  // As programs write them: keys of list map items are named.
  const spec = ownable.map((value) => ({
    ...value,
    ports: (value.ports as JsonObject[] | undefined)?.map((port) => ({ ...port, protocol: port.protocol ?? 'TCP' })),
  })) as fc.Arbitrary<JsonObject>;
  const writers = (names: readonly string[], maxLength: number) =>
    fc.array(fc.record({ manager: fc.constantFrom(...names), value: spec, applies: fc.boolean() }), { maxLength });

  test('whenever the intent is said to hold, applying it again changes nothing', () => {
    let held = 0;
    let unchanged = 0;
    fc.assert(
      fc.property(
        writers(['us', 'm1'], 3),
        spec,
        writers(['m1', 'm2'], 2),
        fc.option(spec, { nil: undefined, freq: 2 }),
        (before, last, after, other) => {
          let live: JsonObject | undefined;
          for (const { manager, value, applies } of [...before, { manager: 'us', value: last, applies: true }, ...after]) {
            const object = kioskOf(value);
            if (applies || live === undefined) live = apply(live, manager, object);
            else live = uid(updateRequest({ ...scope, live, manager, object: withMetadataOf(object, live), now: '2030-01-01T00:00:01Z' }));
          }
          const intent = kioskOf(other ?? last);
          const again = apply(live, 'us', intent, '2030-01-01T00:01:00Z');
          if (JSON.stringify(withoutNewTimes(live, again)) === JSON.stringify(live)) unchanged += 1;
          if (!isIntentApplied(live as JsonObject, intent, 'us')) return;
          held += 1;
          expect(withoutNewTimes(live, again)).toEqual(live);
        },
      ),
      { numRuns: 1_000 },
    );
    // A verdict that is never given would be right, too, and of no use.
    expect(unchanged).toBeGreaterThan(100);
    expect(held).toBeGreaterThan(unchanged / 2);
  }, 120_000);

  function withMetadataOf(object: JsonObject, live: JsonObject): JsonObject {
    return { ...object, metadata: { ...(live.metadata as JsonObject), managedFields: undefined } };
  }
});

describe('what is not proved', () => {
  const intent = kioskOf({
    size: 1,
    ports: [
      { port: 80, protocol: 'TCP' },
      { port: 443, protocol: 'TCP' },
    ],
    tags: ['a', 'b'],
    words: ['x', 'y'],
  });
  const spec = intent.spec as JsonObject;
  const live = apply(undefined, 'us', intent);
  const entry = (live.metadata as { managedFields: JsonObject[] }).managedFields[0] as JsonObject;
  const liveSpec = live.spec as JsonObject;
  const metadata = live.metadata as JsonObject;
  const withSpec = (change: JsonObject): JsonObject => ({ ...live, spec: { ...liveSpec, ...change } });
  const owned = (...entries: readonly JsonObject[]): JsonObject => ({ ...live, metadata: { ...metadata, managedFields: entries } });

  test('the object as it was left holds the intent', () => expect(isIntentApplied(live, intent, 'us')).toBe(true));

  test.each<[string, JsonObject, JsonObject]>([
    ['a value differs', withSpec({ size: 2 }), intent],
    ['items of a list map in another order', withSpec({ ports: [...(liveSpec.ports as JsonObject[])].reverse() }), intent],
    ['items of a set in another order', withSpec({ tags: ['b', 'a'] }), intent],
    ['an atomic list in another order', withSpec({ words: ['y', 'x'] }), intent],
    ['the intent in another order', live, kioskOf({ ...spec, tags: ['b', 'a'] })],
    ['an item is gone', withSpec({ tags: ['a'] }), intent],
    ['an item stands twice', withSpec({ tags: ['a', 'b', 'a'] }), intent],
    ['the intent declares a field more', live, kioskOf({ ...spec, title: 'x' })],
    ['the intent declares a field less', live, kioskOf({ ...spec, size: undefined })],
    [
      'the intent leaves out a key that a custom resource may default anew',
      live,
      kioskOf({ ...spec, ports: [{ port: 80 }, { port: 443 }] }),
    ],
    ['null', withSpec({ size: null }), kioskOf({ ...spec, size: null })],
    ['a whole number beyond 2^53', withSpec({ size: 2 ** 53 }), kioskOf({ ...spec, size: 2 ** 53 })],
    ['the object is terminating', { ...live, metadata: { ...metadata, deletionTimestamp: '2030-01-01T00:00:00Z' } }, intent],
    ['our entry speaks another apiVersion', owned({ ...entry, apiVersion: 'example.com/v2' }), intent],
    ['a second entry of ours', owned(entry, { ...entry, operation: 'Update' }), intent],
    ['a second entry of ours, of a subresource', owned(entry, { ...entry, subresource: 'status' }), intent],
    [
      'somebody owns metadata that the server does not show',
      owned(entry, { ...entry, manager: 'them', fieldsV1: { 'f:metadata': { 'f:annotations': {} } } }),
      intent,
    ],
    ['our entry is an Update', owned({ ...entry, operation: 'Update' }), intent],
    ['no entry of ours', owned({ ...entry, manager: 'them' }), intent],
  ])('%s', (_, object, declared) => expect(isIntentApplied(object, declared, 'us')).toBe(false));
});

test('a quantity that the server has brought to its canonical form is no proof', () => {
  const intent = { apiVersion: 'v1', kind: 'X', metadata: { name: 'x' }, spec: { cpu: '1000m' } };
  const fieldsV1 = { 'f:spec': { 'f:cpu': {} } };
  const managedFields = [{ manager: 'us', operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1 }];
  expect(isIntentApplied({ ...intent, metadata: { name: 'x', managedFields }, spec: { cpu: '1' } }, intent, 'us')).toBe(false);
  expect(isIntentApplied({ ...intent, metadata: { name: 'x', managedFields } }, intent, 'us')).toBe(true);
});

test('a built-in list map key that the server has filled in is found', () => {
  const intent = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'x' }, spec: { ports: [{ port: 80, name: 'http' }] } };
  const item = { '.': {}, 'f:port': {}, 'f:name': {} };
  const managed = (more: JsonObject) => {
    const fieldsV1 = { 'f:spec': { 'f:ports': { 'k:{"port":80,"protocol":"TCP"}': { ...item, ...more } } } };
    return [{ manager: 'us', operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1 }];
  };
  const live = (more: JsonObject) => ({
    ...intent,
    metadata: { name: 'x', managedFields: managed(more) },
    spec: { ports: [{ port: 80, name: 'http', protocol: 'TCP', targetPort: 80 }] },
  });
  expect(isIntentApplied(live({}), intent, 'us')).toBe(true);
  expect(isIntentApplied(live({ 'f:protocol': {} }), intent, 'us')).toBe(false);
});
