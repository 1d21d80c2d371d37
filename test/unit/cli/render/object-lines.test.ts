import pc from 'picocolors';
import { expect, test } from 'vitest';
import { objectLines } from '../../../../src/cli/render/object-lines.js';
import { emptyReport } from '../../../../src/engine/report/events.js';
import { planned } from './formats/sample-run.js';

const { declaredBy, ...reference } = planned();

test('a read that the search for a cause could not make comes with the advice that fits its failure', () => {
  const report = {
    ...emptyReport({ ...reference, object: 'Deployment default/web' }, declaredBy),
    result: 'updated' as const,
    readiness: {
      ...{ state: 'in-progress' as const, reason: 'RollingOut', message: '0 of 1 replica available', timedOutAfterSeconds: 40 },
      notLookedAt: ['pods in namespace shop: forbidden', 'logs in namespace shop: no preferred addresses found; known addresses: []'],
    },
  };
  const notes = objectLines(report, pc.createColors(false)).filter((line) => line.includes('not looked at'));
  expect(notes.map((line) => line.trim().replace(/^note\s+/, ''))).toEqual([
    'not looked at: pods in namespace shop: forbidden; fieldwise rbac prints the permissions',
    'not looked at: logs in namespace shop: no preferred addresses found; known addresses: []',
  ]);
});

test.each([
  ['[x] replaced by [a]', ['x'], ['a'], true],
  ['[x] removed', ['x'], undefined, true],
  ['[x] extended to [x, a]', ['x'], ['x', 'a'], false],
])('a forced list says that another manager lost items only where it did: %s', (_, oldItems, newItems, isNoted) => {
  const list = (names: readonly string[]) => names.map((name) => ({ name }));
  const conflict = { field: '.spec.stages', from: 'rival', operation: 'Apply' as const, oldValue: list(oldItems) };
  const report = {
    ...emptyReport({ ...reference, object: 'Router default/web' }, declaredBy),
    result: 'updated' as const,
    forcedConflicts: [{ ...conflict, ...(newItems === undefined ? {} : { newValue: list(newItems) }) }],
  };
  const text = objectLines(report, pc.createColors(false)).join('\n');
  expect(text).toContain('forced  .spec.stages');
  expect(text.includes('the list of rival was replaced')).toBe(isNoted);
  // A program that says `listKeys: { 'spec.stages': 'atomic' }` is not sent to the schema.
  if (isNoted) expect(text).toMatch(/`strategy: dynamic`, `listKeys` names the keys/);
});
