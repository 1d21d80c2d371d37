import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import type { Resource } from '../registry/resource.js';
import { openApi, openApiPaths } from './open-api.js';

/**
 * Returns the document of OpenAPI 2: the definitions and operations of all documents of OpenAPI 3.
 * Source: OpenAPI Specification 2.0; Kubernetes documentation "The Kubernetes API", "OpenAPI V2".
 */
export function openApiV2Document(resources: readonly Resource[]): JsonObject {
  const definitions: Record<string, Json> = {};
  const paths: Record<string, Json> = {};
  for (const path of openApiPaths(resources)) {
    const document = openApi(resources, path) as unknown as { paths: JsonObject; components: { schemas: JsonObject } };
    for (const [name, schema] of Object.entries(document.components.schemas)) definitions[name] = inV2(schema as Json);
    Object.assign(paths, document.paths);
  }
  return { swagger: '2.0', info: { title: 'Kubernetes', version: '1.36' }, paths, definitions };
}

/** Returns a schema with the references of OpenAPI 2, and without what it cannot express. */
function inV2(schema: Json): Json {
  if (Array.isArray(schema)) return (schema as readonly Json[]).map(inV2);
  if (!isJsonObject(schema)) return schema;
  const { allOf, nullable: _, $ref, ...rest } = schema;
  const [first] = Array.isArray(allOf) ? (allOf as readonly JsonObject[]) : [];
  const reference = $ref ?? first?.$ref;
  const members = Object.entries(rest).map(([name, value]) => [name, memberInV2(name, value as Json)]);
  return {
    ...Object.fromEntries(members),
    ...(typeof reference === 'string' ? { $ref: reference.replace('#/components/schemas/', '#/definitions/') } : {}),
  };
}

function memberInV2(name: string, value: Json): Json {
  if (name === 'default' || name === 'enum') return value;
  if (name !== 'properties' || !isJsonObject(value)) return inV2(value);
  // The names of properties are not those of the schema language.
  return Object.fromEntries(Object.entries(value).map(([property, schema]) => [property, inV2(schema as Json)]));
}
