import type { JsonObject } from '../../../util/json.js';
import { badRequest, type StatusError } from '../../api/status-error.js';
import type { ExpectedKind } from '../check-kind.js';
import { decodeObject, type Envelope, readEnvelope } from './envelope.js';
import { WireError } from './wire.js';

/**
 * Reads an object; an object of a kind without protobuf has nothing but its kind.
 *
 * @throws StatusError 400, with the words of the server
 */
export function readObject(body: Buffer, expected: ExpectedKind): JsonObject {
  const envelope = recognized(body, expected);
  const { apiVersion, kind } = envelope;
  return refusing(
    () => decodeObject(envelope) ?? { apiVersion, kind },
    (text) => unhandled(envelope, expected, text),
  );
}

/** Returns the refusal of an object of a kind without protobuf. @throws StatusError 400 if the body cannot be read */
export function refusedObject(body: Buffer, expected: ExpectedKind): StatusError {
  return badRequest(unhandled(recognized(body, expected), expected, `Object 'Kind' is missing in 'object has no kind field '`));
}

function recognized(body: Buffer, expected: ExpectedKind): Envelope {
  return refusing(
    () => envelopeOf(body, expected),
    (text) => `the object provided is unrecognized (must be of type ${expected.kind}): ${text} (${excerpt(body)})`,
  );
}

function unhandled({ apiVersion, kind }: Envelope, expected: ExpectedKind, reason: string): string {
  const version = JSON.stringify(apiVersion.slice(apiVersion.indexOf('/') + 1));
  return `${kind} in version ${version} cannot be handled as a ${expected.kind}: ${reason}`;
}

/** Reads the options of a request. @throws StatusError 400 */
export function readOptions(body: Buffer, expected: ExpectedKind): JsonObject {
  return refusing(
    () => {
      const envelope = envelopeOf(body, expected);
      return decodeObject(envelope) ?? { apiVersion: envelope.apiVersion, kind: envelope.kind };
    },
    (text) => text,
  );
}

function envelopeOf(body: Buffer, expected: ExpectedKind): Envelope {
  const { apiVersion, kind, raw } = readEnvelope(body);
  return { apiVersion: apiVersion || expected.apiVersion, kind: kind || expected.kind, raw };
}

function refusing<T>(read: () => T, message: (text: string) => string): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof WireError) throw badRequest(message(error.message));
    throw error;
  }
}

const shownBytes = 30;

/** Returns the begin of a body: JSON as it is, other bytes as hexadecimal numbers. */
function excerpt(body: Buffer): string {
  if (body.length === 0) return '<empty>';
  const start = body.subarray(0, shownBytes);
  return start.toString(start[0] === '{'.charCodeAt(0) ? 'utf8' : 'hex') + (body.length > shownBytes ? ' ...' : '');
}
