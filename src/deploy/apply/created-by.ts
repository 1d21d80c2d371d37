import { isApplyEntryOf, managedFieldsOf } from '../../ownership/index.js';
import type { JsonObject } from '../../util/json.js';

/**
 * Whether an object was certainly created by an apply of one of a stack's managers, judged from the object alone (after a run that was
 * killed before it could note the answer): their entry is as old as the object, and nobody else's entry is. In doubt it was not, so
 * that it is released rather than deleted.
 *
 * @param sharers managers that certainly did not create it: of stacks that share it and pin its uid.
 */
export function createdBy(live: JsonObject, managers: readonly string[], sharers: ReadonlySet<string> = new Set()): boolean {
  const created = (live.metadata as JsonObject).creationTimestamp;
  const entries = managedFieldsOf(live);
  if (entries.some(({ manager, applied }) => applied?.created === true && managers.includes(manager))) return true;
  const own = entries.find((entry) => managers.some((manager) => isApplyEntryOf(entry, manager)) && entry.time === created);
  // What admission adds to a request is recorded as an Update of the requesting manager.
  const others = entries.filter((entry) => !managers.includes(entry.manager) && !sharers.has(entry.manager) && entry.subresource === '');
  return own?.time !== undefined && others.every((entry) => entry.time !== undefined && entry.time > own.time!);
}
