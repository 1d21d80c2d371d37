import { FieldwiseError } from '../util/error.js';
import { stringifyExactJson } from '../util/exact-json.js';
import { invalidArgument } from '../util/invalid-argument.js';
import { isJsonObject, type Json } from '../util/json.js';
import { ownCopy } from '../util/own-copy.js';
import type { ApiRequest } from './api/request.js';
import type { User } from './api/user.js';

/** A request to a server in this process. */
export interface InProcessRequest {
  /** HTTP method in upper case, such as `GET`. */
  readonly method: string;
  /** Path such as `/api/v1/namespaces`; a query may follow it. */
  readonly path: string;
  /**
   * Query parameters.
   *
   * @default those that follow the path
   */
  readonly query?: URLSearchParams | Readonly<Record<string, string | undefined>>;
  /**
   * Header values by name.
   *
   * @default none: the response is JSON, and so is the body of the request
   */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Body as text, as bytes, or as an object that is sent as JSON. */
  readonly body?: string | Uint8Array | object;
  /**
   * The user who sends it.
   *
   * @default the administrator
   */
  readonly user?: User;
}

const noHeaders: ApiRequest['headers'] = {};

/**
 * Fills in what a request omits. The result shares nothing with the request, which its sender may change at once.
 *
 * @throws FieldwiseError `option-invalid`.
 */
export function completeRequest(request: InProcessRequest): ApiRequest {
  checkRequest(request);
  const { method, body, user, query, headers = noHeaders } = request;
  const mark = request.path.indexOf('?');
  if (mark >= 0 && query !== undefined)
    throw invalidArgument('The member `path` of the request', request.path, 'a path without a query, or no `query`');
  const path = mark < 0 ? request.path : request.path.slice(0, mark);
  return {
    method,
    path,
    query: query === undefined ? new URLSearchParams(mark < 0 ? '' : request.path.slice(mark)) : parameters(query),
    headers: lowerCase(headers),
    ...(body === undefined ? {} : { body: contentOf(body) }),
    ...(user === undefined ? {} : { user: ownCopy(user as unknown as Json) as unknown as User }),
  };
}

/** @throws FieldwiseError `option-invalid` for an object that JSON cannot express. */
function contentOf(body: NonNullable<InProcessRequest['body']>): string | Uint8Array {
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return new Uint8Array(body);
  try {
    return stringifyExactJson(body as Json);
  } catch (error) {
    // A value that contains itself exhausts the stack.
    if (!(error instanceof RangeError)) throw error;
    throw invalidArgument('The member `body` of the request', body, 'an object that does not contain itself');
  }
}

function parameters(query: NonNullable<InProcessRequest['query']>): URLSearchParams {
  if (query instanceof URLSearchParams) return new URLSearchParams(query);
  return new URLSearchParams(Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

function lowerCase(headers: ApiRequest['headers']): ApiRequest['headers'] {
  const names = Object.keys(headers);
  return Object.fromEntries(names.map((name) => [name.toLowerCase(), headers[name]]));
}

const isTextMap = (value: unknown) =>
  isJsonObject(value) && Object.values(value).every((member) => member === undefined || typeof member === 'string');
const isUser = (value: unknown) => isJsonObject(value) && typeof value.name === 'string' && Array.isArray(value.groups);

/** The members of a request: a test of the value, and its words. */
const members: Readonly<Record<keyof InProcessRequest, readonly [isValid: (value: unknown) => boolean, expected: string]>> = {
  method: [(value) => typeof value === 'string' && /^[A-Z]+$/.test(value), 'an HTTP method in upper case, such as GET'],
  path: [(value) => typeof value === 'string' && value.startsWith('/'), 'a path that begins with /, such as /api/v1/namespaces'],
  query: [(value) => value instanceof URLSearchParams || isTextMap(value), 'URLSearchParams, or an object of texts'],
  headers: [isTextMap, 'an object of texts'],
  body: [(value) => typeof value === 'string' || (typeof value === 'object' && value !== null), 'a text, a Uint8Array or an object'],
  user: [isUser, 'an object with `name` and `groups`'],
};

const required: readonly (keyof InProcessRequest)[] = ['method', 'path'];

function checkRequest(request: InProcessRequest): void {
  if (!isJsonObject(request)) throw invalidArgument('The argument `request`', request, 'an object with `method` and `path`');
  for (const name of required) {
    if (request[name] === undefined) throw invalidArgument(`The member \`${name}\` of the request`, undefined, members[name][1]);
  }
  for (const name of Object.keys(request)) {
    const rule = Object.hasOwn(members, name) ? members[name as keyof InProcessRequest] : undefined;
    if (rule === undefined) {
      throw new FieldwiseError('option-invalid', 'usage', `A request has no member \`${name}\``, {
        next: `Leave it out, or correct its name; the members are ${Object.keys(members).join(', ')}.`,
      });
    }
    const value: unknown = request[name as keyof InProcessRequest];
    if (value !== undefined && !rule[0](value)) throw invalidArgument(`The member \`${name}\` of the request`, value, rule[1]);
  }
}
