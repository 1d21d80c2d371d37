import { expect, test } from 'vitest';
import { createdBy } from '../../../../src/engine/apply/preconditions/created-by.js';

const [early, late] = ['2026-01-01T00:00:00Z', '2026-01-01T00:00:05Z'];
const [before, longBefore] = ['2025-12-31T23:59:59Z', '2025-12-31T23:50:00Z'];
const apply = (manager: string, time?: string) => ({
  manager,
  operation: 'Apply',
  apiVersion: 'v1',
  ...(time ? { time } : {}),
  fieldsV1: { 'f:a': {} },
});
const update = (manager: string, time: string, subresource?: string) => ({
  ...apply(manager, time),
  operation: 'Update',
  ...(subresource ? { subresource } : {}),
});

test.each([
  ['alone, as old as the object', [apply('us', early)], true],
  ['a later writer', [apply('us', early), update('them', late)], true],
  ['a status written in the same second', [apply('us', early), update('them', early, 'status')], true],
  ['a writer as old as the object', [apply('us', early), update('them', early)], false],
  ['fields that admission added to our own request', [apply('us', early), update('us', early)], true],
  ['a second passed between our entry and the object', [apply('us', before)], true],
  ['the same, and a later writer', [apply('us', before), update('them', late)], true],
  ['the same, and a writer as old as the object', [apply('us', before), update('them', early)], false],
  ['the same, and a status of that second', [apply('us', before), update('them', early, 'status')], true],
  ['an entry much older than the object: clocks that differ', [apply('us', longBefore)], false],
  ['our entry younger than the object', [apply('us', late)], false],
  ['our entry without time: ours only joined', [apply('us'), apply('them', early)], false],
  ['created under a former name', [apply('us-before', early), apply('us')], true],
  ['not ours at all', [apply('them', early)], false],
])('%s: %s', (_, managedFields, expected) => {
  expect(createdBy({ metadata: { creationTimestamp: early, managedFields } }, ['us', 'us-before'])).toBe(expected);
});

test('a stack that shares the object and pins its uid did not create it', () => {
  const live = { metadata: { creationTimestamp: early, managedFields: [apply('us', early), apply('sharer', early)] } };
  expect(createdBy(live, ['us'])).toBe(false);
  expect(createdBy(live, ['us'], new Set(['sharer']))).toBe(true);
});
