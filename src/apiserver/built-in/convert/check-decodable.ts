import { metadataOf } from '../../../fields/object.js';
import { goType } from '../../../merge/index.js';
import { type MapType, quantityFormat, type RootType, resolve, type Schema, type Type, type TypeRef } from '../../../schema/index.js';
import { isJsonObject, type Json, type JsonObject } from '../../../util/json.js';
import { quantityError } from '../../../util/quantity.js';
import { badRequest, internalError } from '../../api/status-error.js';
import { parseTime } from '../../api/time.js';
import { isNestedSchema, isSchemaOrBoolean } from './nested-schema.js';
import { type CanonicalValues, isOpen } from './round-trip-go-struct.js';
import { isTextMap } from './text-map.js';

/** The source of an object: a request body, or the result of an apply, whose error names the object as the intent does. */
type DecodeSource = 'request' | { readonly named: JsonObject };

/**
 * Refuses values that a Go struct cannot hold: a value of the wrong type, a fraction in an integer field, bytes that are not base64.
 * Values in `canonical` were decoded before and are skipped.
 *
 * @throws StatusError 400 for a request body, 500 for the result of an apply.
 */
export function checkDecodable(root: RootType, object: JsonObject, source: DecodeSource, canonical: CanonicalValues): void {
  const decodeError = findDecodeError({ schema: root.schema, canonical, source }, root.type, object, '', root.type);
  if (decodeError === undefined) return;
  const group = root.apiVersion.includes('/') ? root.apiVersion : `/${root.apiVersion}`;
  const gvk = `${group}, Kind=${root.kind}`;
  if (source !== 'request') {
    const { namespace = '', name = '' } = metadataOf(source.named);
    throw internalError(
      `failed to convert new object (${namespace}/${name}; ${gvk}) to proper version: unable to convert unstructured object to ${gvk}: ${decodeError.converting}`,
    );
  }
  const version = root.apiVersion.slice(root.apiVersion.indexOf('/') + 1);
  throw badRequest(`${root.kind} in version ${JSON.stringify(version)} cannot be handled as a ${root.kind}: ${decodeError.decoding}`);
}

interface DecodeContext {
  readonly schema: Schema;
  readonly source: DecodeSource;
  readonly canonical: CanonicalValues;
  /** True inside of a schema that another schema contains. */
  readonly isNestedSchema?: boolean;
}

/** Where a value stands: the field of a struct, and the type that it holds. */
interface ErrorLocation {
  readonly context: DecodeContext;
  readonly owner: TypeRef;
  readonly path: string;
  readonly ref: TypeRef;
}

interface DecodeError {
  readonly converting: string;
  readonly decoding: string;
}

function findDecodeError(context: DecodeContext, ref: TypeRef, value: Json, path: string, owner: TypeRef): DecodeError | undefined {
  if (value === null || (typeof value === 'object' && context.canonical.get(value) === ref)) return undefined;
  const type = resolve(context.schema, ref);
  if (type.scalar?.format === quantityFormat) {
    const decodeError = quantityError(typeof value === 'number' ? String(value) : typeof value === 'string' ? value : '');
    return decodeError === undefined ? undefined : { converting: decodeError, decoding: decodeError };
  }
  const location: ErrorLocation = { context, owner, path, ref };
  if (type.scalar?.format === 'byte') return byteError(location, value);
  if (Array.isArray(value)) {
    if (type.list === undefined) return mismatch(location, value);
    for (const item of value as readonly Json[]) {
      const decodeError = findDecodeError(context, type.list.element, item, path, owner);
      if (decodeError !== undefined) return decodeError;
    }
    return undefined;
  }
  if (isJsonObject(value)) {
    // A type without a schema accepts every value.
    if (type.map !== undefined && isOpen(type.map.element) && type.map.fields.size === 0) return undefined;
    if (type.map === undefined) return mismatch(location, value);
    if (type.map.fields.size === 0 && isTextMap(context.schema, type.map.element, value)) return undefined;
    return memberError({ context, owner, path, ref }, type.map, value);
  }
  const { scalar } = type;
  if (scalar?.format === 'date-time') return timeError(location, value);
  if (scalar === undefined) return mismatch(location, value);
  if (scalar.kind === 'numeric' && typeof value !== 'number' && typeof value !== 'bigint') return mismatch(location, value);
  if (scalar.kind === 'boolean' && typeof value !== 'boolean') return mismatch(location, value);
  if (scalar.kind === 'string' && typeof value !== 'string') return mismatch(location, value);
  const format = scalar.format ?? 'int64';
  // The conversion of an apply result keeps the last bits of a number that is too large: see `scalarAt`. Source: observed.
  if (scalar.integer && context.source === 'request' && isTooLarge(value, format)) {
    const text = cannotUnmarshal(location, `number ${value}`, format);
    return { converting: text, decoding: text };
  }
  if (scalar.integer && typeof value === 'number' && !Number.isInteger(value)) {
    return { converting: `cannot convert float64 to ${format}`, decoding: cannotUnmarshal(location, `number ${value}`, format) };
  }
  return undefined;
}

