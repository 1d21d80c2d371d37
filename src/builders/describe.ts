import type { ScalarType, Type } from '../schema/model.js';
import { intOrStringFormat } from '../schema/read/int-or-string.js';
import { quantityFormat } from '../schema/read/read-scalar.js';
import type { Json } from '../util/json.js';

/** Describes the values of a type, for messages. */
export function describeType({ scalar, list, map }: Type): string {
  if (scalar) return describeScalar(scalar);
  if (list) return map ? 'a list or an object' : 'a list';
  return map ? 'an object' : 'null';
}

export function describeScalar(type: ScalarType): string {
  switch (type.kind) {
    case 'numeric':
      return type.integer ? 'an integer' : 'a number';
    case 'string':
      return 'a string';
    case 'boolean':
      return 'a boolean';
    default:
      if (type.format === intOrStringFormat) return 'an integer or a string';
      if (type.format === quantityFormat) return 'a quantity (a number or a string)';
      return type.format === undefined ? 'a value' : `a string (${type.format})`;
  }
}

/** Returns a scalar as a message shows it. */
export function describeValue(value: unknown): string {
  const isNumber = typeof value === 'number' || typeof value === 'bigint';
  const digits = (_: string, member: unknown) => (typeof member === 'bigint' ? String(member) : member);
  const text = isNumber ? String(value) : (JSON.stringify(value, digits) ?? String(value));
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/** The number of values of an enum that a message shows. */
const shownChoices = 12;

/** Describes a value that an enum does not list. */
export function notOneOf(value: unknown, choices: readonly Json[]): string {
  const shown = choices.slice(0, shownChoices).map((choice) => describeValue(choice));
  const rest = choices.length > shownChoices ? `, … (${choices.length} values)` : '';
  return `${describeValue(value)} is not one of ${shown.join(', ')}${rest}`;
}

/** Describes a value that JSON cannot represent. */
export function describeForeign(value: unknown): string {
  if (value instanceof Date) return 'a Date (write date.toISOString())';
  if (typeof value === 'object' && value !== null) return `an instance of ${value.constructor?.name ?? 'a class'}`;
  return typeof value === 'bigint' ? `the bigint ${value}` : `a ${typeof value}`;
}
