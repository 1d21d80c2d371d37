import { groupOf } from '../../assembly/identity.js';
import { ApiError, type ClusterClient, customResourceDefinitions, type Resource } from '../../kubernetes/index.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';

const schemaReferencePrefix = '#/components/schemas/';

/**
 * Returns the CustomResourceDefinition of a kind, or where it cannot be read, a substitute made from the OpenAPI schema that the server
 * publishes to everybody. A server publishes a kind only a moment after it serves it.
 *
 * @returns undefined where neither has the kind.
 */
export async function fetchCrd(cluster: ClusterClient, resource: Resource): Promise<JsonObject | undefined> {
  const name = `${resource.plural}.${groupOf(resource.apiVersion)}`;
  return (
    (await undefinedIfRefused(() => cluster.get({ resource: customResourceDefinitions, name }))) ??
    (await undefinedIfRefused(async () => crdFromOpenApi(await cluster.openApi(resource.apiVersion), resource, name)))
  );
}

/** Returns what was read; undefined for whatever the server refuses. */
export async function undefinedIfRefused<Result>(read: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

/**
 * Returns a CustomResourceDefinition with the one version that an OpenAPI v3 document describes: list and map types, defaults, required
 * fields and rules are those that the server publishes. The parts that only the real definition has, such as other versions, are missing.
 *
 * @returns undefined where the document does not describe the kind.
 */
export function crdFromOpenApi(document: JsonObject, resource: Resource, name: string): JsonObject | undefined {
  const components = isJsonObject(document.components) ? document.components : {};
  const schemas = isJsonObject(components.schemas) ? components.schemas : {};
  const group = groupOf(resource.apiVersion);
  const version = resource.apiVersion.slice(group === '' ? 0 : group.length + 1);
  const found = Object.values(schemas).find((schema) => isJsonObject(schema) && describes(schema, group, version, resource.kind));
  if (!isJsonObject(found)) return undefined;
  const { metadata: _, apiVersion: __, kind: ___, ...properties } = isJsonObject(found.properties) ? found.properties : {};
  const root = inlineReferences({ ...found, properties }, schemas, []) as JsonObject;
  const names = { kind: resource.kind, plural: resource.plural, singular: resource.kind.toLowerCase(), listKind: `${resource.kind}List` };
  const subresources = isJsonObject(properties.status) ? { subresources: { status: {} } } : {};
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name },
    spec: {
      group,
      names,
      scope: resource.namespaced ? 'Namespaced' : 'Cluster',
      versions: [{ name: version, served: true, storage: true, schema: { openAPIV3Schema: root }, ...subresources }],
    },
  };
}

function describes(schema: JsonObject, group: string, version: string, kind: string): boolean {
  const kinds = schema['x-kubernetes-group-version-kind'];
  const isSame = (item: Json) => isJsonObject(item) && item.group === group && item.version === version && item.kind === kind;
  return Array.isArray(kinds) && (kinds as readonly Json[]).some(isSame);
}

/** Returns the schema with its references inlined; a type inside itself accepts anything. */
function inlineReferences(schema: Json | undefined, schemas: JsonObject, inside: readonly string[]): Json | undefined {
  if (Array.isArray(schema)) return (schema as readonly Json[]).map((item) => inlineReferences(item, schemas, inside) as Json);
  if (!isJsonObject(schema)) return schema;
  const { $ref, allOf, ...rest } = schema;
  const [only] = Array.isArray(allOf) && allOf.length === 1 ? (allOf as readonly Json[]) : [];
  const target = typeof $ref === 'string' ? $ref : isJsonObject(only) && typeof only.$ref === 'string' ? only.$ref : undefined;
  if (target !== undefined) {
    const name = target.slice(schemaReferencePrefix.length);
    if (inside.includes(name)) return { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    return { ...(inlineReferences(schemas[name], schemas, [...inside, name]) as JsonObject), ...rest };
  }
  return Object.fromEntries(
    Object.entries({ ...rest, ...(allOf === undefined ? {} : { allOf }) }).map(([name, value]) => [
      name,
      name === 'default' || name === 'enum' ? value : inlineReferences(value, schemas, inside),
    ]),
  );
}
