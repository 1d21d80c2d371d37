import { expect, test } from 'vitest';
import { createdBy } from '../../../src/deploy/created-by.js';

const [early, late] = ['2026-01-01T00:00:00Z', '2026-01-01T00:00:05Z'];
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
  ['our entry younger than the object', [apply('us', late)], false],
  ['our entry without time: ours only joined', [apply('us'), apply('them', early)], false],
  ['not ours at all', [apply('them', early)], false],
])('%s: %s', (_, managedFields, expected) => {
  expect(createdBy({ metadata: { creationTimestamp: early, managedFields } }, 'us')).toBe(expected);
});
