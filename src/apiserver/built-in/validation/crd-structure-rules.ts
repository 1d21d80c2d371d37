import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../../../util/json.js';
import { type FieldError, forbiddenField, invalidValue, required, unsupported } from '../../api/field-error.js';
import { listOf, structOf } from '../../api/json-access.js';
import { isEmbedded } from '../../custom/structural-schema.js';

/** The place of a node in a schema. */
export type SchemaLevel = 'root' | 'field' | 'item';

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const unsupportedMembers = ['id', 'additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref'];

/**
 * Validates what one node of a structural schema may say. Source: Kubernetes documentation "CustomResourceDefinitions", "Specifying a
 * structural schema"; API reference, JSONSchemaProps; messages as observed.
 */
export function structureErrors(schema: JsonObject, path: string, level: SchemaLevel): readonly FieldError[] {
  return [
    ...(level === 'root' && schema.additionalProperties !== undefined
      ? [forbiddenField(`${path}.additionalProperties`, 'must not be used at the root')]
      : []),
    ...embeddedErrors(schema, path),
    ...extensionErrors(schema, path),
    ...(level === 'root' || isEmbedded(schema) ? typeErrors(structOf(schema.properties), `${path}.properties`) : []),
    ...(level === 'root' ? metadataErrors(structOf(schema.properties), `${path}.properties`) : []),
    ...junctorErrors(schema, path),
    ...(level === 'root' ? incompleteErrors(schema, schema, path, path) : []),
  ];
}

/** Validates that one node of a schema and its alternatives can be read as a structural schema. */
export function unreadableErrors(schema: JsonObject, path: string): readonly FieldError[] {
  const unknown = unsupportedMembers.filter((name) => schema[name] !== undefined && schema[name] !== '');
  const preserves = 'x-kubernetes-preserve-unknown-fields';
  return [
    ...unknown.map((name) => forbiddenField(`${path}.${name}`, `${name} is not supported`)),
    ...(Array.isArray(schema.items) ? [forbiddenField(`${path}.items`, 'items must be a schema object and not an array')] : []),
    ...(schema[preserves] === false ? [invalidValue(`${path}.${preserves}`, false, 'must be true or undefined')] : []),
    ...alternativesOf(schema, path).flatMap(([alternative, at]) => unreadableAlternative(alternative, at)),
  ];
}

function unreadableAlternative(schema: JsonObject, path: string): readonly FieldError[] {
  const { properties, additionalProperties, items } = schema;
  return [
    ...unreadableErrors(schema, path),
    ...Object.entries(structOf(properties)).flatMap(([name, property]) =>
      unreadableAlternative(structOf(property as Json), `${path}.properties[${name}]`),
    ),
    ...(isJsonObject(additionalProperties) ? unreadableAlternative(additionalProperties, `${path}.additionalProperties`) : []),
    ...(isJsonObject(items) ? unreadableAlternative(items, `${path}.items`) : []),
  ];
}

function alternativesOf(schema: JsonObject, path: string): readonly (readonly [alternative: JsonObject, path: string])[] {
  const { not } = schema;
  const listed = (['allOf', 'anyOf', 'oneOf'] as const).flatMap((name) =>
    listOf(schema[name]).map((each, index) => [each, `${path}.${name}[${index}]`] as const),
  );
  return isJsonObject(not) ? [[not, `${path}.not`], ...listed] : listed;
}

