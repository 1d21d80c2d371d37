import type { Reader, Writer } from 'protobufjs/minimal.js';
import { parseExactJson, stringifyExactJson } from '../../../util/exact-json.js';
import type { Json } from '../../../util/json.js';
import { quantityError, storedQuantity } from '../../../util/quantity.js';
import { endOfValue, WireError } from './wire.js';

/** Writes a message, which is given by its name, inside another. */
export type EncodeNested = (writer: Writer, message: string, value: Json) => void;

/** Reads a message, which is given by its name, inside another, up to a position. */
export type DecodeNested = (message: string, end: number) => Json;

/** A message whose JSON is not an object of its fields. */
export interface SpecialMessage {
  encode(writer: Writer, value: Json, nested: EncodeNested): void;
  decode(reader: Reader, end: number, nested: DecodeNested): Json;
}

/** Returns the tag of a value with a length. */
function tag(number: number): number {
  return (number << 3) | 2;
}

/** Calls `read` for each field, with its number; it returns false for a field that it does not know. */
function readFields(reader: Reader, end: number, read: (number: number) => unknown): void {
  while (reader.pos < end) {
    const found = reader.uint32();
    if (read(found >>> 3) === false) reader.skipType(found & 7);
  }
  if (reader.pos > end) throw new WireError('unexpected EOF');
}

/** JSON as text. */
function encodeRaw(writer: Writer, value: Json): void {
  if (value !== null) writer.uint32(tag(1)).string(stringifyExactJson(value));
}

function decodeRaw(reader: Reader, end: number): Json {
  let text = '';
  readFields(reader, end, (number) => {
    if (number !== 1) return false;
    text = reader.string();
    return true;
  });
  if (text === '') return null;
  try {
    return parseExactJson(text);
  } catch (error) {
    throw new WireError((error as Error).message);
  }
}

/** A number is `{type: 0, intVal}`, a text `{type: 1, strVal}`. */
function encodeIntOrString(writer: Writer, value: Json): void {
  const isText = typeof value === 'string';
  writer
    .uint32(8)
    .int64(isText ? 1 : 0)
    .uint32(16)
    .int32(isText ? 0 : Number(value ?? 0))
    .uint32(tag(3))
    .string(isText ? value : '');
}

function decodeIntOrString(reader: Reader, end: number): Json {
  let isText = false;
  let number = 0;
  let text = '';
  readFields(reader, end, (field) => {
    if (field === 1) isText = Number(reader.int64()) === 1;
    else if (field === 2) number = reader.int32();
    else if (field === 3) text = reader.string();
    return field <= 3;
  });
  return isText ? text : number;
}

/** Seconds and nanoseconds, nothing for the zero time; a Time keeps whole seconds, a MicroTime microseconds. */
function encodeTime(writer: Writer, value: Json, isMicro: boolean): void {
  if (typeof value !== 'string') return;
  const seconds = Math.floor(Date.parse(value) / 1000);
  const fraction = /\.(\d{1,6})/.exec(value)?.[1] ?? '';
  writer
    .uint32(8)
    .int64(seconds)
    .uint32(16)
    .int32(isMicro ? Number(fraction.padEnd(6, '0')) * 1000 : 0);
}

function decodeTime(reader: Reader, end: number, isMicro: boolean): Json {
  if (reader.pos >= end) return null;
  let seconds = 0;
  let nanoseconds = 0;
  readFields(reader, end, (field) => {
    if (field === 1) seconds = Number(reader.int64());
    else if (field === 2) nanoseconds = reader.int32();
    return field <= 2;
  });
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) throw new WireError('Time.MarshalJSON: year outside of range [0,9999]');
  const text = date.toISOString().slice(0, -5);
  if (text === '0001-01-01T00:00:00' && nanoseconds === 0) return null;
  return isMicro ? `${text}.${String(Math.floor(nanoseconds / 1000)).padStart(6, '0')}Z` : `${text}Z`;
}

