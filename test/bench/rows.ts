/** The rows of docs/performance.md, by the group of the bench that measures them. */
export const rowsOfGroups = {
  peers: ['create', 'unchanged', 'preview', 'changed', 'destroy'],
  memory: ['memory-create', 'memory-unchanged', 'memory-changed', 'memory-plan', 'memory-destroy', 'inventory'],
  programs: ['cold-start', 'cold-start-compiled', 'synth', 'synth-10-charts', 'tsc', 'install'],
} as const;

export type RowGroup = keyof typeof rowsOfGroups;
export type RowOf<Group extends RowGroup> = (typeof rowsOfGroups)[Group][number];

/** Returns the groups that measure some of the rows. @throws Error where no group has a row. */
export function groupsOf(rows: readonly string[]): RowGroup[] {
  const groups = Object.keys(rowsOfGroups) as RowGroup[];
  const all = groups.flatMap((group) => [...rowsOfGroups[group]] as string[]);
  const unknown = rows.find((row) => !all.includes(row));
  if (unknown !== undefined) throw new Error(`--row: there is no row ${unknown}; the rows are ${all.join(', ')}`);
  return groups.filter((group) => rowsOfGroups[group].some((row) => rows.includes(row)));
}

/** Returns the rows of a group that are measured: those that the flags name, else all. */
export function chosenRows<Group extends RowGroup>(group: Group, named: readonly string[]): readonly RowOf<Group>[] {
  const rows: readonly RowOf<Group>[] = rowsOfGroups[group];
  return named.length === 0 ? rows : rows.filter((row) => named.includes(row));
}
