import type { Reader } from 'protobufjs/minimal.js';
import { type Json, setMember } from '../../../util/json.js';
import { type Message, type MessageField, messageNamed, type ScalarType, type ValueType, wireTypeOf } from './message.js';
import { endOfValue, WireError, wireType } from './wire.js';

/** Nesting of messages. No kind of the API needs a tenth of it, but JSONSchemaProps contains itself. */
const maxDepth = 1000;

/**
 * Decodes a message to the JSON that Go writes for it: without values that are zero and omitted, with the members that a struct always
 * shows.
 *
 * @param end position after the message
 * @throws WireError
 */
export function decodeMessage(reader: Reader, message: Message, end: number, depth = 0): Json {
  if (depth > maxDepth) throw new WireError('proto: message is nested too deeply');
  if (message.special !== undefined) {
    return message.special.decode(reader, end, (nested, nestedEnd) => decodeMessage(reader, messageNamed(nested), nestedEnd, depth + 1));
  }
  const object: Record<string, Json> = {};
  decodeInto(object, reader, message, end, depth);
  return message.fields[0]?.name === '*' ? (object['*'] ?? []) : object;
}

function decodeInto(object: Record<string, Json>, reader: Reader, message: Message, end: number, depth: number): void {
  let inlined: MessageField | undefined;
  while (reader.pos < end) {
    const tag = reader.uint32();
    const type = tag & 7;
    const number = tag >>> 3;
    if (type === wireType.endGroup) throw new WireError(`proto: ${simpleName(message)}: wiretype end group for non-group`);
    if (number === 0) throw new WireError(`proto: ${simpleName(message)}: illegal tag ${number} (wire type ${type})`);
    const field = message.byNumber[number];
    if (field === undefined) {
      reader.skipType(type);
      continue;
    }
    // No message has two inlined structs.
    if (field.name === '') inlined = field;
    decodeField(object, reader, field, type, depth);
  }
  if (reader.pos > end) throw new WireError('unexpected EOF');
  for (const field of message.absent) if (field !== inlined && object[field.name] === undefined) addAbsent(object, reader, field, depth);
}

function decodeField(object: Record<string, Json>, reader: Reader, field: MessageField, type: number, depth: number): void {
  const { name, label } = field;
  if (name === '') {
    decodeInto(object, reader, field.type as Message, endOfMessage(reader, field, type), depth + 1);
  } else if (label === 'map') {
    object[name] ??= {};
    decodeEntry(object[name] as Record<string, Json>, reader, field, type, depth);
  } else if (label === 'list') {
    object[name] ??= [];
    decodeItems(object[name] as Json[], reader, field, type, depth);
  } else {
    const value = decodeValue(reader, field, field.type, type, depth);
    if (label === 'pointer' || field.shown || !isZero(value)) object[name] = value;
    else delete object[name];
  }
}

/** Adds the member of a field that is not on the wire, if JSON shows it. */
function addAbsent(object: Record<string, Json>, reader: Reader, { name, label, type }: MessageField, depth: number): void {
  if (name === '') decodeInto(object, reader, type as Message, reader.pos, depth + 1);
  else object[name] = label === 'value' ? zeroOf(reader, type, depth) : null;
}

function zeroOf(reader: Reader, type: ValueType, depth: number): Json {
  if (typeof type !== 'string') return decodeMessage(reader, type, reader.pos, depth + 1);
  if (type === 'string') return '';
  return type === 'bool' ? false : type === 'bytes' ? null : 0;
}

function isZero(value: Json): boolean {
  return value === null || value === '' || value === 0 || value === false;
}

function decodeItems(items: Json[], reader: Reader, field: MessageField, type: number, depth: number): void {
  const isPacked = type === wireType.bytes && typeof field.type === 'string' && !['string', 'bytes'].includes(field.type);
  if (!isPacked) {
    items.push(decodeValue(reader, field, field.type, type, depth));
    return;
  }
  const end = endOfValue(reader);
  while (reader.pos < end) items.push(decodeScalar(reader, field.type as ScalarType));
}

function decodeEntry(map: Record<string, Json>, reader: Reader, field: MessageField, type: number, depth: number): void {
  const end = endOfMessage(reader, field, type);
  let name = '';
  let value: Json | undefined;
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag >>> 3 === 1) name = decodeScalar(reader, 'string') as string;
    else if (tag >>> 3 === 2) value = decodeValue(reader, field, field.type, tag & 7, depth);
    else reader.skipType(tag & 7);
  }
  if (reader.pos > end) throw new WireError('unexpected EOF');
  setMember(map, name, value ?? zeroOf(reader, field.type, depth));
}

function decodeValue(reader: Reader, field: MessageField, type: ValueType, found: number, depth: number): Json {
  if (typeof type === 'string') {
    if (found !== wireTypeOf(type)) throw wrongWireType(field, found);
    return decodeScalar(reader, type);
  }
  return decodeMessage(reader, type, endOfMessage(reader, field, found), depth + 1);
}

function endOfMessage(reader: Reader, field: MessageField, found: number): number {
  if (found !== wireType.bytes) throw wrongWireType(field, found);
  return endOfValue(reader);
}

/** Go names most fields as JSON does, with a capital. */
function wrongWireType({ name, type }: MessageField, found: number): WireError {
  const goName =
    typeof type !== 'string' && /^meta\/v1\.(Object|List)Meta$/.test(type.name)
      ? simpleName(type)
      : name.replace(/^./, (first) => first.toUpperCase());
  return new WireError(`proto: wrong wireType = ${found} for field ${goName}`);
}

function simpleName({ name }: Message): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

function decodeScalar(reader: Reader, type: ScalarType): Json {
  switch (type) {
    case 'string':
      // Invalid UTF-8 becomes replacement characters, as in JSON that Go writes.
      return reader.string();
    case 'bytes':
      return Buffer.from(reader.bytes()).toString('base64');
    case 'bool':
      return reader.bool();
    case 'double':
      return reader.double();
    case 'int64':
      return integerOf(reader.int64());
    case 'uint32':
      return reader.uint32();
    default:
      return reader.int32();
  }
}

/** Returns a `bigint` for a whole number beyond 2^53, as JSON is read; the type Json does not name it. */
function integerOf(value: number | { readonly low: number; readonly high: number }): Json {
  if (typeof value === 'number') return value;
  const whole = value.high * 0x1_0000_0000 + (value.low >>> 0);
  if (Number.isSafeInteger(whole)) return whole;
  return ((BigInt(value.high) << 32n) | BigInt(value.low >>> 0)) as unknown as Json;
}
