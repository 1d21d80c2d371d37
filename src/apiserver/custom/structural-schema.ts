import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';

/**
 * A node of the structural schema of a CustomResourceDefinition.
 * Source: Kubernetes documentation "Extend the Kubernetes API with CustomResourceDefinitions", "Specifying a structural schema".
 */
export type StructuralSchema = JsonObject;

export function propertiesOf(schema: StructuralSchema): Readonly<Record<string, StructuralSchema>> {
  return (isJsonObject(schema.properties) ? schema.properties : {}) as Record<string, StructuralSchema>;
}

/** Returns the schema of members that `properties` does not name: undefined if they are unknown, `true` if any value is allowed. */
export function additionalOf(schema: StructuralSchema): StructuralSchema | true | undefined {
  const { additionalProperties: additional } = schema;
  if (additional === true) return true;
  return isJsonObject(additional) ? additional : undefined;
}

export function itemsOf(schema: StructuralSchema): StructuralSchema | undefined {
  return isJsonObject(schema.items) ? schema.items : undefined;
}

export function preserves(schema: StructuralSchema): boolean {
  return schema['x-kubernetes-preserve-unknown-fields'] === true;
}

export function isEmbedded(schema: StructuralSchema): boolean {
  return schema['x-kubernetes-embedded-resource'] === true;
}

/** Returns the schema of a member of an object; undefined if it has none. */
export function memberSchema(schema: StructuralSchema, name: string): StructuralSchema | undefined {
  const properties = propertiesOf(schema);
  if (Object.hasOwn(properties, name)) return properties[name];
  const additional = additionalOf(schema);
  return additional === true ? undefined : additional;
}

/** Applies a function to the members of an object and the items of a list that the schema describes; others are returned unchanged. */
export function mapChildren(
  value: Json,
  schema: StructuralSchema,
  visit: (child: Json, schema: StructuralSchema, name: string | number) => Json,
): Json {
  if (Array.isArray(value)) {
    const items = itemsOf(schema);
    return items === undefined ? value : (value as readonly Json[]).map((item, index) => visit(item, items, index));
  }
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const child = memberSchema(schema, name);
      return [name, child === undefined ? member : visit(member as Json, child, name)];
    }),
  );
}
