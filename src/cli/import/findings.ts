import type { Finding } from '../../schema/index.js';

/** How many places of one rule a summary names. */
const shownPlaces = 3;

/**
 * What the builders do not hold, by name and path. Rules about single values (patterns, bounds, CEL) are many and alike: unless `all`,
 * one line a kind counts them by rule and names the first places.
 */
export function describeFindings(findings: readonly Finding[], all: boolean): string[] {
  const lines: string[] = [];
  const values = new Map<string, Finding[]>();
  const junctors = new Map<string, Finding[]>();
  for (const finding of findings) {
    const { code, subject, path, reason } = finding;
    if (all || (code !== 'value-rule-not-checked' && code !== 'junctor-not-checked'))
      lines.push(`note: ${subject} ${path}: ${reason} (${code})`);
    else if (code === 'value-rule-not-checked') put(values, subject, finding);
    else put(junctors, `${subject}: ${reason}`, finding);
  }
  for (const [what, group] of junctors) lines.push(`note: ${what}, at ${placesOf(group)} (junctor-not-checked)`);
  for (const [subject, group] of values) {
    lines.push(`note: ${subject}: only the API server checks ${countsOf(group)}, first at ${placesOf(group)} (value-rule-not-checked)`);
  }
  return lines;
}

function put(groups: Map<string, Finding[]>, key: string, finding: Finding): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [finding]);
  else group.push(finding);
}

function placesOf(group: readonly Finding[]): string {
  const places = [...new Set(group.map(({ path }) => path))];
  const rest = places.length > shownPlaces ? ` and ${places.length - shownPlaces} more places (--all-findings lists them)` : '';
  return `${places.slice(0, shownPlaces).join(', ')}${rest}`;
}

function countsOf(group: readonly Finding[]): string {
  const counts = new Map<string, number>();
  for (const { reason } of group) {
    const rule = reason.split(/[:(]/)[0]?.trim() ?? reason;
    counts.set(rule, (counts.get(rule) ?? 0) + 1);
  }
  return [...counts].map(([rule, count]) => `${rule} (${count})`).join(', ');
}
