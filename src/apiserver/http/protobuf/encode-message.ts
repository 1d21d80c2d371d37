import type { Writer } from 'protobufjs/minimal.js';
import { isJsonObject, type Json, type JsonObject } from '../../../util/json.js';
import { type Message, type MessageField, messageNamed, type ScalarType, type ValueType, wireTypeOf } from './message.js';

/** Writes the fields of a message as a server does: values of pointers only if they are set, all other values even at zero. */
export function encodeMessage(writer: Writer, message: Message, value: Json | undefined): void {
  if (message.special !== undefined) {
    message.special.encode(writer, value ?? null, encodeNested);
    return;
  }
  const object = isJsonObject(value) ? value : empty;
  for (const field of message.fields) {
    const member = field.name === '' ? object : field.name === '*' ? value : object[field.name];
    encodeField(writer, field, member);
  }
}

const empty: JsonObject = {};

function encodeNested(writer: Writer, message: string, value: Json): void {
  encodeMessage(writer, messageNamed(message), value);
}

function encodeField(writer: Writer, { tag, label, type, number }: MessageField, value: Json | undefined): void {
  if (label === 'value') encodeValue(writer, tag, type, value);
  else if (value === undefined || value === null) return;
  else if (label === 'pointer') encodeValue(writer, tag, type, value);
  else if (label === 'map') encodeMap(writer, number, type, value as JsonObject);
  else if (Array.isArray(value)) for (const item of value as readonly Json[]) encodeValue(writer, tag, type, item);
}

/** Writes one entry per member, sorted by name as Go sorts. */
function encodeMap(writer: Writer, number: number, type: ValueType, map: JsonObject): void {
  const valueTag = 16 | wireTypeOf(type);
  for (const name of sortedNames(map)) {
    writer
      .uint32((number << 3) | 2)
      .fork()
      .uint32(10)
      .string(name);
    encodeValue(writer, valueTag, type, map[name]);
    writer.ldelim();
  }
}

function sortedNames(map: JsonObject): readonly string[] {
  const names = Object.keys(map);
  if (names.length < 2) return names;
  // UTF-16 sorts characters beyond the basic plane before some of it, UTF-8 does not.
  const isBasic = names.every((name) => !/[\ud800-\uffff]/.test(name));
  return names.sort(isBasic ? undefined : (left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)));
}

function encodeValue(writer: Writer, tag: number, type: ValueType, value: Json | undefined): void {
  if (typeof type === 'string') {
    encodeScalar(writer, tag, type, value);
    return;
  }
  writer.uint32(tag).fork();
  encodeMessage(writer, type, value);
  writer.ldelim();
}

function encodeScalar(writer: Writer, tag: number, type: ScalarType, value: Json | undefined): void {
  switch (type) {
    case 'string':
      writer.uint32(tag).string(typeof value === 'string' ? value : '');
      return;
    case 'bytes':
      if (typeof value === 'string') writer.uint32(tag).bytes(Buffer.from(value, 'base64'));
      return;
    case 'bool':
      writer.uint32(tag).bool(value === true);
      return;
    case 'double':
      writer.uint32(tag).double(Number(value ?? 0));
      return;
    case 'int64':
      writer.uint32(tag).int64(integerOf(value));
      return;
    default:
      writer.uint32(tag).int32(typeof value === 'number' ? value : 0);
  }
}

type Integer = Parameters<Writer['int64']>[0];

function integerOf(value: unknown): Integer {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  if (typeof value !== 'bigint') return 0;
  return { low: Number(BigInt.asIntN(32, value)), high: Number(BigInt.asIntN(32, value >> 32n)), unsigned: false } as unknown as Integer;
}
