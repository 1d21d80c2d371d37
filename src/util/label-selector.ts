import { isJsonObject, type Json } from './json.js';

type Labels = Readonly<Record<string, Json | undefined>>;

/** Returns true if a LabelSelector matches labels; one that is absent or empty matches all. Source: Kubernetes API reference, LabelSelector. */
export function matchesLabels(selector: Json | undefined, labels: Labels): boolean {
  return requirementsOf(selector).every((requirement) => isMet(requirement, labels) === true);
}

/** Returns false only where a LabelSelector certainly does not match labels: an unknown operator or an unexpected form matches. */
export function mayMatchLabels(selector: Json | undefined, labels: Labels): boolean {
  return requirementsOf(selector).every((requirement) => isMet(requirement, labels) !== false);
}

/** The label that every Namespace has: its name. */
export const nameLabel = 'kubernetes.io/metadata.name';

/** Returns false only where a LabelSelector certainly does not match a Namespace of which nothing but the name is known. */
export function mayMatchNamespaceNamed(selector: Json | undefined, name: string): boolean {
  return requirementsOf(selector).every(
    (requirement) => requirement.key !== nameLabel || isMet(requirement, { [nameLabel]: name }) !== false,
  );
}

/** Returns true if a selector is absent or empty, so that it matches everything. */
export function matchesAll(selector: Json | undefined): boolean {
  return requirementsOf(selector).length === 0;
}

/** Returns the keys of the labels that decide a selector. */
export function selectorKeys(selector: Json | undefined): readonly string[] {
  return requirementsOf(selector).map(({ key }) => key);
}

interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values: readonly Json[];
}

function requirementsOf(selector: Json | undefined): readonly Requirement[] {
  const { matchLabels, matchExpressions } = isJsonObject(selector) ? selector : {};
  const equal = Object.entries(isJsonObject(matchLabels) ? matchLabels : {});
  const expressions = (Array.isArray(matchExpressions) ? (matchExpressions as readonly Json[]) : []).filter(isJsonObject);
  return [
    ...equal.map(([key, value]) => ({ key, operator: 'In', values: [value as Json] })),
    ...expressions.map(({ key, operator, values }) => ({
      key: String(key),
      operator: String(operator),
      values: Array.isArray(values) ? (values as readonly Json[]) : [],
    })),
  ];
}

/** Returns undefined for an operator that is not known. */
function isMet({ key, operator, values }: Requirement, labels: Labels): boolean | undefined {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  const isListed = value !== undefined && values.includes(value);
  switch (operator) {
    case 'In':
      return isListed;
    case 'NotIn':
      return !isListed;
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    default:
      return undefined;
  }
}
