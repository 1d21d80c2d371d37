import type { KindReport, Position, ShareableList } from '../../../codegen/index.js';
import { ownershipReport } from '../../../codegen/index.js';
import type { ModuleGroup } from './read/read-import.js';

/** Prints how several owners share the lists and maps of the imported types: a table for people, or one JSON document. */
export function printReport(units: readonly ModuleGroup[], json: boolean, host: { readonly stdout: (text: string) => void }): void {
  const kinds = units.flatMap(({ roots }) => ownershipReport(roots));
  if (json) host.stdout(`${JSON.stringify({ kinds }, undefined, 2)}\n`);
  else host.stdout(kinds.map((kind) => `${textOf(kind).join('\n')}\n`).join('\n'));
}

function textOf(report: KindReport): string[] {
  const { subject, positions, shareable, weakKeys, blockedReleases } = report;
  const kind = subject.split(' ')[0] ?? subject;
  return [
    `${subject}: ${summary(positions)}`,
    ...section(
      'Lists and maps by relation',
      positions.map((position) => [relationOf(position), position.path, `${position.what} of ${position.of}`]),
    ),
    ...section(
      'Atomic lists of objects: a stack that declares one replaces the entries of all others',
      shareable.map((list) => [list.path, suggestionFor(list, kind)]),
    ),
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

function suggestionFor({ path, keys, accepted, inside }: ShareableList, kind: string): string {
  const first = inside === undefined ? '' : `inside ${inside}, which must be changed first; `;
  if (keys.length === 0) return `${first}no field of its items is suitable as a key`;
  if (!accepted) return `${first}${keys.join(', ')} could be its key if the schema required it`;
  return `${first}--list-type '${kind}:${path}=map[${keys.join(',')}]'`;
}

/** Formats rows with aligned columns below a heading; no lines without rows. */
function section(title: string, rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return [];
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return [
    '',
    `  ${title}`,
    ...rows.map((row) => `    ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd()),
  ];
}
