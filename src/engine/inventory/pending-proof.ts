import { createHash } from 'node:crypto';
import { isSecret, metadataOf } from '../../fields/object.js';
import { applyEntryOf, extractOwnedFields } from '../../ownership/index.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import type { InventoryEntry } from './inventory-entry.js';

/**
 * Returns two digests of an intent: of the paths of its fields, down to lists and three names deep, and of all fields with their values. Its identity and the
 * order of members do not count. Of a Secret there is only the first: whoever reads the inventory could confirm a guess by the second.
 */
export function pendingMark(intent: JsonObject): string {
  const { apiVersion, kind } = intent;
  const [paths, values] = digestsOf(intent);
  return isSecret({ apiVersion: String(apiVersion), kind: String(kind) }) ? paths : `${paths}.${values}`;
}

/** Returns the mark that a run never writes: it has the digest of the values of a Secret, too. */
export function exactMark(intent: JsonObject): string {
  return digestsOf(intent).join('.');
}

function digestsOf(intent: JsonObject): readonly [paths: string, values: string] {
  const { apiVersion: _, kind: __, metadata, ...content } = withoutStringData(intent);
  const { name: ___, namespace: ____, uid: _____, resourceVersion: ______, ...rest } = isJsonObject(metadata) ? metadata : {};
  const whole = { ...content, ...(Object.keys(rest).length > 0 ? { metadata: rest } : {}) };
  return [digestOf([...pathsIn(whole)].sort().join('\n')), digestOf(textInOrder(whole))];
}

/**
 * Returns true if an object can be the one that the run of a pending entry created: a manager of the stack owns exactly the paths of the intent there
 * and, where the values are not those of the intent (the server writes some in another form), the object was created while that run worked.
 *
 * @param live an object whose owners show that the stack created it.
 */
export function provesPending(
  live: JsonObject,
  entry: Pick<InventoryEntry, 'pendingMark' | 'window' | 'strategy'>,
  managers: readonly string[],
): boolean {
  const { pendingMark: mark, window, strategy } = entry;
  if (mark === undefined || strategy === 'dynamic') return true; // An earlier version wrote the entry, or the memory of the strategy says so.
  const own = managers.map((manager) => applyEntryOf(live, manager)).find((one) => one !== undefined);
  if (own === undefined) return false;
  const { apiVersion, kind } = live;
  const [paths, values] = digestsOf({ ...extractOwnedFields(live, own.fields), apiVersion, kind });
  const [wanted, wantedValues] = mark.split('.');
  if (paths !== wanted) return false;
  if (wantedValues !== undefined && values === wantedValues) return true;
  const created = Date.parse(String(metadataOf(live).creationTimestamp));
  return window !== undefined && created >= window.since && created <= (window.until ?? created);
}

/** Returns the latest time at which somebody wrote an object, by the clock of the server; undefined without a record. */
export function lastWriteOf(object: JsonObject): number | undefined {
  const times = (metadataOf(object).managedFields ?? []).map(({ time }) => Date.parse(String(time))).filter((time) => !Number.isNaN(time));
  return times.length === 0 ? undefined : Math.max(...times);
}

/** The server keeps `stringData` of a Secret as `data`. */
function withoutStringData(intent: JsonObject): JsonObject {
  const { stringData, ...others } = intent;
  if (!isJsonObject(stringData) || !isSecret({ apiVersion: String(intent.apiVersion), kind: String(intent.kind) })) return intent;
  return { ...others, data: { ...(isJsonObject(others.data) ? others.data : {}), ...stringData } };
}

/**
 * Returns the paths of an object as JSON, as deep as they are the same in an intent and in what its manager owns afterwards: the server adds defaults
 * to items of lists, and to values below that it takes as a whole.
 */
function pathsIn(value: Json, names: readonly string[] = [], found: string[] = []): readonly string[] {
  const members = isJsonObject(value) && names.length < maxDepth ? Object.keys(value) : [];
  if (members.length === 0) found.push(`[${names.join()}]`);
  for (const name of members) pathsIn((value as JsonObject)[name] as Json, [...names, JSON.stringify(name)], found);
  return found;
}

const maxDepth = 3; // names

/** Returns a JSON text in which members have the order of their names. */
function textInOrder(value: Json): string {
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(textInOrder).join()}]`;
  if (!isJsonObject(value)) return typeof value === 'bigint' ? String(value) : JSON.stringify(value);
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${textInOrder(value[name] as Json)}`).join()}}`;
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest().toString('hex', 0, 8);
}
