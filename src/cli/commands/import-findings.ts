import type { Finding } from '../../schema/index.js';

/** How many places of one rule a summary names. */
const shownPlaces = 4;

/**
 * What the builders do not hold, by name and path. Rules about single values are many and alike: unless `all`, they are one line
 * for each kind and rule, with the first places.
 */
export function describeFindings(findings: readonly Finding[], all: boolean): string[] {
  const lines: string[] = [];
  const groups = new Map<string, string[]>();
  for (const { code, subject, path, reason } of findings) {
    if (all || (code !== 'value-rule-not-checked' && code !== 'junctor-not-checked')) {
      lines.push(`note: ${subject} ${path}: ${reason} (${code})`);
      continue;
    }
    const rule = reason.replace(/ \(\d+ rules\)/, '');
    const key = JSON.stringify([code, subject, rule]);
    groups.set(key, [...(groups.get(key) ?? []), path]);
  }
  for (const [key, places] of groups) {
    const [code, subject, rule] = JSON.parse(key) as [string, string, string];
    const rest = places.length > shownPlaces ? ` and ${places.length - shownPlaces} more (--all-findings lists them)` : '';
    lines.push(`note: ${subject}: ${rule}, at ${places.slice(0, shownPlaces).join(', ')}${rest} (${code})`);
  }
  return lines;
}
