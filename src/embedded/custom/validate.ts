import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../../util/json.js';
import { duplicate, type FieldError, invalidValue, required, shown, unsupported } from '../api/field-error.js';
import { additionalOf, isEmbedded, itemsOf, propertiesOf, type Structural } from './structural.js';

/**
 * Everything about a value that breaks its schema, in the words of the server.
 * Source: Kubernetes documentation "CustomResourceDefinitions", "Validation"; OpenAPI v3 schema object; messages as observed.
 */
export function validateValue(value: Json, schema: Structural, path: string): readonly FieldError[] {
  if (value === null) {
    if (schema.nullable === true) return [];
    const types = typesOf(schema);
    return types.length === 0 ? [] : [wrongType(path, value, types), ...enumErrors(value, schema, path)];
  }
  const types = typesOf(schema);
  if (types.length > 0 && !types.some((type) => isOfType(value, type)))
    return [wrongType(path, value, types), ...enumErrors(value, schema, path)];
  return [
    ...enumErrors(value, schema, path),
    ...(typeof value === 'string' ? stringErrors(value, schema, path) : []),
    ...(typeof value === 'number' || typeof value === 'bigint' ? numberErrors(Number(value), schema, path) : []),
    ...(Array.isArray(value) ? listErrors(value as readonly Json[], schema, path) : []),
    ...(isJsonObject(value) ? objectErrors(value, schema, path) : []),
    ...junctorErrors(value, schema, path),
  ];
}

function typesOf(schema: Structural): readonly string[] {
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
      return typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value));
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
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value === 'bigint' ? 'integer' : typeof value;
}

function wrongType(path: string, value: Json, types: readonly string[]): FieldError {
  const found = nameOfType(value);
  return {
    type: 'type',
    field: path,
    value: JSON.stringify(found),
    detail: `${path} in body must be of type ${types.join(',')}: "${found}"`,
  };
}

function enumErrors(value: Json, schema: Structural, path: string): FieldError[] {
  const { enum: values } = schema;
  if (!Array.isArray(values) || (values as Json[]).some((each) => jsonEqual(each, value))) return [];
  return [
    unsupported(
      path,
      value,
      (values as Json[]).map((each) => (typeof each === 'string' ? each : shown(each))),
    ),
  ];
}

function stringErrors(value: string, schema: Structural, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const length = [...value].length;
  if (typeof schema.maxLength === 'number' && length > schema.maxLength) {
    errors.push({ type: 'tooLong', field: path, detail: `may not be more than ${schema.maxLength} bytes` });
  }
  if (typeof schema.minLength === 'number' && length < schema.minLength) {
    errors.push(invalidValue(path, value, `${path} in body should be at least ${schema.minLength} chars long`));
  }
  if (typeof schema.pattern === 'string' && !matches(schema.pattern, value)) {
    errors.push(invalidValue(path, value, `${path} in body should match '${schema.pattern}'`));
  }
  if (typeof schema.format === 'string' && !hasFormat(schema.format, value)) {
    errors.push(invalidValue(path, value, `${path} in body must be of type ${schema.format}: ${JSON.stringify(value)}`));
  }
  return errors;
}

function matches(pattern: string, value: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(value);
  } catch {
    try {
      return new RegExp(pattern).test(value);
    } catch {
      return true; // a Go expression that JavaScript cannot read says nothing
    }
  }
}

function hasFormat(format: string, value: string): boolean {
  switch (format) {
    case 'date-time':
      return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i.test(value) && !Number.isNaN(Date.parse(value));
    case 'date':
      return /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value));
    case 'uuid':
      return /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(value);
    case 'ipv4':
      return /^(\d{1,3}\.){3}\d{1,3}$/.test(value) && value.split('.').every((part) => Number(part) < 256);
    case 'byte':
      return /^[A-Za-z0-9+/]*={0,2}$/.test(value) && value.length % 4 === 0;
    default:
      return true;
  }
}

