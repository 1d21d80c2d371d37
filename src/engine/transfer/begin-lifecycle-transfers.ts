import { formerManagersOf } from '../../assembly/identity.js';
import type { ClusterClient } from '../../kubernetes/index.js';
import type { Step } from '../graph/waves.js';
import type { StackIdentity } from '../inventory/inventory-store.js';
import { undeclaredEntries } from '../inventory/undeclared-entries.js';
import type { EventHost } from '../report/events.js';
import type { RunOptions } from '../run/options.js';
import type { Run } from '../run/run.js';
import { beginSession, type Session } from '../run/session.js';
import type { StackState } from '../run/stack-state.js';
import { type DeployersOf, deployersAmong } from './deployers.js';
import {
  type EntryRemoval,
  findOtherStacks,
  leavingManagersAmong,
  type MovedFrom,
  movedFromResolver,
  newOwnersOutside,
  type OtherStacksByEntry,
  type OtherStacksContext,
  type TurnedIntoShares,
} from './other-stacks.js';
import { transferLifecyclesOutside } from './transfer-lifecycle.js';

/** The rights to delete that move during a run. */
export interface LifecycleTransfers {
  readonly entryRemovals: readonly EntryRemoval[];
  readonly otherStacks: OtherStacksByEntry;
  readonly movedFrom: MovedFrom;
  readonly turned: TurnedIntoShares;
  /** Returns the field managers of the stacks whose part in the object of a step the run removes. */
  readonly leavingManagersOf: (step: Step) => readonly string[];
  readonly deployersOf: DeployersOf;
  /**
   * Writes the inventories of new owners that the run leaves out, before their objects are released.
   *
   * @returns why objects with such new owners must be left as they are, if so.
   */
  transferOutside(run: Run): Promise<string | undefined>;
  /** Releases the locks of new owners; never throws. */
  end(): Promise<void>;
}

/**
 * Finds the new owners of removed objects, and locks those that the run leaves out and has not locked already, as the previous owner in a
 * transfer. These locks come after those of the run: of two runs that wait for each other (`--wait-lock`) both are refused in the end, with
 * nothing changed.
 *
 * @param connection the cluster, and the session of the run.
 * @throws FieldwiseError `stack-locked`, `lock-forbidden`, `inventory-forbidden`.
 */
export async function beginLifecycleTransfers(
  { cluster, session: runSession }: { readonly cluster: ClusterClient; readonly session: Session },
  entryRemovals: readonly EntryRemoval[],
  context: OtherStacksContext,
  options: RunOptions,
  host: EventHost,
  turned: TurnedIntoShares = { parts: [], newOwners: new Map() },
): Promise<LifecycleTransfers> {
  const otherStacks = await findOtherStacks(entryRemovals, context);
  const newOwners = newOwnersOutside(otherStacks);
  const unlocked = newOwners.filter((stack) => !runSession.holds(stack));
  const session = unlocked.length > 0 ? await beginSession(cluster, unlocked, options, host) : undefined;
  const storeOf = (stack: StackIdentity) => (session?.holds(stack) ? session : runSession).inventories;
  return {
    entryRemovals,
    otherStacks,
    turned,
    movedFrom: movedFromResolver([...entryRemovals, ...turned.parts], new Map([...otherStacks, ...turned.newOwners])),
    leavingManagersOf: leavingManagersAmong(entryRemovals),
    deployersOf: deployersAmong(entryRemovals),
    async transferOutside(run) {
      if (newOwners.length === 0 || run.stopped !== undefined) return undefined;
      try {
        await transferLifecyclesOutside(storeOf, entryRemovals, otherStacks);
        return undefined;
      } catch (error) {
        return run.fail(error).message;
      }
    },
    end: async () => session?.end(),
  };
}

/** Returns the entries of a stack that are removed because its program no longer declares them. */
export function undeclaredRemovalsOf({ before, steps, stack }: StackState): readonly EntryRemoval[] {
  return undeclaredEntries(before, steps).map(([key, entry]) => ({
    stack: before.stack,
    formerManagers: formerManagersOf(stack),
    key,
    entry,
  }));
}
