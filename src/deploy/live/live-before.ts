import { ApiError, type Cluster, type ObjectAddress } from '../../cluster/index.js';
import type { JsonObject } from '../../util/json.js';
import { addressIfServed } from '../address.js';
import { digestOfIntent } from '../ending/vanishing.js';
import type { Step } from '../order/waves.js';
import { inPool } from '../pool.js';
import type { StackState } from '../stack-state.js';
import { LiveObjects } from './live-objects.js';

/**
 * The objects of new and changed intents as they were before the run asked its first question. A picture, never a lock: whatever is decided
 * from it is pinned by uid and resourceVersion, or looked at again, where a field of somebody else could be lost.
 */
export interface LiveBefore {
  /** Whether the object was looked for. It was not where the intent is the one that was applied last, and where reading it was refused. */
  has(step: Step): boolean;
  /** The object; undefined where there was none, or it was not looked for. */
  get(step: Step): JsonObject | undefined;
}

/**
 * Whether an intent is not known to be the one that was applied last: only then may its apply do more than restore what others changed.
 * A pending entry (its run was killed) and an object that was shared and is now owned count as new. An entry without items was written before
 * an apply that did not succeed, or never came: the object is still as the intent before left it.
 */
function isNewOrChanged({ key, object, intent }: Step, { before }: StackState): boolean {
  const known = before.entries.get(key);
  return (
    known?.uid === undefined || known.items === undefined || known.lifecycle !== intent.lifecycle || known.intent !== digestOfIntent(object)
  );
}

/**
 * Reads the objects of new and changed intents: one LIST a kind and namespace where several are wanted, else a GET; see `LiveObjects`. An
 * unchanged intent costs nothing here.
 *
 * @throws FieldwiseError where every further request would fail as well: no connection, no authentication.
 */
export async function readLiveBefore(cluster: Cluster, states: readonly StackState[], concurrency: number): Promise<LiveBefore> {
  const wanted = states.flatMap((state) => state.steps.filter((step) => isNewOrChanged(step, state)));
  const texts = new Map<Step, string | undefined>(); // as text, ten thousand of them are small
  if (wanted.length > 0) {
    const addresses = new Map<Step, ObjectAddress>();
    await inPool(wanted, concurrency, async (step) => {
      const found = await unlessRefused(async () => ({ address: await addressIfServed(cluster, step.intent) }));
      if (found?.address) addresses.set(step, found.address);
      else if (found) texts.set(step, undefined); // of a kind that is not served there are no objects; it may come with this very run
    });
    const live = new LiveObjects(cluster, [...addresses.values()]);
    await inPool([...addresses], concurrency, async ([step, address]) => {
      const found = await unlessRefused(async () => ({ text: await live.findText(address) }));
      if (found) texts.set(step, found.text);
    });
  }
  return {
    has: (step) => texts.has(step),
    get: (step) => {
      const text = texts.get(step);
      return text === undefined ? undefined : (JSON.parse(text) as JsonObject);
    },
  };
}

/** What one object's server answers is told with its apply; it is no reason to stop all others. */
async function unlessRefused<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}
