/** The form of a pattern, as the rest of a sentence. */
export const managerPatternForm = 'the name of a manager, exact or with one `*` at its end';

/** Returns true for the name of a field manager, exact or with one `*` at its end, which matches any text: `fieldwise/shop/*`. */
export function isManagerPattern(value: unknown): value is string {
  return typeof value === 'string' && /^[^*]*\*?$/.test(value) && value !== '';
}

/** Returns true if a pattern names a manager. */
export function matchesManager(pattern: string, manager: string): boolean {
  return pattern.endsWith('*') ? manager.startsWith(pattern.slice(0, -1)) : pattern === manager;
}
