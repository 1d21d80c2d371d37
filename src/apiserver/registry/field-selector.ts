import type { JsonObject } from '../../util/json.js';
import { parseFieldSelector } from '../api/field-selector.js';
import { memberAt } from '../api/json-access.js';
import { badRequest } from '../api/status-error.js';
import type { Matcher } from './selectors.js';

/** The fields of a kind that a field selector may name. */
export interface SelectableFields {
  /** The value of each field that has no value in an object, by dotted path. */
  readonly absent: Readonly<Record<string, string>>;
  /** Fields whose path in the object is another one; the first that has a value counts. */
  readonly paths?: Readonly<Record<string, readonly string[]>>;
  /** Message about a field that the kind does not list. */
  readonly unknown: (label: string) => string;
}

/** Those of a kind that has none of its own. */
export const nameAndNamespace: SelectableFields = {
  absent: { 'metadata.name': '', 'metadata.namespace': '' },
  unknown: (label) => `${JSON.stringify(label)} is not a known field selector: only "metadata.name", "metadata.namespace"`,
};

/** Parses a field selector, which names fields that the kind knows. @throws StatusError 400 */
export function fieldMatcher(text: string, { absent, paths, unknown }: SelectableFields): Matcher {
  // Selectors may name a field many times.
  const rules = new Map<string, FieldRule>();
  for (const { field, operator, value } of parseFieldSelector(text)) {
    const empty = Object.hasOwn(absent, field) ? absent[field] : undefined;
    if (empty === undefined) throw badRequest(unknown(field));
    const rule = rules.get(field) ?? { from: paths?.[field] ?? [field], empty, equal: new Set(), unequal: new Set() };
    rules.set(field, rule);
    (operator === '=' ? rule.equal : rule.unequal).add(value);
  }
  const all = [...rules.values()];
  return (object) => all.every((rule) => satisfies(textAt(object, rule.from) ?? rule.empty, rule));
}

/** All requirements of one field. */
interface FieldRule {
  readonly from: readonly string[];
  /** The value of a field that an object does not have. */
  readonly empty: string;
  readonly equal: Set<string>;
  readonly unequal: Set<string>;
}

function satisfies(value: string, { equal, unequal }: FieldRule): boolean {
  return !unequal.has(value) && (equal.size === 0 || (equal.size === 1 && equal.has(value)));
}

/** Returns the first scalar that an object has at one of the paths. */
function textAt(object: JsonObject, paths: readonly string[]): string | undefined {
  for (const path of paths) {
    const value = memberAt(object, path);
    if (value !== undefined && value !== null && typeof value !== 'object' && value !== '') return String(value);
  }
  return undefined;
}
