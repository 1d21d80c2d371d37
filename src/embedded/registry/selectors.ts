import { metadataOf } from '../../kubernetes/object.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { badRequest } from '../api/status-error.js';

export type Matcher = (object: JsonObject) => boolean;

/** Parses a label selector. Source: Kubernetes documentation "Labels and Selectors". @throws StatusError 400 */
export function labelMatcher(text: string): Matcher {
  const requirements = splitRequirements(text).map(labelRequirement);
  return (object) => {
    const metadata = metadataOf(object);
    const labels = (isJsonObject(metadata.labels) ? metadata.labels : {}) as Record<string, string>;
    return requirements.every((satisfies) => satisfies(labels));
  };
}

/**
 * Returns a matcher for a LabelSelector; one that is absent or empty matches everything.
 * Source: Kubernetes API reference, LabelSelector.
 */
export function selectorMatcher(selector: Json | undefined): Matcher {
  const { matchLabels = {}, matchExpressions = [] } = (isJsonObject(selector) ? selector : {}) as {
    matchLabels?: Readonly<Record<string, string>>;
    matchExpressions?: readonly { readonly key: string; readonly operator: string; readonly values?: readonly string[] }[];
  };
  return ({ metadata }) => {
    const labels = (isJsonObject(metadata) && isJsonObject(metadata.labels) ? metadata.labels : {}) as Record<string, string>;
    const expressions = matchExpressions.every(({ key, operator, values = [] }) => {
      const value = labels[key];
      if (operator === 'Exists') return value !== undefined;
      if (operator === 'DoesNotExist') return value === undefined;
      return (value !== undefined && values.includes(value)) === (operator === 'In');
    });
    return expressions && Object.entries(matchLabels).every(([key, value]) => labels[key] === value);
  };
}

/** Parses a field selector: `metadata.name`, `metadata.namespace` and any other path of scalars. @throws StatusError 400 */
export function fieldMatcher(text: string): Matcher {
  const requirements = text
    .split(',')
    .filter((part) => part.trim() !== '')
    .map((part) => {
      const match = /^([^=!\s]+)\s*(==|!=|=)(.*)$/s.exec(part.trim());
      if (match === null) throw badRequest(`invalid selector: '${part}'; can't understand '${part}'`);
      const [, path = '', operator, value = ''] = match;
      return (object: JsonObject) => (String(valueAt(object, path) ?? '') === value.trim()) === (operator !== '!=');
    });
  return (object) => requirements.every((satisfies) => satisfies(object));
}

function valueAt(object: JsonObject, path: string): Json | undefined {
  let value: Json | undefined = object;
  for (const name of path.split('.')) value = isJsonObject(value) ? value[name] : undefined;
  return value;
}

function splitRequirements(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let current = '';
  for (const character of text) {
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (character === ',' && depth === 0) {
      parts.push(current);
      current = '';
    } else current += character;
  }
  return [...parts, current].map((part) => part.trim()).filter((part) => part !== '');
}

type Requirement = (labels: Readonly<Record<string, string>>) => boolean;

function labelRequirement(text: string): Requirement {
  const set = /^(\S+)\s+(in|notin)\s*\(([^)]*)\)$/.exec(text);
  if (set !== null) {
    const [, key = '', operator, list = ''] = set;
    const values = list.split(',').map((value) => value.trim());
    return (labels) => (labels[key] !== undefined && values.includes(labels[key])) === (operator === 'in');
  }
  const equality = /^([^=!<>\s]+)\s*(==|=|!=)\s*([^=!\s]*)$/.exec(text);
  if (equality !== null) {
    const [, key = '', operator, value = ''] = equality;
    return (labels) => (labels[key] === value) === (operator !== '!=');
  }
  const comparison = /^([^<>\s]+)\s*([<>])\s*(-?\d+)$/.exec(text);
  if (comparison !== null) {
    const [, key = '', operator, value = ''] = comparison;
    return (labels) =>
      labels[key] !== undefined && (operator === '<' ? Number(labels[key]) < Number(value) : Number(labels[key]) > Number(value));
  }
  const exists = /^(!?)\s*([A-Za-z0-9][-A-Za-z0-9_./]*)$/.exec(text);
  if (exists === null) throw badRequest(`unable to parse requirement: found '${text}', expected: identifier, or a selector`);
  return (labels) => (labels[exists[2] as string] !== undefined) === (exists[1] === '');
}
