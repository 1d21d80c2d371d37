import { FieldwiseError } from '../util/error.js';
import { stringifyExactJson } from '../util/exact-json.js';
import { hasBrand } from '../util/has-brand.js';
import { isJsonObject, type Json } from '../util/json.js';
import { isHtml, plainText } from './transport/unexpected-response.js';

/** One cause of a rejection. Source: Kubernetes API reference, StatusCause. */
export interface StatusCause {
  /** `FieldManagerConflict`, `FieldValueRequired`, … */
  readonly reason: string;
  readonly message: string;
  readonly field: string;
}

/** A registered symbol, so that two installed copies of Fieldwise share it. */
const apiErrorBrand: unique symbol = Symbol.for('fieldwise.api-error') as never;

/** A response of the API server that rejects a request. Source: Kubernetes API reference, Status. */
export class ApiError extends Error {
  /** Recognizes errors by their brand, so that an error of another copy of Fieldwise is an instance too. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return hasBrand(value, apiErrorBrand);
  }

  readonly [apiErrorBrand] = true;
  override readonly name = 'ApiError';
  readonly code: number;
  /** `Conflict`, `NotFound`, `Invalid`, `Forbidden`, …; empty if the server gives none. */
  readonly reason: string;
  readonly causes: readonly StatusCause[];
  readonly method: string;
  readonly path: string;
  /** True if the response to an earlier attempt of the same request was lost: the server may have carried it out then. */
  readonly responseLost: boolean;

  constructor(method: string, path: string, code: number, body: Json | string | undefined, responseLost = false) {
    const status = isJsonObject(body) && body.kind === 'Status' ? body : undefined;
    super(typeof status?.message === 'string' && status.message !== '' ? status.message : plainMessage(code, body));
    this.code = code;
    this.reason = typeof status?.reason === 'string' ? status.reason : '';
    this.causes = readCauses(status?.details);
    this.method = method;
    this.path = path;
    this.responseLost = responseLost;
  }

  /** The fields of an apply that other managers own with other values; empty if the rejection has another reason. */
  get conflicts(): readonly StatusCause[] {
    return this.code === 409 ? this.causes.filter((cause) => cause.reason === 'FieldManagerConflict') : [];
  }

  /** Set if the uid in the body is not that of the live object: the object is absent, or was replaced by another of the same name. */
  get uidMismatch(): 'absent' | 'replaced' | undefined {
    if (this.code === 409 && this.causes.length === 0 && this.message.includes('uid mismatch')) return 'absent';
    const immutableUid = (cause: StatusCause) => cause.field === 'metadata.uid';
    return this.code === 422 && this.causes.some(immutableUid) ? 'replaced' : undefined;
  }

  /** True if the object was written after the resourceVersion in the body. */
  get stale(): boolean {
    return this.code === 409 && this.conflicts.length === 0 && this.uidMismatch === undefined && this.reason === 'Conflict';
  }
}

/** Returns true for a response that the object, or its whole resource, does not exist. */
export function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.code === 404;
}

/** Returns true for a rejection for lack of rights. */
export function isForbidden(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === 403;
}

/** Returns true for an error that may be transient: the server, or the one behind an API group, is unavailable or failed. */
export function isUnavailable(error: unknown): error is Error {
  if (error instanceof ApiError) return error.code >= 500;
  return error instanceof FieldwiseError && ['cluster-unreachable', 'api-unavailable'].includes(error.code);
}

function plainMessage(code: number, body: Json | string | undefined): string {
  if (typeof body === 'string' && isHtml(body)) return `the server answered ${code} with ${plainText(body)}`;
  const text = typeof body === 'string' ? body.trim() : body === undefined ? '' : stringifyExactJson(body);
  return `the server answered ${code}${text ? `: ${text.slice(0, 500)}` : ''}`;
}

function readCauses(details: Json | undefined): StatusCause[] {
  if (!isJsonObject(details) || !Array.isArray(details.causes)) return [];
  const causes = (details.causes as readonly Json[]).filter(isJsonObject).map((cause) => ({
    reason: String(cause.reason ?? ''),
    message: String(cause.message ?? ''),
    field: String(cause.field ?? ''),
  }));
  const text = causes.map((cause) => JSON.stringify(cause));
  return causes.filter((_, index) => text.indexOf(text[index] as string) === index); // The server repeats some causes.
}
