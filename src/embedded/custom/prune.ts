import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { unknownMetadata } from './object-meta.js';
import { additionalOf, isEmbedded, itemsOf, preserves, propertiesOf, type StructuralSchema } from './structural-schema.js';

const objectMembers = new Set(['apiVersion', 'kind', 'metadata']);

/**
 * Removes the fields that the schema does not declare, and returns their paths. `apiVersion`, `kind` and `metadata` are kept at the
 * root and in embedded resources. Source: Kubernetes documentation "CustomResourceDefinitions", "Field pruning".
 */
export function prune(object: JsonObject, schema: StructuralSchema): { readonly object: JsonObject; readonly unknown: readonly string[] } {
  const unknown: UnknownFields = { members: [], embedded: [] };
  const pruned = pruneAt(object, schema, '', true, unknown) as JsonObject;
  // Unknown fields are reported in this order: metadata, content, metadata of embedded resources. Source: observed.
  const own = unknownMetadata(object.metadata ?? null, 'metadata');
  return { object: pruned, unknown: [...own, ...unknown.members.toSorted(), ...unknown.embedded.toSorted()] };
}

interface UnknownFields {
  readonly members: string[];
  readonly embedded: string[];
}

function pruneAt(value: Json, schema: StructuralSchema, path: string, isObject: boolean, unknown: UnknownFields): Json {
  if (Array.isArray(value)) {
    const items = itemsOf(schema);
    if (items === undefined && preserves(schema)) return value;
    // Validation refuses an unexpected list later; its contents are reported as unknown nevertheless.
    const element = items ?? {};
    return (value as readonly Json[]).map((item, index) => pruneAt(item, element, `${path}[${index}]`, isEmbedded(element), unknown));
  }
  if (!isJsonObject(value)) return value;
  const properties = propertiesOf(schema);
  const additional = additionalOf(schema);
  const result: Record<string, Json> = {};
  for (const [name, member] of Object.entries(value) as [string, Json][]) {
    const inner = path === '' ? name : `${path}.${name}`;
    if (isObject && objectMembers.has(name)) {
      result[name] = member;
      if (name === 'metadata' && path !== '') unknown.embedded.push(...unknownMetadata(member, inner));
    } else if (Object.hasOwn(properties, name)) {
      const property = properties[name] as StructuralSchema;
      result[name] = pruneAt(member, property, inner, isEmbedded(property), unknown);
    } else if (additional !== undefined) {
      result[name] = additional === true ? member : pruneAt(member, additional, inner, isEmbedded(additional), unknown);
    } else if (preserves(schema)) result[name] = member;
    else unknown.members.push(inner);
  }
  return result;
}
