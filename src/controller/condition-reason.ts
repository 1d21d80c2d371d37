import { ApiError } from '../kubernetes/index.js';
import { FieldwiseError } from '../util/error.js';

/** An error as a condition tells it. */
export interface ConditionReason {
  /** CamelCase: of a FieldwiseError its code, of a refusal by the server its reason. */
  readonly reason: string;
  readonly message: string;
  /** Passes by itself: trying again may help, and nobody has to do anything. */
  readonly transient: boolean;
}

const transientCodes = ['apply-contended', 'finalizer-contended', 'object-deleted', 'cluster-unreachable', 'interrupted', 'response-lost'];
const longest = 1024; // characters; a condition's message may have 32,768

/**
 * What of an error may stand in a status, where everybody reads it. A server quotes the values that it finds invalid, and errors of other
 * libraries may hold anything, such as an address with a password: of these only fields and names are told, the rest is for the log.
 */
export function conditionReasonOf(error: unknown): ConditionReason {
  if (error instanceof ApiError) return refusal(error);
  if (!(error instanceof FieldwiseError)) {
    const name = error instanceof Error ? error.name : 'an error';
    return { reason: 'ReconcileFailed', message: `Ended with ${name}; the log of the controller tells more.`, transient: false };
  }
  const { code, message, location } = error;
  const where = [location.object, location.field].filter((part) => part !== undefined).join(' ');
  // Of what is declared for a Secret not even a wrong type is quoted.
  const detail = /\bSecret\b/.test(where) || error.cause !== undefined ? 'The log of the controller tells more.' : message;
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
