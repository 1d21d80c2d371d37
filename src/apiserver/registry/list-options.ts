import { type FieldError, forbiddenField, unsupported } from '../api/field-error.js';
import { readJson } from '../api/json-text.js';
import { badRequest, internalError, invalid, StatusError } from '../api/status-error.js';
import type { Backend } from './backend.js';
import { isTrue, wholeNumber } from './write-options.js';

/** The part of a collection that a list asks for. */
export interface ListOptions {
  /** The largest number of objects; 0 for all. */
  readonly limit: number;
  /** The revision whose objects are listed; undefined for the newest. */
  readonly revision: number | undefined;
  /** The position after which the list continues: `NAMESPACE/NAME`. */
  readonly after: string | undefined;
}

/**
 * Reads the query parameters of a list. Source: Kubernetes documentation "Kubernetes API Concepts", "Retrieving large results sets in
 * chunks", "Resource versions".
 *
 * @throws StatusError 400 and 422 for invalid parameters, 410 for a revision that is no longer known, 504 for one of the future.
 */
export function listOptions({ store }: Backend, query: URLSearchParams): ListOptions {
  const match = query.get('resourceVersionMatch') ?? '';
  const text = query.get('resourceVersion') ?? '';
  const token = query.get('continue') ?? '';
  const errors: FieldError[] = [];
  const refuse = (detail: string) => errors.push(forbiddenField('resourceVersionMatch', detail));
  if (match !== '') {
    if (text === '') refuse('resourceVersionMatch is forbidden unless resourceVersion is provided');
    if (token !== '') refuse('resourceVersionMatch is forbidden when continue is provided');
    if (match !== 'Exact' && match !== 'NotOlderThan') {
      errors.push(unsupported('resourceVersionMatch', match, ['Exact', 'NotOlderThan', '']));
    }
    if (match === 'Exact' && text === '0') refuse('resourceVersionMatch "exact" is forbidden for resourceVersion "0"');
  }
  if (query.has('sendInitialEvents')) errors.push(forbiddenField('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  if (errors.length > 0) throw invalid('ListOptions', 'meta.k8s.io', '', errors);
  const limit = Math.max(0, wholeNumber(query, 'limit') ?? 0);
  wholeNumber(query, 'timeoutSeconds');
  const revision = revisionOf(text, (error) => badRequest(`invalid resource version: ${error}`));
  if (token !== '') return { limit, ...continued(store.oldestListed, token, revision) };
  if (revision > store.revision) throw tooLarge(revision, store.revision);
  const isExact = match === 'Exact' || (match === '' && limit > 0 && revision > 0);
  if (isExact && revision < store.oldestListed) throw expired('The resourceVersion for the provided list is too old.');
  // The newest objects serve a list of the cache, which the server gives whole.
  return { limit: text === '0' ? 0 : limit, revision: isExact ? revision : undefined, after: undefined };
}

/** Checks the query parameters of a watch. @throws StatusError 400, 422, 500 */
export function checkWatchOptions(query: URLSearchParams): void {
  const match = query.get('resourceVersionMatch') ?? '';
  const hasInitial = query.has('sendInitialEvents');
  const errors: FieldError[] = [];
  const refuse = (detail: string) => errors.push(forbiddenField('resourceVersionMatch', detail));
  if (hasInitial && match !== 'NotOlderThan') refuse('sendInitialEvents requires setting resourceVersionMatch to NotOlderThan');
  if (!hasInitial && match !== '') {
    refuse('resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided');
    if (match !== 'NotOlderThan') errors.push(unsupported('resourceVersionMatch', match, ['NotOlderThan']));
  }
  if (query.get('continue')) refuse('resourceVersionMatch is forbidden when continue is provided');
  if (errors.length > 0) throw invalid('ListOptions', 'meta.k8s.io', '', errors);
  revisionOf(query.get('resourceVersion') ?? '', internalError);
}

/** Returns the resourceVersion after which a watch begins; 0 for any. @throws StatusError 500 */
export function watchedVersion(query: URLSearchParams): number {
  return revisionOf(query.get('resourceVersion') ?? '', internalError);
}

/** Returns true for a list request that watches. */
export function isWatch(query: URLSearchParams): boolean {
  return isTrue(query.get('watch'));
}

/** Checks the resourceVersion that a GET asks for at least. @throws StatusError 500, 504 */
export function checkReadVersion({ store }: Backend, query: URLSearchParams): void {
  const revision = revisionOf(query.get('resourceVersion') ?? '', internalError);
  if (revision > store.revision) throw tooLarge(revision, store.revision);
}

function revisionOf(text: string, error: (message: string) => StatusError): number {
  if (text === '') return 0;
  const isNumber = /^\d+$/.test(text);
  if (isNumber && (text.length < 20 || (text.length < 100 && BigInt(text) < 2n ** 64n))) return Number(text);
  const quoted = JSON.stringify(text);
  const reason = isNumber ? 'value out of range' : 'invalid syntax';
  throw error(`resourceVersion: Invalid value: ${quoted}: strconv.ParseUint: parsing ${quoted}: ${reason}`);
}

function continued(oldest: number, token: string, revision: number): Omit<ListOptions, 'limit'> {
  const page = readToken(token);
  if (revision > 0) throw badRequest('specifying resource version is not allowed when using continue');
  const after = page.start.replace(/^\/|\0$/g, '');
  if (page.rv < 0) return { revision: undefined, after };
  if (page.rv >= oldest) return { revision: page.rv, after };
  throw expired(
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
    encodeToken({ ...page, rv: -1 }),
  );
}

interface Token {
  readonly v: 'meta.k8s.io/v1';
  /** The revision of the first page; -1 for the newest. */
  readonly rv: number;
  readonly start: string;
}

/** Returns the token with which a list continues after an object. */
export function continueAfter(revision: number, position: string): string {
  return encodeToken({ v: 'meta.k8s.io/v1', rv: revision, start: `/${position}\0` });
}

function encodeToken({ v, rv, start }: Token): string {
  return Buffer.from(JSON.stringify({ v, rv, start })).toString('base64url');
}

function readToken(text: string): Token {
  const refuse = (reason: string) => badRequest(`invalid continue token: continue key is not valid: ${reason}`);
  const wrongByte = text.search(/[^\w-]/);
  if (wrongByte >= 0) throw refuse(`illegal base64 data at input byte ${Buffer.byteLength(text.slice(0, wrongByte))}`);
  let token: Partial<Token> | null;
  try {
    token = readJson(Buffer.from(text, 'base64url').toString('utf8')) as Partial<Token> | null;
  } catch (error) {
    throw refuse((error as Error).message);
  }
  if (token?.v !== 'meta.k8s.io/v1') throw refuse(`server does not recognize this encoded version ${String(token?.v ?? '')}`);
  const { rv = 0, start = '' } = token;
  if (!Number.isInteger(rv) || typeof start !== 'string') throw refuse('it has members of another type');
  return { v: token.v, rv, start };
}

/** The error for a revision of the future. */
export function tooLarge(revision: number, current: number): StatusError {
  return new StatusError(504, 'Timeout', `Timeout: Too large resource version: ${revision}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });
}

function expired(message: string, token?: string): StatusError {
  return new StatusError(410, 'Expired', message, undefined, token === undefined ? {} : { metadata: { continue: token } });
}
