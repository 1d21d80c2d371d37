import { metadataOf } from '../../../kubernetes/object.js';
import { goType } from '../../../merge/index.js';
import { quantityFormat, type RootType, resolve, type Schema, type TypeRef } from '../../../schema/index.js';
import { isJsonObject, type Json, type JsonObject } from '../../../util/json.js';
import { badRequest, internalError } from '../../api/status-error.js';
import { parseTime } from '../../api/time.js';
import { quantityError } from './quantity.js';
import { type CanonicalValues, isOpen } from './round-trip-go-struct.js';

/** The source of an object: a request body, or the result of an apply, whose error names the object as the intent does. */
type DecodeSource = 'request' | { readonly named: JsonObject };

/**
 * Refuses values that a Go struct cannot hold: a value of the wrong type, a fraction in an integer field, bytes that are not base64.
 * Values in `canonical` were decoded before and are skipped.
 *
 * @throws StatusError 400 for a request body, 500 for the result of an apply.
 */
export function checkDecodable(root: RootType, object: JsonObject, source: DecodeSource, canonical: CanonicalValues): void {
  const decodeError = findDecodeError({ schema: root.schema, canonical, source }, root.type, object, '', root.kind);
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
}

interface DecodeError {
  readonly converting: string;
  readonly decoding: string;
}

function findDecodeError(context: DecodeContext, ref: TypeRef, value: Json, path: string, owner: string): DecodeError | undefined {
  if (value === null || (typeof value === 'object' && context.canonical.get(value) === ref)) return undefined;
  if (path.endsWith('managedFields.fieldsV1')) return undefined; // the managedFields code decodes it
  const type = resolve(context.schema, ref);
  if (type.scalar?.format === quantityFormat) {
    const decodeError = quantityError(typeof value === 'number' ? String(value) : typeof value === 'string' ? value : '');
    return decodeError === undefined ? undefined : { converting: decodeError, decoding: decodeError };
  }
  if (type.scalar?.format === 'byte') return byteError(context, value, owner, path);
  if (Array.isArray(value)) {
    if (type.list === undefined) return mismatch('array', owner, path, type.map ? 'struct' : (type.scalar?.kind ?? 'value'));
    for (const item of value as readonly Json[]) {
      const decodeError = findDecodeError(context, type.list.element, item, path, owner);
      if (decodeError !== undefined) return decodeError;
    }
    return undefined;
  }
  if (isJsonObject(value)) {
    // A type without a schema accepts every value.
    if (type.map !== undefined && isOpen(type.map.element) && type.map.fields.size === 0) return undefined;
    if (type.map === undefined) return mismatch('object', owner, path, type.list ? 'slice' : (type.scalar?.kind ?? 'value'));
    for (const [name, member] of Object.entries(value) as [string, Json][]) {
      const field = type.map.fields.get(name)?.type ?? type.map.element;
      const decodeError = field && findDecodeError(context, field, member, path === '' ? name : `${path}.${name}`, owner);
      if (decodeError !== undefined) return decodeError;
    }
    return undefined;
  }
  const { scalar } = type;
  if (scalar?.format === 'date-time') return timeError(value, owner, path);
  if (scalar === undefined) return mismatch(typeof value, owner, path, type.map ? 'struct' : 'slice');
  if (scalar.kind === 'numeric' && typeof value !== 'number' && typeof value !== 'bigint')
    return mismatch(typeof value, owner, path, scalar.format ?? 'int32');
  if (scalar.kind === 'boolean' && typeof value !== 'boolean') return mismatch(typeof value, owner, path, 'bool');
  if (scalar.kind === 'string' && typeof value !== 'string') return mismatch(typeof value, owner, path, 'string');
  if (scalar.integer && typeof value === 'number' && !Number.isInteger(value)) {
    const format = scalar.format ?? 'int64';
    return { converting: `cannot convert float64 to ${format}`, decoding: cannotUnmarshal(`number ${value}`, owner, path, format) };
  }
  return undefined;
}

/**
 * Bytes are base64 text, or a list of numbers. The conversion of an apply result keeps the last eight bits of each number.
 * Source: observed.
 */
function byteError(context: DecodeContext, value: NonNullable<Json>, owner: string, path: string): DecodeError | undefined {
  if (typeof value === 'string') {
    const bad = badBase64(value);
    const text = `illegal base64 data at input byte ${bad}`;
    return bad === undefined ? undefined : { converting: `error decoding from json: ${text}`, decoding: text };
  }
  if (!Array.isArray(value)) {
    return {
      converting: `cannot restore slice from ${isJsonObject(value) ? 'map' : goType(value)}`,
      decoding: mismatch(typeof value, owner, path, '[]uint8').decoding,
    };
  }
  for (const item of value as readonly Json[]) {
    const isWhole = typeof item === 'number' && Number.isInteger(item);
    if (item === null || (isWhole && (context.source !== 'request' || (item >= 0 && item <= 255)))) continue;
    const found = typeof item === 'number' ? `number ${item}` : Array.isArray(item) ? 'array' : typeof item;
    const converting = typeof item === 'number' ? 'cannot convert float64 to uint8' : 'unrecognized type: uint8';
    return { converting, decoding: mismatch(found, owner, path, 'uint8').decoding };
  }
  return undefined;
}

function timeError(value: NonNullable<Json>, owner: string, path: string): DecodeError | undefined {
  if (typeof value !== 'string')
    return {
      converting: `json: cannot unmarshal ${typeof value} into Go value of type string`,
      decoding: mismatch(typeof value, owner, path, 'string').decoding,
    };
  const read = parseTime(value, path.slice(path.lastIndexOf('.') + 1));
  return 'issue' in read ? { converting: read.issue, decoding: read.issue } : undefined;
}

function mismatch(found: string, owner: string, path: string, wanted: string): DecodeError {
  return {
    converting: `cannot convert ${found} to ${wanted}`,
    decoding: cannotUnmarshal(found === 'boolean' ? 'bool' : found, owner, path, wanted),
  };
}

function cannotUnmarshal(found: string, owner: string, path: string, wanted: string): string {
  return `json: cannot unmarshal ${found} into Go struct field ${owner}.${path} of type ${wanted}`;
}

function badBase64(text: string): number | undefined {
  const bad = text.search(/[^A-Za-z0-9+/=\r\n]/);
  if (bad >= 0) return bad;
  const padded = text.replace(/[\r\n]/g, '');
  const inner = padded.indexOf('=');
  if (inner >= 0 && !/^[A-Za-z0-9+/]*={1,2}$/.test(padded)) return inner;
  return padded.length % 4 === 0 ? undefined : padded.length - (padded.length % 4);
}
