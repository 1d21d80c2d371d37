/** Returns a table of Markdown; the cells are Markdown, see `cell`. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const [first = '', ...others] = [head, ...rows].map((row) => `| ${row.join(' | ')} |\n`);
  return [first, `|${head.map(() => '---|').join('')}\n`, ...others].join('');
}

/** Returns plain text as the Markdown of a cell. */
export function cell(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|').replaceAll('<', '&lt;').trim();
}

/** Returns the line that says from what a page was generated. */
export function generatedNote(source: string): string {
  return `<!-- Generated from ${source} by npm run docs:tables; do not edit. -->`;
}
