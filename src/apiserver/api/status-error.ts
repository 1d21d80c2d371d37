import type { Json, JsonObject } from '../../util/json.js';
import { type FieldError, fieldErrorCause, fieldErrorText } from './field-error.js';

/** Parts of a Status that few errors have. */
interface StatusParts {
  readonly metadata?: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
  /** @default `Failure` */
  readonly status?: string | undefined;
}

/** A response of kind Status that refuses a request. Source: Kubernetes API reference, Status; API conventions, "Response Status Kind". */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  readonly status: JsonObject;
  readonly code: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: number,
    reason: string | undefined,
    message: string,
    details?: JsonObject,
    { metadata = {}, headers = {}, status = 'Failure' }: StatusParts = {},
  ) {
    super(message);
    this.code = code;
    const seconds = details?.retryAfterSeconds;
    this.headers = typeof seconds === 'number' && seconds > 0 ? { 'retry-after': String(seconds), ...headers } : headers;
    this.status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata,
      status,
      message,
      ...(reason === undefined ? {} : { reason }),
      ...(details === undefined ? {} : { details }),
      code,
    };
  }
}

/** Returns the name of a resource or kind as error messages use it: `deployments.apps`, `Deployment.apps`, `pods`. */
export function qualified(name: string, group: string): string {
  return group === '' ? name : `${name}.${group}`;
}

interface Named {
  readonly group: string;
  readonly plural: string;
}

function details({ group, plural }: Named, name: string, extra: JsonObject = {}): JsonObject {
  return { ...(name === '' ? {} : { name }), ...(group === '' ? {} : { group }), kind: plural, ...extra };
}

export function notFound(resource: Named, name: string): StatusError {
  const text = `${qualified(resource.plural, resource.group)} "${name}" not found`;
  return new StatusError(404, 'NotFound', text, details(resource, name));
}

export function alreadyExists(resource: Named, name: string): StatusError {
  return new StatusError(
    409,
    'AlreadyExists',
    `${qualified(resource.plural, resource.group)} "${name}" already exists`,
    details(resource, name),
  );
}

export function conflictOn(resource: Named, name: string, reason: string): StatusError {
  const text = `Operation cannot be fulfilled on ${qualified(resource.plural, resource.group)} "${name}": ${reason}`;
  return new StatusError(409, 'Conflict', text, details(resource, name));
}

/** @param name undefined for a request that names no object. */
export function forbidden(resource: Named, name: string | undefined, reason: string, causes: readonly JsonObject[] = []): StatusError {
  const named = name === undefined ? '' : ` "${name}"`;
  const text = `${qualified(resource.plural, resource.group)}${named} is forbidden: ${reason}`;
  return new StatusError(403, 'Forbidden', text, details(resource, name ?? '', causes.length === 0 ? {} : { causes }));
}

export function badRequest(message: string): StatusError {
  return new StatusError(400, 'BadRequest', message);
}

export function internalError(message: string): StatusError {
  return new StatusError(500, undefined, message);
}

/** Returns the error of a server that cannot go on. */
export function unexpectedError(text: string): StatusError {
  return new StatusError(500, 'InternalError', `Internal error occurred: ${text}`, { causes: [{ message: text }] });
}

/** Returns the error for an unknown path or resource. */
export function noSuchPath(): StatusError {
  return new StatusError(404, 'NotFound', 'the server could not find the requested resource', {});
}

export function methodNotAllowed(): StatusError {
  return new StatusError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});
}

export function unsupportedMediaType(accepted: readonly string[]): StatusError {
  const text = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`;
  return new StatusError(415, 'UnsupportedMediaType', text);
}

/** A body of 3 MiB may have a hundred thousand errors, each with a long text. A kube-apiserver has no limits. */
const maxFieldErrors = 1000;
const maxFieldErrorCharacters = 8 * 1024 * 1024;

/** Returns the error for an invalid object, with the field errors in one Status. */
export function invalid(kind: string, group: string, name: string, all: readonly FieldError[]): StatusError {
  let length = 0;
  const errors = all.slice(0, maxFieldErrors).filter(({ value = '' }, index) => {
    length += value.length;
    return index === 0 || length <= maxFieldErrorCharacters;
  });
  const texts = [...new Set(errors.map(fieldErrorText))];
  const list = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
  const causes = errors.map(fieldErrorCause) as unknown as Json;
  return new StatusError(422, 'Invalid', `${qualified(kind, group)} ${JSON.stringify(name)} is invalid: ${list}`, {
    ...(name === '' ? {} : { name }),
    ...(group === '' ? {} : { group }),
    ...(kind === '' ? {} : { kind }),
    causes,
  });
}
