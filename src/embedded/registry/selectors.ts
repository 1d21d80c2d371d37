import { metadataOf } from '../../kubernetes/object.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { parseFieldSelector } from '../api/field-selector.js';
import { type LabelRequirement, parseLabelSelector } from './label-selector.js';

export type Matcher = (object: JsonObject) => boolean;

/** Parses a label selector. @throws StatusError 400 */
export function labelMatcher(text: string): Matcher {
  const requirements = parseLabelSelector(text).map(labelRequirement);
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
  const requirements = parseFieldSelector(text);
  return (object) =>
    requirements.every(({ field, operator, value }) => (String(valueAt(object, field) ?? '') === value) === (operator === '='));
}

function valueAt(object: JsonObject, path: string): Json | undefined {
  let value: Json | undefined = object;
  for (const name of path.split('.')) value = isJsonObject(value) ? value[name] : undefined;
  return value;
}

type Requirement = (labels: Readonly<Record<string, string>>) => boolean;

function labelRequirement({ key, operator, values }: LabelRequirement): Requirement {
  const [first = ''] = values;
  const accepted = new Set(values);
  switch (operator) {
    case 'exists':
      return (labels) => labels[key] !== undefined;
    case '!':
      return (labels) => labels[key] === undefined;
    case 'in':
      return (labels) => labels[key] !== undefined && accepted.has(labels[key]);
    case 'notin':
      return (labels) => labels[key] === undefined || !accepted.has(labels[key]);
    case '<':
      return (labels) => labels[key] !== undefined && Number(labels[key]) < Number(first);
    case '>':
      return (labels) => labels[key] !== undefined && Number(labels[key]) > Number(first);
  }
}
