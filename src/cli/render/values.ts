import { stringifyExactJson } from '../../util/exact-json.js';
import type { Json } from '../../util/json.js';

const longest = 120;

/** A value on one line, cut where it is long. */
export function valueText(value: Json | undefined): string {
  if (value === undefined) return '(absent)';
  const text = stringifyExactJson(value);
  return text.length > longest ? `${text.slice(0, longest)}… (${text.length} characters)` : text;
}
