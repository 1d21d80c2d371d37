import type { ReportedError } from '../../deploy/index.js';
import { confirmationRequired, maxNamedObjects } from '../../engine/run/ask-all.js';
import { sentence } from '../../util/error.js';

type Refusal = Pick<ReportedError, 'message' | 'code' | 'questions'> & { readonly next?: string | undefined };

/**
 * Formats the error that ends a run: one line, or for questions without a yes a list, one line an object.
 *
 * @param isAsked true where somebody has answered at a terminal: how to be asked is not told again.
 */
export function refusalLines({ message, next, code, questions = [] }: Refusal, isAsked: boolean): readonly string[] {
  const way = next ? `${sentence(next)} ` : '';
  if (questions.length === 0) return [`error: ${sentence(message)} ${way}[${code}]`];
  const lists = questions.flatMap(({ text, objects }) => {
    const more = objects.length - maxNamedObjects;
    return [
      `  ${text}:`,
      ...objects.slice(0, maxNamedObjects).map((object) => `    ${object}`),
      ...(more > 0 ? [`    and ${more} more`] : []),
    ];
  });
  if (isAsked) return ['error: Nothing was changed, because the answer was no:', ...lists, `  [${code}]`];
  return [`error: ${confirmationRequired}:`, ...lists, `  ${way}[${code}]`];
}
