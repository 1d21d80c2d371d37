import { FieldwiseError } from '../../util/error.js';
import type { RunOptions } from './options.js';
import type { Question } from './question.js';

/** A refusal names at most this many objects of a question; `questions` has them all. */
const maxNamedObjects = 20;

/**
 * Asks the questions until one is refused. The refusal names everything that is not confirmed by then, including the questions that were
 * not asked any more: where nobody can be asked, the next run needs to know all of it.
 *
 * @throws FieldwiseError `confirmation-needed` (usage) with `questions` unless each question is confirmed.
 */
export async function askAll(questions: readonly Question[], options: RunOptions): Promise<void> {
  const open = questions.filter((question) => !question.answeredByPruneSetting);
  for (const [index, question] of open.entries()) {
    if (await options.confirm?.(question)) continue;
    const left = open.slice(index);
    const prune = left.every(({ answeredByPrune }) => answeredByPrune) ? ', with --prune, which confirms nothing else' : '';
    const refusal = new FieldwiseError(
      'confirmation-needed',
      'usage',
      `Nothing was changed: confirmation required: ${left.map(questionText).join('; and: ')}`,
      { next: `Run again with --yes${prune}, or at a terminal to be asked.` },
    );
    throw Object.assign(refusal, { questions: left.map(({ text, objects }) => ({ text, objects })) });
  }
}

function questionText({ text, objects }: Question): string {
  const more = objects.length > maxNamedObjects ? ` and ${objects.length - maxNamedObjects} more` : '';
  return `${text}: ${objects.slice(0, maxNamedObjects).join(', ')}${more}`;
}

/** Returns the questions that a refusal lists as not confirmed. */
export function openQuestionsOf(error: object): { readonly questions?: readonly Pick<Question, 'text' | 'objects'>[] } {
  return 'questions' in error ? { questions: error.questions as readonly Question[] } : {};
}
