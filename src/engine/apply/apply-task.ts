import type { IntentPolicy, PartialObject } from '../../assembly/types.js';
import type { ApplyResponse, DynamicOptions, ObjectAddress } from '../../kubernetes/index.js';
import type { FieldConflict, ForcedPass } from '../../ownership/index.js';
import type { JsonObject } from '../../util/json.js';
import type { ApprovedFields } from '../removal/collateral.js';
import type { ForcedField } from '../report/forced-field.js';
import type { ContestedIntent } from './decide.js';

/** An intent that is to be applied to one object. */
export interface ApplyTask extends ContestedIntent {
  readonly address: ObjectAddress;
  /** Present where the intent drops items: the fields of others that may be removed with them; compared before each pass. */
  readonly approvedCollateral?: ApprovedFields | undefined;
  /**
   * The object as the run read it, where there was one: the first pass is pinned to it where something is released or items are dropped, or
   * where others own a list or map as one value of which the intent declares a part; see `mayChangeTopology`.
   */
  readonly live?: JsonObject | undefined;
  /** Present under the strategy `dynamic`. */
  readonly dynamic?: DynamicOptions | undefined;
  /** Only this very object: the server refuses any other, and refuses to create one. */
  readonly uid?: string;
  /** With `uid`: only as the object was then; the server refuses the first pass as stale where the object was written since. */
  readonly resourceVersion?: string;
  /** Returns true if another owner's value may be removed because it is a member of a union and prevents the intent; absent: none may. */
  readonly mayRemove?: ((conflict: FieldConflict) => boolean) | undefined;
  /** Throws where an apply of `object` would release fields that no policy has been asked about. */
  readonly checkReleases?: ((live: JsonObject, object: JsonObject) => void) | undefined;
  /** Called before a pass that takes fields of others, or releases, removes or overwrites values; the pass is sent once the promise is fulfilled. */
  readonly beforeLoss?: ((pass: ForcedPass) => Promise<void>) | undefined;
  /** Only where there is no object: the server refuses the apply as stale where there is one. */
  readonly failIfExists?: boolean;
  readonly dryRun?: boolean;
}

/** Returns what the policy of an intent asks of the strategy `dynamic`; nothing where the server merges. */
export function dynamicOf({ strategy, listKeys }: IntentPolicy): Pick<ApplyTask, 'dynamic'> {
  return strategy === 'dynamic' ? { dynamic: listKeys === undefined ? {} : { listKeys } } : {};
}

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
