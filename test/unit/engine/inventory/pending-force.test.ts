import { expect, test } from 'vitest';
import { type InventoryEntry, readEntry, writeEntry } from '../../../../src/engine/inventory/inventory-entry.js';
import { isNotable, pendingForceOf } from '../../../../src/engine/inventory/pending-force.js';

const entry: InventoryEntry = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: 'web',
  lifecycle: 'own',
  deletable: true,
  deletePropagation: 'Background',
};
const field = { field: '.data.color', from: 'rival', operation: 'Apply', oldValue: 'theirs' } as const;
const scaled = { field: '.spec.replicas', from: 'kubectl', operation: 'Update', subresource: 'scale', owned: true } as const;

test('a noted pass is read as it was written, without values', () => {
  const noted = { ...entry, pendingForces: [pendingForceOf({ uid: 'u', resourceVersion: '7', fields: [field, scaled] }, 12)] };
  expect(writeEntry(noted)).not.toContain('theirs');
  expect(readEntry(writeEntry(noted), 'here')).toEqual(noted);
});

test('entries without a note, and with members of later versions, are read', () => {
  expect(readEntry(writeEntry(entry), 'here')).toEqual(entry);
  expect(readEntry(JSON.stringify({ ...entry, pendingOther: [{ uid: 'u' }] }), 'here')).toEqual(entry);
});

test.each([
  ['no list', 'all'],
  ['no passes', [1, null, 'x']],
  ['no fields', [{ uid: 'u', resourceVersion: '7', fields: [] }]],
  ['an unknown operation', [{ uid: 'u', resourceVersion: '7', fields: [{ field: '.a', from: 'x', operation: 'Write' }] }]],
  ['no uid', [{ resourceVersion: '7', fields: [field] }]],
])('a damaged note is left out, and not its entry: %s', (_, pendingForces) => {
  expect(readEntry(JSON.stringify({ ...entry, pendingForces }), 'here')).toEqual({ ...entry, pendingForces: [] });
});

test('values of at most 1 KiB are noted', () => {
  expect([
    isNotable('x'.repeat(1022)),
    isNotable('x'.repeat(1023)),
    isNotable('ä'.repeat(600)),
    isNotable(null),
    isNotable(undefined),
  ]).toEqual([true, false, false, true, false]);
});
