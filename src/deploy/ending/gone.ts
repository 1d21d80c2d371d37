import type { Cluster, ObjectAddress } from '../../cluster/index.js';
import { FieldwiseError } from '../../util/error.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import { poll } from '../../util/pause.js';

/** How long a run waits for what it deletes. */
export interface GoneOptions {
  /** 0 does not wait. */
  readonly seconds: number;
  readonly signal: AbortSignal | undefined;
  /** Called once, when waiting begins. */
  readonly onWait?: (seconds: number) => void;
}

/**
 * Waits until an object is gone; another one of its name does not count.
 *
 * @throws FieldwiseError `deletion-pending` naming the finalizers that still hold it.
 */
export async function waitGone(cluster: Cluster, address: ObjectAddress, deleted: JsonObject, options: GoneOptions): Promise<void> {
  const { uid } = deleted.metadata as JsonObject;
  let last = deleted;
  options.onWait?.(options.seconds);
  const gone = await poll(options.seconds, options.signal, async () => {
    const live = await cluster.find(address);
    if (!live || (live.metadata as JsonObject).uid !== uid) return true;
    last = live;
    return undefined;
  });
  if (gone) return;
  const held = finalizersOf(last);
  const holders = held.length > 0 ? `its finalizers hold it: ${held.join(', ')}` : 'no finalizer is named';
  throw new FieldwiseError(
    'deletion-pending',
    'resource',
    `The object is being deleted and is still there after ${options.seconds} s; ${holders}`,
    {
      next: 'See to it that the controllers of these finalizers run, then run again; a longer --timeout waits longer.',
    },
  );
}

/** What holds an object that is being deleted; for a Namespace that of its content. */
export function finalizersOf(object: JsonObject): readonly string[] {
  const holders = [object.metadata, object.spec].map((part) => (isJsonObject(part) ? part.finalizers : undefined));
  return holders.flatMap((value) => (Array.isArray(value) ? (value as readonly string[]) : []));
}
