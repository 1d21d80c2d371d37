import type { Json, JsonObject } from '../../../src/util/json.js';
import { isJsonObject } from '../../../src/util/json.js';

// What `cdk8s import` does not keep: rules about values. Types, enums, required fields and defaults it does.
const constraints = new Set(
  (
    'pattern minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems uniqueItems minProperties ' +
    'maxProperties oneOf anyOf allOf not x-kubernetes-validations'
  ).split(' '),
);

/** Returns a CRD without its status, the subresource included, and without the constraints of its values. */
export function plainCrd(document: JsonObject): JsonObject {
  const spec = isJsonObject(document.spec) ? document.spec : {};
  const versions = Array.isArray(spec.versions) ? spec.versions : [];
  return {
    ...document,
    spec: { ...spec, versions: versions.map((version: Json) => (isJsonObject(version) ? plainVersion(version) : version)) },
  };
}

function plainVersion(version: JsonObject): JsonObject {
  const schema = isJsonObject(version.schema) ? version.schema.openAPIV3Schema : undefined;
  const { subresources, ...rest } = version;
  const kept = isJsonObject(subresources) ? without(subresources, ['status']) : {};
  const plain = { ...rest, ...(Object.keys(kept).length === 0 ? {} : { subresources: kept }) };
  if (!isJsonObject(schema)) return plain;
  const properties = isJsonObject(schema.properties) ? { properties: without(schema.properties, ['status']) } : {};
  return { ...plain, schema: { openAPIV3Schema: plainNode({ ...schema, ...properties }) } };
}

function plainNode(node: JsonObject): JsonObject {
  const entries = Object.entries(node).filter(([name]) => !constraints.has(name));
  return Object.fromEntries(
    entries.map(([name, value]): [string, Json] => {
      if (name === 'properties' && isJsonObject(value)) {
        return [
          name,
          Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, isJsonObject(inner) ? plainNode(inner) : inner])),
        ];
      }
      return [name, (name === 'items' || name === 'additionalProperties') && isJsonObject(value) ? plainNode(value) : (value as Json)];
    }),
  );
}

function without(object: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name))) as JsonObject;
}
