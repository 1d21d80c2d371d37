import { patternError } from '../../../schema/index.js';
import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../../../util/json.js';
import { type FieldError, fieldErrorText, forbiddenField, invalidValue, required, unsupported } from '../../api/field-error.js';
import { listOf, structOf } from '../../api/json-access.js';
import type { IsFaulty } from '../../custom/crd-rule-errors.js';
import { mentionsRules, ruleModule } from '../../custom/rule-module.js';
import type { UpdateContext } from '../../registry/resource.js';
import { approvalErrors, conversionErrors } from './crd-conversion-rules.js';
import { defaultErrors, metadataDefaultErrors } from './crd-default-rules.js';
import { crdPartErrors } from './crd-part-rules.js';
import { besideStatusErrors } from './crd-root-rules.js';
import { type SchemaLevel, structureErrors, unreadableErrors, valueErrors } from './crd-structure-rules.js';
import { crdNameErrors, crdSpecErrors, crdVersionErrors } from './crd-version-rules.js';

const listTypes = ['atomic', 'set', 'map'];
const mapTypes = ['atomic', 'granular'];

/**
 * Validates the name, the versions and the schemas of a CustomResourceDefinition.
 * Source: Kubernetes API reference, JSONSchemaProps; "Server-Side Apply", "Merge strategy"; messages as observed.
 */
export function crdErrors(object: JsonObject, update: UpdateContext | undefined): readonly FieldError[] {
  const spec = structOf(object.spec);
  const versions = listOf(spec.versions);
  return [
    ...(update === undefined ? crdNameErrors(object) : []),
    ...crdSpecErrors(spec, update?.live),
    ...crdVersionErrors(object, update === undefined),
    ...versionSchemaErrors(versions),
    ...crdPartErrors(versions, update === undefined),
    ...conversionErrors(spec.conversion, update && (structOf(update.live.spec).conversion ?? {})),
    ...approvalErrors(object, update?.live),
  ];
}

function versionSchemaErrors(versions: readonly JsonObject[]): readonly FieldError[] {
  const schemas = versions.map(({ schema }) => structOf(schema).openAPIV3Schema);
  const [first] = schemas;
  // An error in a schema that all versions share names the path of the former top-level schema.
  if (isJsonObject(first) && schemas.every((schema) => jsonEqual(schema as Json, first)))
    return rootErrors(first, 'spec.validation.openAPIV3Schema', versions.some(hasStatus));
  return schemas.flatMap((schema, index) => {
    const path = `spec.versions[${index}].schema.openAPIV3Schema`;
    return isJsonObject(schema) ? rootErrors(schema, path, hasStatus(versions[index])) : [required(path)];
  });
}

function hasStatus(version: JsonObject | undefined): boolean {
  return isJsonObject(structOf(version?.subresources).status);
}

/** Reports whether the real server takes a schema for structural: it looks at defaults only then. Source: observed. */
export function isStructural(schema: JsonObject): boolean {
  return structuralErrors(schema, '').length === 0;
}

function structuralErrors(schema: JsonObject, path: string): readonly FieldError[] {
  const { type } = schema;
  const field = `${path}.type`;
  const isAnything = schema['x-kubernetes-preserve-unknown-fields'] === true || schema['x-kubernetes-int-or-string'] === true;
  const missing = isAnything ? [] : [required(field, 'must not be empty at the root')];
  const wrong = type ? [invalidValue(field, type, 'must be object at the root')] : missing;
  return firstOf(
    () => errorsOfNodes(schema, path, 'root', unreadableErrors),
    () => sorted([...errorsOfNodes(schema, path, 'root', structuralNodeErrors), ...(type === 'object' ? [] : wrong)]),
  );
}

function rootErrors(schema: JsonObject, path: string, hasStatusSubresource: boolean): readonly FieldError[] {
  const { structural, others, all } = schemaErrors(schema, path, hasStatusSubresource);
  const isFaulty: IsFaulty = (...node) => others.length > 0 && otherNodeErrors(...node).length > 0;
  const ofRules = structural.length > 0 || !mentionsRules(schema) ? [] : ruleModule.get().crdRuleErrors(schema, path, isFaulty);
  return [...all, ...ofRules];
}

