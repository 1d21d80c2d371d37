import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';

/** Returns a published schema with the descriptions that the schema of its CustomResourceDefinition has. */
export function withDescriptions(node: JsonObject, declared: Json | undefined): JsonObject {
  if (!isJsonObject(declared) || node.$ref !== undefined) return node;
  const { description } = declared;
  const inner = (name: 'items' | 'additionalProperties') =>
    isJsonObject(node[name]) ? { [name]: withDescriptions(node[name], declared[name]) } : {};
  return {
    ...(typeof description === 'string' ? { description } : {}),
    ...node,
    ...inner('items'),
    ...inner('additionalProperties'),
    ...(isJsonObject(node.properties) ? { properties: membersWithDescriptions(node.properties, declared.properties) } : {}),
  };
}

function membersWithDescriptions(members: JsonObject, declared: Json | undefined): JsonObject {
  if (!isJsonObject(declared)) return members;
  const entries = Object.entries(members).map(([name, member]) => {
    const of = Object.hasOwn(declared, name) ? declared[name] : undefined;
    return [name, isJsonObject(member) ? withDescriptions(member, of) : member];
  });
  return Object.fromEntries(entries);
}
