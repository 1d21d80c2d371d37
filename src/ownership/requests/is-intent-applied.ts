import { parseElement, serializeElement, writeFieldsV1 } from '../../fields/index.js';
import { isTerminating, metadataOf } from '../../fields/object.js';
import { isJsonObject, isList, type Json, type JsonObject, jsonEqual } from '../../util/json.js';
import { managedFieldsOf } from '../managed-fields/managed-fields.js';
import { isAppliedAnnotation } from './applied-intent.js';

/**
 * Returns true if a live object proves that applying an intent again would change neither a value nor an owner: the manager's only entry,
 * of the same apiVersion, holds exactly the intent's fields; their values are the live ones; items of lists are in the intent's order.
 * Needs no schema, because the entry shows which lists are associative and by which keys; the result proves nothing if the schema has
 * changed since the entry was written. True is a proof; false only means that no proof was found: the server normalizes some values
 * (quantities, false and 0 of some fields), which then differ from the intent.
 *
 * Source: Kubernetes documentation "Server-Side Apply"; that a request which changes nothing is not written was observed.
 */
export function isIntentApplied(live: JsonObject, intent: JsonObject, manager: string): boolean {
  const all = entriesOf(live);
  const ours = all.filter((entry) => entry.manager === manager);
  const [entry] = ours;
  if (entry === undefined || ours.length > 1 || entry.operation !== 'Apply' || (entry.subresource ?? '') !== '') return false;
  if (entry.apiVersion !== intent.apiVersion || isTerminating(live) || hasHiddenEmptyMetadata(live, all)) return false;
  const explicitKeys = !isBuiltInGroup(entry.apiVersion as string);
  return isJsonObject(entry.fieldsV1) && isMapApplied(live, withoutIdentity(intent), entry.fieldsV1, explicitKeys);
}

/**
 * Returns entries as the server writes them: parsing the fields of thousands of objects into sets takes longer than comparing them
 * directly. Entries that cannot be read prove nothing.
 */
function entriesOf(live: JsonObject): readonly JsonObject[] {
  const { managedFields, annotations } = metadataOf(live);
  if (isJsonObject(annotations) && Object.keys(annotations).some(isAppliedAnnotation)) {
    return managedFieldsOf(live).map(({ fields, applied: _, ...entry }) => ({ ...entry, fieldsV1: writeFieldsV1(fields) }));
  }
  return isList(managedFields) ? managedFields.filter(isJsonObject) : [];
}

/**
 * Returns true if somebody owns a member of the metadata that the server does not show: it stores an empty one of a custom resource
 * (`labels: {}`) as it was sent, omits it from responses, and drops it at the next apply, which then is a write.
 */
function hasHiddenEmptyMetadata(live: JsonObject, entries: readonly JsonObject[]): boolean {
  const metadata = metadataOf(live);
  return entries.some(({ fieldsV1 }) => {
    const owned = isJsonObject(fieldsV1) ? fieldsV1['f:metadata'] : undefined;
    if (!isJsonObject(owned)) return false;
    return Object.keys(owned).some((name) => name !== '.' && isMember(owned[name]) && !Object.hasOwn(metadata, name.slice(2)));
  });
}

/** Returns true for built-in groups, whose defaults of list map keys do not change. Groups of CustomResourceDefinitions have a dot. */
function isBuiltInGroup(apiVersion: string): boolean {
  return !apiVersion.includes('/') || !apiVersion.slice(0, apiVersion.indexOf('/')).includes('.');
}

/** Returns an object without its identity, which nobody owns. */
function withoutIdentity({ apiVersion: _, kind: __, metadata, ...content }: JsonObject): JsonObject {
  const { name: ___, namespace: ____, ...declared } = isJsonObject(metadata) ? metadata : {};
  return Object.values(declared).some((member) => member !== undefined) ? { ...content, metadata: declared } : content;
}

function isApplied(live: Json | undefined, intent: Json, owned: JsonObject, explicitKeys: boolean): boolean {
  if (isLeaf(owned)) return isExact(intent) && jsonEqual(live, intent);
  if (isJsonObject(intent)) return isJsonObject(live) && isMapApplied(live, intent, owned, explicitKeys);
  return isList(intent) && isList(live) && isListApplied(live, intent, owned, explicitKeys);
}

