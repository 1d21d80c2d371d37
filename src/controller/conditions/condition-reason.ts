import { ApiError, type StatusCause } from '../../kubernetes/index.js';
import { conflictOwnerIn } from '../../ownership/index.js';
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
/** The codes of errors whose messages contain text of somebody else. */
const quotingCodes = ['response-unexpected', 'admission-denied'];
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
  // An error about a Secret may quote a value, even as a wrong type; one of an unexpected response quotes it.
  const mayQuote = /\bSecret\b/.test(where) || error.cause !== undefined || quotingCodes.includes(code);
  const detail = mayQuote ? 'See the log of the controller.' : message;
  return { reason: camelCase(code), message: cut(where ? `${where}: ${detail}` : detail), transient: transientCodes.includes(code) };
}

/**
 * Returns a rejection without the message of the server, whatever its code: that of a 500 quotes values, as does the denial of a webhook, and
 * a proxy answers with a page of its own.
 */
function reasonOfRejection({ code, reason, causes, conflicts, method, path }: ApiError): ConditionReason {
  const transient = code === 409 || code === 429 || code >= 500;
  const fields = conflicts.length > 0 ? conflicts.map(conflictText) : causes.map(causeText);
  const detail = `rejected with ${code}${fields.length > 0 ? `: ${fields.join(', ')}` : ''}`;
  return { reason: word(reason) === '' ? `Status${code}` : reason, message: cut(`${method} ${path}: ${detail}`), transient };
}

function causeText({ field, reason }: StatusCause): string {
  return word(reason) === '' ? field : `${field} (${reason})`;
}

function conflictText({ field, message }: StatusCause): string {
  const { manager } = conflictOwnerIn(message);
  return manager === message ? field : `${field} (owned by ${manager})`;
}

/** Returns a reason as the server gives it, in one word; empty for any other text, such as that of a proxy. */
function word(reason: string): string {
  return /^[A-Za-z]{1,64}$/.test(reason) ? reason : '';
}

function camelCase(code: string): string {
  return code.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function cut(text: string): string {
  return text.length > maxMessageLength ? `${text.slice(0, maxMessageLength - 1)}…` : text;
}
