import { matchesPattern } from '../../schema/index.js';
import { type FieldError, invalidValue, shown } from '../api/field-error.js';
import { hasFormat } from './formats.js';
import type { StructuralSchema } from './structural-schema.js';

/** Validates a string: the first limit that it breaks is reported, and its format. */
export function stringErrors(value: string, schema: StructuralSchema, path: string): FieldError[] {
  const limit = limitError(value, schema, path);
  const errors = limit === undefined ? [] : [limit];
  if (typeof schema.format === 'string' && !hasFormat(schema.format, value)) {
    const detail = `${path} in body must be of type ${schema.format}: ${shown(value)}`;
    errors.push({ type: 'type', field: path, value: shown(value), detail });
  }
  return errors;
}

function limitError(value: string, { maxLength, minLength, pattern }: StructuralSchema, path: string): FieldError | undefined {
  const length = [...value].length;
  if (typeof maxLength === 'number' && length > maxLength)
    return { type: 'tooLong', field: path, detail: `may not be more than ${maxLength} byte${maxLength === 1 ? '' : 's'}` };
  if (typeof minLength === 'number' && length < minLength)
    return invalidValue(path, value, `${path} in body should be at least ${minLength} chars long`);
  const isMatch = typeof pattern !== 'string' || matchesPattern(pattern, value) !== false;
  return isMatch ? undefined : invalidValue(path, value, `${path} in body should match '${pattern}'`);
}

/** Validates a number. */
export function numberErrors(value: number, schema: StructuralSchema, path: string): FieldError[] {
  const { minimum, maximum, multipleOf } = schema;
  const errors: FieldError[] = [];
  if (typeof maximum === 'number' && (schema.exclusiveMaximum === true ? value >= maximum : value > maximum)) {
    const relation = schema.exclusiveMaximum === true ? 'less than' : 'less than or equal to';
    errors.push(invalidValue(path, value, `${path} in body should be ${relation} ${maximum}`));
  }
  if (typeof minimum === 'number' && (schema.exclusiveMinimum === true ? value <= minimum : value < minimum)) {
    const relation = schema.exclusiveMinimum === true ? 'greater than' : 'greater than or equal to';
    errors.push(invalidValue(path, value, `${path} in body should be ${relation} ${minimum}`));
  }
  if (typeof multipleOf === 'number' && multipleOf > 0 && !Number.isInteger(value / multipleOf)) {
    errors.push(invalidValue(path, value, `${path} in body should be a multiple of ${multipleOf}`));
  }
  const limit = schema.format === 'int32' ? 2 ** 31 : 0;
  if (limit > 0 && (value >= limit || value < -limit)) {
    errors.push(invalidValue(path, value, `Checked value must be of type integer with format int32 in ${path}`));
  }
  return errors;
}
