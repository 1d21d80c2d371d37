import { type Cluster, contended, type ObjectAddress } from '../kubernetes/index.js';
import { describeConflicts, type FieldConflict, lostBeyond } from '../ownership/index.js';
import type { JsonObject } from '../util/json.js';
import { isOutdated, onePass, type Passed, pauseBetween, pinnedTo, reported } from './one-pass.js';
import { textOf } from './target.js';

const rounds = 30;

/** The apply of an intent that is made of the very object that it is applied to. */
export interface ReadApplying {
  readonly manager: string;
  readonly subresource: string;
  /** Of the object: another one of its name is left alone. */
  readonly uid: string;
  /** Returns the intent for the object as it is now; called again where others write in between. */
  readonly intentFor: (live: JsonObject) => JsonObject;
}

/**
 * Reads the object, compares its uid, and applies what is made of it, pinned to the version that was read: of custom resources the server
 * drops the metadata of a status before it compares uids, so that only the version pins. In a second, forced pass where others own
 * declared fields with other values; the same version is the same list of conflicts.
 *
 * @returns `absent` where the object is gone, or another one has its name.
 * @throws ApiError where the server refuses for another reason; FieldwiseError `apply-contended` where others keep writing.
 */
export async function applyToRead(cluster: Cluster, address: ObjectAddress, applying: ReadApplying): Promise<Passed | 'absent'> {
  const { manager, subresource, uid, intentFor } = applying;
  let unheard: readonly FieldConflict[] | undefined; // taken by an apply whose answer was lost
  for (let round = 0; round < rounds; round++) {
    const live = await cluster.find(address);
    if (!live || (live.metadata as JsonObject).uid !== uid) return 'absent';
    const intent = intentFor(live);
    const named = intent.metadata as JsonObject;
    if (named.uid !== undefined && named.uid !== uid) return 'absent'; // it speaks of another object
    const pass = { object: pinnedTo(intent, live), manager, subresource };
    let listed: readonly FieldConflict[] = [];
    try {
      let answer = await onePass(cluster, address, pass, false);
      if ('conflicts' in answer) {
        listed = describeConflicts(answer.conflicts, live, pass);
        answer = await onePass(cluster, address, pass, true);
      }
      if ('conflicts' in answer) continue;
      const taken = listed.length > 0 ? [...listed, ...lostBeyond(listed, live, answer.object, [manager], subresource)] : (unheard ?? []);
      const moved = versionOf(answer.object) !== versionOf(live);
      const proved = moved || taken.length > 0 ? 'patched' : unheard ? undefined : 'noop';
      return { object: answer.object, proved, taken: reported(taken, pass.object) };
    } catch (error) {
      if (!isOutdated(error) || named.resourceVersion !== undefined) throw error;
      if (error.answerLost) unheard = listed;
    }
    await pauseBetween(round);
  }
  const next = 'Nothing of it was changed. Reconcile again, or find out which controller writes it so often.';
  throw contended('apply-contended', { object: textOf(address), manager }, next, rounds);
}

function versionOf(object: JsonObject): unknown {
  return (object.metadata as JsonObject).resourceVersion;
}