function isTooLarge(value: Json, format: string): boolean {
  if (typeof value !== 'bigint' && !Number.isInteger(value)) return false;
  const bits = format === 'int32' ? 32 : 64;
  return BigInt.asIntN(bits, BigInt(value as number | bigint)) !== BigInt(value as number | bigint);
}

function memberError({ context, owner, path, ref }: ErrorLocation, map: MapType, value: JsonObject): DecodeError | undefined {
  for (const name of Object.keys(value)) {
    const member = value[name] as Json | undefined;
    if (member === undefined) continue;
    const field = map.fields.get(name)?.type;
    // Most members are texts, which need no path.
    if (typeof member === 'string' && field !== undefined && isPlainText(resolve(context.schema, field))) continue;
    if (name === 'fieldsV1' && path.endsWith('managedFields')) continue; // the managedFields code decodes it
    if ('name' in ref && isNestedSchema(ref.name, name)) {
      const decodeError = nestedSchemaError(context, ref, name, member, path === '' ? name : `${path}.${name}`);
      if (decodeError !== undefined) return decodeError;
      continue;
    }
    // Messages name the field that holds a map, not the key.
    const decodeError =
      field === undefined
        ? map.element && findDecodeError(context, map.element, member, path, owner)
        : findDecodeError(context, field, member, path === '' ? name : `${path}.${name}`, ref);
    if (decodeError !== undefined) return decodeError;
  }
  return undefined;
}

/** Returns the error of a schema in another one. The conversion of an apply result names fields by the outermost of them. Source: observed. */
function nestedSchemaError(context: DecodeContext, schema: TypeRef, name: string, value: Json, path: string): DecodeError | undefined {
  if (isSchemaOrBoolean(name) && value !== null && typeof value !== 'boolean' && !isJsonObject(value)) {
    const text = 'boolean or JSON schema expected';
    return { converting: text, decoding: text };
  }
  const inner = { ...context, isNestedSchema: true };
  for (const each of Array.isArray(value) ? (value as readonly Json[]) : [value]) {
    if (!isJsonObject(each)) continue;
    const { decoding } = findDecodeError(inner, schema, each, path, schema) ?? {};
    if (decoding === undefined) continue;
    const converting = context.isNestedSchema === true ? undefined : findDecodeError(inner, schema, each, '', schema)?.decoding;
    return { converting: converting ?? decoding, decoding };
  }
  return undefined;
}

function isPlainText({ scalar }: Type): boolean {
  return scalar?.kind === 'string' && scalar.format === undefined;
}

/**
 * Bytes are base64 text, or a list of numbers. The conversion of an apply result keeps the last eight bits of each number.
 * Source: observed.
 */
