import { type Condition, ready, reconciling, setCondition, stalled } from 'fieldwise/controller';
import { expect, test } from 'vitest';

const [noon, one] = [new Date('2026-01-31T12:00:00.500Z'), new Date('2026-01-31T13:00:00Z')];
const told = (conditions: readonly Condition[]) => conditions.map(({ type, status }) => `${type}=${status}`).sort();
const cause = { reason: 'Because' };

test('the time moves with the status, and with nothing else', () => {
  const first = setCondition([], { type: 'Ready', status: 'True', reason: 'A', observedGeneration: 1 }, { now: () => noon });
  expect(first[0]).toEqual({
    type: 'Ready',
    status: 'True',
    reason: 'A',
    message: '',
    lastTransitionTime: '2026-01-31T12:00:00Z',
    observedGeneration: 1,
  });
  const same = setCondition(first, { type: 'Ready', status: 'True', reason: 'B', message: 'm', observedGeneration: 2 }, { now: () => one });
  expect(same[0]).toMatchObject({ reason: 'B', message: 'm', observedGeneration: 2, lastTransitionTime: '2026-01-31T12:00:00Z' });
  expect(setCondition(same, { type: 'Ready', status: 'False', reason: 'C' }, { now: () => one })[0]).toMatchObject({
    lastTransitionTime: '2026-01-31T13:00:00Z',
  });
  expect(first).toHaveLength(1);
});

test('other types stay as they are, in their places', () => {
  const others = setCondition(setCondition([], { type: 'A', status: 'True', ...cause }), { type: 'B', status: 'True', ...cause });
  expect(setCondition(others, { type: 'A', status: 'False', ...cause }).map(({ type }) => type)).toEqual(['A', 'B']);
});

test.each([
  { preset: ready, expected: ['Other=True', 'Ready=True'] },
  { preset: reconciling, expected: ['Other=True', 'Ready=False', 'Reconciling=True'] },
  { preset: stalled, expected: ['Other=True', 'Ready=False', 'Stalled=True'] },
])('$preset.name from any state: $expected', ({ preset, expected }) => {
  const other = setCondition([], { type: 'Other', status: 'True', ...cause });
  for (const before of [other, ready(other, cause), reconciling(other, cause), stalled(other, cause)]) {
    expect(told(preset(before, cause))).toEqual(expected);
  }
});
