/** Figures that a person compares, as docs/performance.md shows them. */
export interface Table {
  /** What was measured, and where: a sentence for each fact. */
  readonly caption: readonly string[];
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export function markdownTable({ caption, columns, rows }: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  return `${caption.join(' ')}\n\n${line(columns)}|${columns.map(() => '---|').join('')}\n${rows.map(line).join('')}`;
}

export function textTable({ caption, columns, rows }: Table): string {
  const lines = [columns, ...rows];
  const widths = columns.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)));
  const line = (cells: readonly string[]) => `  ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join('  ')}`.trimEnd();
  return `${caption.map((fact) => `  ${fact}\n`).join('')}${lines.map((cells) => `${line(cells)}\n`).join('')}`;
}
