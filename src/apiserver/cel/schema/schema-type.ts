import { isJsonObject, type Json, type JsonObject } from '../../../util/json.js';
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  dynType,
  intType,
  listOf,
  mapOf,
  objectType,
  stringType,
  timestampType,
} from '../types/cel-type.js';
import { escapeName, fieldNames } from './escape-name.js';

/** The type of the values of a schema, with the bounds of their size. */
export interface SchemaType {
  readonly type: CelType;
  readonly schema: JsonObject;
  /** The most characters, items or members. */
  readonly maxElements: number;
  /** The fewest bytes of a value in JSON. */
  readonly minSize: number;
  /** The type of items or values. */
  readonly element?: SchemaType;
  /** Types of properties by the names that expressions use. */
  readonly fields?: ReadonlyMap<string, SchemaType>;
  /** Names of properties by the names that expressions use. */
  readonly properties?: ReadonlyMap<string, string>;
}

/** The bytes of the largest request. */
export const maxRequestBytes = 3 * 1024 * 1024;

/**
 * Returns the type of a schema; undefined for one that rules cannot read, because it says nothing about its values.
 * Source: Kubernetes documentation "CustomResourceDefinitions", "Validation rules", the table of types; bounds as observed.
 *
 * @param isRoot true for a resource and for one that is embedded, whose kind and names are readable without being declared
 */
export function schemaType(schema: JsonObject, isRoot: boolean): SchemaType | undefined {
  return typeOf(schema, isRoot, 'selfType1');
}

/** @param name the name of the type of an object, which continues that of the value around it. Source: observed. */
function typeOf(declared: JsonObject, isRoot: boolean, name: string): SchemaType | undefined {
  if (declared['x-kubernetes-int-or-string'] === true) {
    const maxElements = lengthOf(declared) ?? maxRequestBytes - 2;
    return { type: dynType, schema: declared, maxElements, minSize: 1 };
  }
  const schema = isRoot ? withResourceFields(declared) : declared;
  switch (schema.type) {
    case 'array':
      return listType(schema, name);
    case 'object':
      return isJsonObject(schema.additionalProperties)
        ? mapType(schema, schema.additionalProperties, name)
        : objectSchemaType(schema, name);
    case 'string':
      return stringSchemaType(schema);
    case 'boolean':
      return { type: boolType, schema, maxElements: 0, minSize: 4 };
    case 'number':
      return { type: doubleType, schema, maxElements: 0, minSize: 1 };
    case 'integer':
      return { type: intType, schema, maxElements: 0, minSize: 1 };
    default:
      return undefined;
  }
}

function nestedType(schema: JsonObject, name: string): SchemaType | undefined {
  return typeOf(schema, schema['x-kubernetes-embedded-resource'] === true, name);
}

function listType(schema: JsonObject, name: string): SchemaType | undefined {
  const element = isJsonObject(schema.items) ? nestedType(schema.items, `${name}.@idx`) : undefined;
  if (element === undefined) return undefined;
  const maxElements = bound(schema.maxItems) ?? Math.floor((maxRequestBytes - 2) / (element.minSize + 1));
  return { type: listOf(element.type), schema, maxElements, minSize: 2, element };
}

function mapType(schema: JsonObject, values: JsonObject, name: string): SchemaType | undefined {
  const element = nestedType(values, `${name}.@elem`);
  if (element === undefined) return undefined;
  const maxElements = bound(schema.maxProperties) ?? Math.floor((maxRequestBytes - 2) / (element.minSize + 6));
  return { type: mapOf(stringType, element.type), schema, maxElements, minSize: 2, element };
}

function objectSchemaType(schema: JsonObject, name: string): SchemaType {
  const required = new Set(Array.isArray(schema.required) ? (schema.required as readonly Json[]) : []);
  const fields = new Map<string, SchemaType>();
  const properties = new Map<string, string>();
  let minSize = 2;
  for (const [property, value] of Object.entries(isJsonObject(schema.properties) ? schema.properties : {})) {
    const type = isJsonObject(value) ? nestedType(value, `${name}.${escapeName(property)}`) : undefined;
    if (type === undefined) continue;
    for (const field of fieldNames(property)) {
      fields.set(field, type);
      properties.set(field, property);
    }
    if (required.has(property) && (value as JsonObject).default === undefined) minSize += property.length + type.minSize + 4;
  }
  const types = new Map([...fields].map(([field, { type }]) => [field, type]));
  return { type: objectType(name, types), schema, maxElements: 0, minSize, fields, properties };
}

/** Returns the type of a property in that of an object. Expressions cannot reach one whose name cannot be escaped, so its type is its own. */
export function propertyType(name: string, property: JsonObject, { fields }: SchemaType): SchemaType | undefined {
  const escaped = escapeName(name);
  return escaped === undefined ? schemaType(property, property['x-kubernetes-embedded-resource'] === true) : fields?.get(escaped);
}

function bound(value: Json | undefined): number | undefined {
  return typeof value === 'number' ? Math.max(0, value) : undefined;
}

/** Returns the most bytes of a text that has a greatest length. */
function lengthOf({ maxLength }: JsonObject): number | undefined {
  const length = bound(maxLength);
  return length === undefined ? undefined : length * 4;
}

/** Types of texts with a format, with the most and the fewest bytes that they take. */
const formats: Readonly<Record<string, readonly [type: CelType, maxElements: number, minSize: number]>> = {
  byte: [bytesType, maxRequestBytes - 2, 2],
  duration: [durationType, 32, 3],
  date: [timestampType, 12, 12],
  'date-time': [timestampType, 32, 21],
};

function stringSchemaType(schema: JsonObject): SchemaType {
  const { format, enum: values } = schema;
  const known = typeof format === 'string' && Object.hasOwn(formats, format) ? formats[format] : undefined;
  if (known !== undefined) {
    const [type, maxElements, minSize] = known;
    return { type, schema, maxElements: (format === 'byte' ? bound(schema.maxLength) : undefined) ?? maxElements, minSize };
  }
  const longest = Array.isArray(values)
    ? Math.max(0, ...(values as readonly Json[]).map((each) => (typeof each === 'string' ? Buffer.byteLength(each) : 0)))
    : maxRequestBytes - 2;
  return { type: stringType, schema, maxElements: lengthOf(schema) ?? longest, minSize: 2 };
}

const text = { type: 'string' } as const;
const metadata = { type: 'object', properties: { name: text, generateName: text } } as const;

/** Returns the schema of a resource with its kind and its names, which every resource has. */
export function withResourceFields(schema: JsonObject): JsonObject {
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  return { ...schema, type: 'object', properties: { ...properties, kind: text, apiVersion: text, metadata } };
}
