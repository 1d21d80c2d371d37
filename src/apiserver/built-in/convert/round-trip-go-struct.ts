import type { ExplicitEmptyLists } from '../../../merge/index.js';
import {
  deducedName,
  objectMetaName,
  quantityFormat,
  type RootType,
  resolve,
  type Schema,
  type Type,
  type TypeRef,
} from '../../../schema/index.js';
import { isJsonObject, isLarge, type Json, type JsonObject, setMember } from '../../../util/json.js';
import { onceFor } from '../../../util/once-for.js';
import { storedQuantity, storedResourceQuantity } from '../../../util/quantity.js';
import { remembered } from '../../../util/remembered.js';
import { formatTime } from '../../api/time.js';
import { typedMetadata } from '../../custom/object-meta.js';
import { isOmittedAtZero, isPointer, shownAs } from './go-structs.js';
import { isNestedSchema, isSchemaOrBoolean } from './nested-schema.js';
import { inKeyOrder, inStructOrder, metadataInOrder } from './struct-order.js';
import { isTextMap } from './text-map.js';

/** Called for every struct of a known type, innermost first; returns the struct with its defaults. */
export type StructVisitor = (type: string, value: JsonObject) => JsonObject;

/** Values that were converted before, with their type: a changed object shares most values with the object it was made from. */
export type CanonicalValues = WeakMap<object, TypeRef>;

interface RoundTripContext {
  readonly schema: Schema;
  readonly structs: ReturnType<typeof structsOf>;
  readonly canonical: CanonicalValues | undefined;
  readonly unknown: string[];
  /** Paths of empty maps and lists that the struct omits. */
  readonly omittedEmpty: string[];
  readonly explicitEmptyLists: Set<readonly Json[]>;
  readonly visit: StructVisitor;
  readonly root: string;
}

/** An object as it comes back from the Go struct of its kind. */
export interface RoundTrip {
  readonly object: JsonObject;
  readonly unknownFields: readonly string[];
  /** Paths of empty maps and lists that the struct leaves out. */
  readonly omittedEmpty: readonly string[];
  /** Lists of `object` whose items were sent with empty maps or lists that the struct leaves out. */
  readonly explicitEmptyLists: ExplicitEmptyLists;
}

const identityVisitor: StructVisitor = (_, value) => value;

/**
 * Converts an object to the Go struct of its kind and back: without unknown fields, nulls and omitted empty values, with the members
 * that a struct always shows.
 *
 * @param visit adds defaults to each struct
 * @param canonical values that are returned unchanged; converted values are added. Each such map belongs to one `visit`
 * @returns the object, the paths of unknown fields, and the paths of the empty maps and lists that were omitted
 */
export function roundTripGoStruct(
  root: RootType,
  object: JsonObject,
  visit: StructVisitor = identityVisitor,
  canonical?: CanonicalValues,
): RoundTrip {
  const walk: RoundTripContext = {
    schema: root.schema,
    structs: structsOf(root.schema),
    canonical,
    unknown: [],
    omittedEmpty: [],
    explicitEmptyLists: new Set(),
    visit,
    root: 'name' in root.type ? root.type.name : '',
  };
  const { apiVersion, kind } = object;
  const withTypeMeta = apiVersion && kind ? object : { ...object, apiVersion: apiVersion || root.apiVersion, kind: kind || root.kind };
  const value = structAt(walk, root.type, withTypeMeta, '');
  const { unknown: unknownFields, omittedEmpty, explicitEmptyLists } = walk;
  return { object: value, unknownFields, omittedEmpty, explicitEmptyLists };
}

