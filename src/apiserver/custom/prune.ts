import { isJsonObject, type Json, type JsonObject, setMember } from '../../util/json.js';
import { withoutNulls } from './defaults.js';
import { unknownMetadata } from './object-meta.js';
import { additionalOf, isEmbedded, itemsOf, preserves, propertiesOf, type StructuralSchema } from './structural-schema.js';

const objectMembers = new Set(['apiVersion', 'kind', 'metadata']);

/**
 * Removes the fields that the schema does not declare, and returns their paths. `apiVersion`, `kind` and `metadata` are kept at the
 * root and in embedded resources. Source: Kubernetes documentation "CustomResourceDefinitions", "Field pruning".
 */
export function prune(object: JsonObject, schema: StructuralSchema): { readonly object: JsonObject; readonly unknown: readonly string[] } {
  const unknown: UnknownFields = { members: [], embedded: [] };
  const pruned = pruneAt(object, schema, { path: '', isObject: true }, unknown) as JsonObject;
  // Unknown fields are reported in this order: metadata, content, metadata of embedded resources. Source: observed.
  const own = unknownMetadata(object.metadata ?? null, 'metadata');
  return { object: pruned, unknown: [...own, ...unknown.members.toSorted(), ...unknown.embedded.toSorted()] };
}

/** Returns true for a value with fields that its schema does not declare, except in the metadata of embedded resources. */
export function hasUnknownFields(value: Json, schema: StructuralSchema): boolean {
  const unknown: UnknownFields = { members: [], embedded: [] };
  pruneAt(value, schema, { path: '', isObject: isEmbedded(schema) }, unknown);
  return unknown.members.length > 0;
}

interface UnknownFields {
  readonly members: string[];
  readonly embedded: string[];
}

/** The position of a value. */
interface PruneCursor {
  readonly path: string;
  /** True at the root and in embedded resources, which have metadata. */
  readonly isObject: boolean;
  /** True for an item of a list that preserves unknown fields: its own members are preserved, too. Source: observed. */
  readonly isPreservedItem?: boolean;
}

function pruneAt(value: Json, schema: StructuralSchema, cursor: PruneCursor, unknown: UnknownFields): Json {
  const { path, isObject, isPreservedItem = false } = cursor;
  const preserved = isPreservedItem || preserves(schema);
  if (Array.isArray(value)) {
    const items = itemsOf(schema);
    if (items === undefined && preserved) return value;
    // Validation refuses an unexpected list later; its contents are reported as unknown nevertheless.
    const element = items ?? {};
    const itemCursor = { isObject: isEmbedded(element), isPreservedItem: preserved };
    return (value as readonly Json[]).map((item, index) => pruneAt(item, element, { ...itemCursor, path: `${path}[${index}]` }, unknown));
  }
  if (!isJsonObject(value)) return value;
  const properties = propertiesOf(schema);
  const additional = additionalOf(schema);
  const result: Record<string, Json> = {};
  for (const [name, member] of Object.entries(value) as [string, Json][]) {
    const inner = path === '' ? name : `${path}.${name}`;
    if (isObject && objectMembers.has(name)) {
      setMember(result, name, member);
      // A null that the schema does not allow is removed before the metadata is decoded, and is not unknown. Source: observed.
      const sent = name === 'metadata' && path !== '' ? withoutNulls(member, (properties.metadata as StructuralSchema) ?? {}) : null;
      unknown.embedded.push(...unknownMetadata(sent, inner));
    } else if (Object.hasOwn(properties, name)) {
      const property = properties[name] as StructuralSchema;
      setMember(result, name, pruneAt(member, property, { path: inner, isObject: isEmbedded(property) }, unknown));
    } else if (additional !== undefined) {
      // `additionalProperties: true` allows any value, but has no schema for the members of one. Source: observed.
      const element = additional === true ? {} : additional;
      setMember(result, name, pruneAt(member, element, { path: inner, isObject: isEmbedded(element) }, unknown));
    } else if (preserved) setMember(result, name, member);
    else unknown.members.push(inner);
  }
  return result;
}
