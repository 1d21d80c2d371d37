import pc from 'picocolors';
import { expect, test } from 'vitest';
import type { Host } from '../../../../src/cli/process/host.js';
import { objectLines } from '../../../../src/cli/render/object-lines.js';
import { planRenderer } from '../../../../src/cli/render/plan-renderer.js';
import type { ObjectReport, PlannedField, PlannedObject } from '../../../../src/deploy/index.js';
import { emptyReport } from '../../../../src/engine/report/events.js';
import { planned, taken } from './formats/sample-run.js';

const colors = pc.createColors(true);
const loss = (text: string) => colors.bold(colors.yellow(text));
const danger = (text: string) => colors.bold(colors.red(text));

/** The printed lines of an object of a plan, at a terminal with colors. */
function linesOf(change: Partial<PlannedObject>): readonly string[] {
  let printed = '';
  const raw = { stdout: (text: string) => (printed += text), stderr: () => {} };
  planRenderer({ color: true, raw } as unknown as Host)(planned(change));
  return printed.trimEnd().split('\n');
}

const set: PlannedField = { field: '.data.size', change: 'set', newValue: 'small' };

test.each<{ what: string; change: Partial<PlannedObject>; verb: string; fields?: readonly string[] }>([
  { what: 'a harmless update', change: { fields: [set] }, verb: colors.green('update   '), fields: ['set       .data.size'] },
  {
    what: 'an update that takes a field',
    change: { fields: [set, taken('.data.a')] },
    verb: loss('update   '),
    fields: ['set       .data.size', `${loss('force    ')} .data.a`],
  },
  {
    what: 'an update that releases a field',
    change: { fields: [{ field: '.data.a', change: 'removed', oldValue: '1' }] },
    verb: loss('update   '),
    fields: [`${loss('removed  ')} .data.a`],
  },
  { what: 'a release', change: { action: 'release' }, verb: loss('release  ') },
  { what: 'a deletion', change: { action: 'delete' }, verb: danger('delete   ') },
  { what: 'a recreation', change: { action: 'recreate' }, verb: danger('recreate ') },
  {
    what: 'a blocked object',
    change: { action: 'blocked', fields: [{ ...taken('.data.a'), change: 'conflict' }] },
    verb: danger('blocked  '),
    fields: [`${danger('conflict ')} .data.a`],
  },
])('in a plan, $what', ({ change, verb, fields = [] }) => {
  const [head, ...rows] = linesOf(change);
  expect(head).toBe(`${verb} ConfigMap default/web  [web, server]`);
  expect(rows.map((row) => row.trim().replace(/:.*/, ''))).toEqual(fields);
});

const { declaredBy, ...reference } = planned();
const conflict = { field: '.data.a', from: 'helm', operation: 'Apply' as const, oldValue: 'theirs', newValue: 'ours' };

test.each<{ what: string; change: Partial<ObjectReport> & Pick<ObjectReport, 'result'>; first: string; second?: string }>([
  { what: 'a harmless update', change: { result: 'updated' }, first: colors.green('updated  ') },
  {
    what: 'a force',
    change: { result: 'updated', forcedConflicts: [conflict] },
    first: loss('updated  '),
    second: `${loss('forced')}  .data.a`,
  },
  {
    what: 'a released field',
    change: { result: 'updated', released: [{ field: '.data.a', change: 'removed', oldValue: '1' }] },
    first: loss('updated  '),
    second: `${loss('released')} .data.a`,
  },
  { what: 'a release', change: { result: 'released' }, first: loss('released ') },
  { what: 'a deletion', change: { result: 'deleted' }, first: danger('deleted  ') },
  { what: 'what did not change', change: { result: 'unchanged' }, first: colors.dim('unchanged') },
])('in a deploy, $what', ({ change, first, second }) => {
  const [head, row] = objectLines({ ...emptyReport({ ...reference, object: 'ConfigMap default/web' }, declaredBy), ...change }, colors);
  expect(head).toBe(`  ${first} ConfigMap default/web  [web]`);
  expect(row?.trim().replace(/:.*/, '')).toBe(second);
});