function byteError(location: ErrorLocation, value: NonNullable<Json>): DecodeError | undefined {
  if (typeof value === 'string') {
    const bad = badBase64(value);
    const text = `illegal base64 data at input byte ${bad}`;
    return bad === undefined ? undefined : { converting: `error decoding from json: ${text}`, decoding: text };
  }
  if (!Array.isArray(value)) {
    return {
      converting: `cannot restore slice from ${isJsonObject(value) ? 'map' : goType(value)}`,
      decoding: cannotUnmarshal(location, decodedType(value), '[]uint8'),
    };
  }
  for (const item of value as readonly Json[]) {
    const isWhole = typeof item === 'number' && Number.isInteger(item);
    if (item === null || (isWhole && (location.context.source !== 'request' || (item >= 0 && item <= 255)))) continue;
    const found = typeof item === 'number' ? `number ${item}` : decodedType(item);
    const converting = typeof item === 'number' ? 'cannot convert float64 to uint8' : 'unrecognized type: uint8';
    return { converting, decoding: cannotUnmarshal(location, found, 'uint8') };
  }
  return undefined;
}

function timeError(location: ErrorLocation, value: NonNullable<Json>): DecodeError | undefined {
  if (typeof value !== 'string')
    return {
      converting: `json: cannot unmarshal ${decodedType(value)} into Go value of type string`,
      decoding: cannotUnmarshal(location, decodedType(value), 'string'),
    };
  const read = parseTime(value, location.path.slice(location.path.lastIndexOf('.') + 1));
  return 'issue' in read ? { converting: read.issue, decoding: read.issue } : undefined;
}

/** Returns the error for a value of another type than the one that the place holds. */
function mismatch(location: ErrorLocation, value: NonNullable<Json>): DecodeError {
  const { context, ref } = location;
  const { list, map } = resolve(context.schema, ref);
  const wanted = goTypeAt(context.schema, ref);
  const found = Array.isArray(value) ? 'slice' : isJsonObject(value) ? 'map' : goType(value);
  const converting = list
    ? `cannot restore slice from ${found}`
    : map && map.fields.size === 0
      ? `cannot restore map from ${found}`
      : map
        ? `cannot restore struct from: ${found}`
        : found === 'int64' && wanted === 'string'
          ? 'cannot convert int64 to string'
          : `unrecognized type: ${wanted}`;
  return { converting, decoding: cannotUnmarshal(location, decodedType(value), wanted) };
}

function cannotUnmarshal({ owner, path }: ErrorLocation, found: string, wanted: string): string {
  return `json: cannot unmarshal ${found} into Go struct field ${structName(owner)}.${path} of type ${wanted}`;
}

/** Returns the name of a value's type as the decoder says it. */
function decodedType(value: Json): string {
  if (typeof value === 'boolean') return 'bool';
  return Array.isArray(value) ? 'array' : typeof value === 'bigint' ? 'number' : typeof value;
}

/** Returns a Go type: `int32`, `map[string]string`, `[]v1.Container`. */
function goTypeAt(schema: Schema, ref: TypeRef): string {
  const { scalar, list, map } = resolve(schema, ref);
  if (list) return `[]${goTypeAt(schema, list.element)}`;
  if (map && map.fields.size === 0 && map.element) return `map[string]${goTypeAt(schema, map.element)}`;
  if (map) return 'name' in ref ? `${ref.name.slice(ref.name.indexOf('/') + 1, ref.name.lastIndexOf('.'))}.${structName(ref)}` : 'struct';
  if (scalar?.kind === 'boolean') return 'bool';
  return scalar?.kind === 'numeric' ? (scalar.format ?? 'int64') : 'string';
}

/** Returns the name of a struct; the names of some statuses have a suffix here. */
function structName(ref: TypeRef): string {
  if (!('name' in ref)) return '';
  return ref.name.slice(ref.name.lastIndexOf('.') + 1).replace(/StatusFields$/, 'Status');
}

function badBase64(text: string): number | undefined {
  const bad = text.search(/[^A-Za-z0-9+/=\r\n]/);
  if (bad >= 0) return bad;
  const padded = text.replace(/[\r\n]/g, '');
  const inner = padded.indexOf('=');
  if (inner >= 0 && !/^[A-Za-z0-9+/]*={1,2}$/.test(padded)) return inner;
  return padded.length % 4 === 0 ? undefined : padded.length - (padded.length % 4);
}
