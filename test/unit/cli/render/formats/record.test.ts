import { describe, expect, test } from 'vitest';
import { phraseText } from '../../../../../src/cli/render/formats/phrase.js';
import { recordObjectReport } from '../../../../../src/cli/render/formats/record-object-report.js';
import { recordPlannedObject } from '../../../../../src/cli/render/formats/record-planned-object.js';
import type { RecordedObject } from '../../../../../src/cli/render/formats/recorded-run.js';
import type { FieldConflict, ObjectReport, PlannedField, PlannedObject } from '../../../../../src/deploy/index.js';
import { emptyReport } from '../../../../../src/engine/report/events.js';
import { planned } from './sample-run.js';

const owners = [{ manager: 'helm', operation: 'Apply' }] as const;
const codes = ({ findings }: RecordedObject) => findings.map(({ code }) => code);

describe('of a plan', () => {
  test.each<{ field: PlannedField; risk: string; found?: readonly string[]; changes?: number }>([
    { field: { field: '.a', change: 'set', newValue: 1 }, risk: 'harmless' },
    { field: { field: '.a', change: 'change', oldValue: 1, newValue: 2, gained: true }, risk: 'harmless' },
    { field: { field: '.a', change: 'same', newValue: 1 }, risk: 'harmless', changes: 0 },
    { field: { field: '.a', change: 'same', newValue: 1, gained: true }, risk: 'harmless' },
    { field: { field: '.a', change: 'co-own', newValue: 1, owners }, risk: 'harmless', changes: 0 },
    { field: { field: '.a', change: 'co-own', newValue: 1, owners, gained: true }, risk: 'harmless' },
    { field: { field: '.a', change: 'yield', oldValue: 1, owners }, risk: 'harmless' },
    { field: { field: '.a', change: 'kept', newValue: 1, owners }, risk: 'harmless' },
    { field: { field: '.a', change: 'force', oldValue: 1, newValue: 2, owners }, risk: 'risky', found: ['field-taken'] },
    { field: { field: '.a', change: 'removed', oldValue: 1 }, risk: 'risky', found: ['release-changes-value'] },
    { field: { field: '.a', change: 'defaulted', oldValue: 1, newValue: 2 }, risk: 'risky', found: ['release-changes-value'] },
    { field: { field: '.a', change: 'defaulted', oldValue: 1, newValue: 1 }, risk: 'risky', found: ['last-owner-released'] },
    { field: { field: '.a', change: 'item-removed', oldValue: {} }, risk: 'risky', found: ['release-changes-value'] },
    {
      field: { field: '.a', change: 'item-removed', oldValue: {}, collateral: [{ field: '.a.b', oldValue: 1, owners }] },
      risk: 'risky',
      found: ['release-changes-value', 'collateral-removed'],
    },
  ])('$field.change is $risk', ({ field, risk, found = [], changes = found.length > 0 ? 0 : 1 }) => {
    const recorded = recordPlannedObject(planned({ fields: [field] }));
    expect([recorded.risk, codes(recorded), recorded.changes().length]).toEqual([risk, found, changes]);
  });

  test.each<{ object: Partial<PlannedObject>; risk: string; found?: readonly string[] }>([
    { object: { action: 'create' }, risk: 'harmless' },
    { object: { action: 'unchanged' }, risk: 'unchanged' },
    { object: { action: 'unchanged', adopts: { owners } }, risk: 'harmless' },
    { object: { action: 'update', adopts: { owners, prunedBy: ['an ApplySet'] } }, risk: 'risky', found: ['object-pruned-elsewhere'] },
    { object: { action: 'delete' }, risk: 'risky', found: ['object-deleted'] },
    { object: { action: 'recreate' }, risk: 'risky', found: ['object-recreated'] },
    { object: { action: 'blocked', error: { code: 'forbidden', message: 'No' } }, risk: 'blocked', found: ['forbidden'] },
    { object: { action: 'blocked', fields: [{ field: '.a', change: 'conflict', owners }] }, risk: 'blocked', found: ['field-conflict'] },
    { object: { action: 'blocked', reason: 'for a reason' }, risk: 'blocked', found: ['rejected'] },
  ])('$object is $risk', ({ object, risk, found = [] }) => {
    const recorded = recordPlannedObject(planned(object));
    expect([recorded.risk, codes(recorded)]).toEqual([risk, found]);
  });
});

