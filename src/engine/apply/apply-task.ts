import type { IntentPolicy } from '../../assembly/types.js';
import type { DynamicOptions, ObjectAddress } from '../../kubernetes/index.js';
import type { FieldConflict, ForcedPass } from '../../ownership/index.js';
import type { JsonObject } from '../../util/json.js';
import type { ApprovedFields } from '../object/collateral.js';
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
  /** The time of the manager's entry after the last apply that is recorded. */
  readonly appliedAt?: string | undefined;
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
  /** Called where a pass that is bound to no version got no answer, or not at once: what was sent first may arrive after a later write. */
  readonly onMayArriveLate?: (() => void) | undefined;
  /** Only where there is no object: the server refuses the apply as stale where there is one. */
  readonly failIfExists?: boolean;
  readonly dryRun?: boolean;
}

/** Returns what the policy of an intent asks of the strategy `dynamic`; nothing where the server merges. */
export function dynamicOf({ strategy, listKeys }: IntentPolicy): Pick<ApplyTask, 'dynamic'> {
  return strategy === 'dynamic' ? { dynamic: listKeys === undefined ? {} : { listKeys } } : {};
}
