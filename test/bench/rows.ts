/** The rows of docs/performance.md, by the group of the bench that measures them. */
export const rowsOfGroups = {
  peers: ['create', 'unchanged', 'preview', 'changed', 'destroy'],
  memory: ['memory-create', 'memory-unchanged', 'memory-changed', 'memory-plan', 'memory-destroy', 'inventory'],
  programs: ['cold-start', 'cold-start-compiled', 'synth', 'synth-10-charts', 'tsc', 'install'],
} as const;

export type RowGroup = keyof typeof rowsOfGroups;
export type RowOf<Group extends RowGroup> = (typeof rowsOfGroups)[Group][number];

/** Returns the rows of a group that are measured: those that the flags name, else all. */
export function chosenRows<Group extends RowGroup>(group: Group, named: readonly string[]): readonly RowOf<Group>[] {
  const rows: readonly RowOf<Group>[] = rowsOfGroups[group];
  return named.length === 0 ? rows : rows.filter((row) => named.includes(row));
}
