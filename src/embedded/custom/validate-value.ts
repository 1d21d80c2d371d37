import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../../util/json.js';
import { type FieldError, invalidValue, required, shown, unsupported } from '../api/field-error.js';
import type { Correlation } from './correlation.js';
import { isKnownFormat } from './formats.js';
import { isInt64, numberErrors, stringErrors } from './scalar-rules.js';
import { additionalOf, itemsOf, propertiesOf, type StructuralSchema } from './structural-schema.js';

/**
 * Validates a value against its schema; messages are the server's. Builders check partial values against the type model with
 * `builders/check-value-validation.ts`, which leaves out what another owner may add, so the two share only patterns (`schema/pattern.ts`).
 * Source: Kubernetes documentation "CustomResourceDefinitions", "Validation"; OpenAPI v3 schema object; messages as observed.
 */
export function validateValue(value: Json, schema: StructuralSchema, path: string, correlation?: Correlation): readonly FieldError[] {
  const errors = currentErrors(value, schema, path, correlation);
  // A value that did not change may be one that its schema no longer allows.
  return errors.length > 0 && correlation?.isEqual === true ? [] : errors;
}

/** Returns the errors of a value; only those of its members and items are compared with the values before. */
function currentErrors(value: Json, schema: StructuralSchema, path: string, correlation: Correlation | undefined): readonly FieldError[] {
  if (value === null) {
    if (schema.nullable === true) return enumErrors(value, schema, path);
    const types = typesOf(schema);
    return types.length === 0 ? [] : [...wrongType(path, value, schema), ...enumErrors(value, schema, path)];
  }
  const misfits = typeErrors(value, schema, path);
  if (misfits.length > 0) {
    return [...misfits, ...numericErrors(value, schema, path), ...enumErrors(value, schema, path), ...junctorErrors(value, schema, path)];
  }
  return [
    ...numericErrors(value, schema, path),
    ...enumErrors(value, schema, path),
    ...(typeof value === 'string' ? stringErrors(value, schema, path) : []),
    ...(Array.isArray(value) ? listErrors(value as readonly Json[], schema, path, correlation) : []),
    ...(isJsonObject(value) ? objectErrors(value, schema, path, correlation) : []),
    ...junctorErrors(value, schema, path),
  ];
}

function numericErrors(value: Json, schema: StructuralSchema, path: string): readonly FieldError[] {
  return typeof value === 'number' || typeof value === 'bigint' ? numberErrors(value, schema, path) : [];
}

/** Returns errors for a value of the wrong type or format. */
function typeErrors(value: NonNullable<Json>, schema: StructuralSchema, path: string): readonly FieldError[] {
  const unformatted = formatError(value, schema, path);
  if (unformatted !== undefined) return [unformatted];
  const types = typesOf(schema);
  if (types.length === 0 || types.some((type) => isOfType(value, type)) || passesByFormat(value, schema)) return [];
  return wrongType(path, value, schema);
}

function typesOf(schema: StructuralSchema): readonly string[] {
  if (schema['x-kubernetes-int-or-string'] === true) return ['integer', 'string'];
  return typeof schema.type === 'string' && schema.type !== '' ? [schema.type] : [];
}

function isOfType(value: Json, type: string): boolean {
  switch (type) {
    case 'string':
      return typeof value === 'string';
    case 'boolean':
      return typeof value === 'boolean';
    case 'integer':
      return isInt64(value);
    case 'number':
      return typeof value === 'number' || typeof value === 'bigint';
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isJsonObject(value);
    default:
      return true;
  }
}

function nameOfType(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number' || typeof value === 'bigint') return isInt64(value) ? 'integer' : 'number';
  return typeof value;
}

function wrongType(path: string, value: Json, schema: StructuralSchema): FieldError[] {
  const types = typesOf(schema);
  const isFraction = (typeof value === 'number' || typeof value === 'bigint') && types.length === 1 && types[0] === 'integer';
  return isFraction && hasKnownFormat(schema)
    ? [typeError(path, nameOfFormat(value), String(schema.format))]
    : [typeError(path, nameOfType(value), types.join(','))];
}

function typeError(path: string, found: string, wanted: string): FieldError {
  return { type: 'type', field: path, value: JSON.stringify(found), detail: `${path} in body must be of type ${wanted}: "${found}"` };
}

/** Returns an error that names the format instead of the type, for a value that is not a string or list. Source: observed. */
function formatError(value: Json, schema: StructuralSchema, path: string): FieldError | undefined {
  const { type, format } = schema;
  if (!hasKnownFormat(schema) || typeof value === 'string' || Array.isArray(value)) return undefined;
  const isNumeric = type === 'integer' || type === 'number';
  if (type !== 'string' && !(isNumeric && (typeof value === 'boolean' || isJsonObject(value)))) return undefined;
  return typeError(path, nameOfFormat(value), String(format));
}

function hasKnownFormat({ type, format }: StructuralSchema): boolean {
  return typeof format === 'string' && isKnownFormat(format, String(type ?? ''));
}

