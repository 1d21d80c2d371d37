import { ApiError } from '../../kubernetes/index.js';
import { FieldwiseError } from '../../util/error.js';

/** An error in the terms of a condition. */
export interface ConditionReason {
  /** CamelCase: the code of a FieldwiseError, or the reason of a rejection by the server. */
  readonly reason: string;
  /** A text for people, without values of fields. */
  readonly message: string;
  /** True if a retry may succeed without an action by anybody. */
  readonly transient: boolean;
}

const transientCodes = ['apply-contended', 'finalizer-contended', 'object-deleted', 'cluster-unreachable', 'interrupted', 'response-lost'];
const maxMessageLength = 1024; // characters; a condition's message may have 32,768

/**
 * Returns the part of an error that may be written to a status, which everybody can read. Rejections of a server quote invalid values, and
 * errors of other libraries may contain anything, such as a URL with a password. Only their field paths and names are returned; log the
 * error for the rest.
 */
export function conditionReasonOf(error: unknown): ConditionReason {
  if (error instanceof ApiError) return reasonOfRejection(error);
  if (!(error instanceof FieldwiseError)) {
    const name = error instanceof Error ? error.name : 'an error';
    return { reason: 'ReconcileFailed', message: `Ended with ${name}; see the log of the controller.`, transient: false };
  }
  const { code, message, location } = error;
  const where = [location.object, location.field].filter((part) => part !== undefined).join(' ');
  // An error about a Secret may quote a value, even as a wrong type.
  const detail = /\bSecret\b/.test(where) || error.cause !== undefined ? 'See the log of the controller.' : message;
  return { reason: camelCase(code), message: cut(where ? `${where}: ${detail}` : detail), transient: transientCodes.includes(code) };
}

function reasonOfRejection({ code, reason, causes, method, path, message }: ApiError): ConditionReason {
  const transient = code === 409 || code === 429 || code >= 500;
  const request = `${method} ${path}`;
  const mayQuoteValues = code === 422 || code === 400 || path.includes('/secrets');
  const fields = causes.map((cause) => `${cause.field} (${cause.reason})`).join(', ');
  const detail = mayQuoteValues ? `rejected with ${code}${fields ? `: ${fields}` : ''}` : message;
  return { reason: reason === '' ? `Status${code}` : reason, message: cut(`${request}: ${detail}`), transient };
}

function camelCase(code: string): string {
  return code.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function cut(text: string): string {
  return text.length > maxMessageLength ? `${text.slice(0, maxMessageLength - 1)}…` : text;
}
