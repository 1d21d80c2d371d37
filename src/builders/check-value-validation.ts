import { enumOf, type MapType, matchesPattern, type ValueValidation } from '../schema/index.js';
import type { Json, JsonObject } from '../util/json.js';
import { isInteger, isJsonObject, isNumber, jsonEqual } from '../util/json.js';
import { checkFormat } from './check-format.js';
import { describeValue, notOneOf } from './describe.js';

export interface ValueValidationContext {
  /** True if no other owner can add to the value. */
  readonly complete: boolean;
  /** The type of an object, for its defaults, which the server fills in before it checks rules. */
  readonly map?: MapType | undefined;
}

/**
 * Returns the violations of rules in a declared value. A partial value is only checked for errors that no other owner could correct: a text
 * that does not match stays wrong, while a list that is too short may grow.
 *
 * The embedded server validates whole objects with `embedded/custom/validate-value.ts`, in the server's words and by the structural schema. A
 * builder has a partial value and its type model, so the two share only patterns (`schema/pattern.ts`).
 */
export function checkValueValidation(rules: ValueValidation, value: Json, { complete, map }: ValueValidationContext): string[] {
  const problems = bounds(rules, value, complete);
  const object = isJsonObject(value);
  const isPartial = !complete && (object || Array.isArray(value));
  const choices = enumOf(rules);
  const fitting = (allowed: Json) => (isPartial ? isObjectOrList(allowed) : jsonEqual(allowed, value));
  if (choices !== undefined && !choices.some(fitting)) problems.push(notOneOf(value, choices));
  if (isPartial) return problems;
  return [...problems, ...junctors(rules, object && map ? withDefaults(value, map) : value)];
}

function isObjectOrList(value: Json): boolean {
  return typeof value === 'object' && value !== null;
}

function bounds(rules: ValueValidation, value: Json, complete: boolean): string[] {
  if (typeof value === 'string') return textBounds(rules, value);
  if (isNumber(value)) return numberBounds(rules, value);
  if (Array.isArray(value)) return countBounds(value.length, complete, rules.minItems, rules.maxItems, 'items');
  if (!isJsonObject(value)) return [];
  return countBounds(Object.keys(value).length, complete, rules.minProperties, rules.maxProperties, 'members');
}

function textBounds({ pattern, minLength, maxLength }: ValueValidation, value: string): string[] {
  const problems: string[] = [];
  const shown = describeValue(value);
  if (typeof pattern === 'string' && matchesPattern(pattern, value) === false) problems.push(`${shown} does not match ${pattern}`);
  // Counts characters, as the server does, not UTF-16 units.
  const length = minLength === undefined && maxLength === undefined ? 0 : [...value].length;
  if (typeof minLength === 'number' && length < minLength) problems.push(`${shown} is shorter than ${minLength} characters`);
  if (typeof maxLength === 'number' && length > maxLength) problems.push(`${shown} is longer than ${maxLength} characters`);
  return problems;
}

function numberBounds({ minimum, exclusiveMinimum, maximum, exclusiveMaximum, multipleOf }: ValueValidation, value: number): string[] {
  const problems: string[] = [];
  if (typeof minimum === 'number' && (value < minimum || (exclusiveMinimum === true && value === minimum)))
    problems.push(`${value} is not ${exclusiveMinimum === true ? 'above' : 'at least'} ${minimum}`);
  if (typeof maximum === 'number' && (value > maximum || (exclusiveMaximum === true && value === maximum)))
    problems.push(`${value} is not ${exclusiveMaximum === true ? 'below' : 'at most'} ${maximum}`);
  if (typeof multipleOf === 'number' && multipleOf > 0) {
    const times = Number(value) / multipleOf;
    if (Math.abs(times - Math.round(times)) > 1e-9 * Math.max(1, Math.abs(times)))
      problems.push(`${value} is not a multiple of ${multipleOf}`);
  }
  return problems;
}

function countBounds(count: number, complete: boolean, least: Json | undefined, most: Json | undefined, what: string): string[] {
  if (complete && typeof least === 'number' && count < least) return [`fewer than ${least} ${what}`];
  return typeof most === 'number' && count > most ? [`more than ${most} ${what}`] : [];
}

function junctors(rules: ValueValidation, value: Json): string[] {
  const problems: string[] = [];
  const fitting = (word: string) => asList(rules[word]).filter((choice) => fits(choice, value)).length;
  if (rules.allOf !== undefined && fitting('allOf') < asList(rules.allOf).length) problems.push('not all of allOf hold');
  if (rules.anyOf !== undefined && fitting('anyOf') === 0) problems.push(`none of anyOf holds${hint(rules.anyOf)}`);
  if (rules.oneOf !== undefined && fitting('oneOf') !== 1)
    problems.push(`${fitting('oneOf')} of oneOf hold where exactly one must${hint(rules.oneOf)}`);
  if (rules.not !== undefined && fits(rules.not, value)) problems.push('what `not` forbids holds');
  return problems;
}

// Most junctors are `required` groups, and their names show the fields to write.
function hint(choices: Json): string {
  const groups = asList(choices).map((choice) =>
    isJsonObject(choice) && Array.isArray(choice.required) ? choice.required.join(' + ') : '',
  );
  return groups.some((group) => group !== '') ? ` (${groups.filter((group) => group !== '').join(', or ')})` : '';
}

/** Returns true if a value matches a node inside a junctor. */
function fits(node: Json, value: Json): boolean {
  if (!isJsonObject(node)) return node !== false;
  if (typeof node.type === 'string' && !isOfType(node.type, value)) return false;
  if (typeof value === 'string' && typeof node.format === 'string' && checkFormat(node.format, value) !== undefined) return false;
  if (Array.isArray(node.enum) && !node.enum.some((allowed: Json) => jsonEqual(allowed, value))) return false;
  if (bounds(node, value, true).length > 0 || junctors(node, value).length > 0) return false;
  if (Array.isArray(value)) return node.items === undefined || value.every((item: Json) => fits(node.items as Json, item));
  return !isJsonObject(value) || membersFit(node, value);
}

function membersFit(node: JsonObject, value: JsonObject): boolean {
  if (asList(node.required).some((name) => !Object.hasOwn(value, String(name)))) return false;
  const properties = isJsonObject(node.properties) ? node.properties : {};
  return Object.entries(value).every(([name, member]) => {
    if (Object.hasOwn(properties, name)) return fits(properties[name] ?? true, member ?? null);
    return node.additionalProperties === undefined || fits(node.additionalProperties, member ?? null);
  });
}

function isOfType(type: string, value: Json): boolean {
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isJsonObject(value);
  if (type === 'integer') return isInteger(value);
  if (type === 'number') return isNumber(value);
  return typeof value === type;
}

function withDefaults(value: JsonObject, map: MapType): JsonObject {
  const filled = [...map.fields].filter(([name, field]) => field.default !== undefined && !Object.hasOwn(value, name));
  return filled.length === 0 ? value : { ...value, ...Object.fromEntries(filled.map(([name, field]) => [name, field.default])) };
}

function asList(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}
