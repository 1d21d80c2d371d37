import { expect, test } from 'vitest';
import type { PartialObject, StackManifest } from '../../../src/assembly/types.js';
import { DeclaredStep } from '../../../src/engine/graph/declared-step.js';
import type { PlannedObject } from '../../../src/engine/report/plan-types.js';
import { PlannedRows, rowOf } from '../../../src/plan/planned-rows.js';

const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web', namespace: 'shop' } } as PartialObject;
const declaredBy = [{ construct: 'app/shop/own-ConfigMap-web', source: 'main.ts:3:1' }];
const intent = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'web', lifecycle: 'own', declaredBy, dependsOn: [] };
const stack = { name: 'shop', manager: 'fieldwise/app/default/shop', intents: [intent] } as unknown as StackManifest;
const step = new DeclaredStep(stack, 0, [object]);
const large = (2n ** 60n) as unknown as number;
const same = { field: '.data.a', change: 'same', oldValue: large, newValue: large } as const;
const unchanged: PlannedObject = { ...rowOf(step), source: 'server', action: 'unchanged', uid: 'u', fields: [same] };

test.each([
  ['an object that stays as it is', unchanged, false],
  ['one with fields that were not compared', { ...unchanged, notCompared: ['.data.b'] }, false],
  ['one that the stack adopts', { ...unchanged, adopts: { owners: [] } }, true],
  ['one of whose fields another owner appears', { ...unchanged, fields: [{ ...same, change: 'yield' }] }, true],
  ['one that changes', { ...unchanged, action: 'update' }, true],
] satisfies readonly [string, PlannedObject, boolean][])('%s is given back as it was planned', (_, row, changes) => {
  const rows = new PlannedRows();
  rows.addStep(step, row);
  expect(rows.ofStep(step)).toEqual(row);
  expect(JSON.stringify(Object.keys(rows.ofStep(step)))).toBe(JSON.stringify(Object.keys(row)));
  expect(rows.ofChangingStep(step)).toBe(changes ? row : undefined);
});