function structAt(walk: RoundTripContext, ref: TypeRef, value: JsonObject, path: string): JsonObject {
  const typeName = nameOf(ref);
  const { map, isShown, absent } = walk.structs(ref);
  const isRoot = path === '';
  const result: Record<string, Json> = {};
  const emptied = walk.omittedEmpty.length;
  const struct: Struct = { map, owner: typeName, path, isShown };
  // A struct that holds all that is sent, and nothing else, is returned as it is: what is the same object did not change.
  let isSame = true;
  for (const name of Object.keys(value)) {
    const member = value[name];
    const shown = member === undefined ? undefined : structMember(walk, struct, name, member);
    if (shown === undefined || shown !== member) isSame = false;
    if (shown !== undefined) setMember(result, name, shown);
  }
  for (const { name, ref, zero } of absent) {
    if (result[name] !== undefined) continue;
    isSame = false;
    result[name] = zero === undefined ? structAt(walk, ref, {}, isRoot ? name : `${path}.${name}`) : zero;
  }
  const visited = inStructOrder(typeName, walk.visit(typeName, isSame ? value : result));
  if (walk.omittedEmpty.length > emptied) {
    // A default that replaces an omitted empty value makes it present again.
    const filled = new Set(Object.keys(visited).map((name) => (isRoot ? name : `${path}.${name}`)));
    walk.omittedEmpty.push(...walk.omittedEmpty.splice(emptied).filter((each) => !filled.has(each)));
    // So is a list that the visitor changed.
    for (const [name, member] of Object.entries(visited))
      if (Array.isArray(member) && walk.explicitEmptyLists.has(result[name] as readonly Json[])) walk.explicitEmptyLists.add(member);
  }
  return visited;
}

/** A struct while its members are converted. */
interface Struct {
  readonly map: NonNullable<Type['map']>;
  readonly owner: string;
  readonly path: string;
  readonly isShown: (name: string) => boolean;
}

/** Converts a member of a struct; returns undefined if the struct omits it. */
function structMember(walk: RoundTripContext, { map, owner, path, isShown }: Struct, name: string, member: Json): Json | undefined {
  const field = map.fields.get(name);
  const inner = () => (path === '' ? name : `${path}.${name}`);
  if (field !== undefined) {
    return typeof member === 'object'
      ? memberAt(walk, field.type, member, { name, owner, path: inner(), required: isShown(name) })
      : scalarMember(walk, field.type, member, name, owner, isShown(name));
  }
  if (map.element !== undefined) return member;
  walk.unknown.push(inner());
  return undefined;
}

/** A member that a struct shows although nobody wrote it: a struct, or the given zero value. */
interface AbsentMember {
  readonly name: string;
  readonly ref: TypeRef;
  readonly zero: Json | undefined;
}

/** The structs of a schema, each described once. */
const structsOf = onceFor((schema: Schema) =>
  onceFor((ref: TypeRef) => {
    const map = resolve(schema, ref).map as NonNullable<Type['map']>;
    const shown = (name: string) => shownAs(nameOf(ref), name, map.required.includes(name));
    const names = new Set([...map.fields.keys()].filter((name) => shown(name) !== undefined));
    const absent = [...map.fields].flatMap(([name, field]): AbsentMember[] => {
      const value = nameOf(field.type).endsWith('.ObjectMeta') ? 'struct' : shown(name);
      if (value === undefined) return [];
      const zero = value === 'struct' ? undefined : value === 'null' ? null : zeroOf(schema, field.type, field.default);
      return [{ name, ref: field.type, zero }];
    });
    /** True for a member that the struct shows even if it is empty. */
    const isShown = (name: string) => names.has(name);
    return { map, isShown, absent };
  }),
);

function zeroOf(schema: Schema, ref: TypeRef, zero: Json | undefined): Json {
  if (zero === '' || zero === 0 || zero === false) return zero;
  const { scalar, map, list } = resolve(schema, ref);
  if (scalar?.format === quantityFormat) return '0';
  if (scalar === undefined || map !== undefined || list !== undefined) return null;
  if (scalar.kind === 'string') return '';
  if (scalar.kind === 'numeric') return 0;
  return scalar.kind === 'boolean' ? false : null;
}

interface Cursor {
  readonly name: string;
  /** Type that declares the member. */
  readonly owner: string;
  readonly path: string;
  readonly required: boolean;
}

/** Converts a member; returns undefined if the struct omits it. */
function memberAt(walk: RoundTripContext, ref: TypeRef, value: Json, cursor: Cursor): Json | undefined {
  if (value === null) return undefined;
  if (typeof value !== 'object' || walk.canonical === undefined) return anyMemberAt(walk, ref, value, cursor);
  if (walk.canonical.get(value) === ref) return value;
  const unknown = walk.unknown.length;
  const shown = anyMemberAt(walk, ref, value, cursor);
  if (typeof shown === 'object' && shown !== null && walk.unknown.length === unknown && isLarge(shown)) walk.canonical.set(shown, ref);
  return shown;
}

