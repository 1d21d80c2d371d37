import { FieldwiseError } from '../../util/error.js';
import type { Question } from '../report/question.js';
import type { RunOptions } from './options.js';

/**
 * Returns the answer to a question: yes with the option `yes`, which asks nobody; else the answer of `confirm`; without `confirm`, no.
 *
 * @throws FieldwiseError `callback-failed` (usage) if `confirm` throws, except for its `interrupted`.
 */
export async function answerTo(question: Question, { yes, confirm }: Pick<RunOptions, 'yes' | 'confirm'>): Promise<boolean> {
  if (yes === true) return true;
  try {
    return (await confirm?.(question)) === true;
  } catch (error) {
    if (error instanceof FieldwiseError && error.kind === 'interrupted') throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new FieldwiseError('callback-failed', 'usage', `Nothing was changed: the function \`confirm\` threw an error: ${reason}`, {
      next: 'Correct the function, then run again; the error has the thrown one as its `cause`.',
      cause: error,
    });
  }
}
