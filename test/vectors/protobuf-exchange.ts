import { decodeObject, encodeObject, readEnvelope } from '../../src/apiserver/http/protobuf/envelope.js';
import { stringifyExactJson } from '../../src/util/exact-json.js';
import type { Json } from '../../src/util/json.js';

export const protobufType = 'application/vnd.kubernetes.protobuf';

/** Returns a body, given as JSON, as it is sent: as protobuf if that is its type, and as it is if no protobuf says the same. */
export function encodedBody(body: string, contentType: string): string | Buffer {
  if (contentType !== protobufType) return body;
  try {
    return encodeObject(JSON.parse(body) as Json);
  } catch {
    return body;
  }
}

/** Decodes a response. One that the embedded server would encode differently is marked: what is decoded does not show it. */
export function decodedResponse(bytes: Buffer): Json {
  const object = decodeObject(readEnvelope(bytes));
  if (object === undefined) return { 'no object': bytes.toString('hex') };
  const read = JSON.parse(stringifyExactJson(object)) as Json;
  return encodeObject(object).equals(bytes) ? read : { 'encoded differently': bytes.toString('hex'), object: read };
}