/** Returns true for strings and lists, which any format accepts unless the type is numeric. Source: observed. */
function passesByFormat(value: Json, schema: StructuralSchema): boolean {
  const { type } = schema;
  return hasKnownFormat(schema) && type !== 'integer' && type !== 'number' && (typeof value === 'string' || Array.isArray(value));
}

function nameOfFormat(value: Json): string {
  if (typeof value !== 'number' && typeof value !== 'bigint') return '';
  return isInt64(value) ? 'int64' : 'float64';
}

function enumErrors(value: Json, schema: StructuralSchema, path: string): FieldError[] {
  const { enum: values } = schema;
  if (!Array.isArray(values) || (values as Json[]).some((each) => isChoice(value, each))) return [];
  return [
    unsupported(
      path,
      value,
      (values as Json[]).map((each) => (typeof each === 'string' ? each : shown(each))),
    ),
  ];
}

/** A number counts as an integer of the list without its fraction. Source: observed. */
function isChoice(value: Json, choice: Json): boolean {
  return jsonEqual(choice, typeof value === 'number' && Number.isInteger(choice) ? Math.trunc(value) : value);
}

function listErrors(items: readonly Json[], schema: StructuralSchema, path: string, correlation: Correlation | undefined): FieldError[] {
  const errors: FieldError[] = [];
  const element = itemsOf(schema);
  if (element !== undefined) {
    for (const [index, item] of items.entries())
      errors.push(...validateValue(item, element, `${path}[${index}]`, correlation?.index(index)));
  }
  if (typeof schema.maxItems === 'number' && items.length > schema.maxItems) {
    errors.push(tooMany(path, items.length, schema.maxItems));
  }
  if (typeof schema.minItems === 'number' && items.length < schema.minItems) {
    errors.push(invalidValue(path, items.length, `${path} in body should have at least ${schema.minItems} items`));
  }
  if (schema.uniqueItems === true && items.some((item, index) => items.findIndex((other) => jsonEqual(item, other)) !== index)) {
    errors.push(invalidValue(path, items, `${path} in body shouldn't contain duplicates`));
  }
  return errors;
}

function tooMany(field: string, count: number, most: number): FieldError {
  return { type: 'tooMany', field, value: String(count), detail: `must have at most ${most} item${most === 1 ? '' : 's'}` };
}

function objectErrors(value: JsonObject, schema: StructuralSchema, path: string, correlation: Correlation | undefined): FieldError[] {
  const errors: FieldError[] = [];
  const properties = propertiesOf(schema);
  const at = (name: string) => (path === '' ? name : `${path}.${name}`);
  const count = Object.keys(value).length;
  for (const name of Array.isArray(schema.required) ? (schema.required as string[]) : []) {
    if (value[name] === undefined) errors.push(required(at(name)));
  }
  for (const [name, member] of Object.entries(value) as [string, Json][]) {
    if (path === '' && (name === 'apiVersion' || name === 'kind' || name === 'metadata')) continue;
    if (Object.hasOwn(properties, name))
      errors.push(...validateValue(member, properties[name] as StructuralSchema, at(name), correlation?.key(name)));
    else {
      const additional = additionalOf(schema);
      if (additional !== undefined && additional !== true)
        errors.push(...validateValue(member, additional, at(name), correlation?.key(name)));
    }
  }
  if (typeof schema.maxProperties === 'number' && count > schema.maxProperties) {
    errors.push(tooMany(path, count, schema.maxProperties));
  }
  if (typeof schema.minProperties === 'number' && count < schema.minProperties) {
    errors.push(invalidValue(path, count, `${path} in body should have at least ${schema.minProperties} properties`));
  }
  return errors;
}

function junctorErrors(value: Json, schema: StructuralSchema, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const isValid = (choice: Json) => isJsonObject(choice) && validateValue(value, choice, path).length === 0;
  const { allOf, anyOf, oneOf, not } = schema;
  // The `anyOf` of int-or-string only repeats its two types.
  if (Array.isArray(anyOf) && schema['x-kubernetes-int-or-string'] !== true && !(anyOf as Json[]).some(isValid)) {
    errors.push(invalidValue(path, value, `${path} in body must validate at least one schema (anyOf)`));
  }
  if (Array.isArray(oneOf) && (oneOf as Json[]).filter(isValid).length !== 1) {
    const [first] = oneOf as Json[];
    const none = !(oneOf as Json[]).some(isValid);
    const found = none ? 'Found none valid' : 'Found 2 valid alternatives';
    // The server names no field here, and adds the errors of the nearest alternative.
    const nearest = none && isJsonObject(first) ? validateValue(value, first, path) : [];
    const detail = `${JSON.stringify(path)} must validate one and only one schema (oneOf). ${found}`;
    errors.push(invalidValue('<nil>', '', detail), ...nearest);
  }
  if (Array.isArray(allOf)) {
    const broken = (allOf as Json[]).flatMap((choice) => (isJsonObject(choice) ? validateValue(value, choice, path) : []));
    if (broken.length > 0) errors.push(...broken, invalidValue(path, value, `${path} in body must validate all the schemas (allOf)`));
  }
  if (isJsonObject(not) && isValid(not)) errors.push(invalidValue(path, value, `${path} in body must not validate the schema (not)`));
  return errors;
}
