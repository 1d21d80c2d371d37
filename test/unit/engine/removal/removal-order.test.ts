import { describe, expect, test } from 'vitest';
import type { InventoryEntry } from '../../../../src/engine/inventory/inventory-entry.js';
import { reverseGroups } from '../../../../src/engine/removal/remove-in-reverse-order.js';

const entry = (name: string, wave?: number, more: Partial<InventoryEntry> = {}): { entry: InventoryEntry } => ({
  entry: {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name,
    lifecycle: 'own',
    deletable: true,
    deletePropagation: 'Background',
    ...(wave === undefined ? {} : { wave }),
    ...more,
  },
});
const definition = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };
const names = (items: { entry: InventoryEntry }[]) => reverseGroups(items).map((group) => group.map((item) => item.entry.name));

describe('objects are removed', () => {
  test('against the waves of the apply, then against the order of kinds', () => {
    const items = [entry('early', 0), entry('late', 2), entry('web', 2, { apiVersion: 'apps/v1', kind: 'Deployment' }), entry('also', 2)];
    expect(names(items)).toEqual([['web'], ['late', 'also'], ['early']]);
  });

  test('by kind alone if one of them has no known wave', () => {
    const items = [entry('config', 5), entry('web', undefined, { apiVersion: 'apps/v1', kind: 'Deployment' })];
    expect(names(items)).toEqual([['web'], ['config']]);
  });

  test('before their Namespace and CustomResourceDefinition, even if waves of different deploys have another order', () => {
    const items = [
      entry('things.example.com', 7, definition),
      entry('shop', 9, { kind: 'Namespace' }),
      entry('thing', 1, { apiVersion: 'example.com/v1', kind: 'Thing', namespace: 'shop' }),
      entry('other', 4),
    ];
    expect(names(items)).toEqual([['other'], ['thing'], ['things.example.com'], ['shop']]);
  });
});
