import type { SchemaDiagnostic } from '../../schema/index.js';

/** The number of places of one rule that a summary names. */
const shownLocations = 3;
/** The number of kinds with a line of their own about unchecked rules; more kinds get one line together. */
const shownKinds = 3;
/** The codes that concern a whole version of a CRD. */
const ofVersions = new Map<string, (versions: string) => string>([
  ['version-not-served', (versions) => `not served, so applying them fails: ${versions}`],
  ['version-deprecated', (versions) => `deprecated: ${versions}`],
]);

/**
 * Describes the rules that builders do not check, by name and path. Rules about single values (patterns, bounds, CEL) are many and
 * similar: unless `all` is set, one line per kind, whatever its versions, counts them by rule and names the first places; many kinds get
 * one line together. Remarks about
 * several versions are one line, too.
 */
export function describeDiagnostics(diagnostics: readonly SchemaDiagnostic[], all: boolean): string[] {
  if (all) return diagnostics.map(singleLine);
  const lines: string[] = [];
  const versions = groupsOf(diagnostics, ({ code }) => (ofVersions.has(code) ? code : undefined));
  const junctors = groupsOf(diagnostics, ({ code, subject, message }) =>
    code === 'junctor-not-checked' ? `${kindOf(subject)}: ${message}` : undefined,
  );
  const values = groupsOf(diagnostics, ({ code, subject }) => (code === 'value-rule-not-checked' ? kindOf(subject) : undefined));
  for (const [code, group] of versions) lines.push(...versionLines(code, group));
  for (const diagnostic of diagnostics) {
    const { code } = diagnostic;
    if (!ofVersions.has(code) && code !== 'junctor-not-checked' && code !== 'value-rule-not-checked') lines.push(singleLine(diagnostic));
  }
  const kindsWithJunctors = new Set([...junctors.values()].flatMap((group) => group.map(({ subject }) => kindOf(subject))));
  if (kindsWithJunctors.size > shownKinds) {
    const rules = 'have oneOf, anyOf or not, which only the API server checks, and a build of a complete object';
    lines.push(`note: ${firstOf([...kindsWithJunctors], 'kind')} ${rules} (junctor-not-checked)`);
    junctors.clear();
  }
  if (values.size > shownKinds) {
    lines.push(`note: ${firstOf([...values.keys()], 'kind')} have rules that only the API server checks (value-rule-not-checked)`);
    values.clear();
  }
  for (const group of junctors.values()) {
    lines.push(`note: ${subjectOf(group)}: ${group[0]?.message}, at ${locationsOf(group)} (junctor-not-checked)`);
  }
  for (const group of values.values()) {
    const rules = countsOf(group);
    lines.push(`note: ${subjectOf(group)}: only the API server checks ${rules}, first at ${locationsOf(group)} (value-rule-not-checked)`);
  }
  return lines;
}

function singleLine({ code, subject, path, message }: SchemaDiagnostic): string {
  return `note: ${subject} ${path}: ${message} (${code})`;
}

function versionLines(code: string, group: readonly SchemaDiagnostic[]): readonly string[] {
  if (group.length === 1) return group.map(singleLine);
  const subjects = group.map(({ subject }) => subject);
  const describe = ofVersions.get(code) as (versions: string) => string;
  return [`note: ${group.length} versions are ${describe(firstOf(subjects, 'version'))} (${code})`];
}

function groupsOf(
  diagnostics: readonly SchemaDiagnostic[],
  keyOf: (diagnostic: SchemaDiagnostic) => string | undefined,
): Map<string, readonly SchemaDiagnostic[]> {
  const groups = new Map<string, SchemaDiagnostic[]>();
  for (const diagnostic of diagnostics) {
    const key = keyOf(diagnostic);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [diagnostic]);
    else group.push(diagnostic);
  }
  return groups;
}

/** Returns the kind and group of a subject such as `Gateway edge.example.com/v1`. */
function kindOf(subject: string): string {
  return subject.replace(/\/[^/ ]*$/, '');
}

/** Returns the kind of diagnostics with all of its versions, such as `Gateway edge.example.com/v1, v1beta1`. */
function subjectOf(group: readonly SchemaDiagnostic[]): string {
  const [first = '', ...others] = new Set(group.map(({ subject }) => subject));
  return [first, ...others.map((subject) => subject.slice(subject.lastIndexOf('/') + 1))].join(', ');
}

function locationsOf(group: readonly SchemaDiagnostic[]): string {
  return firstOf([...new Set(group.map(({ path }) => path))], 'path');
}

function firstOf(texts: readonly string[], what: string): string {
  const more = texts.length - shownLocations;
  const rest = more > 0 ? ` and ${more} more ${more === 1 ? what : `${what}s`} (--all-diagnostics lists them)` : '';
  return `${texts.slice(0, shownLocations).join(', ')}${rest}`;
}

function countsOf(group: readonly SchemaDiagnostic[]): string {
  const counts = new Map<string, number>();
  // A rule of several versions counts once.
  for (const { message } of new Map(group.map((diagnostic) => [`${diagnostic.path} ${diagnostic.message}`, diagnostic])).values()) {
    const rule = message.split(/[:(]/)[0]?.trim() ?? message;
    counts.set(rule, (counts.get(rule) ?? 0) + 1);
  }
  return [...counts].map(([rule, count]) => `${rule} (${count})`).join(', ');
}
