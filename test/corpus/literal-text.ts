import type { Json } from '../../src/util/json.js';

/** A JSON value as a TypeScript expression. */
export function literalText(value: Json | undefined): string {
  if (Array.isArray(value)) return `[${value.map((item: Json) => literalText(item)).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined';
  const members = Object.entries(value).map(([name, member]) => {
    // Written plainly, this name would set the prototype.
    const key = name === '__proto__' ? '["__proto__"]' : JSON.stringify(name);
    return `${key}: ${literalText(member)}`;
  });
  return `{ ${members.join(', ')} }`;
}