/** Validates what makes a node of a schema no less structural: its rules are still read. Source: observed. */
export function valueErrors(schema: JsonObject, path: string, level: SchemaLevel): readonly FieldError[] {
  const { type, uniqueItems, properties, additionalProperties } = schema;
  const errors: FieldError[] = [];
  if (level === 'root' && schema.nullable === true) errors.push(forbiddenField(`${path}.nullable`, 'nullable cannot be true at the root'));
  if (type === 'null') errors.push(forbiddenField(`${path}.type`, 'type cannot be set to null, use nullable as an alternative'));
  if (typeof type === 'string' && type !== '' && !types.includes(type)) errors.push(unsupported(`${path}.type`, type, types));
  if (uniqueItems === true)
    errors.push(forbiddenField(`${path}.uniqueItems`, 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic'));
  if (additionalProperties !== undefined && additionalProperties !== true && Object.keys(structOf(properties)).length > 0)
    errors.push(forbiddenField(`${path}.additionalProperties`, 'additionalProperties and properties are mutual exclusive'));
  return errors;
}

function embeddedErrors(schema: JsonObject, path: string): readonly FieldError[] {
  if (!isEmbedded(schema)) return [];
  const { type, additionalProperties, properties } = schema;
  const detail = 'must be object if x-kubernetes-embedded-resource is true';
  const errors: FieldError[] = [];
  if (type !== 'object') errors.push(type ? invalidValue(`${path}.type`, type, detail) : required(`${path}.type`, detail));
  if (additionalProperties !== undefined)
    errors.push(forbiddenField(`${path}.additionalProperties`, 'must not be used if x-kubernetes-embedded-resource is set'));
  if (schema['x-kubernetes-preserve-unknown-fields'] !== true && Object.keys(structOf(properties)).length === 0) {
    const reason = 'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields';
    errors.push(required(`${path}.properties`, reason));
  }
  return errors;
}

function extensionErrors(schema: JsonObject, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (schema['x-kubernetes-int-or-string'] !== true) return errors;
  const detail = 'must be false if x-kubernetes-int-or-string is true';
  for (const name of ['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource'])
    if (schema[name] === true) errors.push(invalidValue(`${path}.${name}`, true, detail));
  return errors;
}

/** Validates the types of the members that every resource has. */
function typeErrors({ metadata, kind, apiVersion }: JsonObject, path: string): readonly FieldError[] {
  const wanted = [
    ['kind', kind, 'string'],
    ['apiVersion', apiVersion, 'string'],
    ['metadata', metadata, 'object'],
  ] as const;
  return wanted.flatMap(([name, property, type]) =>
    isJsonObject(property) && property.type !== type ? [invalidValue(`${path}[${name}].type`, property.type ?? '', `must be ${type}`)] : [],
  );
}

/** The metadata of a resource is known: a schema may only restrict the names. */
function metadataErrors({ metadata }: JsonObject, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (!isJsonObject(metadata)) return errors;
  const { type: _, properties, description: __, default: ___, ...others } = metadata;
  const names = Object.keys(structOf(properties));
  const isNamesOnly = names.every((name) => name === 'name' || name === 'generateName');
  if (!isNamesOnly || Object.keys(others).length > 0) {
    const detail = 'must not specify anything other than name and generateName, but metadata is implicitly specified';
    errors.push(forbiddenField(`${path}[metadata]`, detail));
  }
  return errors;
}

const intOrString = [{ type: 'integer' }, { type: 'string' }] as unknown as Json;
/** The members that only the schema itself may have, and not an alternative of it. */
const structural: readonly (readonly [name: string, must: string])[] = [
  ['type', 'must be empty to be structural'],
  ['additionalProperties', 'must be undefined to be structural'],
  ['default', 'must be undefined to be structural'],
  ['title', 'must be empty to be structural'],
  ['description', 'must be empty to be structural'],
  ['nullable', 'must be false to be structural'],
  ['x-kubernetes-preserve-unknown-fields', 'must be false to be structural'],
  ['x-kubernetes-embedded-resource', 'must be false to be structural'],
  ['x-kubernetes-int-or-string', 'must be false to be structural'],
  ['x-kubernetes-list-map-keys', 'must be empty to be structural'],
  ['x-kubernetes-list-type', 'must be undefined to be structural'],
  ['x-kubernetes-map-type', 'must be undefined to be structural'],
  ['x-kubernetes-validations', 'must be empty to be structural'],
];

/** Validates the alternatives of a node, which may only restrict values. */
function junctorErrors(schema: JsonObject, path: string): readonly FieldError[] {
  const { anyOf, allOf, oneOf, not } = schema;
  const isPattern = jsonEqual((anyOf ?? null) as Json, intOrString);
  const [first] = listOf(allOf);
  const isNestedPattern = isJsonObject(first) && jsonEqual((first.anyOf ?? null) as Json, intOrString);
  return [
    ...(isPattern ? [] : listOf(anyOf).flatMap((each, index) => alternativeErrors(each, `${path}.anyOf[${index}]`))),
    ...listOf(allOf).flatMap((each, index) =>
      alternativeErrors(isNestedPattern && index === 0 ? { ...structOf(each), anyOf: [] } : each, `${path}.allOf[${index}]`),
    ),
    ...listOf(oneOf).flatMap((each, index) => alternativeErrors(each, `${path}.oneOf[${index}]`)),
    ...(isJsonObject(not) ? alternativeErrors(not, `${path}.not`) : []),
  ];
}

function alternativeErrors(alternative: Json, path: string): readonly FieldError[] {
  const schema = structOf(alternative);
  const { properties, items } = schema;
  const isSet = (value: Json | undefined) =>
    value !== undefined && value !== '' && value !== false && !(Array.isArray(value) && value.length === 0);
  return [
    ...structural.filter(([name]) => isSet(schema[name])).map(([name, detail]) => forbiddenField(`${path}.${name}`, detail)),
    ...Object.entries(structOf(properties)).flatMap(([name, property]) => [
      ...(name === 'metadata' ? [forbiddenField(`${path}.properties[metadata]`, 'must not be specified in a nested context')] : []),
      ...alternativeErrors(property as Json, `${path}.properties[${name}]`),
    ]),
    ...(isJsonObject(items) ? alternativeErrors(items, `${path}.items`) : []),
    ...junctorErrors(schema, path),
  ];
}

/** Validates that a schema itself declares what an alternative of its root restricts; those of other nodes are not looked at. Source: observed. */
function incompleteErrors(alternative: JsonObject, schema: JsonObject, path: string, alternativePath: string): readonly FieldError[] {
  return alternativesOf(alternative, alternativePath).flatMap(([each, at]) => undeclaredErrors(each, schema, path, at));
}

function undeclaredErrors(alternative: JsonObject, schema: JsonObject, path: string, at: string): readonly FieldError[] {
  const compare = (inner: JsonObject, declared: Json | undefined, member: string) =>
    isJsonObject(declared)
      ? undeclaredErrors(inner, declared, `${path}.${member}`, `${at}.${member}`)
      : [required(`${path}.${member}`, `because it is defined in ${at}.${member}`)];
  return [
    ...incompleteErrors(alternative, schema, path, at),
    ...(isJsonObject(alternative.items) ? compare(alternative.items, schema.items, 'items') : []),
    ...Object.entries(structOf(alternative.properties)).flatMap(([name, inner]) =>
      compare(structOf(inner as Json), structOf(schema.properties)[name], `properties[${name}]`),
    ),
  ];
}
