import { isKnownFormat } from '../../schema/string-format.js';
import { isJsonObject, isNumber, type Json, type JsonObject, jsonEqual } from '../../util/json.js';
import { type FieldError, invalidValue, required, shown, unsupported } from '../api/field-error.js';
import { sorted } from '../patch/patched-text.js';
import type { Correlation } from './correlation.js';
import { isInt64, numberErrors, stringErrors } from './scalar-rules.js';
import { additionalOf, itemsOf, memberSchema, propertiesOf, type StructuralSchema } from './structural-schema.js';

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
    const isOfType = schema.nullable === true || typesOf(schema).length === 0;
    return [...(isOfType ? [] : wrongType(path, value, schema)), ...enumErrors(value, schema, path)];
  }
  // In the order of the real server, which also validates the rest of a value of the wrong type. Source: observed.
  return [
    ...typeErrors(value, schema, path),
    ...junctorErrors(value, schema, path),
    ...(typeof value === 'string' ? stringErrors(value, schema, path) : []),
    ...numericErrors(value, schema, path),
    ...(Array.isArray(value) ? listErrors(value as readonly Json[], schema, path, correlation) : []),
    ...enumErrors(value, schema, path),
    ...(isJsonObject(value) ? objectErrors(value, schema, path, correlation) : []),
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
  if (isIntOrString(schema)) return ['integer', 'string'];
  return typeof schema.type === 'string' && schema.type !== '' ? [schema.type] : [];
}

function isIntOrString(schema: StructuralSchema): boolean {
  return schema['x-kubernetes-int-or-string'] === true;
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
  if (isIntOrString(schema) && isInt64(value)) return undefined;
  const isNumeric = type === 'integer' || type === 'number';
  // Without a type, as in alternatives, a format is that of a string.
  const isText = type === 'string' || type === undefined;
  if (!isText && !(isNumeric && (typeof value === 'boolean' || isJsonObject(value)))) return undefined;
  return typeError(path, nameOfFormat(value), String(format));
}

function hasKnownFormat({ type, format }: StructuralSchema): boolean {
  return typeof format === 'string' && isKnownFormat(format, String(type ?? ''));
}

/** Returns true for strings and lists, which any format accepts unless the type is numeric. Source: observed. */
function passesByFormat(value: Json, schema: StructuralSchema): boolean {
  const { type } = schema;
  return (
    hasKnownFormat(schema) &&
    !isIntOrString(schema) &&
    type !== 'integer' &&
    type !== 'number' &&
    (typeof value === 'string' || Array.isArray(value))
  );
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
      sorted(value),
      (values as Json[]).map((each) => (typeof each === 'string' ? each : shown(each))),
    ),
  ];
}

/** A number counts as an integer of the list without its fraction, and nothing equals null. Source: observed. */
function isChoice(value: Json, choice: Json): boolean {
  return choice !== null && jsonEqual(choice, typeof value === 'number' && Number.isInteger(choice) ? Math.trunc(value) : value);
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
  if (typeof schema.maxProperties === 'number' && count > schema.maxProperties) {
    errors.push(tooMany(path, count, schema.maxProperties));
  }
  if (typeof schema.minProperties === 'number' && count < schema.minProperties) {
    errors.push(invalidValue(path, count, `${path} in body should have at least ${schema.minProperties} properties`));
  }
  for (const [name, member] of Object.entries(value) as [string, Json][]) {
    // The type of an object is validated although it is unchanged. Source: observed.
    const known = path === '' && (name === 'apiVersion' || name === 'kind') ? undefined : correlation?.key(name);
    if (Object.hasOwn(properties, name)) errors.push(...validateValue(member, properties[name] as StructuralSchema, at(name), known));
    else {
      const additional = additionalOf(schema);
      if (additional !== undefined && additional !== true) errors.push(...validateValue(member, additional, at(name), known));
    }
  }
  for (const name of Array.isArray(schema.required) ? (schema.required as string[]) : []) {
    if (value[name] === undefined) errors.push(required(at(name)));
  }
  return errors;
}

function junctorErrors(value: Json, schema: StructuralSchema, path: string): readonly FieldError[] {
  const { anyOf, oneOf, allOf, not } = schema;
  if (anyOf === undefined && oneOf === undefined && allOf === undefined && not === undefined) return [];
  const ofAlternatives = (list: Json | undefined) =>
    Array.isArray(list)
      ? (list as readonly Json[]).filter(isJsonObject).map((choice) => [choice, alternativeErrors(value, choice, path)] as const)
      : [];
  return [
    ...anyOfErrors(value, ofAlternatives(anyOf), path),
    ...oneOfErrors(value, ofAlternatives(oneOf), path),
    ...allOfErrors(ofAlternatives(allOf), path),
    ...(ofAlternatives(not === undefined ? [] : [not]).some(([, errors]) => errors.length === 0)
      ? [junctorError(path, 'must not validate the schema (not)')]
      : []),
  ];
}

