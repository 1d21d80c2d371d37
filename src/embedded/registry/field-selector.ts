import type { JsonObject } from '../../util/json.js';
import { parseFieldSelector } from '../api/field-selector.js';
import { badRequest } from '../api/status-error.js';
import { memberAt } from '../built-in/convert/json-access.js';
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
  const requirements = parseFieldSelector(text).map(({ field, operator, value }) => {
    const empty = Object.hasOwn(absent, field) ? absent[field] : undefined;
    if (empty === undefined) throw badRequest(unknown(field));
    const from = paths?.[field] ?? [field];
    return (object: JsonObject) => ((textAt(object, from) ?? empty) === value) === (operator === '=');
  });
  return (object) => requirements.every((satisfies) => satisfies(object));
}

/** Returns the first scalar that an object has at one of the paths. */
function textAt(object: JsonObject, paths: readonly string[]): string | undefined {
  for (const path of paths) {
    const value = memberAt(object, path);
    if (value !== undefined && value !== null && typeof value !== 'object' && value !== '') return String(value);
  }
  return undefined;
}