function numberErrors(value: number, schema: Structural, path: string): FieldError[] {
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

function listErrors(items: readonly Json[], schema: Structural, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const element = itemsOf(schema);
  if (element !== undefined) for (const [index, item] of items.entries()) errors.push(...validateValue(item, element, `${path}[${index}]`));
  if (typeof schema.maxItems === 'number' && items.length > schema.maxItems) {
    errors.push({ type: 'tooMany', field: path, value: String(items.length), detail: `must have at most ${schema.maxItems} items` });
  }
  if (typeof schema.minItems === 'number' && items.length < schema.minItems) {
    errors.push(invalidValue(path, items, `${path} in body should have at least ${schema.minItems} items`));
  }
  if (schema.uniqueItems === true && items.some((item, index) => items.findIndex((other) => jsonEqual(item, other)) !== index)) {
    errors.push(invalidValue(path, items, `${path} in body shouldn't contain duplicates`));
  }
  return errors;
}

function objectErrors(value: JsonObject, schema: Structural, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const properties = propertiesOf(schema);
  const at = (name: string) => (path === '' ? name : `${path}.${name}`);
  const count = Object.keys(value).length;
  for (const name of Array.isArray(schema.required) ? (schema.required as string[]) : []) {
    if (value[name] === undefined) errors.push(required(at(name)));
  }
  for (const [name, member] of Object.entries(value) as [string, Json][]) {
    if (path === '' && (name === 'apiVersion' || name === 'kind' || name === 'metadata')) continue;
    if (Object.hasOwn(properties, name)) errors.push(...validateValue(member, properties[name] as Structural, at(name)));
    else {
      const additional = additionalOf(schema);
      if (additional !== undefined && additional !== true) errors.push(...validateValue(member, additional, at(name)));
    }
  }
  if (typeof schema.maxProperties === 'number' && count > schema.maxProperties) {
    errors.push({ type: 'tooMany', field: path, value: String(count), detail: `must have at most ${schema.maxProperties} items` });
  }
  if (typeof schema.minProperties === 'number' && count < schema.minProperties) {
    errors.push(invalidValue(path, value, `${path} in body should have at least ${schema.minProperties} properties`));
  }
  return errors;
}

function junctorErrors(value: Json, schema: Structural, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const holds = (choice: Json) => isJsonObject(choice) && validateValue(value, choice, path).length === 0;
  const { allOf, anyOf, oneOf, not } = schema;
  // The two types of int-or-string are no rule of their own.
  if (Array.isArray(anyOf) && schema['x-kubernetes-int-or-string'] !== true && !(anyOf as Json[]).some(holds)) {
    errors.push(invalidValue(path, value, `${path} in body must validate at least one schema (anyOf)`));
  }
  if (Array.isArray(oneOf) && (oneOf as Json[]).filter(holds).length !== 1) {
    const found = (oneOf as Json[]).some(holds) ? 'Found 2 valid alternatives' : 'Found none valid';
    errors.push(invalidValue(path, value, `${path} in body must validate one and only one schema (oneOf). ${found}`));
  }
  if (Array.isArray(allOf)) {
    const broken = (allOf as Json[]).flatMap((choice) => (isJsonObject(choice) ? validateValue(value, choice, path) : []));
    if (broken.length > 0) errors.push(...broken, invalidValue(path, value, `${path} in body must validate all the schemas (allOf)`));
  }
  if (isJsonObject(not) && holds(not)) errors.push(invalidValue(path, value, `${path} in body must not validate the schema (not)`));
  return errors;
}

/** Items that a list by keys, or a set, holds twice. */
export function duplicateErrors(value: Json, schema: Structural, path: string): readonly FieldError[] {
  if (Array.isArray(value)) {
    const items = value as readonly Json[];
    const element = itemsOf(schema);
    const inner = element === undefined ? [] : items.flatMap((item, index) => duplicateErrors(item, element, `${path}[${index}]`));
    const identity = identityOf(schema);
    if (identity === undefined) return inner;
    const keys = items.map(identity);
    const repeated = keys.flatMap((key, index) => {
      return keys.slice(0, index).some((other) => jsonEqual(other, key)) ? [duplicate(`${path}[${index}]`, key)] : [];
    });
    return [...repeated, ...inner];
  }
  if (!isJsonObject(value)) return [];
  const properties = propertiesOf(schema);
  return Object.entries(value).flatMap(([name, member]) => {
    const additional = additionalOf(schema);
    const child = Object.hasOwn(properties, name) ? properties[name] : additional === true ? undefined : additional;
    return child === undefined ? [] : duplicateErrors(member as Json, child, path === '' ? name : `${path}.${name}`);
  });
}

function identityOf(schema: Structural): ((item: Json) => Json) | undefined {
  if (schema['x-kubernetes-list-type'] === 'set') return (item) => item;
  const keys = schema['x-kubernetes-list-map-keys'];
  if (schema['x-kubernetes-list-type'] !== 'map' || !Array.isArray(keys)) return undefined;
  return (item) => {
    const members = isJsonObject(item)
      ? (keys as string[]).filter((key) => item[key] !== undefined).map((key) => [key, item[key]] as const)
      : [];
    return Object.fromEntries(members) as JsonObject;
  };
}

/** Embedded resources must say what they are. */
export function embeddedErrors(value: Json, schema: Structural, path: string): readonly FieldError[] {
  if (Array.isArray(value)) {
    const items = itemsOf(schema);
    return items === undefined ? [] : (value as Json[]).flatMap((item, index) => embeddedErrors(item, items, `${path}[${index}]`));
  }
  if (!isJsonObject(value)) return [];
  const own = isEmbedded(schema)
    ? ['apiVersion', 'kind'].filter((name) => value[name] === undefined || value[name] === '').map((name) => required(`${path}.${name}`))
    : [];
  const properties = propertiesOf(schema);
  const inner = Object.entries(value).flatMap(([name, member]) => {
    const additional = additionalOf(schema);
    const child = Object.hasOwn(properties, name) ? properties[name] : additional === true ? undefined : additional;
    return child === undefined ? [] : embeddedErrors(member as Json, child, path === '' ? name : `${path}.${name}`);
  });
  return [...own, ...inner];
}
