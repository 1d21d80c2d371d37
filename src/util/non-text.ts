import type { Json } from './json.js';

/** Returns what stands where a text must, such as `the number 123, not a text`; undefined for a text, and where nothing stands. */
export function nonText(value: Json | undefined): string | undefined {
  if (value === undefined || value === null || typeof value === 'string') return undefined;
  if (typeof value === 'object') return `${Array.isArray(value) ? 'a list' : 'an object'}, not a text`;
  return `${typeof value === 'boolean' ? '' : 'the number '}${value}, not a text`;
}

/** Returns how to write a text in the place of a value. */
export function textAdvice(field: string, value: Json | undefined): string {
  return typeof value === 'object' ? `Write one text as the ${field}.` : `Quote it: \`${field}: "${value}"\`.`;
}
