import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { memberAt } from '../api/json-access.js';

/** Returns the value at a dotted path; undefined if it is null. */
export function at(object: Json | undefined, path: string): Json | undefined {
  return memberAt(object, path) ?? undefined;
}

/** Returns the list at a dotted path, empty if there is none. */
export function listAt(object: Json | undefined, path: string): readonly JsonObject[] {
  const value = at(object, path);
  return Array.isArray(value) ? (value as readonly JsonObject[]) : [];
}

/** Returns the texts at a dotted path. */
export function textsAt(object: Json | undefined, path: string): readonly string[] {
  return listAt(object, path) as unknown as readonly string[];
}

export function numberAt(object: Json | undefined, path: string): number {
  const value = at(object, path);
  return typeof value === 'number' ? value : 0;
}

export function textAt(object: Json | undefined, path: string): string {
  const value = at(object, path);
  return value === undefined ? '' : String(value);
}

export function countAt(object: Json | undefined, path: string): number {
  const value = at(object, path);
  return Array.isArray(value) ? value.length : isJsonObject(value) ? Object.keys(value).length : 0;
}

export function or(text: string, absent: string): string {
  return text === '' ? absent : text;
}

/** Returns the condition of a type in the status. */
export function conditionOf(object: JsonObject, type: string): JsonObject | undefined {
  return listAt(object, 'status.conditions').find((condition) => condition.type === type);
}

export function hasCondition(object: JsonObject, type: string): boolean {
  return conditionOf(object, type)?.status === 'True';
}

/** Formats labels as `a=x,b=y`. */
export function labelsText(labels: Json | undefined): string {
  if (!isJsonObject(labels)) return '<none>';
  const texts = Object.keys(labels)
    .toSorted()
    .map((name) => `${name}=${labels[name]}`);
  return or(texts.join(','), '<none>');
}

/** Formats a LabelSelector as a query: `a=x,b in (y,z)`. */
export function selectorText(selector: Json | undefined): string {
  if (!isJsonObject(selector)) return '';
  const equal = Object.entries((selector.matchLabels ?? {}) as JsonObject).map(([key, value]) => ({ key, text: `${key}=${value}` }));
  const expressions = listAt(selector, 'matchExpressions').map((expression) => ({
    key: textAt(expression, 'key'),
    text: requirementText(expression),
  }));
  const texts = [...equal, ...expressions].toSorted((left, right) => compareTexts(left.key, right.key)).map(({ text }) => text);
  return or(texts.join(','), '<none>');
}

function requirementText(expression: JsonObject): string {
  const key = textAt(expression, 'key');
  const values = textsAt(expression, 'values').toSorted().join(',');
  switch (expression.operator) {
    case 'Exists':
      return key;
    case 'DoesNotExist':
      return `!${key}`;
    case 'NotIn':
      return `${key} notin (${values})`;
    default:
      return `${key} in (${values})`;
  }
}

export function compareTexts(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Joins the first texts and counts the others: `a,b,c + 2 more...`. */
export function someOf(texts: readonly string[], most: number, separator = ','): string {
  const shown = texts.slice(0, most).join(separator);
  return texts.length > most ? `${shown} + ${texts.length - most} more...` : shown;
}

/** Returns a member of each container of a Pod template, joined. */
export function ofContainers(member: 'name' | 'image', template: string): (object: JsonObject) => string {
  return (object) =>
    listAt(object, `${template}.spec.containers`)
      .map((container) => textAt(container, member))
      .join(',');
}

/** Returns the addresses of a load balancer, joined. */
export function loadBalancerAddresses(object: JsonObject): readonly string[] {
  return listAt(object, 'status.loadBalancer.ingress').map((ingress) => or(textAt(ingress, 'ip'), textAt(ingress, 'hostname')));
}
