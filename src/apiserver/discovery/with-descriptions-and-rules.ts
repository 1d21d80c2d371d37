import { isJsonObject, isList, type Json, type JsonObject } from '../../util/json.js';

/**
 * Returns a published schema with the descriptions and rules that the schema of its CustomResourceDefinition has, and with the members that it
 * preserves where it says so: the types of merging have them further inside, too.
 */
export function withDescriptionsAndRules(merged: JsonObject, declared: Json | undefined): JsonObject {
  if (!isJsonObject(declared) || merged.$ref !== undefined) return merged;
  const node = declared.additionalProperties === undefined ? withPreserved(merged, declared) : merged;
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

const preserve = 'x-kubernetes-preserve-unknown-fields';

const embedded = 'x-kubernetes-embedded-resource';

function withPreserved(merged: JsonObject, declared: JsonObject): JsonObject {
  const { additionalProperties: _, ...node } = merged;
  const resource = declared[embedded] === true ? { [embedded]: true, required: withTypeNames(node.required) } : {};
  return { ...node, ...(declared[preserve] === true ? { [preserve]: true } : {}), ...resource };
}

/** An embedded resource requires its type. Source: observed. */
function withTypeNames(required: Json | undefined): readonly Json[] {
  const names = ['kind', 'apiVersion'];
  return [...(isList(required) ? required.filter((name) => !names.includes(String(name))) : []), ...names];
}

function membersWithThem(members: JsonObject, declared: Json | undefined): JsonObject {
  if (!isJsonObject(declared)) return members;
  const entries = Object.entries(members).map(([name, member]) => {
    const of = Object.hasOwn(declared, name) ? declared[name] : undefined;
    return [name, isJsonObject(member) ? withDescriptionsAndRules(member, of) : member];
  });
  return Object.fromEntries(entries);
}
