import type { Judgment } from '../engine/report/judgment.js';
import { FieldwiseError, thrownText } from '../util/error.js';
import type { Change } from './change.js';
import type { Answer, Objection, Rule } from './rule.js';

/** The longest source text of a function that stands for its message. */
const maxSourceText = 160;

/**
 * Returns what the rules say against a change.
 *
 * @throws FieldwiseError `rule-failed` if a rule throws, or answers with something else than an `Answer`, such as a promise.
 */
export function checkChange(rules: readonly Rule[], change: Change): readonly Judgment[] {
  return rules.flatMap((rule, index) => {
    const name = rule.name ?? `rule ${index + 1}`;
    return objectionsOf(rule, name, change).map(({ message, field }): Judgment => {
      return { rule: name, verdict: rule.verdict, message, ...(field === undefined ? {} : { field }) };
    });
  });
}

function objectionsOf(rule: Rule, name: string, change: Change): readonly Objection[] {
  const answer = answerOf(rule, name, change);
  if (answer === null || answer === false) return [];
  if (typeof answer === 'string') return answer === '' ? [] : [{ message: answer }];
  if (answer === true) return [{ message: messageOf(rule) }];
  return answer.map((item) => ({ field: item.field, message: messageIn(item) ?? messageOf(rule) }) as Objection);
}

function answerOf(rule: Rule, name: string, change: Change): Answer {
  let answer: unknown;
  try {
    answer = rule.check(change);
  } catch (cause) {
    throw ruleFailed(name, `threw ${thrownText(cause)}`, change, cause);
  }
  if (isAnswer(answer)) return answer;
  if (answer === undefined)
    throw ruleFailed(
      name,
      'answered undefined, as a function without `return` does, or a misspelt property of the change; `false` says that it does not object',
      change,
    );
  if (typeof (answer as PromiseLike<unknown>).then === 'function') throw ruleFailed(name, 'answered with a promise', change);
  throw ruleFailed(name, 'answered with something else than a boolean, a text or a list of fields', change);
}

function isAnswer(answer: unknown): answer is Answer {
  if (answer === null || typeof answer === 'boolean' || typeof answer === 'string') return true;
  return Array.isArray(answer) && answer.every(isObjection);
}

function isObjection(item: unknown): boolean {
  if (typeof item !== 'object' || item === null) return false;
  const { field, message } = item as Partial<Objection>;
  return (
    (typeof field === 'string' || typeof message === 'string') &&
    [field, message].every((text) => text === undefined || typeof text === 'string')
  );
}

function messageIn(item: object): string | undefined {
  return (item as Partial<Objection>).message;
}

/** Returns the sentence of a rule, or else the source text of its function. */
function messageOf({ message, verdict, check }: Rule): string {
  if (message !== undefined) return message;
  const source = String(check).replace(/\s+/g, ' ').trim();
  const shown = source.length > maxSourceText ? `${source.slice(0, maxSourceText)}…` : source;
  return `${verdict === 'deny' ? 'denied' : 'warned of'} by ${shown}`;
}

function ruleFailed(name: string, what: string, { object, manager }: Change, cause?: unknown): FieldwiseError {
  return new FieldwiseError('rule-failed', 'usage', `The rule ${JSON.stringify(name)} ${what}`, {
    location: { object, manager },
    next: 'Correct the rule: it takes a change, and returns at once whether it objects (docs/rules.md). Nothing was changed.',
    ...(cause === undefined ? {} : { cause }),
  });
}