/** The alternatives of a schema, with the errors of a value. */
type Alternatives = readonly (readonly [schema: StructuralSchema, errors: readonly FieldError[]])[];

/**
 * The alternatives that fit, by the values that they were last compared with. The count of checks asks for them once more at each level: without
 * this, each level of nesting would double the work.
 */
const fits = new WeakMap<StructuralSchema, { readonly value: Json; readonly isFit: boolean }>();

function alternativeErrors(value: Json, choice: StructuralSchema, path: string): readonly FieldError[] {
  const errors = validateValue(value, choice, path);
  fits.set(choice, { value, isFit: errors.length === 0 });
  return errors;
}

function isFit(value: Json, choice: StructuralSchema): boolean {
  const known = fits.get(choice);
  return known !== undefined && known.value === value ? known.isFit : alternativeErrors(value, choice, '').length === 0;
}

/** The server names the field only in the text. Source: observed. */
function junctorError(path: string, detail: string): FieldError {
  return { type: 'invalid', field: '<nil>', value: '""', detail: `${JSON.stringify(path)} ${detail}` };
}

function anyOfErrors(value: Json, alternatives: Alternatives, path: string): readonly FieldError[] {
  if (alternatives.length === 0 || alternatives.some(([, errors]) => errors.length === 0)) return [];
  return [junctorError(path, 'must validate at least one schema (anyOf)'), ...nearestErrors(value, alternatives)];
}

function oneOfErrors(value: Json, alternatives: Alternatives, path: string): readonly FieldError[] {
  const valid = alternatives.filter(([, errors]) => errors.length === 0).length;
  if (alternatives.length === 0 || valid === 1) return [];
  const found = valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`;
  const nearest = valid === 0 ? nearestErrors(value, alternatives) : [];
  return [junctorError(path, `must validate one and only one schema (oneOf). ${found}`), ...nearest];
}

function allOfErrors(alternatives: Alternatives, path: string): readonly FieldError[] {
  const broken = alternatives.filter(([, errors]) => errors.length > 0);
  if (broken.length === 0) return [];
  const detail = `must validate all the schemas (allOf)${broken.length === alternatives.length ? '. None validated' : ''}`;
  return [...broken.flatMap(([, errors]) => errors), junctorError(path, detail)];
}

/** Returns the errors of the alternative that checks most of a value, the first one of several. Source: observed. */
function nearestErrors(value: Json, alternatives: Alternatives): readonly FieldError[] {
  const checks = alternatives.map(([schema]) => checksOf(value, schema));
  return alternatives[checks.indexOf(Math.max(...checks))]?.[1] ?? [];
}

/** Counts what a schema checks of a value: its members and items, in each its type and format, and the alternatives that are taken. */
function checksOf(value: Json, schema: StructuralSchema): number {
  if (value === null) return 0;
  const isText = typeof value === 'string';
  const hasType = (typeof schema.type === 'string' && schema.type !== '') || (typeof schema.format === 'string' && schema.format !== '');
  const own =
    checksOfValue +
    (Array.isArray(value) || isNumber(value) ? 1 : 0) +
    (hasType ? 1 : 0) +
    (isText && hasKnownFormat(schema) ? 1 : 0) +
    checksOfAlternatives(value, schema);
  const children = Array.isArray(value)
    ? (value as readonly Json[]).map((item) => [item, itemsOf(schema)] as const)
    : membersIn(value, schema);
  return children.reduce((sum, [child, at]) => sum + (at === undefined ? 0 : checksOf(child, at)), own);
}

function checksOfAlternatives(value: Json, { anyOf, oneOf, allOf }: StructuralSchema): number {
  const listed = (list: Json | undefined) => (Array.isArray(list) ? (list as readonly Json[]).filter(isJsonObject) : []);
  const taken = (list: readonly StructuralSchema[], mostFit: number) => {
    const fitting = list.filter((choice) => isFit(value, choice));
    if (fitting.length > mostFit) return 0;
    return Math.max(0, ...(fitting.length === 0 ? list : fitting.slice(0, 1)).map((choice) => checksOf(value, choice)));
  };
  const inAll = listed(allOf).reduce((sum, choice) => sum + checksOf(value, choice), 0);
  return taken(listed(anyOf), Number.POSITIVE_INFINITY) + taken(listed(oneOf), 1) + inAll;
}

/** The checks that each value has; lists and numbers have one more, and types and formats one each. Source: observed. */
const checksOfValue = 4;

function membersIn(value: Json, schema: StructuralSchema): readonly (readonly [child: Json, schema: StructuralSchema | undefined])[] {
  return isJsonObject(value) ? Object.entries(value).map(([name, member]) => [member as Json, memberSchema(schema, name)] as const) : [];
}
