import { metadataOf, uidOf } from '../../fields/object.js';
import type { ClusterClient, ObjectAddress } from '../../kubernetes/index.js';
import { withDeadline } from '../../kubernetes/with-deadline.js';
import { FieldwiseError } from '../../util/error.js';
import type { JsonObject } from '../../util/json.js';
import { poll } from '../../util/machine.js';
import { deletionBlockers, unblockAdvice } from './deletion-blockers.js';

/** The wait for deletions. */
export interface WaitForDeletionOptions {
  /** 0 does not wait. */
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal | undefined;
  /** Called once, when waiting begins. */
  readonly onWait?: (seconds: number, object: JsonObject) => void;
}

/**
 * Waits until an object is deleted; another one of its name does not count.
 *
 * @throws FieldwiseError `deletion-pending` naming the finalizers that still hold it.
 */
export async function waitForDeletion(
  cluster: ClusterClient,
  address: ObjectAddress,
  deleted: JsonObject,
  options: WaitForDeletionOptions,
): Promise<void> {
  const { uid } = metadataOf(deleted);
  let last = deleted;
  options.onWait?.(options.timeoutSeconds, deleted);
  const { machine } = cluster;
  const end = machine.wall() + options.timeoutSeconds * 1_000;
  const isDeleted = await poll(machine, options.timeoutSeconds, options.signal, async () => {
    const live = await withDeadline(cluster, end).tryGet(address);
    if (!live || uidOf(live) !== uid) return true;
    last = live;
    return undefined;
  });
  if (isDeleted) return;
  const reasons = deletionBlockers(last);
  const blockers = reasons.length > 0 ? `it is held by ${reasons.join('; ')}` : 'no finalizer is named';
  throw new FieldwiseError(
    'deletion-pending',
    'resource',
    `The object is being deleted and still exists after ${options.timeoutSeconds} s: ${blockers}`,
    { next: unblockAdvice(last) },
  );
}
