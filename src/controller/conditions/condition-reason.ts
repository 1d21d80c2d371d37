import { ApiError } from '../../kubernetes/index.js';
import { FieldwiseError } from '../../util/error.js';

/** An error in the terms of a condition. */
export interface ConditionReason {
  /** CamelCase: the code of a FieldwiseError, or the reason of a refusal by the server. */
  readonly reason: string;
  /** For people; without values. */
  readonly message: string;
  /** True where a retry may succeed and nobody has to act. */
  readonly transient: boolean;
}

const transientCodes = ['apply-contended', 'finalizer-contended', 'object-deleted', 'cluster-unreachable', 'interrupted', 'response-lost'];
const longest = 1024; // characters; a condition's message may have 32,768

/**
 * Returns the part of an error that may be written to a status, which everybody can read. A server quotes the values that it finds invalid,
 * and errors of other libraries may contain anything, such as an address with a password: their fields and names are returned, the rest is
 * for the log.
 */
export function conditionReasonOf(error: unknown): ConditionReason {
  if (error instanceof ApiError) return refusal(error);
  if (!(error instanceof FieldwiseError)) {
    const name = error instanceof Error ? error.name : 'an error';
    return { reason: 'ReconcileFailed', message: `Ended with ${name}; see the log of the controller.`, transient: false };
  }
  const { code, message, location } = error;
  const where = [location.object, location.field].filter((part) => part !== undefined).join(' ');
  // Of what is declared for a Secret not even a wrong type is quoted.
  const detail = /\bSecret\b/.test(where) || error.cause !== undefined ? 'See the log of the controller.' : message;
  return { reason: camelCase(code), message: cut(where ? `${where}: ${detail}` : detail), transient: transientCodes.includes(code) };
}

function refusal({ code, reason, causes, method, path, message }: ApiError): ConditionReason {
  const transient = code === 409 || code === 429 || code >= 500;
  const request = `${method} ${path}`;
  const quiet = code === 422 || code === 400 || path.includes('/secrets');
  const fields = causes.map((cause) => `${cause.field} (${cause.reason})`).join(', ');
  const detail = quiet ? `refused with ${code}${fields ? `: ${fields}` : ''}` : message;
  return { reason: reason === '' ? `Status${code}` : reason, message: cut(`${request}: ${detail}`), transient };
}

function camelCase(code: string): string {
  return code.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function cut(text: string): string {
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}
