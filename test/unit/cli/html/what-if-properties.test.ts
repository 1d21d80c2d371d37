import fc from 'fast-check';
import { expect, test } from 'vitest';
import { forEachField, ownersOf, yamlOf } from '../../../../src/cli/html/browser/page-tree.js';
import { whatIf } from '../../../../src/cli/html/browser/what-if.js';
import { ownersPageData } from '../../../../src/cli/html/owners-page-data.js';
import type { ObjectTree } from '../../../../src/inspect/owners/object-tree.js';
import { applyRequest, type ManagedFieldsEntry, managedFieldsOf, type OwnedTreeNode, ownedTree } from '../../../../src/ownership/index.js';
import type { JsonObject } from '../../../../src/util/json.js';
import { at, history, kind, step } from '../../ownership/history.js';

function pageOf(object: JsonObject) {
  const fields = ownedTree(object);
  const owners = new Map(entriesIn(fields).map((entry) => [entry, { manager: entry.manager, operation: entry.operation }]));
  const identity = { apiVersion: 'example.com/v1', kind: 'Kiosk', name: 'k' };
  const tree: ObjectTree = { identity, object: 'Kiosk k', fields, owners, deleters: [], absent: false };
  return ownersPageData([tree], { made: at(0), subject: { title: 'Owners', cluster: 'c' } });
}

function entriesIn(nodes: readonly OwnedTreeNode[]): readonly ManagedFieldsEntry[] {
  return nodes.flatMap((node) => [...node.owners, ...entriesIn(node.below)]);
}

/** Each innermost field with its value, its owners, and the outcome if a manager lets go of what it applied. */
function fieldsOf(object: JsonObject, released?: string) {
  const page = pageOf(object);
  const [tree] = page.objects;
  const owner = page.owners.findIndex(({ manager, canRelease }) => manager === released && canRelease);
  const outcomes = whatIf(page, tree!.fields, owner);
  const fields = new Map<string, { readonly value: string | undefined; readonly owners: number; readonly outcome: string | undefined }>();
  forEachField(tree!.fields, page, (node, path) => {
    fields.set(path, { value: yamlOf(node), owners: ownersOf(node, page).length, outcome: outcomes.get(node) });
  });
  return fields;
}

/** Containers without fields are innermost fields of one page and none of the other. */
const isEmptied = (value: string | undefined) => value === undefined || value === '{}' || value === '[]' || value === 'null';

test('after any writes, the release of any applier is what the server leaves', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 2, maxLength: 6 }), (steps) => {
      const live = history(steps, () => {}) as JsonObject;
      for (const { manager } of managedFieldsOf(live).filter(({ operation }) => operation === 'Apply')) {
        const intent = { apiVersion: 'example.com/v1', kind: 'Kiosk', metadata: { name: 'k', namespace: 'n' } };
        const applied = applyRequest({ kind, apiVersion: 'example.com/v1', manager, now: at(99), live, intent });
        if (applied.outcome !== 'applied') throw new Error('an apply of nothing has no conflict');
        const before = fieldsOf(live, manager);
        const after = fieldsOf(applied.object);
        for (const [path, { value, outcome }] of before) {
          const left = after.get(path);
          const text = `${manager} ${path}: ${outcome}`;
          if (outcome === 'removed' || outcome === 'removed-with') expect(left?.value, text).toBeUndefined();
          else if (outcome !== 'perhaps-removed' && !isEmptied(value)) expect(left?.value, text).toBe(value);
        }
        for (const [path, { value }] of after) if (!isEmptied(value)) expect(before.get(path)?.value, path).toBe(value);
      }
    }),
    { numRuns: 300 },
  );
});