describe('of a deploy', () => {
  const conflict: FieldConflict = { field: '.a', from: 'helm', operation: 'Apply', oldValue: 1, newValue: 2 };
  const report = (change: Partial<ObjectReport>): ObjectReport => {
    const { declaredBy, ...reference } = planned();
    return { ...emptyReport(reference, declaredBy), event: 'object', result: 'updated', ...change };
  };

  test.each<{ change: Partial<ObjectReport>; risk: string; found?: readonly string[] }>([
    { change: {}, risk: 'harmless' },
    { change: { result: 'unchanged' }, risk: 'unchanged' },
    { change: { result: 'skipped', reason: 'interrupted' }, risk: 'skipped' },
    { change: { overwritten: [{ field: '.a', oldValue: 1, newValue: 2 }] }, risk: 'harmless' },
    { change: { released: [{ field: '.a', change: 'kept', owners }] }, risk: 'harmless' },
    { change: { forcedConflicts: [conflict] }, risk: 'risky', found: ['field-taken'] },
    { change: { forcedConflicts: [{ ...conflict, earlier: true }] }, risk: 'risky', found: ['field-taken'] },
    { change: { forcedConflicts: [{ ...conflict, perhaps: true }] }, risk: 'risky', found: ['field-perhaps-taken'] },
    { change: { released: [{ field: '.a', change: 'perhaps', oldValue: 1 }] }, risk: 'risky', found: ['release-changes-value'] },
    { change: { collateral: [conflict] }, risk: 'risky', found: ['collateral-removed'] },
    { change: { released: [{ field: '.a', change: 'removed' }] }, risk: 'risky', found: ['release-changes-value'] },
    {
      change: { released: [{ field: '.a', change: 'defaulted', oldValue: 1, newValue: 1 }] },
      risk: 'risky',
      found: ['last-owner-released'],
    },
    { change: { contendedFields: [{ field: '.a', from: 'hpa', count: 4, at: '' }] }, risk: 'risky', found: ['field-contended'] },
    { change: { result: 'deleted' }, risk: 'risky', found: ['object-deleted'] },
    { change: { result: 'recreated' }, risk: 'risky', found: ['object-recreated'] },
    { change: { result: 'conflict', conflicts: [conflict] }, risk: 'blocked', found: ['field-conflict'] },
    { change: { result: 'failed', error: { code: 'forbidden', message: 'No' } }, risk: 'blocked', found: ['forbidden'] },
    { change: { result: 'failed' }, risk: 'blocked', found: ['rejected'] },
    { change: { readiness: { state: 'current', reason: 'Ready', message: 'ready' } }, risk: 'harmless' },
    { change: { readiness: { state: 'failed', reason: 'Failed', message: 'no' } }, risk: 'blocked', found: ['not-ready'] },
  ])('$change is $risk', ({ change, risk, found = [] }) => {
    const recorded = recordObjectReport(report(change));
    expect([recorded.risk, codes(recorded)]).toEqual([risk, found]);
  });

  test('sentences say how sure they are, and only what is sure counts as taken or released', () => {
    const perhaps = { ...conflict, perhaps: true } as const;
    const earlier = { ...conflict, earlier: true } as const;
    const released = [{ field: '.b', change: 'perhaps', oldValue: 3 }] as const;
    const recorded = recordObjectReport(
      report({ result: 'failed', forcedConflicts: [perhaps, earlier, { ...perhaps, ...earlier }], released }),
    );
    expect(recorded.findings.slice(1).map(({ text }) => phraseText(text()))).toEqual([
      'perhaps took .a from helm (Helm 4): 1 → 2',
      'took in an earlier run .a from helm (Helm 4): 1 → 2',
      'perhaps took in an earlier run .a from helm (Helm 4): 1 → 2',
      'perhaps released .b: was 3',
    ]);
    expect([recorded.takenFrom, recorded.released]).toEqual([[['helm']], 0]);
  });
});
