import { stringify } from 'yaml';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';

/** The media type in which kubectl requests OpenAPI 2, and that of the response. Source: observed. */
export const requestedMessageTypes = [
  'application/com.github.proto-openapi.spec.v2@v1.0+protobuf',
  'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
];
export const messageType = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';

/** Field numbers of the messages of gnostic's OpenAPI 2. Source: responses of a server. */
const inDocument = { swagger: 1, info: 2, paths: 8, definitions: 9 } as const;
const inInfo = { title: 1, version: 2 } as const;
const inSchema = {
  texts: { $ref: 1, format: 2, title: 3, description: 4, pattern: 13 },
  doubles: { maximum: 7, minimum: 9 },
  integers: { maxLength: 11, minLength: 12, maxItems: 14, minItems: 15, maxProperties: 17, minProperties: 18 },
  booleans: { exclusiveMaximum: 8, exclusiveMinimum: 10, uniqueItems: 16 },
  default: 5,
  required: 19,
  enum: 20,
  additionalProperties: 21,
  type: 22,
  items: 23,
  properties: 25,
  extension: 31,
} as const;
/** A name and a value. */
const inNamed = { name: 1, value: 2 } as const;
const yaml = 2;

/** Encodes the definitions of a document of OpenAPI 2 as protobuf; operations, which kubectl does not read here, are left out. */
export function openApiMessage(document: JsonObject): Uint8Array {
  const info = document.info as JsonObject;
  const definitions = namedSchemas(document.definitions as JsonObject);
  return Buffer.concat([
    text(inDocument.swagger, String(document.swagger)),
    message(inDocument.info, [text(inInfo.title, String(info.title)), text(inInfo.version, String(info.version))]),
    message(inDocument.paths, []),
    message(inDocument.definitions, definitions),
  ]);
}

/** Encodes schemas by name, as `definitions` and `properties` have them. */
function namedSchemas(schemas: JsonObject): readonly Buffer[] {
  return Object.entries(schemas).map(([name, schema]) =>
    message(1, [text(inNamed.name, name), message(inNamed.value, schemaFields(schema as JsonObject))]),
  );
}

function schemaFields(schema: JsonObject): readonly Buffer[] {
  const { required = [], enum: choices = [], additionalProperties, items, properties, type } = schema;
  const open = additionalProperties === undefined ? [] : [message(inSchema.additionalProperties, [openItem(additionalProperties)])];
  return [
    ...members(schema, inSchema.texts, (field, value) => text(field, String(value))),
    ...members(schema, inSchema.doubles, (field, value) => double(field, Number(value))),
    ...members(schema, inSchema.integers, (field, value) => integer(field, Number(value))),
    ...members(schema, inSchema.booleans, (field, value) => integer(field, value === true ? 1 : 0)),
    ...(schema.default === undefined ? [] : [any(inSchema.default, schema.default)]),
    ...(required as readonly string[]).map((name) => text(inSchema.required, name)),
    ...(choices as readonly Json[]).map((choice) => any(inSchema.enum, choice)),
    ...open,
    ...(typeof type === 'string' ? [message(inSchema.type, [text(1, type)])] : []),
    ...(isJsonObject(items) ? [message(inSchema.items, [message(1, schemaFields(items))])] : []),
    ...(isJsonObject(properties) ? [message(inSchema.properties, namedSchemas(properties))] : []),
    ...Object.keys(schema)
      .filter((name) => name.startsWith('x-'))
      .map((name) => message(inSchema.extension, [text(inNamed.name, name), any(inNamed.value, schema[name] as Json)])),
  ];
}

/** Encodes the type of the values of a map, or true for any. */
function openItem(item: Json): Buffer {
  return isJsonObject(item) ? message(1, schemaFields(item)) : integer(2, item === true ? 1 : 0);
}

function members(
  schema: JsonObject,
  fields: Readonly<Record<string, number>>,
  encode: (field: number, value: Json) => Buffer,
): readonly Buffer[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const value = schema[name];
    return value === undefined || value === null ? [] : [encode(field, value)];
  });
}

/** Encodes a value as text in YAML. */
function any(field: number, value: Json): Buffer {
  return message(field, [text(yaml, stringify(value))]);
}

function message(field: number, parts: readonly Buffer[]): Buffer {
  return delimited(field, Buffer.concat(parts));
}

function text(field: number, value: string): Buffer {
  return delimited(field, Buffer.from(value));
}

// Source: Protocol Buffers documentation "Encoding".
function delimited(field: number, content: Buffer): Buffer {
  return Buffer.concat([varint(field * 8 + 2), varint(content.length), content]);
}

function integer(field: number, value: number): Buffer {
  return Buffer.concat([varint(field * 8), varint(value)]);
}

function double(field: number, value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return Buffer.concat([varint(field * 8 + 1), bytes]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest % 128) + 128);
  }
}
