import { conflictPolicyFor } from '../engine/apply/conflict-policy.js';
import type { InventoryStore } from '../engine/inventory/inventory-store.js';
import type { RunDiagnostic } from '../engine/report/run-diagnostic.js';

/** A field that a stack takes, or would take, from another field manager. */
export interface ForcedConflict {
  /** `Kind namespace/name`. */
  readonly object: string;
  /** The identity key of the object, as in inventories. */
  readonly key: string;
  readonly field: string;
  readonly from: string;
  readonly stack: string;
  readonly manager: string;
}

/**
 * Returns warnings about fields that a stack takes from a stack of another app or instance whose policy also forces them: each deploy
 * then takes them from the other. Synth compares the stacks of one program.
 *
 * @param declared managers of the stacks of this program.
 */
export async function forcedByBoth(
  store: InventoryStore,
  forcedConflicts: readonly ForcedConflict[],
  declared: ReadonlySet<string>,
): Promise<readonly RunDiagnostic[]> {
  const losers = [...new Set(forcedConflicts.map(({ from }) => from))].filter(
    (from) => from.startsWith('fieldwise/') && !declared.has(from),
  );
  const inventories = (await Promise.all(losers.map((manager) => store.read({ manager })))).flat();
  return inventories.flatMap(({ stack: { app, instance, stack: other, manager }, entries }) => {
    const forced = forcedConflicts.filter(({ key, field, from, manager: newOwner }) => {
      const entry = entries.get(key);
      return from === manager && entry !== undefined && conflictPolicyFor(field, newOwner, entry.conflicts ?? forceAll) === 'force';
    });
    return [...new Set(forced.map(({ object }) => object))].map((object): RunDiagnostic => {
      const ofObject = forced.filter((field) => field.object === object);
      const fields = [...new Set(ofObject.map(({ field }) => field))].sort().join(', ');
      const stacks = [...new Set(ofObject.map(({ stack }) => stack))].join(', ');
      return {
        event: 'warning',
        code: 'field-forced-twice',
        message: `Stack ${stacks} forces ${fields} of ${object}, and so does stack ${app}/${instance}/${other}: each deploy takes it from the other`,
        next: "Declare it in one of them only, or set the policy `conflicts: 'yield'` for it in one of them.",
      };
    });
  });
}

const forceAll = { conflicts: 'force', fields: {} } as const;
