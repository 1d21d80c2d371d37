import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';

/**
 * A node of a structural schema, as a CustomResourceDefinition has it.
 * Source: Kubernetes documentation "Extend the Kubernetes API with CustomResourceDefinitions", "Specifying a structural schema".
 */
export type Structural = JsonObject;

export function propertiesOf(schema: Structural): Readonly<Record<string, Structural>> {
  return (isJsonObject(schema.properties) ? schema.properties : {}) as Record<string, Structural>;
}

/** The schema of a member that `properties` does not name: undefined where there is none, `true` where anything goes. */
export function additionalOf(schema: Structural): Structural | true | undefined {
  const { additionalProperties: additional } = schema;
  if (additional === true) return true;
  return isJsonObject(additional) ? additional : undefined;
}

export function itemsOf(schema: Structural): Structural | undefined {
  return isJsonObject(schema.items) ? schema.items : undefined;
}

export function preserves(schema: Structural): boolean {
  return schema['x-kubernetes-preserve-unknown-fields'] === true;
}

export function isEmbedded(schema: Structural): boolean {
  return schema['x-kubernetes-embedded-resource'] === true;
}

/** Schema of a member of an object. */
export function memberSchema(schema: Structural, name: string): Structural | undefined {
  const properties = propertiesOf(schema);
  if (Object.hasOwn(properties, name)) return properties[name];
  const additional = additionalOf(schema);
  return additional === true ? undefined : additional;
}

/** Applies a function to the members of an object and the items of a list that the schema describes; others stay as they are. */
export function mapChildren(
  value: Json,
  schema: Structural,
  visit: (child: Json, schema: Structural, name: string | number) => Json,
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
