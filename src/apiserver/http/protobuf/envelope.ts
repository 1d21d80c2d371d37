import protobuf from 'protobufjs/minimal.js';
import { isJsonObject, type Json, type JsonObject } from '../../../util/json.js';
import { decodeMessage } from './decode-message.js';
import { encodeMessage } from './encode-message.js';
import { messageOfKind } from './message.js';
import { endOfValue, WireError, wireError } from './wire.js';

/** The first bytes of every object. Source: Kubernetes documentation "Kubernetes API Concepts", "Kubernetes Protobuf encoding". */
const magic = Buffer.from('k8s\0');

/** A `runtime.Unknown`: an object as bytes, with its kind. */
export interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  readonly raw: Uint8Array;
}

/** Encodes an object in an envelope. @throws Error for a kind that has no protobuf */
export function encodeObject(object: Json): Buffer {
  const writer = protobuf.Writer.create();
  writeObject(writer, object);
  return Buffer.concat([magic, writer.finish()]);
}

function writeObject(writer: protobuf.Writer, object: Json): void {
  const { apiVersion = '', kind = '' } = (isJsonObject(object) ? object : {}) as { apiVersion?: string; kind?: string };
  const message = messageOfKind(apiVersion, kind);
  if (message === undefined) throw new Error(`object ${kind} of ${apiVersion} has no protobuf message`);
  writer.uint32(10).fork().uint32(10).string(apiVersion).uint32(18).string(kind).ldelim();
  writer.uint32(18).fork();
  encodeMessage(writer, message, object);
  writer.ldelim().uint32(26).string('').uint32(34).string('');
}

/** Encodes an event of a watch: its length in four bytes, then a WatchEvent with an object in its envelope. */
export function encodeEvent(event: JsonObject): Buffer {
  const object = encodeObject(event.object ?? null);
  const writer = protobuf.Writer.create();
  writer.uint32(10).string(String(event.type)).uint32(18).fork().uint32(10).bytes(object).ldelim();
  const message = writer.finish();
  const length = Buffer.alloc(4);
  length.writeUInt32BE(message.length);
  return Buffer.concat([length, message]);
}

/** Reads an envelope. @throws WireError */
export function readEnvelope(body: Buffer): Envelope {
  if (body.length === 0) throw new WireError('empty data');
  if (!body.subarray(0, magic.length).equals(magic))
    throw new WireError(`provided data does not appear to be a protobuf message, expected prefix [${magic.join(' ')}]`);
  if (body.length === magic.length) throw new WireError('empty body');
  return checked(() => {
    const reader = protobuf.Reader.create(body.subarray(magic.length));
    const envelope = { apiVersion: '', kind: '', raw: Buffer.alloc(0) as Uint8Array };
    while (reader.pos < reader.len) {
      const tag = reader.uint32();
      if (tag === 10) readTypeMeta(reader, endOfValue(reader), envelope);
      else if (tag === 18) envelope.raw = reader.bytes();
      else reader.skipType(tag & 7);
    }
    return envelope;
  });
}

function readTypeMeta(reader: protobuf.Reader, end: number, envelope: { apiVersion: string; kind: string }): void {
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag === 10) envelope.apiVersion = reader.string();
    else if (tag === 18) envelope.kind = reader.string();
    else reader.skipType(tag & 7);
  }
}

/**
 * Decodes the object of an envelope as its kind.
 *
 * @returns undefined for a kind that has no protobuf
 * @throws WireError
 */
export function decodeObject({ apiVersion, kind, raw }: Envelope): JsonObject | undefined {
  const message = messageOfKind(apiVersion, kind);
  if (message === undefined) return undefined;
  const reader = protobuf.Reader.create(raw);
  const object = checked(() => decodeMessage(reader, message, reader.len)) as JsonObject;
  return { apiVersion, kind, ...object };
}

function checked<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw wireError(error) ?? error;
  }
}
