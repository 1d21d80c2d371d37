import {
  deducedName,
  objectMetaName,
  quantityFormat,
  type RootType,
  resolve,
  type Schema,
  type Type,
  type TypeRef,
} from '../../schema/index.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { typedMetadata } from '../custom/object-meta.js';
import { canonicalQuantity } from './quantity.js';
import { alwaysShown, isLeftOutAtZero, isOptionalRoot, isStringPointer, shownAsNull } from './structs.js';

/** Called for every struct of a known type, innermost first; gives the struct with its defaults. */
export type StructVisitor = (type: string, value: JsonObject) => JsonObject;

interface Walk {
  readonly schema: Schema;
  readonly unknown: string[];
  readonly visit: StructVisitor;
  readonly root: string;
}

const keep: StructVisitor = (_, value) => value;

/**
 * An object as it comes back from the Go struct of its kind: without unknown fields, nulls and what is empty, with what a struct always
 * shows. `visit` fills in defaults on the way.
 */
export function goForm(
  root: RootType,
  object: JsonObject,
  visit: StructVisitor = keep,
): { readonly object: JsonObject; readonly unknown: readonly string[] } {
  const walk: Walk = { schema: root.schema, unknown: [], visit, root: 'name' in root.type ? root.type.name : '' };
  const { apiVersion, kind, ...rest } = object;
  const value = structAt(walk, root.type, { apiVersion: apiVersion ?? root.apiVersion, kind: kind ?? root.kind, ...rest }, '');
  return { object: value, unknown: walk.unknown };
}

function structAt(walk: Walk, ref: TypeRef, value: JsonObject, path: string): JsonObject {
  const typeName = nameOf(ref);
  const type = resolve(walk.schema, ref);
  const map = type.map as NonNullable<Type['map']>;
  const isRoot = path === '';
  const result: Record<string, Json> = {};
  for (const [name, member] of Object.entries(value) as [string, Json][]) {
    const field = map.fields.get(name);
    const inner = isRoot ? name : `${path}.${name}`;
    if (field === undefined) {
      if (map.element === undefined) walk.unknown.push(inner);
      else result[name] = member;
      continue;
    }
    const shown = memberAt(walk, field.type, member, { name, owner: typeName, path: inner, required: map.required.includes(name) });
    if (shown !== undefined) result[name] = shown;
  }
  for (const [name, field] of map.fields) {
    if (result[name] !== undefined) continue;
    if (isShownStruct(walk, typeName, name, field.type, isRoot))
      result[name] = structAt(walk, field.type, {}, isRoot ? name : `${path}.${name}`);
    else if (map.required.includes(name)) result[name] = zeroOf(walk, field.type, field.default);
    else if (shownAsNull(typeName).includes(name)) result[name] = null;
  }
  return walk.visit(typeName, result);
}

function isShownStruct(walk: Walk, owner: string, name: string, ref: TypeRef, isRoot: boolean): boolean {
  if (nameOf(ref).endsWith('.ObjectMeta')) return true;
  if (isRoot && (name === 'spec' || name === 'status') && 'name' in ref && resolve(walk.schema, ref).map !== undefined) {
    return !isOptionalRoot(owner, name);
  }
  return alwaysShown(owner).includes(name);
}

function zeroOf(walk: Walk, ref: TypeRef, zero: Json | undefined): Json {
  if (zero === '' || zero === 0 || zero === false) return zero;
  const { scalar, map, list } = resolve(walk.schema, ref);
  if (scalar === undefined || map !== undefined || list !== undefined) return null;
  if (scalar.kind === 'string') return '';
  if (scalar.kind === 'numeric') return 0;
  return scalar.kind === 'boolean' ? false : null;
}

interface Place {
  readonly name: string;
  /** Type that has the member. */
  readonly owner: string;
  readonly path: string;
  readonly required: boolean;
}

/** A member as a struct shows it; undefined where it leaves it out. */
function memberAt(walk: Walk, ref: TypeRef, value: Json, place: Place): Json | undefined {
  if (value === null) return undefined;
  if (nameOf(ref).endsWith('.ObjectMeta') || nameOf(ref) === objectMetaName) {
    if (!isJsonObject(value)) return undefined;
    for (const name of Object.keys(value))
      if (resolve(walk.schema, ref).map?.fields.has(name) === false) walk.unknown.push(`${place.path}.${name}`);
    return typedMetadata(value);
  }
  const type = resolve(walk.schema, ref);
  // JSON that no schema describes stays as it is.
  if (type.map !== undefined && (type.scalar !== undefined || isOpen(type.map.element))) return value;
  if (Array.isArray(value)) {
    const items = (value as readonly Json[]).map((item, index) => itemAt(walk, type.list?.element, item, `${place.path}[${index}]`, place));
    return items.length > 0 || place.required ? items : undefined;
  }
  if (isJsonObject(value)) {
    if (type.map === undefined) return value;
    if (type.map.fields.size > 0) return structAt(walk, ref, value, place.path);
    const element = type.map.element;
    const entries = Object.entries(value).map(([name, member]) => [
      name,
      itemAt(walk, element, member as Json, `${place.path}.${name}`, place),
    ]);
    return entries.length > 0 || place.required ? (Object.fromEntries(entries) as JsonObject) : undefined;
  }
  const scalar = scalarAt(type, value);
  return isLeftOut(scalar, place) ? undefined : scalar;
}

function itemAt(walk: Walk, ref: TypeRef | undefined, item: Json, path: string, outer: Place): Json {
  if (ref === undefined) return item;
  const type = resolve(walk.schema, ref);
  if (item === null) {
    if (type.map !== undefined && type.map.fields.size > 0) return structAt(walk, ref, {}, path);
    return type.scalar?.kind === 'string' || type.scalar?.kind === 'untyped' ? '' : null;
  }
  return memberAt(walk, ref, item, { ...outer, path, required: true }) ?? item;
}

function scalarAt(type: Type, value: Json): Json {
  const { scalar } = type;
  if (scalar?.format === quantityFormat) return canonicalQuantity(String(value)) ?? value;
  return value;
}

/** A struct without fields is in the table as a map of anything. */
function isOpen(element: TypeRef | undefined): boolean {
  return element !== undefined && 'name' in element && element.name === deducedName;
}

function isLeftOut(value: Json, { name, owner, required }: Place): boolean {
  if (required) return false;
  if (value === '') return !isStringPointer(name);
  return (value === 0 || value === false) && isLeftOutAtZero(name, owner);
}

function nameOf(ref: TypeRef): string {
  // Where the status of a kind is applied on its own, the table has a root of that name, and its type another.
  return 'name' in ref ? ref.name.replace(/StatusFields$/, 'Status') : '';
}
