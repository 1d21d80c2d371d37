/** Formats rows as lines whose columns begin below each other. @param isFirstNumber the first column is a number. */
export function alignedRows(rows: readonly (readonly string[])[], isFirstNumber = false): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => (column === 0 && isFirstNumber ? cell.padStart(widths[0] ?? 0) : cell.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
}

export function linesOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}
