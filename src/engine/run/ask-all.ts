import { FieldwiseError } from '../../util/error.js';
import type { RunOptions } from './options.js';
import type { Question } from './question.js';

/** A refusal names no more objects of a question than a person reads; `questions` has them all. */
const maxNamedObjects = 20;

/**
 * Asks until somebody says no. The refusal tells what is not agreed to by then, the questions that were not asked any more among it: where
 * nobody can be asked, the next run needs to know all of it.
 *
 * @throws FieldwiseError `confirmation-needed` (usage) with `questions` unless each question is answered with yes.
 */
export async function askAll(questions: readonly Question[], options: RunOptions): Promise<void> {
  const open = questions.filter((question) => !question.answeredByPruneSetting);
  for (const [index, question] of open.entries()) {
    if (await options.confirm?.(question)) continue;
    const left = open.slice(index);
    const prune = left.every(({ answeredByPrune }) => answeredByPrune) ? ', with --prune, which answers nothing else' : '';
    const refusal = new FieldwiseError(
      'confirmation-needed',
      'usage',
      `Nothing was changed, because this needs a yes: ${left.map(questionText).join('; and this: ')}`,
      { next: `Run again with --yes${prune}, or at a terminal to be asked.` },
    );
    throw Object.assign(refusal, { questions: left.map(({ text, objects }) => ({ text, objects })) });
  }
}

function questionText({ text, objects }: Question): string {
  const more = objects.length > maxNamedObjects ? ` and ${objects.length - maxNamedObjects} more` : '';
  return `${text}: ${objects.slice(0, maxNamedObjects).join(', ')}${more}`;
}

/** What a refusal has not got a yes to. */
export function openQuestionsOf(error: object): { readonly questions?: readonly Pick<Question, 'text' | 'objects'>[] } {
  return 'questions' in error ? { questions: error.questions as readonly Question[] } : {};
}
