import type { Json, JsonObject } from '../../util/json.js';
import { isJsonObject } from '../../util/json.js';
import { isIntOrString, isIntOrStringChoice } from './int-or-string.js';

/** The length at which a CEL rule or a pattern is cut in doc comments. */
const longest = 300;

/**
 * Returns the doc comment of a schema node: its author's description, then its default, bounds, junctors and CEL rules in words. Undefined
 * if there is nothing to say.
 */
export function describeNode(node: JsonObject): string | undefined {
  const description = typeof node.description === 'string' ? node.description.trim() : '';
  const facts = [...defaultOf(node), ...boundsOf(node), ...junctorsOf(node), ...celRulesOf(node)];
  const paragraphs = [description, facts.join('\n')].filter((part) => part !== '');
  return paragraphs.length === 0 ? undefined : paragraphs.join('\n\n');
}

function defaultOf({ default: value }: JsonObject): string[] {
  // An empty default adds nothing: the absent field means the same.
  if (value === undefined || value === '' || (typeof value === 'object' && value !== null && Object.keys(value).length === 0)) return [];
  return [`Default: ${cut(JSON.stringify(value))}`];
}

function boundsOf(node: JsonObject): string[] {
  const { pattern, format } = node;
  const facts = [
    ...(typeof format === 'string' && node.type === 'string' && format !== '' ? [`format ${format}`] : []),
    ...(typeof pattern === 'string' ? [`matches ${cut(pattern)}`] : []),
    ...range(node, 'minimum', 'maximum', ''),
    ...range(node, 'minLength', 'maxLength', ' characters'),
    ...range(node, 'minItems', 'maxItems', ' items'),
    ...range(node, 'minProperties', 'maxProperties', ' members'),
    ...(typeof node.multipleOf === 'number' ? [`a multiple of ${node.multipleOf}`] : []),
    ...(node.uniqueItems === true ? ['items are unique'] : []),
  ];
  return facts.length === 0 ? [] : [`Value: ${facts.join(', ')}`];
}

function range(node: JsonObject, low: string, high: string, unit: string): string[] {
  const [least, most] = [node[low], node[high]];
  const strictly = (name: string) => node[`exclusive${name.charAt(0).toUpperCase()}${name.slice(1)}`] === true;
  return [
    ...(typeof least === 'number' ? [`${strictly(low) ? 'more than' : 'at least'} ${least}${unit}`] : []),
    ...(typeof most === 'number' ? [`${strictly(high) ? 'less than' : 'at most'} ${most}${unit}`] : []),
  ];
}

function junctorsOf(node: JsonObject): string[] {
  const facts: string[] = [];
  for (const [word, text] of [
    ['oneOf', 'Exactly one of'],
    ['anyOf', 'At least one of'],
    ['allOf', 'All of'],
  ] as const) {
    const choices = node[word];
    if (!Array.isArray(choices) || choices.length === 0) continue;
    if (isIntOrString(node) && (isIntOrStringChoice(choices) || (word === 'allOf' && choices.length === 1))) continue;
    if (choices.some((choice: Json) => isJsonObject(choice) && choice.$ref !== undefined)) continue;
    const groups = choices.map(requiredGroup);
    facts.push(
      groups.every((group) => group !== undefined)
        ? `${text}: ${groups.join(', ')}`
        : `${text} ${choices.length} forms, which only the API server tells apart (${word})`,
    );
  }
  if (isJsonObject(node.not)) facts.push(notText(node.not));
  return facts;
}

// OpenAPI v3 expresses mutually exclusive fields as `not` around `required`.
function notText(not: JsonObject): string {
  const group = requiredGroup(not);
  if (group !== undefined) return group.includes(' with ') ? `Not together: ${group.replaceAll(' with ', ', ')}` : `Not: ${group}`;
  const groups = Array.isArray(not.anyOf) ? not.anyOf.map(requiredGroup) : [];
  return groups.length > 0 && groups.every((one) => one !== undefined)
    ? `None of: ${groups.join(', ')}`
    : 'Some forms are forbidden, which only the API server knows (not)';
}

/** Returns `a with b` for a choice that only lists required fields. */
function requiredGroup(choice: Json): string | undefined {
  if (!isJsonObject(choice) || !Array.isArray(choice.required) || choice.required.length === 0) return undefined;
  const rest = Object.keys(choice).filter((word) => word !== 'required' && word !== 'type' && word !== 'properties');
  const properties = isJsonObject(choice.properties) ? Object.values(choice.properties) : [];
  const bare = properties.every((property) => !isJsonObject(property) || Object.keys(property).length === 0);
  return rest.length === 0 && bare ? choice.required.map(String).join(' with ') : undefined;
}

function celRulesOf(node: JsonObject): string[] {
  const rules = node['x-kubernetes-validations'];
  if (!Array.isArray(rules)) return [];
  return rules.filter(isJsonObject).map(({ rule, message }) => {
    const text = cut(String(rule).trim().replace(/\s+/g, ' '));
    return typeof message === 'string' && message !== '' ? `Rule: ${message.trim().replace(/\s+/g, ' ')} (${text})` : `Rule: ${text}`;
  });
}

function cut(text: string): string {
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}
