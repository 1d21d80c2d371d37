import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { listOf, structOf } from '../api/json-access.js';
import type { DiscoveredResource } from '../registry/discovered-resource.js';
import { openApi, openApiPaths } from './open-api.js';
import { specialInV2 } from './special-schemas.js';

/**
 * Returns the document of OpenAPI 2: the definitions and operations of all documents of OpenAPI 3.
 * Source: OpenAPI Specification 2.0; Kubernetes documentation "The Kubernetes API", "OpenAPI V2".
 */
export function openApiV2Document(resources: readonly DiscoveredResource[]): JsonObject {
  const definitions: Record<string, Json> = {};
  const paths: Record<string, Json> = {};
  for (const path of openApiPaths(resources)) {
    const document = openApi(resources, path) as unknown as { paths: JsonObject; components: { schemas?: JsonObject } };
    for (const [name, schema] of Object.entries(document.components.schemas ?? {})) definitions[name] ??= inV2(schema as Json);
    for (const [at, item] of Object.entries(document.paths)) paths[at] = pathItem(item as JsonObject);
  }
  const securityDefinitions = { BearerToken: { type: 'apiKey', name: 'authorization', in: 'header' } };
  const info = { title: 'Kubernetes', version: '1.36' };
  return { swagger: '2.0', info, paths, definitions, securityDefinitions, security: [{ BearerToken: [] }] };
}

/** Returns a schema with the references of OpenAPI 2, and without what it cannot express. */
function inV2(schema: Json): Json {
  if (Array.isArray(schema)) return (schema as readonly Json[]).map(inV2);
  if (!isJsonObject(schema)) return schema;
  const special = specialInV2(schema);
  if (special !== undefined) return special;
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

function pathItem({ parameters, ...operations }: JsonObject): JsonObject {
  const entries = Object.entries(operations).map(([method, each]) => [method, operation(each as JsonObject)]);
  return { ...Object.fromEntries(entries), ...(parameters === undefined ? {} : { parameters: listOf(parameters).map(parameter) as Json }) };
}

/** Returns an operation whose body is a parameter, and whose media types stand beside the schemas. */
function operation({ requestBody, parameters, responses, ...rest }: JsonObject): JsonObject {
  const body = structOf(requestBody);
  const answers = Object.entries(structOf(responses)).map(([code, answer]) => [code, response(structOf(answer))]);
  const sent = body.content === undefined ? [] : [{ name: 'body', in: 'body', ...required(body), schema: inV2(schemaOf(body)) }];
  const all = [...sent, ...listOf(parameters).map(parameter)];
  const produces = Object.keys(structOf(structOf(structOf(responses)['200']).content));
  return {
    ...rest,
    consumes: Object.keys(structOf(body.content ?? { '*/*': {} })),
    produces,
    schemes: ['https'],
    ...(all.length > 0 ? { parameters: all } : {}),
    responses: Object.fromEntries(answers),
  };
}

function parameter({ schema, ...rest }: JsonObject): JsonObject {
  return { ...rest, ...structOf(schema) };
}

function response({ content, ...rest }: JsonObject): JsonObject {
  return content === undefined ? rest : { ...rest, schema: inV2(schemaOf({ content })) };
}

/** Returns the schema of a body, which is the same in every media type. */
function schemaOf({ content }: JsonObject): Json {
  return structOf(Object.values(structOf(content))[0] as Json).schema ?? {};
}

function required({ required: isRequired }: JsonObject): JsonObject {
  return isRequired === undefined ? {} : { required: isRequired };
}
