import type { Cluster, ObjectAddress } from '../../kubernetes/index.js';
import { FieldwiseError } from '../../util/error.js';
import type { JsonObject } from '../../util/json.js';
import { poll } from '../../util/pause.js';
import { heldBy, releaseOf } from '../readiness/held-by.js';
import { within } from '../run/within.js';

/** How long a run waits for what it deletes. */
export interface GoneOptions {
  /** 0 does not wait. */
  readonly seconds: number;
  readonly signal: AbortSignal | undefined;
  /** Called once, when waiting begins. */
  readonly onWait?: (seconds: number, object: JsonObject) => void;
}

/**
 * Waits until an object is gone; another one of its name does not count.
 *
 * @throws FieldwiseError `deletion-pending` naming the finalizers that still hold it.
 */
export async function waitGone(cluster: Cluster, address: ObjectAddress, deleted: JsonObject, options: GoneOptions): Promise<void> {
  const { uid } = deleted.metadata as JsonObject;
  let last = deleted;
  options.onWait?.(options.seconds, deleted);
  const end = Date.now() + options.seconds * 1_000;
  const gone = await poll(options.seconds, options.signal, async () => {
    const live = await within(cluster, end).find(address);
    if (!live || (live.metadata as JsonObject).uid !== uid) return true;
    last = live;
    return undefined;
  });
  if (gone) return;
  const held = heldBy(last);
  const holders = held.length > 0 ? `it is held by ${held.join('; ')}` : 'no finalizer is named';
  throw new FieldwiseError(
    'deletion-pending',
    'resource',
    `The object is being deleted and is still there after ${options.seconds} s: ${holders}`,
    { next: releaseOf(last) },
  );
}
