import type { Json, JsonObject } from '../../util/json.js';
import { type Message, type MessageField, messageNamed, type ScalarType } from '../http/protobuf/message.js';
import { schemaName } from './schema-name.js';

export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

/** The schemas of a document by name. */
export type Schemas = Record<string, Json>;

/** Messages whose JSON is not an object of their fields. Source: observed. */
const leaves: Readonly<Record<string, JsonObject>> = {
  'intstr.IntOrString': { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] },
  'meta/v1.FieldsV1': { type: 'object' },
  'meta/v1.MicroTime': { type: 'string', format: 'date-time' },
  'meta/v1.Patch': { type: 'object' },
  'meta/v1.Time': { type: 'string', format: 'date-time' },
  'resource.Quantity': { oneOf: [{ type: 'string' }, { type: 'number' }] },
  'runtime.RawExtension': { type: 'object' },
};

/** Returns a reference to the schema of a message, which is generated from its fields if the document does not have it yet. */
export function messageReference(schemas: Schemas, message: string): JsonObject {
  const name = schemaName(message);
  if (schemas[name] === undefined) {
    // Before its fields: messages contain each other.
    schemas[name] = {};
    schemas[name] = leaves[message] ?? objectSchema(schemas, messageNamed(message));
  }
  return { $ref: `#/components/schemas/${name}` };
}

/** Returns a reference to the schema of a kind, which has an apiVersion and a kind beside the fields of its message. */
export function kindReference(schemas: Schemas, message: string, groupVersions: readonly GroupVersion[]): JsonObject {
  const name = schemaName(message);
  const isKnown = schemas[name] !== undefined;
  const reference = messageReference(schemas, message);
  if (isKnown) return reference;
  const kind = message.slice(message.lastIndexOf('.') + 1);
  const { properties = {}, ...schema } = schemas[name] as { properties?: JsonObject };
  const kinds = groupVersions.map(({ group, version }) => ({ group, kind, version }));
  schemas[name] = { ...schema, properties: { ...typeMembers, ...properties }, 'x-kubernetes-group-version-kind': kinds };
  return reference;
}

/** The members of every kind. */
export const typeMembers = { apiVersion: { type: 'string' }, kind: { type: 'string' } } as const;

function objectSchema(schemas: Schemas, { name: owner, fields }: Message): JsonObject {
  const properties = fields.flatMap((field): readonly (readonly [string, JsonObject])[] => {
    if (field.name !== '' || typeof field.type === 'string') return [[field.name, fieldSchema(schemas, field)]];
    return Object.entries((objectSchema(schemas, field.type).properties ?? {}) as Readonly<Record<string, JsonObject>>);
  });
  const required = fields.filter((field) => isRequired(field, owner)).map(({ name }) => name);
  return { type: 'object', ...(required.length > 0 ? { required } : {}), properties: Object.fromEntries(properties) };
}

/** Structs that a request has to give. Source: observed. */
const givenStructs = /^(?:auth.*Review\.spec|core\/v1\.Binding\.target)$/;

/** Returns true for a member that JSON always has; other structs are empty if nobody gives them. */
function isRequired({ name, label, shown, type }: MessageField, owner: string): boolean {
  if (!shown || label === 'pointer') return false;
  const isStruct = label === 'value' && typeof type !== 'string' && !isList(type);
  return !isStruct || leaves[type.name] !== undefined || givenStructs.test(`${owner}.${name}`);
}

function fieldSchema(schemas: Schemas, { label, shown, type }: MessageField): JsonObject {
  if (label === 'list') return { type: 'array', items: withZero(schemas, type), 'x-kubernetes-list-type': 'atomic' };
  if (label === 'map') return { type: 'object', additionalProperties: withZero(schemas, type) };
  if (typeof type === 'string') return label === 'value' && shown ? withZero(schemas, type) : scalars[type];
  return label === 'value' ? withZero(schemas, type) : { allOf: [messageReference(schemas, type.name)] };
}

const scalars: Readonly<Record<ScalarType, JsonObject>> = {
  string: { type: 'string' },
  bool: { type: 'boolean' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  uint32: { type: 'integer', format: 'int64' },
  double: { type: 'number', format: 'double' },
  bytes: { type: 'string', format: 'byte' },
};

/** Returns the schema of a value that is zero if nobody gives it. */
function withZero(schemas: Schemas, type: MessageField['type']): JsonObject {
  if (typeof type === 'string') {
    const zero = type === 'bool' ? false : type === 'string' || type === 'bytes' ? '' : 0;
    return { ...scalars[type], default: zero };
  }
  if (isList(type)) return { type: 'array', items: withZero(schemas, 'string') };
  const allOf = [messageReference(schemas, type.name)];
  return leaves[type.name] === undefined ? { default: {}, allOf } : { allOf };
}

/** Returns true for a message that stands for a list of texts. */
function isList({ fields }: Message): boolean {
  return fields[0]?.name === '*';
}
