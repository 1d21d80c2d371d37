import { FieldwiseError } from '../../util/error.js';
import type { RunSummary } from '../report/events.js';
import type { Run } from './run.js';

/** The reasons for skipped objects, by the code of an error whose message is about the whole run and may name each of its objects. */
const reasons: Readonly<Record<string, string>> = {
  'confirmation-needed': 'nobody has confirmed what the run would do',
  'plan-outdated': 'the cluster is not as it was when the plan was made',
};

/**
 * Ends a run before its first change: reports the reason, reports every object that it would have worked on as skipped, and sums up.
 *
 * @throws the error itself if it is of kind `usage`, after all that.
 */
export function refuse(run: Run, error: unknown): RunSummary {
  const { code, message } = run.refuse(error);
  const reason = run.stopped ?? reasons[code] ?? message;
  for (const object of run.expected) run.report({ ...object, result: 'skipped', reason });
  const summary = run.finish();
  if (error instanceof FieldwiseError && error.kind === 'usage') throw error;
  return summary;
}
