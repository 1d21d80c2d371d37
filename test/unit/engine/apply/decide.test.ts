import { describe, expect, test } from 'vitest';
import type { IntentPolicy, PartialObject } from '../../../../src/assembly/types.js';
import { type ContestedIntent, decide } from '../../../../src/engine/apply/decide.js';
import type { FieldConflict } from '../../../../src/ownership/index.js';
import type { JsonObject } from '../../../../src/util/json.js';

const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { a: 'ours', b: 'ours' } } as unknown as PartialObject;
const entry = (manager: string, ...keys: string[]) => ({
  manager,
  operation: 'Apply',
  apiVersion: 'v1',
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:data': Object.fromEntries(keys.map((key) => [`f:${key}`, {}])) },
});
const live = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'c', managedFields: [entry('theirs', 'a', 'b'), entry('before', 'a')] },
  data: { a: 'theirs', b: 'theirs' },
} as unknown as JsonObject;
const conflict = (field: string, from = 'theirs'): FieldConflict => ({
  field,
  from,
  operation: 'Apply',
  oldValue: 'theirs',
  newValue: 'ours',
});
const [a, b] = [conflict('.data.a'), conflict('.data.b')];
const policyOf = (conflicts: string, fields: object = {}) => ({ conflicts, fields }) as IntentPolicy;
const task = (policy: IntentPolicy, more: Partial<ContestedIntent> = {}): ContestedIntent => ({ object, manager: 'ours', policy, ...more });

describe('conflicts are decided by their policy', () => {
  test.each([
    [
      'force',
      policyOf('force'),
      [a, b],
      { action: 'apply', intent: object, forcedConflicts: [a, b], formerManagerConflicts: [], yielded: [] },
    ],
    ['fail', policyOf('fail'), [a, b], { action: 'conflict', failing: [a, b], conflicts: [a, b] }],
    ['fail for one field', policyOf('force', { '.data.b': { conflicts: 'fail' } }), [a, b], { action: 'conflict', failing: [b] }],
    ['yield', policyOf('yield'), [a], { action: 'apply', intent: { data: { b: 'ours' } }, forcedConflicts: [], yielded: [a] }],
    [
      'yield for one field',
      policyOf('force', { '.data.b': { conflicts: 'yield' } }),
      [a, b],
      { action: 'apply', intent: { data: { a: 'ours' } }, forcedConflicts: [a], yielded: [b] },
    ],
    ['yield of a field that its owner has left', policyOf('yield'), [conflict('.data.a', 'gone')], { action: 'reread' }],
    ['yield of a field that the intent does not have', policyOf('yield'), [conflict('.data.z')], { action: 'conflict' }],
    ['none', policyOf('fail'), [], { action: 'apply', intent: object, forcedConflicts: [], yielded: [] }],
  ])('%s', (_, policy, listed, expected) => {
    expect(decide(listed, live, task(policy))).toMatchObject(expected);
  });
});

test('a field that is yielded to one owner is not forced from another', () => {
  const other = conflict('.data.a', 'before');
  const policy = policyOf('force', { '.data.a': { conflicts: { yield: ['theirs'], otherwise: 'force' } } });
  expect(decide([a, other], live, task(policy))).toMatchObject({ action: 'apply', forcedConflicts: [], yielded: [a, other] });
});

test('a conflict with a former manager is formerManagerConflicts, whatever the policy says', () => {
  const former = conflict('.data.a', 'before');
  const decision = decide([former], live, task(policyOf('fail'), { formerManagers: ['before'] }));
  expect(decision).toMatchObject({ action: 'apply', intent: object, formerManagerConflicts: [former], forcedConflicts: [], conflicts: [] });
});

test('a conflict with an Update of a former manager, or through a subresource, is decided by its policy', () => {
  const update = { ...conflict('.data.a', 'before'), operation: 'Update' as const };
  const status = { ...conflict('.data.b', 'before'), subresource: 'status' };
  const decision = decide([update, status], live, task(policyOf('fail'), { formerManagers: ['before'] }));
  expect(decision).toMatchObject({ action: 'conflict', failing: [update, status] });
});

test('fail wins over yield and force of other fields: nothing of the object is applied', () => {
  const policy = policyOf('force', { '.data.a': { conflicts: 'yield' }, '.data.b': { conflicts: 'fail' } });
  expect(decide([a, b], live, task(policy))).toMatchObject({ action: 'conflict', failing: [b], conflicts: [a, b] });
});

test('a conflict that a saved plan did not report fails the apply, before any policy', () => {
  const decision = decide([a, b], live, task(policyOf('fail'), { expects: ({ field }) => field === '.data.a' }));
  expect(decision).toMatchObject({ action: 'refuse', error: { code: 'plan-outdated' } });
});

test('a first deploy forces only confirmed conflicts', () => {
  const mayForce = ({ field }: FieldConflict) => field === '.data.a';
  expect(decide([a], live, task(policyOf('force'), { mayForce }))).toMatchObject({ action: 'apply', forcedConflicts: [a] });
  const decision = decide([a, b], live, task(policyOf('force'), { mayForce }));
  expect(decision).toMatchObject({ action: 'refuse', error: { code: 'force-unconfirmed' } });
});

test('deciding changes neither the intent nor the live object', () => {
  const before = JSON.stringify([object, live]);
  decide([a, b], live, task(policyOf('yield')));
  expect(JSON.stringify([object, live])).toBe(before);
});
