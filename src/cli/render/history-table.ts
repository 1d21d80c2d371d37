import type { ListedRevision } from '../../deploy/index.js';
import { alignedRows, linesOf } from './columns.js';
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
  const head = ['REVISION', 'DEPLOYED', 'RESULT', 'RUN', 'COMMIT', 'STACK', 'BY', 'OBJECTS'];
  const rows = revisions.map((one) => [
    `${one.revision}${one.current ? '*' : ' '}`,
    one.at.replace(/\.\d+Z$/, 'Z'),
    one.result,
    one.run ?? '-',
    commitText(declaredBy(one, revisions) ?? {}, shownCommit) ?? '-',
    onOneLine(one.stack),
    onOneLine(one.by ?? '-'),
    [countsText(one), ...notesOf(one, declaredBy(one, revisions))].join('; '),
  ]);
  const lines = alignedRows([head, ...rows], true);
  if (width === undefined || lines.every((line) => line.length <= width)) return linesOf(lines);
  const indent = `${head[0]}  `.length;
  const firsts = alignedRows(
    [head, ...rows].map(([revision = '', at = '', result = '', run = '', , stack = '']) => [revision, at, result, run, stack]),
    true,
  );
  const rests = rows.map(([, , , , commit, , by, objects]) => `by ${by}, commit ${commit}: ${objects}`);
  const [title = '', ...shown] = firsts;
  return linesOf([
    title,
    ...shown.flatMap((line, index) => [line, ...wrap(`${' '.repeat(indent)}${rests[index] ?? ''}`, indent + 2, width)]),
  ]);
}

/** Returns the revision with the declarations of one: itself, or that to which a rollback went back; undefined if that is not listed. */
function declaredBy(one: ListedRevision, revisions: readonly ListedRevision[]): ListedRevision | undefined {
  if (one.rollbackTo === undefined) return one;
  const isTarget = ({ revision, stack, unknown }: ListedRevision) =>
    revision === one.rollbackTo && revision < one.revision && stack === one.stack && unknown === one.unknown;
  const target = revisions.find(isTarget);
  return target && declaredBy(target, revisions);
}

/** Returns the commit of a revision, and whether the working tree differed from it; undefined if the commit is not known. */
export function commitText(
  { commit, uncommittedChanges }: Pick<ListedRevision, 'commit' | 'uncommittedChanges'>,
  length?: number,
): string | undefined {
  if (commit === undefined) return uncommittedChanges === 'unknown' ? 'unknown, because Git failed' : undefined;
  return `${commit.slice(0, length)}${uncommittedChanges === undefined ? '' : changesTexts[`${uncommittedChanges}`]}`;
}

const changesTexts = { true: ', with uncommitted changes', unknown: ', uncommitted changes not known' };

function countsText({ counts }: ListedRevision): string {
  return Object.entries(counts)
    .map(([outcome, count]) => `${count} ${outcome}`)
    .join(', ');
}

function notesOf(
  { rollbackTo, inputs = [], stored, undeclared, unknown }: ListedRevision,
  declared: ListedRevision | undefined,
): readonly string[] {
  const values = inputs
    .filter(({ from }) => from === 'context')
    .map(({ name, value }) => (value === undefined ? name : `${name}=${value}`));
  return [
    ...(rollbackTo === undefined ? [] : [`rollback to ${rollbackTo}`]),
    ...(declared?.subject === undefined ? [] : [`"${onOneLine(declared.subject)}"`]),
    ...(values.length > 0 ? [`-c ${onOneLine(values.join(' '))}`] : []),
    ...(stored ? [] : ['without its declarations']),
    ...(unknown ? [`unknown: only in Secret ${unknown}`] : []),
    ...(undeclared ? ['not declared by this program'] : []),
  ];
}