function anyMemberAt(walk: RoundTripContext, ref: TypeRef, value: NonNullable<Json>, cursor: Cursor): Json | undefined {
  if (typeof value !== 'object') return scalarMember(walk, ref, value, cursor.name, cursor.owner, cursor.required);
  if (isObjectMeta(ref)) return isJsonObject(value) ? metadataAt(walk, ref, value, cursor.path) : undefined;
  if (isNestedSchema(cursor.owner, cursor.name)) return schemaAt(walk, refNamed(cursor.owner), value, cursor.path);
  const type = resolve(walk.schema, ref);
  // JSON without a schema is not converted.
  if (type.map !== undefined && (type.scalar !== undefined || isOpen(type.map.element))) return value;
  if (type.scalar?.format === 'byte' && Array.isArray(value)) return Buffer.from(value as readonly number[]).toString('base64');
  if (Array.isArray(value)) {
    const emptied = walk.omittedEmpty.length;
    const items = (value as readonly Json[]).map((item, index) =>
      itemAt(walk, type.list?.element, item, `${cursor.path}[${index}]`, cursor),
    );
    if (walk.omittedEmpty.length > emptied) walk.explicitEmptyLists.add(items);
    else if (items.length > 0 && items.every((item, index) => item === value[index])) return value;
    return items.length > 0 || cursor.required ? items : omitEmpty(walk, cursor);
  }
  if (isJsonObject(value)) {
    if (type.map === undefined) return value;
    if (type.map.fields.size > 0) return structAt(walk, ref, value, cursor.path);
    const element = type.map.element;
    if (isTextMap(walk.schema, element, value)) return inKeyOrder(value);
    const isResources = cursor.owner.startsWith('core/') && element && resolve(walk.schema, element).scalar?.format === quantityFormat;
    const entries = Object.entries(value).map(([name, member]) => [
      name,
      isResources
        ? (storedResourceQuantity(String(member ?? '0')) ?? member)
        : itemAt(walk, element, member as Json, `${cursor.path}.${name}`, cursor),
    ]);
    if (entries.length > 0 && entries.every(([name, member]) => member === value[name as string])) return inKeyOrder(value);
    return entries.length > 0 || cursor.required ? inKeyOrder(Object.fromEntries(entries) as JsonObject) : omitEmpty(walk, cursor);
  }
  return undefined;
}

/**
 * Converts a schema that is a member of another, or a list of them. The server decodes it by itself: it does not report what is unknown or
 * empty in it, and takes items of another type for none. Source: observed.
 */
function schemaAt(walk: RoundTripContext, ref: TypeRef, value: Json, path: string): Json | undefined {
  if (Array.isArray(value)) {
    const schemas = (value as readonly Json[]).map((item) => schemaAt(walk, ref, item, path) ?? {});
    return schemas.length > 0 ? schemas : undefined;
  }
  const alone = { ...walk, unknown: [], omittedEmpty: [], explicitEmptyLists: new Set<readonly Json[]>() };
  return isJsonObject(value) ? structAt(alone, ref, value, path) : undefined;
}

function scalarMember(
  walk: RoundTripContext,
  ref: TypeRef,
  value: NonNullable<Json>,
  name: string,
  owner: string,
  required: boolean,
): Json | undefined {
  const isNoSchema = isNestedSchema(owner, name) && !(isSchemaOrBoolean(name) && typeof value === 'boolean');
  if (isObjectMeta(ref) || isNoSchema) return undefined;
  const type = resolve(walk.schema, ref);
  if (type.map !== undefined && (type.scalar !== undefined || isOpen(type.map.element))) return value;
  const scalar = scalarAt(type, value, name);
  return scalar === null || (!required && isOmittedWhenZero(scalar, name, owner)) ? undefined : scalar;
}

function isObjectMeta(ref: TypeRef): boolean {
  return 'name' in ref && (ref.name.endsWith('.ObjectMeta') || nameOf(ref) === objectMetaName);
}

