import type { StackHistory } from '../../engine/history/history-store.js';
import type { RunDiagnostic } from '../../engine/report/run-diagnostic.js';
import { toleratedDifferenceMs } from '../../kubernetes/index.js';

/**
 * Returns a warning if the times of a stack's revisions run backwards, or one is in the future: the clock of a machine was wrong. One for each history.
 *
 * @param now milliseconds since 1970.
 */
export function timeWarnings(
  { stack: { stack }, revisions }: Pick<StackHistory, 'stack' | 'revisions'>,
  now: number,
): readonly RunDiagnostic[] {
  const isLater = (at: string, than: number) => Date.parse(at) > than + toleratedDifferenceMs;
  const next = 'The numbers have the right order. `fieldwise doctor` checks the clock of this machine.';
  for (const [index, { revision, at }] of revisions.entries()) {
    const after = revisions.slice(index + 1).find((later) => isLater(at, Date.parse(later.at)));
    const than = after ? `revision ${after.revision} (${after.at}), which is newer` : isLater(at, now) ? 'now' : undefined;
    if (than === undefined) continue;
    const message = `Revision ${revision} of stack ${stack} is dated ${at}, later than ${than}: the clock of a machine was wrong`;
    return [{ event: 'warning', code: 'history-times', message, next }];
  }
  return [];
}
