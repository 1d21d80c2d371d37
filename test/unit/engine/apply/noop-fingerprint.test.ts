import { describe, expect, test } from 'vitest';
import type { PartialObject } from '../../../../src/assembly/types.js';
import { NoopFingerprints, rememberedFingerprint } from '../../../../src/engine/apply/skip/noop-fingerprint.js';
import { digestOfIntent } from '../../../../src/engine/graph/intent-digest.js';
import type { Step } from '../../../../src/engine/graph/waves.js';
import type { InventoryEntry } from '../../../../src/engine/inventory/inventory-entry.js';
import { appliedLast } from '../../../../src/ownership/index.js';

const fingerprints = new NoopFingerprints();
const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { a: '1' } };
const step = (manager = 'ours', of: object = object) =>
  ({ digest: digestOfIntent(of as PartialObject), stack: { manager } }) as unknown as Step;
const entry: InventoryEntry = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: 'c',
  lifecycle: 'own',
  deletable: true,
  deletePropagation: 'Background',
  uid: 'u',
  resourceVersion: '7',
};

describe('noop fingerprint', () => {
  test('is equal for equal input', () => {
    expect(fingerprints.of(step(), 's', '7')).toBe(fingerprints.of(step('ours', structuredClone(object)), 's', '7'));
  });

  test.each([
    ['manager', fingerprints.of(step('theirs'), 's', '7')],
    ['intent', fingerprints.of(step('ours', { ...object, data: { a: '2' } }), 's', '7')],
    ['schema', fingerprints.of(step(), 't', '7')],
    ['resourceVersion', fingerprints.of(step(), 's', '8')],
  ])('is another for another %s', (_, other) => {
    expect(other).not.toBe(fingerprints.of(step(), 's', '7'));
  });
});

describe('the fingerprint to remember after an apply', () => {
  const noted = fingerprints.of(step(), 's', '7');

  test('with a known schema: a fingerprint if the server would write nothing for the same apply', () => {
    expect(rememberedFingerprint(fingerprints, () => true, step(), { ...entry, schema: 's' }, undefined)).toEqual({
      noopFingerprint: noted,
    });
    expect(
      rememberedFingerprint(
        fingerprints,
        () => false,
        step(),
        { ...entry, schema: 's' },
        { ...entry, schema: 's', noopFingerprint: noted },
      ),
    ).toEqual({});
  });

  test('without a known schema: the old fingerprint, unless the object was written', () => {
    const known = { ...entry, schema: 's', noopFingerprint: noted };
    expect(rememberedFingerprint(fingerprints, () => false, step(), entry, known)).toEqual({ schema: 's', noopFingerprint: noted });
    expect(rememberedFingerprint(fingerprints, () => true, step(), entry, { ...entry, schema: 's' })).toEqual({ schema: 's' });
    expect(rememberedFingerprint(fingerprints, () => true, step(), entry, entry)).toEqual({});
    expect(rememberedFingerprint(fingerprints, () => true, step(), { ...entry, resourceVersion: '8' }, known)).toEqual({});
    expect(rememberedFingerprint(fingerprints, () => true, step(), { ...entry, uid: 'v' }, known)).toEqual({});
  });
});

describe('appliedLast', () => {
  const entryOf = (manager: string, operation = 'Apply', subresource?: string) => ({
    manager,
    operation,
    ...(subresource ? { subresource } : {}),
  });
  const live = (...managedFields: object[]) => ({ ...object, metadata: { name: 'c', managedFields } }) as never;

  test.each([
    ['alone', [entryOf('ours')], true],
    ['after others, before updates', [entryOf('theirs'), entryOf('ours'), entryOf('theirs', 'Update')], true],
    ['before another', [entryOf('ours'), entryOf('theirs')], false],
    ['before our own of the status', [entryOf('ours'), entryOf('ours', 'Apply', 'status')], false],
    ['as an update only', [entryOf('ours', 'Update')], false],
    ['not at all', [], false],
  ])('%s', (_, entries, expected) => {
    expect(appliedLast(live(...entries), 'ours')).toBe(expected);
  });

  test('of an object without entries', () => {
    expect(appliedLast(object, 'ours')).toBe(false);
  });
});