/** Validates the schema of a version but for its rules in CEL, which take a module of their own. */
export function schemaErrors(schema: JsonObject, path: string, hasStatusSubresource: boolean) {
  const structural = firstOf(
    () => structuralErrors(schema, path),
    () => defaultErrors(schema, path),
  );
  const others = errorsOfNodes(schema, path, 'root', otherNodeErrors);
  const beside = hasStatusSubresource ? besideStatusErrors(schema, path) : [];
  return { structural, others, all: [...beside, ...structural, ...metadataDefaultErrors(schema, path), ...others] };
}

/** Returns the errors of the first step that finds any: the real server takes the next one only after a step without errors. Source: observed. */
function firstOf(...steps: readonly (() => readonly FieldError[])[]): readonly FieldError[] {
  for (const step of steps) {
    const errors = step();
    if (errors.length > 0) return errors;
  }
  return [];
}

/** Returns errors in the order of their texts. */
function sorted(errors: readonly FieldError[]): readonly FieldError[] {
  const texts = errors.map((error) => [fieldErrorText(error), error] as const);
  return texts.sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0)).map(([, error]) => error);
}

type NodeErrors = (schema: JsonObject, path: string, level: SchemaLevel) => readonly FieldError[];

/** Validates a schema and those inside of it. */
function errorsOfNodes(schema: JsonObject, path: string, level: SchemaLevel, errorsOf: NodeErrors): readonly FieldError[] {
  const { properties, additionalProperties, items } = schema;
  return [
    ...errorsOf(schema, path, level),
    ...Object.entries(structOf(properties)).flatMap(([name, member]) =>
      errorsOfNodes(structOf(member), `${path}.properties[${name}]`, 'field', errorsOf),
    ),
    ...(isJsonObject(additionalProperties) ? errorsOfNodes(additionalProperties, `${path}.additionalProperties`, 'field', errorsOf) : []),
    ...(isJsonObject(items) ? errorsOfNodes(items, `${path}.items`, 'item', errorsOf) : []),
  ];
}

/** Errors after which the real server reads no rules. Source: observed. */
function structuralNodeErrors(schema: JsonObject, path: string, level: SchemaLevel): readonly FieldError[] {
  return [
    ...(level === 'root' ? [] : missingType(schema, path, level === 'item' ? 'array items' : 'object fields')),
    ...structureErrors(schema, path, level),
    ...patternErrors(schema, path),
    ...(schema.type === 'array' && schema.items === undefined ? [required(`${path}.items`, 'must be specified')] : []),
  ];
}

function otherNodeErrors(schema: JsonObject, path: string, level: SchemaLevel): readonly FieldError[] {
  return [...valueErrors(schema, path, level), ...mapTypeErrors(schema, path), ...listTypeErrors(schema, path)];
}

/** The schema of a value inside of another must have a type unless it allows several. */
function missingType(schema: JsonObject, path: string, place: string): readonly FieldError[] {
  const { type, 'x-kubernetes-int-or-string': isIntOrString, 'x-kubernetes-preserve-unknown-fields': isAnything } = schema;
  const isOtherwise = schema.$ref !== undefined || schema['x-kubernetes-embedded-resource'] === true;
  const isTyped = Boolean(type) || isIntOrString === true || isAnything === true || isOtherwise;
  return isTyped ? [] : [required(`${path}.type`, `must not be empty for specified ${place}`)];
}

function patternErrors(schema: JsonObject, path: string): FieldError[] {
  const { pattern, not } = schema;
  const patternFailure = typeof pattern === 'string' ? patternError(pattern) : undefined;
  return [
    ...(patternFailure === undefined
      ? []
      : [invalidValue(`${path}.pattern`, pattern as string, `must be a valid regular expression, but isn't: ${patternFailure}`)]),
    ...junctorPatternErrors(schema, 'allOf', path),
    ...junctorPatternErrors(schema, 'anyOf', path),
    ...(isJsonObject(not) ? patternErrors(not, `${path}.not`) : []),
    ...junctorPatternErrors(schema, 'oneOf', path),
  ];
}

function junctorPatternErrors(schema: JsonObject, junctor: 'allOf' | 'anyOf' | 'oneOf', path: string): FieldError[] {
  return listOf(schema[junctor]).flatMap((each, index) => patternErrors(structOf(each), `${path}.${junctor}[${index}]`));
}