function isMapApplied(live: JsonObject, intent: JsonObject, owned: JsonObject, explicitKeys: boolean): boolean {
  let declared = 0;
  for (const name of Object.keys(intent)) {
    const value = intent[name];
    if (value === undefined) continue;
    declared += 1;
    const below = owned[`f:${name}`];
    if (!isJsonObject(below) || !Object.hasOwn(live, name) || !isApplied(live[name], value, below, explicitKeys)) return false;
  }
  return declared === elementsOf(owned).length;
}

/** Checks items of an associative list: each is owned, equals the live one, and follows its predecessor. */
function isListApplied(live: readonly Json[], intent: readonly Json[], owned: JsonObject, explicitKeys: boolean): boolean {
  const items = itemsOf(owned);
  if (items === undefined || items.size !== intent.length) return false;
  const accept = (element: string) => isMember(items.get(element));
  const [sample] = items.keys();
  if (sample?.startsWith('v:')) return inOrder(live.map(setElement), intent.map(setElement), accept);
  const first = sample === undefined ? undefined : parseElement(sample);
  if (first?.kind !== 'key') return false;
  const keys = first.keys.map(([name]) => name);
  const liveElements = live.map((item) => keyElement(item, keys));
  const elements = intent.map((item) => keyElement(item, keys) ?? (explicitKeys ? undefined : ownedElement(item, keys, items)));
  return (
    inOrder(liveElements, elements, accept) &&
    intent.every((item, index) => {
      const element = elements[index] as string;
      const below = items.get(element) as JsonObject;
      if (isLeaf(below)) return false;
      return isMapApplied(live[liveElements.indexOf(element)] as JsonObject, item as JsonObject, below, explicitKeys);
    })
  );
}

/** Returns true if `wanted` is a subsequence of `there`, without repetitions in either, and every item is accepted. */
function inOrder(
  present: readonly (string | undefined)[],
  wanted: readonly (string | undefined)[],
  accept: (item: string) => boolean,
): boolean {
  const positions = new Map<string, number>();
  for (const [index, item] of present.entries()) {
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

/** Returns the one owned item whose omitted key the server has filled in: the key is part of the item's name, and not owned as a field. */
function ownedElement(item: Json, keys: readonly string[], items: ReadonlyMap<string, JsonObject>): string | undefined {
  if (!isJsonObject(item)) return undefined;
  const found = [...items].filter(([text, below]) => {
    const element = parseElement(text);
    if (element.kind !== 'key' || element.keys.length !== keys.length) return false;
    return element.keys.every(([name, value]) =>
      item[name] === undefined ? below[`f:${name}`] === undefined : jsonEqual(item[name], value),
    );
  });
  return found.length === 1 ? found[0]?.[0] : undefined;
}

/** Returns the owned fields below the elements of a list, by their canonical texts; undefined if one cannot be read. */
function itemsOf(owned: JsonObject): ReadonlyMap<string, JsonObject> | undefined {
  const items = new Map<string, JsonObject>();
  try {
    for (const name of elementsOf(owned)) {
      const below = owned[name];
      if (!isJsonObject(below)) return undefined;
      items.set(serializeElement(parseElement(name)), below);
    }
  } catch {
    return undefined; // The element is not JSON.
  }
  return items;
}

/** Returns the elements at a node of FieldsV1; `.` is the node itself. */
function elementsOf(owned: JsonObject): readonly string[] {
  const names = Object.keys(owned);
  return Object.hasOwn(owned, '.') ? names.filter((name) => name !== '.') : names;
}

function isLeaf(owned: JsonObject): boolean {
  return elementsOf(owned).length === 0;
}

/** Returns true if a node of FieldsV1 is itself in the set, not only its descendants. */
function isMember(owned: Json | undefined): boolean {
  return owned !== undefined && (!isJsonObject(owned) || Object.hasOwn(owned, '.') || isLeaf(owned));
}

/** Returns true if a value can be compared exactly: null erases the live value, and whole numbers beyond 2^53 are rounded. */
function isExact(value: Json | undefined): boolean {
  if (typeof value === 'number') return Math.abs(value) <= Number.MAX_SAFE_INTEGER;
  if (value === null) return false;
  if (typeof value !== 'object') return true;
  return Object.values(value).every((member) => isExact(member));
}