function decodeQuantity(reader: Reader, end: number): Json {
  let text: string | undefined;
  readFields(reader, end, (number) => {
    if (number !== 1) return false;
    text = reader.string();
    return true;
  });
  if (text === undefined) return '0';
  const issue = quantityError(text);
  if (issue !== undefined) throw new WireError(issue);
  return storedQuantity(text) ?? text;
}

/** A schema is its message; `false` is one that allows nothing. */
function encodeSchemaOrBool(writer: Writer, value: Json, nested: EncodeNested): void {
  writer.uint32(8).bool(value !== false && value !== null);
  if (typeof value === 'object' && value !== null) schemaProps.encode(writer, value, nested);
}

function decodeSchemaOrBool(reader: Reader, end: number, nested: DecodeNested): Json {
  let allows = false;
  let schema: Json | undefined;
  readFields(reader, end, (field) => {
    if (field === 1) allows = reader.bool();
    else if (field === 2) schema = schemaProps.decode(reader, nested);
    return field <= 2;
  });
  return schema ?? allows;
}

interface FieldOfTwo {
  /** Writes field 2. */
  encode(writer: Writer, value: Json, nested: EncodeNested): void;
  decode(reader: Reader, nested: DecodeNested): Json;
}

const schemaName = 'apiextensions/v1.JSONSchemaProps';

const schemaProps: FieldOfTwo = {
  encode: (writer, value, nested) => encodeSchema(writer, 2, value, nested),
  decode: (reader, nested) => nested(schemaName, endOfValue(reader)),
};

function encodeSchema(writer: Writer, number: number, value: Json, nested: EncodeNested): void {
  writer.uint32(tag(number)).fork();
  nested(writer, schemaName, value);
  writer.ldelim();
}

/** Returns a message of a schema in field 1 or a list in field 2. */
function schemaOr(item: FieldOfTwo): SpecialMessage {
  return {
    encode(writer, value, nested) {
      if (Array.isArray(value)) for (const each of value as readonly Json[]) item.encode(writer, each, nested);
      else if (value !== null) encodeSchema(writer, 1, value, nested);
    },
    decode(reader, end, nested) {
      let schema: Json = null;
      const items: Json[] = [];
      readFields(reader, end, (field) => {
        if (field === 1) schema = schemaProps.decode(reader, nested);
        else if (field === 2) items.push(item.decode(reader, nested));
        return field <= 2;
      });
      return items.length > 0 ? items : schema;
    },
  };
}

/** The messages that Go writes by own code. Source: Kubernetes API reference; the numbers are compared with `generated.proto` by a test. */
export const specialMessages: Readonly<Record<string, SpecialMessage | undefined>> = {
  'apiextensions/v1.JSON': { encode: encodeRaw, decode: decodeRaw },
  'apiextensions/v1.JSONSchemaPropsOrArray': schemaOr(schemaProps),
  'apiextensions/v1.JSONSchemaPropsOrBool': { encode: encodeSchemaOrBool, decode: decodeSchemaOrBool },
  'apiextensions/v1.JSONSchemaPropsOrStringArray': schemaOr({
    encode: (writer, value) => void writer.uint32(tag(2)).string(String(value)),
    decode: (reader) => reader.string(),
  }),
  'intstr.IntOrString': { encode: encodeIntOrString, decode: decodeIntOrString },
  'meta/v1.FieldsV1': { encode: encodeRaw, decode: decodeRaw },
  'meta/v1.MicroTime': {
    encode: (writer, value) => encodeTime(writer, value, true),
    decode: (reader, end) => decodeTime(reader, end, true),
  },
  'meta/v1.Time': { encode: (writer, value) => encodeTime(writer, value, false), decode: (reader, end) => decodeTime(reader, end, false) },
  'resource.Quantity': { encode: (writer, value) => void writer.uint32(tag(1)).string(String(value ?? '0')), decode: decodeQuantity },
  'runtime.RawExtension': { encode: encodeRaw, decode: decodeRaw },
};
