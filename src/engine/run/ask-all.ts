import { FieldwiseError } from '../../util/error.js';
import type { Question } from '../report/question.js';
import { answerTo } from './answer.js';
import type { RunOptions } from './options.js';
import { waysToConfirm } from './ways-to-confirm.js';

/** The beginning of each such refusal. */
export const confirmationRequired = 'Nothing was changed: confirmation required';

/** A run needs confirmations that nobody has given. */
export class ConfirmationNeededError extends FieldwiseError {
  /** By a member: the brand of `FieldwiseError` tells no class from another, and other commands refuse with this code, too. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof FieldwiseError && value.code === 'confirmation-needed' && 'questions' in value;
  }

  /** The open questions, each with all of its objects. */
  readonly questions: readonly Pick<Question, 'text' | 'objects'>[];

  constructor(questions: readonly Question[], next: string) {
    const what = `${confirmationRequired}: ${questions.map(questionText).join('; and: ')}`;
    super('confirmation-needed', 'usage', what, { next });
    this.questions = questions.map(({ text, objects }) => ({ text, objects }));
  }
}

/** A refusal names at most this many objects of a question; `questions` has them all. */
export const maxNamedObjects = 20;

/**
 * Asks the questions until one is refused. The refusal names everything that is not confirmed by then, including the questions that were
 * not asked any more: where nobody can be asked, the next run needs to know all of it.
 *
 * @throws FieldwiseError `confirmation-needed` (usage) with `questions` unless each question is confirmed; `callback-failed` (usage).
 */
export async function askAll(questions: readonly Question[], options: RunOptions): Promise<void> {
  const open = questions.filter((question) => !question.answeredByPruneSetting);
  for (const [index, question] of open.entries()) {
    if (await answerTo(question, options)) continue;
    const left = open.slice(index);
    const prune = left.every(({ answeredByPrune }) => answeredByPrune)
      ? ', with --prune (library: `prune: true`), which confirms nothing else'
      : '';
    throw new ConfirmationNeededError(left, `Run again ${waysToConfirm(prune)}.`);
  }
}

function questionText({ text, objects }: Question): string {
  const more = objects.length > maxNamedObjects ? ` and ${objects.length - maxNamedObjects} more` : '';
  return `${text}: ${objects.slice(0, maxNamedObjects).join(', ')}${more}`;
}
