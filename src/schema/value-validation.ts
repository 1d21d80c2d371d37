import type { Json, JsonObject } from '../util/json.js';
import { isJsonObject } from '../util/json.js';
import { isIntOrString, isIntOrStringChoice } from './read/int-or-string.js';

/**
 * Rules about the value at a position, in the words of JSON Schema as OpenAPI v3 has them (`exclusiveMinimum` is a boolean beside
 * `minimum`). They say nothing about owners. Source: Kubernetes documentation "CustomResourceDefinitions", "Validation".
 */
export type ValueValidation = JsonObject;

const valueKeywords = [
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
];

const junctors = ['oneOf', 'anyOf', 'allOf'] as const;

// Further keywords that a member of a junctor may have.
const memberKeywords = ['enum', 'format', 'required', 'properties', 'items', 'additionalProperties', 'type'];

/** Returns the rules of a schema node that the rest of the model does not hold, or undefined if there are none. */
export function readValueValidation(node: JsonObject): ValueValidation | undefined {
  const rules: Record<string, Json> = pick(node, valueKeywords);
  const values = enumOf(node);
  if (values !== undefined && !isScalarNode(node)) rules.enum = values;
  const free = isIntOrString(node);
  for (const word of junctors) {
    const choices = node[word];
    if (!Array.isArray(choices) || (free && isIntOrStringChoice(choices))) continue;
    // Not rules: references, and members that repeat `x-kubernetes-int-or-string`.
    const members = choices.filter((choice: Json) => {
      return isJsonObject(choice) && choice.$ref === undefined && !(free && isIntOrStringChoice(choice.anyOf));
    });
    if (members.length > 0) rules[word] = members.map((choice: Json) => member(choice));
  }
  if (isJsonObject(node.not)) rules.not = member(node.not);
  return Object.keys(rules).length === 0 ? undefined : rules;
}

/** Returns the only values of a node; undefined if it has no enum, or an empty one. */
export function enumOf(node: JsonObject): readonly Json[] | undefined {
  return Array.isArray(node.enum) && node.enum.length > 0 ? (node.enum as readonly Json[]) : undefined;
}

/** Returns true for a node whose enum is part of the scalar's type. */
function isScalarNode(node: JsonObject): boolean {
  return ['integer', 'number', 'boolean', 'string'].includes(String(node.type)) && !isIntOrString(node);
}

/** Reads a node inside a junctor: rules, and keywords about members. Descriptions and defaults are omitted. */
function member(node: Json | undefined): Json {
  if (!isJsonObject(node)) return node ?? true;
  const result: Record<string, Json> = pick(node, [...valueKeywords, ...memberKeywords]);
  if (isJsonObject(node.properties)) {
    result.properties = Object.fromEntries(Object.entries(node.properties).map(([name, inner]) => [name, member(inner)]));
  }
  for (const word of ['items', 'additionalProperties', 'not'] as const) if (isJsonObject(node[word])) result[word] = member(node[word]);
  for (const word of junctors) {
    const choices = node[word];
    if (Array.isArray(choices)) result[word] = choices.map((choice: Json) => member(choice));
  }
  return result;
}

function pick(node: JsonObject, words: readonly string[]): Record<string, Json> {
  const found = words.filter((word) => Object.hasOwn(node, word) && node[word] !== undefined && node[word] !== false);
  return Object.fromEntries(found.map((word) => [word, node[word] as Json]));
}
