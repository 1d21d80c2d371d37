import { parseExactJson } from '../util/exact-json.js';
import { isJsonObject, type Json, jsonEqual } from '../util/json.js';
import { quote } from '../util/quote.js';
import { serializeValue } from './value.js';

/**
 * One step from an object to a field. Source: the FieldsV1 format of managedFields (Kubernetes API reference, ManagedFieldsEntry).
 * `key` names an item of a map list by its list map keys (sorted by name), `value` an item of a set, `index` an item by position.
 */
export type PathElement =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'key'; readonly keys: readonly (readonly [name: string, value: Json])[] }
  | { readonly kind: 'value'; readonly value: Json }
  | { readonly kind: 'index'; readonly index: number };

/** A path from the root of an object; the empty path is the object itself. */
export type FieldPath = readonly PathElement[];

/** Formats a path as the server does in conflict messages: `.spec.ports[containerPort=80,protocol="TCP"].name`. */
export function formatPath(path: FieldPath): string {
  return path.map(formatElement).join('') || '.';
}

function formatElement(element: PathElement): string {
  switch (element.kind) {
    case 'field':
      return `.${element.name}`;
    case 'key':
      return `[${element.keys.map(([name, value]) => `${name}=${formatKey(value)}`).join(',')}]`;
    case 'value':
      return `[=${formatValue(element.value)}]`;
    case 'index':
      return `[${element.index}]`;
  }
}

