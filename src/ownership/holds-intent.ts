import { type FieldSet, parseElement, serializeElement } from '../fields/index.js';
import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../util/json.js';
import { isApplyEntryOf, type ManagedFieldsEntry, managedFieldsOf } from './managed-fields.js';

/**
 * Whether a live object proves that applying an intent again would change neither a value nor an owner: our one entry, of the same
 * apiVersion, holds exactly the intent's fields; their values are the live ones; items of lists stand in the intent's order. No schema
 * is needed, as the entry itself says which lists are associative and by which keys; it proves nothing where the schema has changed
 * since the entry was written. True is a proof, false only means that none was found: the server brings some values to a canonical
 * form (quantities, false and 0 of some fields), and what it writes then differs from the intent.
 *
 * Source: Kubernetes documentation "Server-Side Apply"; that a request which changes nothing is not written was observed.
 */
export function holdsIntent(live: JsonObject, intent: JsonObject, manager: string): boolean {
  const all = managedFieldsOf(live);
  const entries = all.filter((entry) => entry.manager === manager);
  const [entry] = entries;
  if (entry === undefined || entries.length > 1 || !isApplyEntryOf(entry, manager)) return false;
  if (entry.apiVersion !== intent.apiVersion || isTerminating(live) || hidesEmptyMetadata(live, all)) return false;
  const explicitKeys = !isBuiltInGroup(entry.apiVersion);
  return holdsMap(live, withoutIdentity(intent), entry.fields, explicitKeys);
}

function isTerminating(live: JsonObject): boolean {
  return (live.metadata as JsonObject).deletionTimestamp !== undefined;
}

/**
 * Whether somebody owns a member of the metadata that the server does not show: it keeps an empty one of a custom resource (`labels: {}`)
 * as it was sent, leaves it out of its answers, and drops it at the next apply, which then is a write.
 */
function hidesEmptyMetadata(live: JsonObject, entries: readonly ManagedFieldsEntry[]): boolean {
  return entries.some(({ fields }) => {
    const owned = fields.children.get('f:metadata')?.members ?? [];
    return [...owned].some((element) => !Object.hasOwn(live.metadata as JsonObject, element.slice(2)));
  });
}

/** Groups of CustomResourceDefinitions have a dot; the default of a list map key may change with one, and not in these groups. */
function isBuiltInGroup(apiVersion: string): boolean {
  return !apiVersion.includes('/') || !apiVersion.slice(0, apiVersion.indexOf('/')).includes('.');
}

/** Nobody owns these: they say which object it is. */
function withoutIdentity({ apiVersion: _, kind: __, metadata, ...content }: JsonObject): JsonObject {
  const { name: ___, namespace: ____, ...declared } = isJsonObject(metadata) ? metadata : {};
  return Object.values(declared).some((member) => member !== undefined) ? { ...content, metadata: declared } : content;
}

function holds(live: Json | undefined, intent: Json, owned: FieldSet | undefined, explicitKeys: boolean): boolean {
  if (owned === undefined) return isExact(intent) && jsonEqual(live, intent);
  if (isJsonObject(intent)) return isJsonObject(live) && holdsMap(live, intent, owned, explicitKeys);
  return Array.isArray(intent) && Array.isArray(live) && holdsList(live, intent as readonly Json[], owned, explicitKeys);
}

function holdsMap(live: JsonObject, intent: JsonObject, owned: FieldSet, explicitKeys: boolean): boolean {
  const names = Object.keys(intent).filter((name) => intent[name] !== undefined);
  if (names.length !== sizeAt(owned)) return false;
  return names.every((name) => {
    const element = `f:${name}`;
    const below = owned.children.get(element);
    if (below === undefined && !owned.members.has(element)) return false;
    return Object.hasOwn(live, name) && holds(live[name], intent[name] as Json, below, explicitKeys);
  });
}

/** Items of an associative list: each is owned, equals the live one, and stands after the one before it. */
function holdsList(live: readonly Json[], intent: readonly Json[], owned: FieldSet, explicitKeys: boolean): boolean {
  if (intent.length !== sizeAt(owned)) return false;
  const [sample] = owned.members;
  if (sample === undefined) return false;
  if (sample.startsWith('v:')) return inOrder(live.map(setElement), intent.map(setElement), (item) => owned.members.has(item));
  const first = parseElement(sample);
  if (first.kind !== 'key') return false;
  const keys = first.keys.map(([name]) => name);
  const liveElements = live.map((item) => keyElement(item, keys));
  const elements = intent.map((item) => keyElement(item, keys) ?? (explicitKeys ? undefined : ownedElement(item, keys, owned)));
  return (
    inOrder(liveElements, elements, (element) => owned.members.has(element)) &&
    intent.every((item, index) => {
      const element = elements[index] as string;
      const below = owned.children.get(element);
      if (below === undefined) return false;
      return holdsMap(live[liveElements.indexOf(element)] as JsonObject, item as JsonObject, below, explicitKeys);
    })
  );
}

/** Whether `wanted` is a subsequence of `there`, without repetitions in either, and every item is accepted. */
function inOrder(
  there: readonly (string | undefined)[],
  wanted: readonly (string | undefined)[],
  accept: (item: string) => boolean,
): boolean {
  const positions = new Map<string, number>();
  for (const [index, item] of there.entries()) {
    if (item === undefined || positions.has(item)) return false;
    positions.set(item, index);
  }
  let last = -1;
  for (const item of wanted) {
    const position = item === undefined || !accept(item) ? -1 : (positions.get(item) ?? -1);
    if (position <= last) return false;
    last = position;
  }
  return true;
}

function setElement(item: Json): string | undefined {
  return isExact(item) ? serializeElement({ kind: 'value', value: item }) : undefined;
}

function keyElement(item: Json, keys: readonly string[]): string | undefined {
  if (!isJsonObject(item) || !keys.every((name) => isExact(item[name]) && item[name] !== undefined)) return undefined;
  return serializeElement({ kind: 'key', keys: keys.map((name) => [name, item[name] as Json]) });
}

/** The one owned item whose missing key the server has filled in: the key is part of its name, and not owned as a field. */
function ownedElement(item: Json, keys: readonly string[], owned: FieldSet): string | undefined {
  if (!isJsonObject(item)) return undefined;
  const found = [...owned.members].filter((text) => {
    const element = parseElement(text);
    if (element.kind !== 'key' || element.keys.length !== keys.length) return false;
    const below = owned.children.get(text);
    return element.keys.every(([name, value]) =>
      item[name] === undefined ? !below?.members.has(`f:${name}`) : jsonEqual(item[name], value),
    );
  });
  return found.length === 1 ? found[0] : undefined;
}

/** Elements at one node, each counted once. */
function sizeAt(owned: FieldSet): number {
  let size = owned.members.size;
  for (const element of owned.children.keys()) if (!owned.members.has(element)) size += 1;
  return size;
}

/** Null erases what it meets, and whole numbers beyond 2^53 are not what they seem to be. */
function isExact(value: Json | undefined): boolean {
  if (typeof value === 'number') return Math.abs(value) <= Number.MAX_SAFE_INTEGER;
  if (value === null) return false;
  if (typeof value !== 'object') return true;
  return Object.values(value).every((member) => isExact(member));
}
