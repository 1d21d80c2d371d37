import { pathStep } from '../schema/index.js';
import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../util/json.js';

/** The most fields that are named. */
const maxNamed = 5;

/**
 * Returns the reason of an apply that changes no declared field, with the fields that it changes: those that admission writes again at each
 * request are among them.
 *
 * @param live the object, without what each write changes.
 * @param after the same after the apply.
 */
export function quietReason(live: JsonObject, after: JsonObject): string {
  const paths = differingPaths(live, after, '');
  if (paths.length === 0) return 'only the recorded owners change';
  const more = paths.length > maxNamed ? ` and ${paths.length - maxNamed} more` : '';
  const named = `${paths.slice(0, maxNamed).join(', ')}${more}`;
  return `no declared value changes, only the order of list items or values that the server fills in: ${named}`;
}

/** Returns the paths at which two values differ; a list is compared as a whole. */
function differingPaths(one: Json | undefined, other: Json | undefined, path: string): readonly string[] {
  if (!isJsonObject(one) || !isJsonObject(other)) return one === other || jsonEqual(one, other) ? [] : [path];
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].flatMap((name) =>
    differingPaths(one[name], other[name], `${path}${pathStep(name)}`),
  );
}
