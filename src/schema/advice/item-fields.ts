import type { MapType, Schema, TypeRef } from '../model.js';
import { resolve } from '../resolve.js';

/** The kind of a field's values, as coarse as two schemas of one shape can be compared. `any`: int-or-string, dates, any JSON. */
export type FieldKind = 'string' | 'number' | 'boolean' | 'list' | 'map' | 'any';

/** The declared fields of the items of a list. */
export interface ItemFields {
  readonly kinds: ReadonlyMap<string, FieldKind>;
  /** The required fields that can be list map keys: strings and numbers. */
  readonly requiredScalars: readonly string[];
  readonly required: readonly string[];
  /** The optional fields with a default, which can be list map keys as well. */
  readonly defaulted: ReadonlySet<string>;
}

/** Returns the fields of items; undefined if the items are not objects with declared fields. */
export function itemFields(schema: Schema, items: TypeRef): ItemFields | undefined {
  const { scalar, list, map } = resolve(schema, items);
  if (scalar !== undefined || list !== undefined || map === undefined || map.fields.size === 0) return undefined;
  const kinds = new Map([...map.fields].map(([name, field]) => [name, kindOf(schema, field.type)]));
  return {
    kinds,
    required: map.required.filter((name) => kinds.has(name)),
    requiredScalars: map.required.filter((name) => isKeyable(kinds.get(name)) && isScalarField(schema, map, name)),
    defaulted: new Set([...map.fields].filter(([, field]) => field.default !== undefined).map(([name]) => name)),
  };
}

/** Returns true for kinds of fields that can identify an item. A boolean distinguishes no more than two. */
export function isKeyable(kind: FieldKind | undefined): boolean {
  return kind === 'string' || kind === 'number';
}

/** Returns true if fields of these kinds can hold the same values. */
export function areCompatible(left: FieldKind, right: FieldKind): boolean {
  return left === right || left === 'any' || right === 'any';
}

/** Returns true if the API server accepts these list map keys: scalars that are required or have a default, and are never null. */
export function areAcceptedKeys(schema: Schema, items: TypeRef, keys: readonly string[]): boolean {
  const map = resolve(schema, items).map;
  if (map === undefined || keys.length === 0) return false;
  return keys.every((key) => {
    const field = map.fields.get(key);
    const given = map.required.includes(key) || field?.default !== undefined;
    return given && field?.nullable !== true && isScalarField(schema, map, key);
  });
}

function isScalarField(schema: Schema, map: MapType, name: string): boolean {
  const field = map.fields.get(name);
  const type = field && resolve(schema, field.type);
  return type?.scalar !== undefined && type.map === undefined && type.list === undefined;
}

function kindOf(schema: Schema, ref: TypeRef): FieldKind {
  const { scalar, list, map } = resolve(schema, ref);
  if (scalar !== undefined) {
    if (list !== undefined || map !== undefined || scalar.kind === 'untyped') return 'any';
    return scalar.kind === 'numeric' ? 'number' : scalar.kind;
  }
  return list === undefined ? 'map' : 'list';
}