// Lists and maps cannot be keys, but are printed as the server prints them: a map without separators between its members.
function formatKey(value: Json): string {
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(formatKey).join(',')}]`;
  if (!isJsonObject(value)) return formatValue(value);
  return Object.entries(value)
    .map(([name, member]) => `${name}=${formatKey(member as Json)}`)
    .join('');
}

function formatValue(value: Json): string {
  if (typeof value === 'string') return quote(value);
  // Messages use exponents earlier than JSON does.
  const small = typeof value === 'number' && value !== 0 && Math.abs(value) < 1e-4 && Math.abs(value) >= 1e-6;
  return small ? value.toExponential().replace(/e-(\d)$/, 'e-0$1') : serializeValue(value);
}

/**
 * Reads a path as the server writes it. Field names are printed without quotes, so `.metadata.annotations.example.com/a` can only be read
 * against an object that has the field: at every map, the longest member name that matches and leads to the end is chosen.
 *
 * @returns the path, or undefined if it does not exist in `root`.
 */
export function resolvePath(text: string, root: Json | undefined): FieldPath | undefined {
  return text === '.' ? [] : resolveBelow(text, root);
}

function resolveBelow(text: string, root: Json | undefined): FieldPath | undefined {
  if (text === '') return [];
  if (text.startsWith('.')) return resolveField(text, root);
  if (text.startsWith('[')) return resolveItem(text, root);
  return undefined;
}

function resolveField(text: string, root: Json | undefined): FieldPath | undefined {
  if (!isJsonObject(root)) return undefined;
  const rest = text.slice(1);
  const names = Object.keys(root)
    .filter((name) => rest.startsWith(name) && ['', '.', '['].includes(rest.charAt(name.length)))
    .sort((left, right) => right.length - left.length);
  for (const name of names) {
    const below = resolveBelow(rest.slice(name.length), root[name]);
    if (below) return [{ kind: 'field', name }, ...below];
  }
  return undefined;
}

function resolveItem(text: string, root: Json | undefined): FieldPath | undefined {
  for (let end = text.indexOf(']'); end >= 0; end = text.indexOf(']', end + 1)) {
    const element = parseItem(text.slice(1, end));
    const item = element && valueAt(root, [element]);
    if (!element || item === undefined) continue; // The bracket may be inside a quoted string.
    const below = resolveBelow(text.slice(end + 1), item);
    if (below) return [element, ...below];
  }
  return undefined;
}

function parseItem(text: string): PathElement | undefined {
  if (/^\d+$/.test(text)) return { kind: 'index', index: Number(text) };
  if (text.startsWith('=')) {
    const value = parseJson(text.slice(1));
    return value === undefined ? undefined : { kind: 'value', value };
  }
  const keys: [string, Json][] = [];
  const pair = /([^=,]+)=("(?:[^"\\]|\\.)*"|[^,"]+)(?:,|$)/y;
  while (pair.lastIndex < text.length) {
    const found = pair.exec(text);
    const value = found ? parseJson(found[2] ?? '') : undefined;
    if (!found || value === undefined) return undefined;
    keys.push([found[1] ?? '', value]);
  }
  return keys.length > 0 ? { kind: 'key', keys } : undefined;
}

function parseJson(text: string): Json | undefined {
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}

/**
 * Returns the value at a path, or undefined if there is none. An item of a map list is found by its keys; a key that the item omits matches
 * only if no other item matches better, because the server fills in key defaults that an intent may omit.
 */
export function valueAt(root: Json | undefined, path: FieldPath): Json | undefined {
  let value = root;
  for (const element of path) {
    if (element.kind === 'field') {
      value = isJsonObject(value) && Object.hasOwn(value, element.name) ? value[element.name] : undefined;
    } else {
      const index = itemIndex(value, element);
      value = index === undefined ? undefined : (value as readonly Json[])[index];
    }
    if (value === undefined) return undefined;
  }
  return value;
}

/**
 * Returns the value at a path, as `valueAt` does; where several items of a map list have the keys that the path ends with, all of these items
 * in a list. Verbs other than apply store such items (observed: a server warns, at most), and an apply replaces all of them by one.
 */
export function valueOrItemsAt(root: Json | undefined, path: FieldPath): Json | undefined {
  const value = valueAt(root, path);
  const last = path.at(-1);
  if (value === undefined || last?.kind !== 'key') return value;
  const list = valueAt(root, path.slice(0, -1)) as readonly Json[];
  const more = list
    .slice(list.indexOf(value) + 1)
    .filter((item) => isJsonObject(item) && last.keys.every(([name, key]) => jsonEqual(item[name], key)));
  return more.length > 0 ? [value, ...more] : value;
}

/** Returns the position of the list item that a path element names, or undefined. */
export function itemIndex(list: Json | undefined, element: Exclude<PathElement, { kind: 'field' }>): number | undefined {
  if (!Array.isArray(list)) return undefined;
  const items = list as readonly Json[];
  if (element.kind === 'index') return element.index < items.length ? element.index : undefined;
  const index = element.kind === 'value' ? findEqual(items, element.value) : findKeyed(items, element.keys);
  return index < 0 ? undefined : index;
}

function findEqual(items: readonly Json[], value: Json): number {
  const exact = items.findIndex((item) => jsonEqual(item, value));
  return exact >= 0 || typeof value !== 'bigint' ? exact : items.findIndex((item) => isRounded(item, value));
}

function findKeyed(items: readonly Json[], keys: readonly (readonly [string, Json])[]): number {
  const find = (isEqual: (left: Json | undefined, right: Json) => boolean) =>
    items.findIndex((item) => isJsonObject(item) && keys.every(([name, value]) => isEqual(item[name], value)));
  const exact = find(jsonEqual);
  if (exact >= 0) return exact;
  if (keys.some(([, value]) => typeof value === 'bigint')) return find(isRounded);
  return items.findIndex(
    (item) =>
      isJsonObject(item) &&
      keys.some(([name]) => item[name] !== undefined) &&
      keys.every(([name, value]) => item[name] === undefined || jsonEqual(item[name], value)),
  );
}

/**
 * Returns true if an element is the rounded form of a value: servers round whole numbers beyond 2^53 when they read managedFields back
 * (observed).
 */
function isRounded(value: Json | undefined, element: Json): boolean {
  return typeof element === 'bigint' ? Number(value) === Number(element) : jsonEqual(value, element);
}

/** Returns a path with keys rounded as servers do; see `isRounded`. */
export function withRoundedKeys(path: FieldPath): FieldPath {
  const round = (value: Json): Json => (typeof value === 'bigint' ? Number(value) : value);
  return path.map((element): PathElement => {
    if (element.kind === 'value') return { ...element, value: round(element.value) };
    return element.kind === 'key' ? { ...element, keys: element.keys.map(([name, value]) => [name, round(value)] as const) } : element;
  });
}

/** Returns the root without the value at a path. Containers along the path are copied; an emptied container stays, as `{}` or `[]`. */
export function withoutPath(root: Json, path: FieldPath): Json {
  const [element, ...below] = path;
  if (!element) return root;
  if (element.kind === 'field') {
    if (!isJsonObject(root) || root[element.name] === undefined) return root;
    const { [element.name]: value, ...others } = root;
    return below.length === 0 ? others : { ...root, [element.name]: withoutPath(value as Json, below) };
  }
  const index = itemIndex(root, element);
  if (index === undefined) return root;
  const items = root as readonly Json[];
  return below.length === 0
    ? items.filter((_, position) => position !== index)
    : items.map((item, position) => (position === index ? withoutPath(item, below) : item));
}
