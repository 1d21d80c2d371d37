import type { Cluster } from '../../cluster/index.js';
import { pointerTo, resolvePath, valueAt } from '../../fields/index.js';
import type { FieldConflict } from '../../ownership/index.js';
import { type JsonObject, jsonEqual } from '../../util/json.js';
import { addressOf } from '../address.js';
import type { ObjectReport } from '../events.js';
import { patchAsRead } from '../patch-as-read.js';
import type { RunReport } from '../report.js';

/** What became of one taken field. */
export interface UndoneField {
  /** `Kind namespace/name`. */
  readonly object: string;
  readonly field: string;
  /** The manager that has it again. */
  readonly to: string;
  readonly undone: boolean;
  /** Why it was not undone. */
  readonly reason?: string;
}

/**
 * Gives back the fields that a deploy took by force: writes each old value under its old owner's name, so that the field is theirs again
 * (as an Update, which an Apply of theirs turns into a co-ownership). A field is left alone where the object was replaced since, where
 * it no longer has the value that the deploy gave it, where it belongs to a Secret or was owned through a subresource (replicas that
 * `kubectl scale` set), or where nothing is left at its place. Values that nobody owned (`overwritten`) stay as they are. What is given
 * back is taken again by the next deploy, unless its policy is `yield` by then or it is no longer declared.
 *
 * @throws ApiError, FieldwiseError where the cluster refuses or cannot be reached.
 */
export async function undoTakeovers(report: RunReport, cluster: Cluster): Promise<readonly UndoneField[]> {
  const undone: UndoneField[] = [];
  for (const object of report.objects) {
    for (const taken of object.taken) {
      const reason = await giveBack(cluster, object, taken);
      undone.push({
        object: object.object,
        field: taken.field,
        to: taken.from,
        undone: reason === undefined,
        ...(reason === undefined ? {} : { reason }),
      });
    }
  }
  return undone;
}

/** @returns why not, if so. */
async function giveBack(cluster: Cluster, report: ObjectReport, taken: FieldConflict): Promise<string | undefined> {
  if (report.kind === 'Secret' && report.apiVersion === 'v1') return 'the report holds no values of Secrets';
  const { oldValue } = taken;
  if (oldValue === undefined || taken.newValue === undefined) return 'it cannot be put back by itself: a whole list item or entry went';
  if (taken.subresource !== undefined) return `it belongs to the subresource ${taken.subresource}`;
  const address = await addressOf(cluster, report);
  let reason: string | undefined;
  const give = (live: JsonObject | undefined) => {
    const path = live && resolvePath(taken.field, live);
    reason = undefined;
    if ((live?.metadata as JsonObject | undefined)?.uid !== report.uid || !live) reason = 'the object is another one by now';
    else if (!path || !jsonEqual(valueAt(live, path), taken.newValue)) reason = 'it has another value by now';
    if (!live || !path || reason !== undefined) return undefined;
    return { manager: taken.from, operations: [{ op: 'replace', path: pointerTo(path, live), value: oldValue }] };
  };
  await patchAsRead(cluster, address, give, { object: report.object, field: taken.field });
  return reason;
}
