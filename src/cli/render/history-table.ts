import type { ListedRevision } from '../../deploy/index.js';
import { onOneLine } from './printable.js';

const shownCommit = 12;

/** Returns the table of revisions for people, stack by stack. */
export function historyTable(revisions: readonly ListedRevision[]): string {
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
  const widths = head.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)));
  return [head, ...rows]
    .map(
      (row) =>
        `${row
          .map((cell, column) => (column === 0 ? cell.padStart(widths[0] ?? 0) : cell.padEnd(widths[column] ?? 0)))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
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
