import { FieldwiseError } from '../../util/error.js';
import type { Question, RunOptions } from '../options.js';

/**
 * Asks until somebody says no. The refusal tells what is not agreed to by then, the questions that were not asked any more among it: where
 * nobody can be asked, the next run needs to know all of it.
 *
 * @throws FieldwiseError `confirmation-needed` (usage) unless each question is answered with yes.
 */
export async function askAll(questions: readonly Question[], options: RunOptions): Promise<void> {
  const open = questions.filter((question) => !question.answeredByPruneSetting);
  for (const [index, question] of open.entries()) {
    if (await options.confirm?.(question)) continue;
    const left = open.slice(index);
    const texts = left.map(({ text, objects }) => `${text}: ${objects.join(', ')}`);
    const prune = left.every(({ answeredByPrune }) => answeredByPrune) ? ', with --prune, which answers nothing else' : '';
    throw new FieldwiseError(
      'confirmation-needed',
      'usage',
      `Nothing was changed, because this needs a yes: ${texts.join('; and this: ')}`,
      { next: `Run again with --yes${prune}, or at a terminal to be asked.` },
    );
  }
}
