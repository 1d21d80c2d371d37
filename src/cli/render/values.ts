import { stringifyExactJson } from '../../util/exact-json.js';
import type { Json } from '../../util/json.js';

const longest = 120;

/** Formats a value on one line; a long value is cut. */
export function valueText(value: Json | undefined): string {
  if (value === undefined) return '(absent)';
  const text = stringifyExactJson(value);
  return text.length > longest ? `${text.slice(0, longest)}… (${text.length} characters)` : text;
}
