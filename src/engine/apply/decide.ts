import type { IntentPolicy, PartialObject } from '../../assembly/types.js';
import { type FieldPath, pathCovers, resolvePath, withoutPath } from '../../fields/index.js';
import { type FieldConflict, isOwned } from '../../ownership/index.js';
import type { FieldwiseError } from '../../util/error.js';
import type { Json, JsonObject } from '../../util/json.js';
import { decidingPolicy, forceUnconfirmedError, type IsLeaving } from './conflict-policy.js';
import { planOutdatedError } from './preconditions/expectation.js';

/** An intent that met conflicts, with the policies and agreements that decide them. */
export interface ContestedIntent {
  readonly object: PartialObject;
  readonly manager: string;
  /** Field managers that the stack had before renames: a conflict with one of them is decided already. */
  readonly formerManagers?: readonly string[];
  readonly policy: IntentPolicy;
  /** See `DecidingPolicies`. */
  readonly isLeaving?: IsLeaving | undefined;
  /** Returns true if a saved plan reported the conflict; absent where the apply is bound to no plan. */
  readonly expects?: (conflict: FieldConflict) => boolean;
  /** Returns true if a field may be taken by force; absent: any may. */
  readonly mayForce?: ((conflict: FieldConflict, live: JsonObject) => boolean) | undefined;
}

/**
 * The decision about the conflicts of an intent:
 * - `refuse`: the apply ends with `error`, and nothing is changed.
 * - `conflict`: the policy `fail` stops the object.
 * - `reread`: an owner has left a field that would be yielded to it, so that leaving the field out would remove it.
 * - `apply`: `intent`, which is the declared one without the yielded fields, is sent.
 */
export type Decision =
  | { readonly action: 'refuse'; readonly error: FieldwiseError }
  | { readonly action: 'reread' }
  | ({ readonly action: 'conflict'; readonly failing: readonly FieldConflict[] } & Contested)
  | ({ readonly action: 'apply' } & Contested & DecidedIntent);

interface Contested {
  /** All conflicts but those with former managers of the stack. */
  readonly conflicts: readonly FieldConflict[];
}

/** An intent as it is to be applied. */
export interface DecidedIntent {
  readonly intent: PartialObject;
  /** Conflicts that force wins. */
  readonly forcedConflicts: readonly FieldConflict[];
  /** Conflicts with former managers of the stack, which force wins, too, and which no report names. */
  readonly formerManagerConflicts: readonly FieldConflict[];
  readonly yielded: readonly FieldConflict[];
}

/**
 * Decides the conflicts that the server has named. Pure: the answer follows from the arguments alone.
 *
 * @param listed every conflict of the intent with the object `live`.
 */
export function decide(listed: readonly FieldConflict[], live: JsonObject, task: ContestedIntent): Decision {
  const formerManagerConflicts = listed.filter((conflict) => isFormer(conflict, task));
  const conflicts = listed.filter((conflict) => !formerManagerConflicts.includes(conflict));
  const unplanned = task.expects && conflicts.find((conflict) => !task.expects?.(conflict));
  if (unplanned) {
    const what = `${unplanned.from} now owns ${unplanned.field} with another value, which was not planned`;
    return { action: 'refuse', error: planOutdatedError(what, task.manager) };
  }
  const decided = conflicts.map((conflict) => ({ conflict, policy: policyOf(conflict, task) }));
  const under = (policy: string) => decided.filter((one) => one.policy === policy).map(({ conflict }) => conflict);
  const failing = under('fail');
  if (failing.length > 0) return { action: 'conflict', failing, conflicts };
  const yielding = under('yield');
  if (!yielding.every((conflict) => isOwned(conflict, live))) return { action: 'reread' };
  // A field that is yielded to one of its owners is taken from none of them.
  const isYielded = ({ field }: FieldConflict) => yielding.some((conflict) => pathCovers(conflict.field, field));
  const yielded = conflicts.filter(isYielded);
  const forcedConflicts = under('force').filter((conflict) => !isYielded(conflict));
  const unconfirmed = forcedConflicts.filter((conflict) => task.mayForce?.(conflict, live) === false);
  if (unconfirmed.length > 0) return { action: 'refuse', error: forceUnconfirmedError(unconfirmed, task.manager) };
  const intent = yielded.reduce<Json>(
    (object, conflict) => withoutPath(object, pathIn(object, conflict, task)),
    task.object,
  ) as PartialObject;
  return { action: 'apply', conflicts, intent, forcedConflicts, formerManagerConflicts, yielded };
}

function isFormer({ from, operation, subresource }: FieldConflict, { formerManagers }: ContestedIntent): boolean {
  return operation === 'Apply' && subresource === undefined && formerManagers?.includes(from) === true;
}

function policyOf(conflict: FieldConflict, task: ContestedIntent): string {
  const decided = decidingPolicy(conflict, task);
  // A field that cannot be found in the intent cannot be left out of it.
  return decided === 'yield' && !resolvePath(conflict.field, task.object) ? 'fail' : decided;
}

function pathIn(object: Json, conflict: FieldConflict, task: ContestedIntent): FieldPath {
  return resolvePath(conflict.field, object) ?? resolvePath(conflict.field, task.object) ?? [];
}
