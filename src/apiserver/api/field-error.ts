import { quote } from '../../fields/index.js';
import { stringifyExactJson } from '../../util/exact-json.js';
import { goDouble } from '../../util/go-double.js';
import type { Json, JsonObject } from '../../util/json.js';

/** An invalid field of an object. Source: Kubernetes API reference, StatusCause; API conventions, "Validation". */
export interface FieldError {
  readonly type: keyof typeof types;
  /** Path of the field, such as `spec.ports[0].port`. */
  readonly field: string;
  /** The offending value as the message shows it, already quoted; see `shown`. */
  readonly value?: string;
  readonly detail?: string;
}

const types = {
  required: ['Required value', 'FieldValueRequired', false],
  invalid: ['Invalid value', 'FieldValueInvalid', true],
  type: ['Invalid value', 'FieldValueTypeInvalid', true],
  unsupported: ['Unsupported value', 'FieldValueNotSupported', true],
  notFound: ['Not found', 'FieldValueNotFound', true],
  duplicate: ['Duplicate value', 'FieldValueDuplicate', true],
  forbidden: ['Forbidden', 'FieldValueForbidden', false],
  tooLong: ['Too long', 'FieldValueTooLong', false],
  internal: ['Internal error', 'InternalError', false],
  tooMany: ['Too many', 'FieldValueTooMany', true],
} as const;

export function fieldErrorText(error: FieldError): string {
  return `${error.field}: ${body(error)}`;
}

export function fieldErrorCause(error: FieldError): JsonObject {
  return { reason: types[error.type][1], message: body(error), field: error.field };
}

function body({ type, value, detail }: FieldError): string {
  const [title, , withValue] = types[type];
  return [title, ...(withValue && value !== undefined ? [value] : []), ...(detail ? [detail] : [])].join(': ');
}

const escaped: Readonly<Record<string, string>> = { '<': '\\u003c', '>': '\\u003e', '&': '\\u0026' };

/** Formats a value for a message: strings quoted, numbers and booleans bare, anything else as JSON, as Go's encoding/json escapes it. */
export function shown(value: Json | undefined): string {
  const number = typeof value === 'number' || typeof value === 'bigint' ? Number(value) : undefined;
  if (number !== undefined && !(Number.isInteger(number) && Math.abs(number) < 2 ** 63)) return goDouble(number);
  return typeof value === 'string' ? quote(value) : stringifyExactJson(value).replace(/[<>&]/g, (each) => escaped[each] as string);
}

export const required = (field: string, detail = ''): FieldError => ({ type: 'required', field, detail });
export const invalidValue = (field: string, value: Json | undefined, detail: string): FieldError => ({
  type: 'invalid',
  field,
  value: shown(value),
  detail,
});
export const unsupported = (field: string, value: Json | undefined, supported: readonly string[]): FieldError => ({
  type: 'unsupported',
  field,
  value: shown(value),
  detail: `supported values: ${supported.map((each) => JSON.stringify(each)).join(', ')}`,
});
export const duplicate = (field: string, value: Json | undefined): FieldError => ({ type: 'duplicate', field, value: shown(value) });
export const forbiddenField = (field: string, detail: string): FieldError => ({ type: 'forbidden', field, detail });
export const tooMany = (field: string, count: number, most: number): FieldError => ({
  type: 'tooMany',
  field,
  value: String(count),
  detail: `must have at most ${most} items`,
});
