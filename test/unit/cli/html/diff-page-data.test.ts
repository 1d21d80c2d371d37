import { expect, test } from 'vitest';
import { diffPageData } from '../../../../src/cli/html/diff-page-data.js';
import { markdown } from '../../../../src/cli/render/formats/markdown.js';
import type { PlannedField, PlannedObject } from '../../../../src/deploy/index.js';
import { planned, recordedRun, taken } from '../render/formats/sample-run.js';

const set: PlannedField = { field: '.data.a', change: 'set', newValue: 1 };
const of = { made: '2026-11-30T08:00:00Z', subject: { title: 'Plan', cluster: 'c' } };
const pageOf = (...objects: readonly Partial<PlannedObject>[]) => diffPageData(objects.map(planned), of);

test('the stack with the heaviest class is first, and in it the heaviest object; the same change is one group', () => {
  const page = pageOf(
    { name: 'a', stack: 'one', fields: [set] },
    { name: 'b', stack: 'two', action: 'unchanged' },
    { name: 'c', stack: 'two', fields: [set] },
    { name: 'd', stack: 'one', fields: [{ ...set, newValue: 2 }] },
    { name: 'e', stack: 'two', action: 'blocked', error: { code: 'forbidden', message: 'No' }, fields: [taken('.data.a')] },
    { name: 'f', stack: 'one', fields: [set] },
    { name: 'g', stack: 'two', fields: [taken('.data.a'), { field: '.data.b', change: 'removed', oldValue: 1 }] },
  );
  const rows = page.objects.map(({ object, class: name, group }) => [object.split('/')[1], name, group !== undefined]);
  expect(rows).toEqual([
    ['e', 'blocked', false],
    ['g', 'risky', false],
    ['c', 'own', false],
    ['b', 'unchanged', false],
    ['a', 'own', true],
    ['f', 'own', true],
    ['d', 'own', false],
  ]);
  expect(page.classes).toEqual([
    ['blocked', '1 blocked object'],
    ['risky', '1 risky object'],
    ['own', '4 objects, own fields only'],
    ['unchanged', '1 unchanged object'],
  ]);
  const [blocked, risky] = page.objects;
  expect(blocked).toMatchObject({ effects: ['forbidden', 'would take 1 field'], problem: 'No. [forbidden]' });
  expect(blocked?.ways?.[0]).toContain("conflicts: 'yield'");
  expect(risky?.effects).toEqual(['takes 1 field from helm', 'releases 1 field']);
});

test('the verdict is that of Markdown', () => {
  const objects = [{ fields: [taken('.data.a')] }, { name: 'n', action: 'delete' as const }];
  expect(markdown([recordedRun(objects.map(planned))])).toContain(`**${pageOf(...objects).headline}**`);
  expect(pageOf().headline).toBe('Nothing changes.');
});

test('changes that many objects have are stored once', () => {
  const page = pageOf(...Array.from({ length: 800 }, (_, index) => ({ name: `n${index}`, fields: [set, { ...set, field: '.data.b' }] })));
  expect(page.fields.map(({ field }) => field)).toEqual(['.data.a', '.data.b']);
  expect(new Set(page.objects.map(({ group }) => group))).toEqual(new Set([0]));
  expect(JSON.stringify(page).length).toBeLessThan(250_000);
});
