import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';

export type Matcher = (object: JsonObject) => boolean;

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
