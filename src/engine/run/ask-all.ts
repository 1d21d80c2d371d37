import { FieldwiseError } from '../../util/error.js';
import type { RunOptions } from './options.js';
import type { Question } from './question.js';

/** Nobody has answered the questions of a run with yes. */
export class ConfirmationNeededError extends FieldwiseError {
  /** By a member: the brand of `FieldwiseError` tells no class from another, and other commands refuse with this code, too. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof FieldwiseError && value.code === 'confirmation-needed' && 'questions' in value;
  }

  /** The open questions, each with all of its objects. */
  readonly questions: readonly Pick<Question, 'text' | 'objects'>[];

  constructor(questions: readonly Question[], next: string) {
    const what = `Nothing was changed, because this needs a yes: ${questions.map(questionText).join('; and this: ')}`;
    super('confirmation-needed', 'usage', what, { next });
    this.questions = questions.map(({ text, objects }) => ({ text, objects }));
  }
}

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
    throw new ConfirmationNeededError(left, `Run again with --yes${prune}, or at a terminal to be asked.`);
  }
}

function questionText({ text, objects }: Question): string {
  const more = objects.length > maxNamedObjects ? ` and ${objects.length - maxNamedObjects} more` : '';
  return `${text}: ${objects.slice(0, maxNamedObjects).join(', ')}${more}`;
}