/** Converts metadata. Entries of managedFields that come back as they are need no second conversion. */
function metadataAt(walk: RoundTripContext, ref: TypeRef, value: JsonObject, path: string): JsonObject {
  const unknown = walk.unknown.length;
  noteUnknown(walk, ref, value, path);
  const metadata = metadataInOrder(typedMetadata(value));
  for (const name of ['labels', 'annotations', 'finalizers', 'ownerReferences']) {
    const isEmpty = typeof value[name] === 'object' && value[name] !== null && metadata[name] === undefined;
    if (isEmpty) walk.omittedEmpty.push(`${path}.${name}`);
  }
  const { managedFields } = metadata;
  if (walk.canonical === undefined || walk.unknown.length > unknown || !Array.isArray(managedFields)) return metadata;
  const list = resolve(walk.schema, ref).map?.fields.get('managedFields');
  const entry = list && resolve(walk.schema, list.type).list?.element;
  const sent = value.managedFields as readonly Json[];
  for (const [index, shown] of (managedFields as readonly Json[]).entries())
    if (entry !== undefined && isJsonObject(shown) && shown === sent[index]) walk.canonical.set(shown, entry);
  return metadata;
}

/** Records the unknown fields of metadata. */
function noteUnknown(walk: RoundTripContext, ref: TypeRef, value: Json, path: string): void {
  if (typeof value !== 'object' || value === null || walk.canonical?.get(value) === ref) return;
  const { map, list } = resolve(walk.schema, ref);
  if (Array.isArray(value)) {
    if (list !== undefined)
      for (const [index, item] of (value as readonly Json[]).entries()) noteUnknown(walk, list.element, item, `${path}[${index}]`);
  } else if (isJsonObject(value) && map !== undefined && map.fields.size > 0) {
    for (const [name, member] of Object.entries(value) as [string, Json][]) {
      const field = map.fields.get(name);
      if (field === undefined) walk.unknown.push(`${path}.${name}`);
      else noteUnknown(walk, field.type, member, `${path}.${name}`);
    }
  }
}

function omitEmpty(walk: RoundTripContext, { path }: Cursor): undefined {
  walk.omittedEmpty.push(path);
}

function itemAt(walk: RoundTripContext, ref: TypeRef | undefined, item: Json, path: string, outer: Cursor): Json {
  if (ref === undefined) return item;
  const type = resolve(walk.schema, ref);
  if (item === null) {
    if (type.map !== undefined && type.map.fields.size > 0) return structAt(walk, ref, {}, path);
    // JSON without a schema, such as a choice of an enum.
    if (type.map !== undefined && type.scalar !== undefined) return null;
    // Null bytes remain null until the object is stored and decoded, see `withDecodedBytes`.
    if (type.scalar?.format === 'byte') return null;
    if (type.scalar?.format === quantityFormat) return '0';
    return type.scalar?.kind === 'string' || type.scalar?.kind === 'untyped' ? '' : null;
  }
  return memberAt(walk, ref, item, { ...outer, path, required: true }) ?? item;
}

function scalarAt(type: Type, value: NonNullable<Json>, name: string): Json {
  const { scalar } = type;
  if (scalar?.format === 'date-time') return formatTime(value, name);
  if (scalar?.format === 'int32' && (typeof value === 'bigint' || Number.isInteger(value)))
    return Number(BigInt.asIntN(32, BigInt(value as number | bigint)));
  if (scalar?.format === quantityFormat) return storedQuantity(String(value)) ?? value;
  return value;
}

/** Returns true for the element of a map without a schema, which is how the table describes a struct without fields. */
export function isOpen(element: TypeRef | undefined): boolean {
  return element !== undefined && 'name' in element && element.name === deducedName;
}

function isOmittedWhenZero(value: Json, name: string, owner: string): boolean {
  if (value === '') return !isPointer(name, owner);
  return (value === 0 || value === false) && isOmittedAtZero(name, owner);
}

const refNamed = remembered((name): TypeRef => ({ name }), 1_000, Number.POSITIVE_INFINITY);

// A kind whose status is applied separately has a table root named KINDStatus, so the type itself is named KINDStatusFields.
const nameOf = onceFor((ref: TypeRef) => ('name' in ref ? ref.name.replace(/StatusFields$/, 'Status') : ''));
