import type { KindReport, Position, SampleObject, ShareableList } from '../../../codegen/index.js';
import { ownershipReport } from '../../../codegen/index.js';
import type { ImportedKind } from '../json/lines.js';
import { shippedRoots } from './read/builtin.js';
import type { ModuleGroup } from './read/read-import.js';

/**
 * Prints how several owners share the lists and maps of the imported types: a table for people, or one JSON object a line. Keys are suggested by
 * the built-in API that ships with Fieldwise, and by samples.
 */
export async function printReport(
  units: readonly ModuleGroup[],
  samples: readonly SampleObject[],
  json: boolean,
  host: { readonly stdout: (text: string) => void },
): Promise<void> {
  const builtIn = units.every((unit) => unit.builtIn) ? [] : await shippedRoots();
  const kinds = units.flatMap(({ roots }) => ownershipReport(roots, { builtIn, samples }));
  const lineOf = (kind: KindReport) => `${JSON.stringify({ event: 'kind', ...kind } satisfies ImportedKind)}\n`;
  if (json) host.stdout(kinds.map(lineOf).join(''));
  else host.stdout(kinds.map((kind) => `${reportLines(kind).join('\n')}\n`).join('\n'));
}

function reportLines(report: KindReport): string[] {
  const { subject, positions, shareable, weakKeys, blockedReleases } = report;
  return [
    `${subject}: ${summary(positions)}`,
    ...section(
      'Lists and maps by relation',
      positions.map((position) => [relationOf(position), position.path, `${position.what} of ${position.of}`]),
    ),
    ...section('Atomic lists of objects: a stack that declares one replaces the entries of all others', sameAdvice(shareable)),
    ...section(
      'Optional list keys: two items without the key are the same item',
      weakKeys.map(({ path, key, default: value }) => [path, key, value === undefined ? 'optional, no default' : `default ${value}`]),
    ),
    ...section(
      'Required fields beside fields of other owners: their owner cannot release them while others own fields beside them',
      blockedReleases.map(({ path, required, beside }) => [path, `requires ${required.join(', ')}`, `beside ${beside.join(', ')}`]),
    ),
  ];
}

function summary(positions: readonly Position[]): string {
  if (positions.length === 0) return 'no lists and no maps';
  const counts = new Map<string, number>();
  for (const { what, relation } of positions) counts.set(`${relation} ${what}s`, (counts.get(`${relation} ${what}s`) ?? 0) + 1);
  const order = ['keyed lists', 'set lists', 'atomic lists', 'granular maps', 'atomic maps'];
  const known = order.filter((name) => counts.has(name));
  return known.map((name) => `${counts.get(name)} ${name === 'set lists' ? 'sets' : name}`).join(', ');
}

function relationOf({ relation, keys }: Position): string {
  return relation === 'keyed' ? `keyed by ${keys.join(', ')}` : relation;
}

/** One row for all lists with the same advice: copies of a pod template have dozens. */
function sameAdvice(lists: readonly ShareableList[]): readonly (readonly string[])[] {
  const paths = new Map<string, string[]>();
  for (const list of lists) {
    const advice = adviceFor(list);
    const known = paths.get(advice);
    if (known === undefined) paths.set(advice, [list.path]);
    else known.push(list.path);
  }
  return [...paths].map(([advice, [first = '', ...more]]) => [more.length === 0 ? first : `${first} and ${more.length} more`, advice]);
}

function adviceFor({ keys, confidence, reason, accepted, inside, staysAtomic, listType }: ShareableList): string {
  if (listType !== undefined) {
    const outer = inside === undefined ? '' : ` together with that of ${inside}`;
    return `--list-type ${shellQuoted(listType)}${outer}, because ${reason}`;
  }
  if (confidence === 'none') return `no suggestion: ${reason}`;
  const named = keys.join(', ');
  if (staysAtomic !== undefined) return `no suggestion: keys have no effect inside ${staysAtomic}, which is atomic`;
  return `perhaps ${named}${accepted ? '' : ', if the schema required it'}: ${reason}`;
}

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A longer cell moves only the rest of its own row. */
const widestColumn = 80; // characters

/** Formats rows with aligned columns below a heading; no lines without rows. */
function section(title: string, rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return [];
  const widths = (rows[0] ?? []).map((_, column) =>
    rows.reduce((widest, row) => Math.max(widest, Math.min((row[column] ?? '').length, widestColumn)), 0),
  );
  return [
    '',
    `  ${title}`,
    ...rows.map((row) => `    ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd()),
  ];
}
