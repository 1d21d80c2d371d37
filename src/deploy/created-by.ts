import { isApplyEntryOf, managedFieldsOf } from '../ownership/index.js';
import type { JsonObject } from '../util/json.js';

/**
 * Whether an object was certainly created by a manager's apply, judged from the object alone (after a run that was killed before it
 * could note the answer): the manager's entry is as old as the object, and nobody else's entry is. In doubt it was not, so that it is
 * released rather than deleted.
 */
export function createdBy(live: JsonObject, manager: string): boolean {
  const created = (live.metadata as JsonObject).creationTimestamp;
  const entries = managedFieldsOf(live);
  const own = entries.find((entry) => isApplyEntryOf(entry, manager));
  const others = entries.filter((entry) => entry !== own && entry.subresource === '');
  return own?.time !== undefined && own.time === created && others.every((entry) => entry.time !== undefined && entry.time > own.time!);
}
