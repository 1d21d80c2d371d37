import { formerManagersOf } from '../../assembly/identity.js';
import type { Cluster } from '../../kubernetes/index.js';
import type { StackState } from '../inventory/stack-state.js';
import { InventoryStore } from '../inventory/store.js';
import { undeclared } from '../removal/prune.js';
import type { Target } from '../removal/targets.js';
import { type DeployersOf, deployersAmong } from '../repairs/deployers.js';
import type { EventHost } from '../run/events.js';
import type { RunOptions } from '../run/options.js';
import type { Run } from '../run/run.js';
import { beginSession } from '../run/session.js';
import { bequeath } from './life.js';
import {
  type EndingPart,
  findSuccessions,
  heirsOutside,
  type MovedFrom,
  movesAmong,
  type SuccessionContext,
  type Successions,
} from './succession.js';

/** What a run knows of the rights to delete that move in it. */
export interface Inheritance {
  readonly parts: readonly EndingPart[];
  readonly successions: Successions;
  readonly movedFrom: MovedFrom;
  readonly deployersOf: DeployersOf;
  /**
   * Writes the inventories of heirs that the run leaves out, before what they inherit is released.
   *
   * @returns why objects with such heirs must be left as they are, if so.
   */
  bequeath(run: Run): Promise<string | undefined>;
  /** Gives up the locks of heirs; never throws. */
  end(): Promise<void>;
}

/**
 * Finds the heirs of what ends, and locks those that the run leaves out. These locks come after those of the run: of two runs that wait for
 * each other (`--wait-lock`) both are refused in the end, with nothing changed.
 *
 * @throws FieldwiseError `stack-locked`, `lock-forbidden`, `inventory-forbidden`.
 */
export async function beginInheritance(
  cluster: Cluster,
  parts: readonly EndingPart[],
  context: SuccessionContext,
  options: RunOptions,
  host: EventHost,
): Promise<Inheritance> {
  const successions = await findSuccessions(parts, context);
  const heirs = heirsOutside(successions);
  const session = heirs.length > 0 ? await beginSession(cluster, heirs, options, host) : undefined;
  return {
    parts,
    successions,
    movedFrom: movesAmong(parts, successions),
    deployersOf: deployersAmong(parts),
    async bequeath(run) {
      if (session === undefined || run.stopped !== undefined) return undefined;
      try {
        await bequeath(new InventoryStore(session.records, options.inventoryNamespace), parts, successions);
        return undefined;
      } catch (error) {
        return run.fail(error).message;
      }
    },
    end: async () => session?.end(),
  };
}

/** What of a stack ends because its program no longer declares it. */
export function partsOf({ before, steps, stack }: StackState): readonly EndingPart[] {
  return undeclared(before, steps).map(([key, entry]) => ({ stack: before.stack, formerManagers: formerManagersOf(stack), key, entry }));
}

/** What of a stack ends because the stack does. */
export function partsOfTarget({ stack, formerManagers, entries }: Target): readonly EndingPart[] {
  return [...entries].map(([key, entry]) => ({ stack, formerManagers, key, entry }));
}
