import type { IntentPolicy } from '../../../assembly/types.js';
import type { ClusterClient, ObjectAddress } from '../../../kubernetes/index.js';
import { withDeadline } from '../../../kubernetes/with-deadline.js';
import { FieldwiseError } from '../../../util/error.js';
import type { JsonObject } from '../../../util/json.js';
import { poll } from '../../../util/machine.js';
import { isNotTerminating } from './refuse-terminating.js';

/** Options of the search for the object of a share. */
export interface ShareTargetOptions {
  readonly policy: IntentPolicy;
  /** Seconds to wait, overriding the policy `waitSeconds`; absent: per policy. */
  readonly waitSeconds: number | undefined;
  /** The stack has shared an object of this name before: it is never created again. */
  readonly knownBefore: boolean;
  readonly signal: AbortSignal | undefined;
  /** Called once, when the object does not exist or is being deleted, and waiting begins. */
  readonly onWait: (seconds: number, terminating: boolean) => void;
}

/**
 * Finds the object that a share joins, by the policy `ifAbsent`: waits for it, fails, or allows the share to create it. An object that is
 * being deleted counts as absent.
 *
 * @returns the live object, or undefined where the share may create it.
 * @throws FieldwiseError `share-target-missing`, `object-terminating`.
 */
export async function findShareTarget(
  cluster: ClusterClient,
  address: ObjectAddress,
  options: ShareTargetOptions,
): Promise<JsonObject | undefined> {
  const { ifAbsent } = options.policy;
  let last = await cluster.tryGet(address);
  if (isNotTerminating(last)) return last;
  if (last === undefined && ifAbsent === 'create' && !options.knownBefore) return undefined;
  const seconds = ifAbsent === 'wait' ? (options.waitSeconds ?? options.policy.waitSeconds) : 0;
  if (seconds > 0) {
    options.onWait(seconds, last !== undefined);
    const end = cluster.machine.wall() + seconds * 1_000;
    const appeared = await poll(cluster.machine, seconds, options.signal, async () => {
      last = await withDeadline(cluster, end).tryGet(address);
      return isNotTerminating(last) ? last : undefined;
    });
    if (appeared) return appeared;
  }
  if (last !== undefined) throw targetTerminating(seconds);
  const without = seconds > 0 ? `, none has come within ${seconds} s` : '';
  throw new FieldwiseError(
    'share-target-missing',
    'resource',
    options.knownBefore
      ? `The shared object was deleted${without}, and a share never creates an object again`
      : `The object to share does not exist${seconds > 0 ? ` after ${seconds} s` : ''}`,
    {
      next: 'Deploy the stack that owns it first, or wait longer with --timeout (library: `waitSeconds`), or with the policy `waitSeconds`.',
    },
  );
}

/** Returns the error for a share of an object that is being deleted. */
export function targetTerminating(seconds = 0): FieldwiseError {
  const what = seconds > 0 ? `still being deleted after ${seconds} s` : 'being deleted';
  return new FieldwiseError('object-terminating', 'resource', `The object to share is ${what}`, {
    next: 'Its finalizers say what blocks the deletion. When it is deleted, deploy the stack that owns it, then this one; or wait longer with --timeout (library: `waitSeconds`), or with the policy `waitSeconds`.',
  });
}
