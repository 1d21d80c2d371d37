/** Figures that a person compares, as docs/performance.md shows them. */
export interface Table {
  /** What was measured, and where: a sentence for each fact. */
  readonly caption: readonly string[];
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Sentences that the rows lead to. */
  readonly notes?: readonly string[];
}

/** Returns the text for the page. A table without columns was not measured, and its caption says why. */
export function markdownTable({ caption, columns, rows, notes = [] }: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  const table = columns.length === 0 ? '' : `\n${line(columns)}|${columns.map(() => '---|').join('')}\n${rows.map(line).join('')}`;
  return `${caption.join(' ')}\n${table}${notes.map((note) => `\n${note}\n`).join('')}`;
}

export function textTable({ caption, columns, rows, notes = [] }: Table): string {
  const lines = columns.length === 0 ? [] : [columns, ...rows];
  const widths = columns.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd();
  return [...caption, ...lines.map(line), ...notes].map((text) => `  ${text}\n`).join('');
}
