import { printable } from '../printable.js';

/** The most lines of a block, and characters of a line. */
const most = { lines: 40, characters: 300 };

/**
 * Returns lines as a fenced block of Markdown in a list item, which no line can end: the fence is longer than every run of backticks in it.
 * Source: CommonMark 0.31.2, 4.5 "Fenced code blocks".
 *
 * @param lines of a unified diff: each begins with `-`, `+`, `@@` or a blank.
 */
export function diffBlock(lines: readonly string[], indent: string): string {
  const shown = lines.slice(0, most.lines).map((line) => shortened(printable(line)));
  if (lines.length > most.lines) shown.push(`@@ ${lines.length - most.lines} more lines @@`);
  const runs = shown.flatMap((line) => line.match(/`+/g) ?? []);
  const fence = '`'.repeat(Math.max(3, ...runs.map((run) => run.length + 1)));
  return [`${fence}diff`, ...shown, fence].map((line) => `${indent}${line}\n`).join('');
}

function shortened(line: string): string {
  return line.length > most.characters
    ? `${line.slice(0, most.characters).replace(/[\ud800-\udbff]$/, '')}… (${line.length} characters)`
    : line;
}