function mapTypeErrors({ type, 'x-kubernetes-map-type': mapType }: JsonObject, path: string): FieldError[] {
  if (mapType === undefined) return [];
  const errors = mapTypes.includes(String(mapType)) ? [] : [unsupported(`${path}.x-kubernetes-map-type`, mapType, mapTypes)];
  return type === 'object' ? errors : [...errors, otherType(`${path}.type`, type, 'must be object if x-kubernetes-map-type is specified')];
}

function otherType(field: string, type: Json | undefined, detail: string): FieldError {
  return type === undefined || type === '' ? required(field, detail) : invalidValue(field, type, detail);
}

function listTypeErrors(schema: JsonObject, path: string): readonly FieldError[] {
  const { type, items, 'x-kubernetes-list-type': listType } = schema;
  const keys = listOf(schema['x-kubernetes-list-map-keys']) as readonly Json[] as readonly string[];
  const errors: FieldError[] = [];
  if (listType !== undefined && type !== 'array')
    errors.push(otherType(`${path}.type`, type, 'must be array if x-kubernetes-list-type is specified'));
  if (listType !== undefined && !listTypes.includes(String(listType)))
    errors.push(unsupported(`${path}.x-kubernetes-list-type`, listType, listTypes));
  if (keys.length > 0 && listType !== 'map')
    errors.push(invalidValue(`${path}.x-kubernetes-list-type`, listType ?? null, 'must be map if x-kubernetes-list-map-keys is non-empty'));
  if (listType === 'set' && isJsonObject(items)) errors.push(...setItemErrors(items, schema['x-kubernetes-map-type'], path));
  if ((listType === 'set' || listType === 'map') && isJsonObject(items) && items.nullable === true)
    errors.push(forbiddenField(`${path}.items.nullable`, `cannot be nullable when x-kubernetes-list-type is ${listType}`));
  return listType === 'map' ? [...errors, ...mapListErrors(items, keys, path)] : errors;
}

/** @param shown the map type of the list, which the server shows for that of its items. Source: observed. */
function setItemErrors(items: JsonObject, shown: Json | undefined, path: string): readonly FieldError[] {
  const detail = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  const { type, 'x-kubernetes-map-type': mapType, 'x-kubernetes-list-type': listType } = items;
  if (type === 'object' && mapType !== 'atomic') return [invalidValue(`${path}.items.x-kubernetes-map-type`, shown ?? null, detail)];
  const isGranular = type === 'array' && listType !== undefined && listType !== 'atomic';
  return isGranular ? [invalidValue(`${path}.items.x-kubernetes-list-type`, listType, detail)] : [];
}

function mapListErrors(items: Json | undefined, keys: readonly string[], path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const keysField = `${path}.x-kubernetes-list-map-keys`;
  if (keys.length === 0) errors.push(required(keysField, 'must not be empty if x-kubernetes-list-type is map'));
  if (!isJsonObject(items)) {
    errors.push(required(`${path}.items`, 'must have a schema if x-kubernetes-list-type is map'));
    return errors;
  }
  if (items.type !== 'object') {
    const detail = "must be object if parent array's x-kubernetes-list-type is map";
    return [...errors, invalidValue(`${path}.items.type`, items.type ?? '', detail)];
  }
  const properties = structOf(items.properties);
  const unknown = keys.some((key) => properties[key] === undefined);
  if (unknown) errors.push(invalidValue(keysField, keys as unknown as Json, 'entries must all be names of item properties'));
  if (new Set(keys).size < keys.length) errors.push(invalidValue(keysField, keys as unknown as Json, 'must not contain duplicate entries'));
  const always = Array.isArray(items.required) ? (items.required as readonly Json[]) : [];
  return [
    ...errors,
    ...keys.flatMap((key) => {
      const property = properties[key];
      return isJsonObject(property) ? keyErrors(property, always.includes(key), `${path}.items.properties[${key}]`) : [];
    }),
  ];
}

/** Validates a list map key, which must be a required or defaulted scalar. */
function keyErrors(property: JsonObject, isRequired: boolean, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (property.type === 'object' || property.type === 'array')
    errors.push(invalidValue(`${path}.type`, property.type, "must be a scalar type if parent array's x-kubernetes-list-type is map"));
  if (property.nullable === true)
    errors.push(forbiddenField(`${path}.nullable`, 'this property is in x-kubernetes-list-map-keys, so it cannot be nullable'));
  if (!isRequired && property.default === undefined) {
    const detail = 'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property';
    errors.push(required(`${path}.default`, detail));
  }
  return errors;
}
