import type { PartialObject } from '../../assembly/types.js';
import type { ApplyResponse } from '../../kubernetes/index.js';
import type { FieldConflict } from '../../ownership/index.js';
import type { JsonObject } from '../../util/json.js';
import type { ForcedField } from '../report/forced-field.js';
import type { ReleasedField } from '../report/released-field.js';

/** An intent that the server has accepted. */
export interface Applied {
  readonly outcome: 'applied';
  readonly response: ApplyResponse;
  /** The intent as the server accepted it: without the yielded fields. */
  readonly sent: PartialObject;
  /**
   * The resourceVersion that the last pass was pinned to: the response shows another one exactly if that pass wrote. Absent where an earlier
   * pass may have written and its response was lost.
   */
  readonly pinned: string | undefined;
  /** The creation may be that of a run before, carried out late, if there was one that was about to create the object. */
  readonly mayBeOfEarlierRun?: true;
  /**
   * The object as it was before the apply, present where the apply may have released a field or changed a value that nobody owned: it was
   * pinned to this very state, and the response holds the whole object.
   */
  readonly before?: JsonObject | undefined;
  /** Fields that a pass has perhaps released of an object that was gone before its end was known; the intent was applied to another one since. */
  readonly perhapsReleased?: readonly ReleasedField[];
  readonly forcedConflicts: readonly ForcedField[];
  readonly yielded: readonly FieldConflict[];
  readonly collateral: readonly FieldConflict[];
  /** True where the apply met conflicts that a later schema may hide; see `conflictsWithAtomic`. */
  readonly metAtomicConflict: boolean;
}

/** An intent that the policy `fail` has stopped. */
export interface ApplyConflict extends Pick<Applied, 'metAtomicConflict'> {
  readonly outcome: 'conflict';
  readonly conflicts: readonly FieldConflict[];
  /** Present where the conflict came up while an object was moved to the server: the intent as it had been merged client-side. */
  readonly merged?: Applied;
}
