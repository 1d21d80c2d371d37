import type { ListedRevision } from '../../deploy/index.js';
import { onOneLine } from './printable.js';
import { wrap } from './wrap.js';

const shownCommit = 12;

/**
 * Returns the table of revisions for people, stack by stack.
 *
 * @param width that of the terminal, if there is one: where a row is wider, the last columns of each stand below the others.
 */
export function historyTable(revisions: readonly ListedRevision[], width?: number): string {
  if (revisions.length === 0) return 'no revisions\n';
  const head = ['REVISION', 'DEPLOYED', 'RESULT', 'COMMIT', 'STACK', 'BY', 'OBJECTS'];
  const rows = revisions.map((one) => [
    `${one.revision}${one.current ? '*' : ' '}`,
    one.at.replace(/\.\d+Z$/, 'Z'),
    one.result,
    one.commit?.slice(0, shownCommit) ?? '-',
    onOneLine(one.stack),
    onOneLine(one.by ?? '-'),
    [countsText(one), ...notesOf(one)].join('; '),
  ]);
  const lines = aligned([head, ...rows]);
  if (width === undefined || lines.every((line) => line.length <= width)) return linesOf(lines);
  const indent = `${head[0]}  `.length;
  const firsts = aligned([head, ...rows].map(([revision = '', at = '', result = '', , stack = '']) => [revision, at, result, stack]));
  const rests = rows.map(([, , , commit, , by, objects]) => `by ${by}, commit ${commit}: ${objects}`);
  const [title = '', ...shown] = firsts;
  return linesOf([
    title,
    ...shown.flatMap((line, index) => [line, ...wrap(`${' '.repeat(indent)}${rests[index] ?? ''}`, indent + 2, width)]),
  ]);
}

/** Formats rows as lines whose columns begin below each other; the first one is a number. */
function aligned(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padStart(widths[0] ?? 0) : cell.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
}

function linesOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

function countsText({ counts }: ListedRevision): string {
  return Object.entries(counts)
    .map(([outcome, count]) => `${count} ${outcome}`)
    .join(', ');
}

function notesOf({ rollbackTo, stored, undeclared, unknown }: ListedRevision): readonly string[] {
  return [
    ...(rollbackTo === undefined ? [] : [`rollback to ${rollbackTo}`]),
    ...(stored ? [] : ['without its declarations']),
    ...(unknown ? [`unknown: only in Secret ${unknown}`] : []),
    ...(undeclared ? ['not declared by this program'] : []),
  ];
}
