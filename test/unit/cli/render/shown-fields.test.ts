import { expect, test } from 'vitest';
import type { Host } from '../../../../src/cli/process/host.js';
import { planRenderer } from '../../../../src/cli/render/plan-renderer.js';
import type { PlanSelection } from '../../../../src/cli/render/shown-fields.js';
import type { PlannedField, PlannedObject } from '../../../../src/deploy/index.js';
import { planned, taken } from './formats/sample-run.js';

const kubectl = { manager: 'kubectl-client-side-apply', operation: 'Update' } as const;
const coOwned = (field: string, owner: { readonly manager: string; readonly operation: 'Update' } = kubectl): PlannedField => ({
  ...{ field, change: 'co-own', newValue: '1', oldValue: '1', owners: [owner] },
  gained: true,
});
const set: PlannedField = { field: '.data.z', change: 'set', newValue: 'new' };

/** The lines of a plan; the last one sums up. */
function printed(objects: readonly PlannedObject[], selection: PlanSelection = {}): readonly string[] {
  let text = '';
  const raw = { stdout: (part: string) => (text += part), stderr: () => {} };
  const render = planRenderer({ color: false, raw } as unknown as Host, selection);
  for (const object of objects) render(object);
  render({
    ...{ event: 'plan-summary', counts: { update: objects.length }, forcedConflicts: 0, forcedConflictsByOwner: {}, adopts: 0 },
    ...{ differs: true, ok: true, exitCode: 0 },
  } as never);
  return text.trimEnd().split('\n');
}

test('fields that a stack will own with the same others are one line, below what needs a look', () => {
  const other = { manager: 'helm', operation: 'Update' } as const;
  const fields = [coOwned('.data.a'), taken('.data.b'), coOwned('.data.c'), coOwned('.data.d', other), set];
  expect(printed([planned({ fields })])).toEqual([
    'update    ConfigMap default/web  [web, server]',
    '    force     .data.b: "theirs" → "ours", from helm (Helm 4)',
    '    co-own    .data.d: "1", also owned by helm (Helm, Update)',
    '    set       .data.z: "new"',
    '    co-owned with kubectl-client-side-apply (kubectl apply, Update): 2 fields',
    'plan: 1 update',
  ]);
  expect(printed([planned({ fields })], { all: true }).filter((line) => line.includes('also owned by'))).toHaveLength(3);
});

test('--risky leaves out objects and fields by which nobody loses anything, and counts the objects', () => {
  const objects = [
    planned({ name: 'harmless', fields: [set, coOwned('.data.a')] }),
    planned({ name: 'taking', fields: [set, taken('.data.b')] }),
    planned({ name: 'losing', fields: [set, { field: '.data.c', change: 'removed', oldValue: '1' }] }),
    planned({ name: 'gone', action: 'delete' }),
    planned({ name: 'free', action: 'release' }),
    planned({ name: 'asleep', fields: [{ field: '.spec.replicas', change: 'change', oldValue: 5, newValue: 0 }] }),
    planned({ name: 'stuck', action: 'blocked', fields: [set, { ...taken('.data.d'), change: 'conflict' }] }),
  ];
  expect(printed(objects, { risky: true })).toEqual([
    'update    ConfigMap default/taking  [web, server]',
    '    force     .data.b: "theirs" → "ours", from helm (Helm 4)',
    'update    ConfigMap default/losing  [web, server]',
    '    removed   .data.c: was "1"',
    'delete    ConfigMap default/gone  [web, server]',
    'release   ConfigMap default/free  [web, server]',
    'update    ConfigMap default/asleep  [web, server]',
    '    change    .spec.replicas: 5 → 0',
    '    scales to 0 replicas',
    'blocked   ConfigMap default/stuck  [web, server]',
    '    conflict  .data.d: "theirs" → "ours", from helm (Helm 4)',
    'look at: scales to 0 replicas',
    'plan: 7 update; releases 1 field; 1 object by which nobody loses anything not shown',
  ]);
});
