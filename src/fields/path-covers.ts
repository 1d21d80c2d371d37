import { isItemStep, pathStepsOf } from './path-steps.js';

/**
 * Returns true if `path` is `field` or one of its ancestors. Items are compared by the list map keys in `path`, so that a person may omit
 * redundant keys: `.spec.ports[port=80]` covers `.spec.ports[port=80,protocol="TCP"]`.
 */
export function pathCovers(path: string, field: string): boolean {
  if (field === path || (field.startsWith(path) && ['.', '['].includes(field.charAt(path.length)))) return true;
  const pattern = pathStepsOf(path);
  const found = pathStepsOf(field);
  if (pattern.length > found.length || pattern.length < 2) return false; // Paths without items compare as text.
  return pattern.every((step, index) => {
    const other = found[index] as string;
    if (isItemStep(step)) return matchesItem(step, other);
    const last = index === pattern.length - 1;
    return other === step || (last && other.startsWith(step) && other.charAt(step.length) === '.');
  });
}

/** Returns true if the other item has every key of one item with the same value; text values may omit their quotes. */
function matchesItem(pattern: string, found: string): boolean {
  if (!isItemStep(found)) return false;
  const keys = keysOf(found);
  return (
    pattern === found ||
    (keys.size > 0 && keysOf(pattern).size > 0 && [...keysOf(pattern)].every(([key, value]) => isSameKey(value, keys.get(key))))
  );
}

/** Returns true for equal values; a text in quotes differs from a number. */
function isSameKey(pattern: string, found: string | undefined): boolean {
  if (found === undefined || (pattern.startsWith('"') && !found.startsWith('"'))) return false;
  return pattern === found || unquoted(pattern) === unquoted(found);
}

function keysOf(item: string): ReadonlyMap<string, string> {
  const pairs = [...item.slice(1, -1).matchAll(/([^=,]+)=("(?:[^"\\]|\\.)*"|[^,"]*)(?:,|$)/gy)];
  return new Map(pairs.map(([, key = '', value = '']) => [key.trim(), value]));
}

/** Returns the text of a value without quotes. A value with escapes that JSON lacks is compared as it is written. */
function unquoted(value: string): string {
  try {
    return value.startsWith('"') ? (JSON.parse(value) as string) : value;
  } catch {
    return value;
  }
}
