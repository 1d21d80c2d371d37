import { parseArgs } from 'node:util';
import { type RowGroup, rowsOfGroups } from './rows.js';

/** The flags of the bench, for the groups that print tables. */
export interface BenchOptions {
  /** Rows that are measured (default: all). */
  readonly rows: readonly string[];
  readonly objects?: number;
  readonly rounds?: number;
  /** Stacks among which the group memory divides its objects (default: 1). */
  readonly stacks?: number;
  /** Measure the group memory on the embedded API server. */
  readonly embedded: boolean;
  /** Measure beside processes that spin. */
  readonly load: boolean;
  /** Print tables for docs/performance.md. */
  readonly markdown: boolean;
}

export interface Chosen {
  readonly groups: readonly string[];
  readonly options: BenchOptions;
}

/**
 * Reads groups and flags; rows without a group choose their groups.
 *
 * @param known the names of all groups.
 * @throws Error where a group, a flag or a row does not exist, or does not fit the others.
 */
export function readArguments(words: readonly string[], known: readonly string[]): Chosen {
  const { values, positionals } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: {
      row: { type: 'string', multiple: true, default: [] },
      objects: { type: 'string' },
      rounds: { type: 'string' },
      stacks: { type: 'string' },
      embedded: { type: 'boolean', default: false },
      load: { type: 'boolean', default: false },
      markdown: { type: 'boolean', default: false },
    },
  });
  const { row: rows, objects, rounds, stacks, embedded, load, markdown } = values;
  const counts = { ...count('objects', objects), ...count('rounds', rounds), ...count('stacks', stacks) };
  const options = { rows, ...counts, embedded, load, markdown };
  const groups = chooseGroups(positionals, rows, known);
  const flagged = rows.length > 0 || Object.keys(counts).length > 0 || embedded || load || markdown;
  const without = groups.find((group) => !isRowGroup(group));
  if (flagged && without !== undefined) throw new Error(`the group ${without} has no flags; name ${Object.keys(rowsOfGroups).join(', ')}`);
  const other = groups.find((group) => group !== 'memory');
  if ((stacks !== undefined || embedded) && other !== undefined)
    throw new Error(`--stacks and --embedded are for the group memory, not ${other}`);
  return { groups, options };
}

function count(flag: 'objects' | 'rounds' | 'stacks', text: string | undefined): { readonly [Flag in typeof flag]?: number } {
  if (text === undefined) return {};
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new Error(`--${flag}: expected a number from 1 to 999999, not ${text}`);
  return { [flag]: Number(text) };
}

function chooseGroups(named: readonly string[], rows: readonly string[], known: readonly string[]): readonly string[] {
  const unknown = named.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`there is no group ${unknown}; the groups are ${known.join(', ')}`);
  if (rows.length === 0) return named.length > 0 ? named : known;
  const searched = named.length > 0 ? named.filter(isRowGroup) : (Object.keys(rowsOfGroups) as RowGroup[]);
  const all: readonly string[] = searched.flatMap((group) => rowsOfGroups[group]);
  const missing = rows.find((row) => !all.includes(row));
  if (missing !== undefined) throw new Error(`--row: there is no row ${missing}; the rows are ${all.join(', ')}`);
  return searched.filter((group) => (rowsOfGroups[group] as readonly string[]).some((row) => rows.includes(row)));
}

function isRowGroup(group: string): group is RowGroup {
  return group in rowsOfGroups;
}
