import type { Writer } from 'protobufjs/minimal.js';
import { isJsonObject, type Json, type JsonObject } from '../../../util/json.js';
import type { Message, MessageField, ScalarType, ValueType } from './message.js';
import { specialMessages } from './special-messages.js';
import { wireType } from './wire.js';

/** Writes the fields of a message as a server does: values of pointers only if they are set, all other values even at zero. */
export function encodeMessage(writer: Writer, message: Message, value: Json | undefined): void {
  const special = specialMessages[message.name];
  if (special !== undefined) {
    special.encode(writer, value ?? null, encodeMessage);
    return;
  }
  const object = isJsonObject(value) ? value : {};
  for (const field of message.fields) {
    const member = field.name === '' ? object : field.name === '*' ? value : object[field.name];
    encodeField(writer, field, member);
  }
}

function encodeField(writer: Writer, field: MessageField, value: Json | undefined): void {
  const { number, label, type } = field;
  switch (label) {
    case 'value':
      encodeValue(writer, number, type, value);
      return;
    case 'pointer':
      if (value !== undefined && value !== null) encodeValue(writer, number, type, value);
      return;
    case 'list':
      if (Array.isArray(value)) for (const item of value as readonly Json[]) encodeValue(writer, number, type, item ?? undefined);
      return;
    case 'map':
      if (isJsonObject(value)) encodeMap(writer, number, type, value);
  }
}

/** Writes one entry per member, sorted by name as Go sorts. */
function encodeMap(writer: Writer, number: number, type: ValueType, map: JsonObject): void {
  for (const name of Object.keys(map).sort(byCodePoint)) {
    writer
      .uint32((number << 3) | wireType.bytes)
      .fork()
      .uint32(10)
      .string(name);
    encodeValue(writer, 2, type, map[name]);
    writer.ldelim();
  }
}

/** UTF-16 sorts characters beyond the basic plane before some of it, UTF-8 does not. */
function byCodePoint(left: string, right: string): number {
  if (left < right) return /[\ud800-\uffff]/.test(left + right) ? Buffer.compare(Buffer.from(left), Buffer.from(right)) : -1;
  return left === right ? 0 : /[\ud800-\uffff]/.test(left + right) ? Buffer.compare(Buffer.from(left), Buffer.from(right)) : 1;
}

function encodeValue(writer: Writer, number: number, type: ValueType, value: Json | undefined): void {
  if (typeof type === 'string') {
    encodeScalar(writer, number, type, value);
    return;
  }
  writer.uint32((number << 3) | wireType.bytes).fork();
  encodeMessage(writer, type, value);
  writer.ldelim();
}

function encodeScalar(writer: Writer, number: number, type: ScalarType, value: Json | undefined): void {
  switch (type) {
    case 'string':
      writer.uint32((number << 3) | wireType.bytes).string(typeof value === 'string' ? value : '');
      return;
    case 'bytes':
      if (typeof value === 'string') writer.uint32((number << 3) | wireType.bytes).bytes(Buffer.from(value, 'base64'));
      return;
    case 'bool':
      writer.uint32((number << 3) | wireType.varint).bool(value === true);
      return;
    case 'double':
      writer.uint32((number << 3) | wireType.fixed64).double(Number(value ?? 0));
      return;
    case 'int64':
      writer.uint32((number << 3) | wireType.varint).int64(integerOf(value));
      return;
    default:
      writer.uint32((number << 3) | wireType.varint).int32(Number(value ?? 0));
  }
}

type Integer = Parameters<Writer['int64']>[0];

function integerOf(value: unknown): Integer {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  if (typeof value !== 'bigint') return 0;
  return { low: Number(BigInt.asIntN(32, value)), high: Number(BigInt.asIntN(32, value >> 32n)), unsigned: false } as unknown as Integer;
}
