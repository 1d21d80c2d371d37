import { isJsonObject, isList, type Json, type JsonObject } from '../../util/json.js';

/** Returns a published schema with the descriptions and rules that the schema of its CustomResourceDefinition has. */
export function withDescriptionsAndRules(node: JsonObject, declared: Json | undefined): JsonObject {
  if (!isJsonObject(declared) || node.$ref !== undefined) return node;
  const { description, 'x-kubernetes-validations': rules } = declared;
  const inner = (name: 'items' | 'additionalProperties') =>
    isJsonObject(node[name]) ? { [name]: withDescriptionsAndRules(node[name], declared[name]) } : {};
  return {
    ...(typeof description === 'string' ? { description } : {}),
    ...node,
    ...inner('items'),
    ...inner('additionalProperties'),
    ...(isList(rules) && rules.length > 0 ? { 'x-kubernetes-validations': rules } : {}),
    ...(isJsonObject(node.properties) ? { properties: membersWithThem(node.properties, declared.properties) } : {}),
  };
}

function membersWithThem(members: JsonObject, declared: Json | undefined): JsonObject {
  if (!isJsonObject(declared)) return members;
  const entries = Object.entries(members).map(([name, member]) => {
    const of = Object.hasOwn(declared, name) ? declared[name] : undefined;
    return [name, isJsonObject(member) ? withDescriptionsAndRules(member, of) : member];
  });
  return Object.fromEntries(entries);
}
