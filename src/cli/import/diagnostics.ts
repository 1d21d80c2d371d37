import type { SchemaDiagnostic } from '../../schema/index.js';

/** The number of places of one rule that a summary names. */
const shownLocations = 3;

/**
 * Describes the rules that builders do not check, by name and path. Rules about single values (patterns, bounds, CEL) are many and
 * similar: unless `all` is set, one line per kind counts them by rule and names the first places.
 */
export function describeDiagnostics(diagnostics: readonly SchemaDiagnostic[], all: boolean): string[] {
  const lines: string[] = [];
  const values = new Map<string, SchemaDiagnostic[]>();
  const junctors = new Map<string, SchemaDiagnostic[]>();
  for (const diagnostic of diagnostics) {
    const { code, subject, path, message } = diagnostic;
    if (all || (code !== 'value-rule-not-checked' && code !== 'junctor-not-checked'))
      lines.push(`note: ${subject} ${path}: ${message} (${code})`);
    else if (code === 'value-rule-not-checked') put(values, subject, diagnostic);
    else put(junctors, `${subject}: ${message}`, diagnostic);
  }
  for (const [what, group] of junctors) lines.push(`note: ${what}, at ${locationsOf(group)} (junctor-not-checked)`);
  for (const [subject, group] of values) {
    lines.push(`note: ${subject}: only the API server checks ${countsOf(group)}, first at ${locationsOf(group)} (value-rule-not-checked)`);
  }
  return lines;
}

function put(groups: Map<string, SchemaDiagnostic[]>, key: string, diagnostic: SchemaDiagnostic): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [diagnostic]);
  else group.push(diagnostic);
}

function locationsOf(group: readonly SchemaDiagnostic[]): string {
  const locations = [...new Set(group.map(({ path }) => path))];
  const rest =
    locations.length > shownLocations ? ` and ${locations.length - shownLocations} more places (--all-diagnostics lists them)` : '';
  return `${locations.slice(0, shownLocations).join(', ')}${rest}`;
}

function countsOf(group: readonly SchemaDiagnostic[]): string {
  const counts = new Map<string, number>();
  for (const { message } of group) {
    const rule = message.split(/[:(]/)[0]?.trim() ?? message;
    counts.set(rule, (counts.get(rule) ?? 0) + 1);
  }
  return [...counts].map(([rule, count]) => `${rule} (${count})`).join(', ');
}
