import { serializeValue } from '../../../fields/index.js';
import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../../../util/json.js';
import type { FieldError } from '../../api/field-error.js';
import { shownRule } from '../../custom/shown-rule.js';

/**
 * The members of a schema, in the order of the real server's type, with the value of one that is not set. Those that are set at the root
 * beside a status subresource must be among `besideStatus`. Source: Kubernetes API reference, JSONSchemaProps; messages as observed.
 */
const members: Readonly<Record<string, Json>> = {
  id: '',
  $schema: '',
  $ref: null,
  description: '',
  type: '',
  nullable: false,
  format: '',
  title: '',
  default: null,
  maximum: null,
  exclusiveMaximum: false,
  minimum: null,
  exclusiveMinimum: false,
  maxLength: null,
  minLength: null,
  pattern: '',
  maxItems: null,
  minItems: null,
  uniqueItems: false,
  multipleOf: null,
  enum: null,
  maxProperties: null,
  minProperties: null,
  required: null,
  items: null,
  allOf: null,
  oneOf: null,
  anyOf: null,
  not: null,
  properties: null,
  additionalProperties: null,
  patternProperties: null,
  dependencies: null,
  additionalItems: null,
  definitions: null,
  externalDocs: null,
  example: null,
  'x-kubernetes-preserve-unknown-fields': null,
  'x-kubernetes-embedded-resource': false,
  'x-kubernetes-int-or-string': false,
  'x-kubernetes-list-map-keys': null,
  'x-kubernetes-list-type': null,
  'x-kubernetes-map-type': null,
  'x-kubernetes-validations': null,
};

const besideStatus = [
  'description type format title maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern maxItems minItems',
  'uniqueItems multipleOf required items properties externalDocs example x-kubernetes-preserve-unknown-fields x-kubernetes-validations',
].flatMap((names) => names.split(' '));

/** Validates the root of a schema whose version has a status subresource: the status is validated alone, without what the root says of it. */
export function besideStatusErrors(schema: JsonObject, path: string): readonly FieldError[] {
  const others = Object.keys(members).filter((name) => !besideStatus.includes(name) && isSet(schema, name));
  if (others.length === 0) return [];
  const detail = `only [${besideStatus.map(goName).join(' ')}] fields are allowed at the root of the schema if the status subresource is enabled`;
  return [{ type: 'invalid', field: path, value: schemaText(schema), detail }];
}

function isSet(schema: JsonObject, name: string): boolean {
  const value = schema[name];
  return value !== undefined && value !== null && !jsonEqual(value, members[name]);
}

/** Returns the name of a member in the real server's type: `XListType`, `MaxItems`. */
function goName(name: string): string {
  const special: Readonly<Record<string, string>> = { id: 'ID', $schema: 'Schema', $ref: 'Ref' };
  const words = name.startsWith('x-kubernetes-') ? ['x', ...name.slice('x-kubernetes-'.length).split('-')] : [name];
  return special[name] ?? words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

/** Returns a schema as messages show it: all members, set or not. */
function schemaText(schema: JsonObject): string {
  const parts = Object.entries(members).map(
    ([name, unset]) => `"${goName(name)}":${isSet(schema, name) ? memberText(name, schema[name] as Json) : serializeValue(unset)}`,
  );
  return `{${parts.join(',')}}`;
}

function memberText(name: string, value: Json): string {
  const list = (items: Json) => `[${(items as readonly Json[]).map((item) => schemaText(item as JsonObject)).join(',')}]`;
  switch (name) {
    case 'allOf':
    case 'oneOf':
    case 'anyOf':
      return list(value);
    case 'not':
      return schemaText(value as JsonObject);
    case 'items':
      return Array.isArray(value)
        ? `{"Schema":null,"JSONSchemas":${list(value)}}`
        : `{"Schema":${schemaText(value as JsonObject)},"JSONSchemas":null}`;
    case 'additionalProperties':
    case 'additionalItems':
      return isJsonObject(value) ? `{"Allows":true,"Schema":${schemaText(value)}}` : `{"Allows":${String(value)},"Schema":null}`;
    case 'properties':
    case 'patternProperties':
    case 'definitions': {
      const names = Object.keys(value as JsonObject).sort();
      return `{${names.map((each) => `${serializeValue(each)}:${schemaText((value as JsonObject)[each] as JsonObject)}`).join(',')}}`;
    }
    case 'externalDocs': {
      const { description = '', url = '' } = value as JsonObject;
      return `{"Description":${serializeValue(description)},"URL":${serializeValue(url)}}`;
    }
    case 'x-kubernetes-validations':
      return `[${(value as readonly JsonObject[]).map(ruleText).join(',')}]`;
    default:
      return serializeValue(value);
  }
}

function ruleText(rule: JsonObject): string {
  const members = Object.entries(shownRule(rule)).map(([name, value]) => `"${name}":${serializeValue(value)}`);
  return `{${members.join(',')}}`;
}
