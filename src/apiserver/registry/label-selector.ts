import { labelValueErrors, qualifiedNameErrors } from '../../util/name-text.js';
import { badRequest } from '../api/status-error.js';
import { type LabelRequirement, labelsMatcher } from './label-rules.js';
import type { Matcher } from './selectors.js';

/** The end of a selector is the empty token. */
const end = '';

const operators = new Set(['in', 'notin', '=', '==', '!=', '>', '<']);
const marks = new Set([...'=!(),><', '==', '!=']);

/**
 * Parses a label selector.
 * Source: Kubernetes documentation "Labels and Selectors"; responses of a server.
 *
 * @throws StatusError 400
 */
export function labelMatcher(text: string): Matcher {
  const tokens = new Tokens(text);
  const requirements: LabelRequirement[] = [];
  while (tokens.next !== end) {
    if (requirements.length > 0) {
      if (tokens.take() !== ',') throw badRequest(`found '${tokens.last}', expected: ',' or 'end of string'`);
      if (!startsRequirement(tokens.next)) throw badRequest(`found '${tokens.next}', expected: identifier after ','`);
    } else if (!startsRequirement(tokens.next)) throw badRequest(`found '${tokens.next}', expected: !, identifier, or 'end of string'`);
    requirements.push(readRequirement(tokens));
  }
  return labelsMatcher(requirements);
}

class Tokens {
  readonly #tokens: readonly string[];
  #position = 0;

  constructor(text: string) {
    this.#tokens = text.match(/==|!=|[=!(),><]|[^=!(),><\s]+/g) ?? [];
  }

  get next(): string {
    return this.#tokens[this.#position] ?? end;
  }

  /** The token that was taken last. */
  get last(): string {
    return this.#tokens[this.#position - 1] ?? end;
  }

  take(): string {
    const token = this.next;
    this.#position += 1;
    return token;
  }
}

function isIdentifier(token: string): boolean {
  return token !== end && !marks.has(token);
}

function startsRequirement(token: string): boolean {
  return token === '!' || isIdentifier(token);
}

function refusal(reason: string): Error {
  return badRequest(`unable to parse requirement: ${reason}`);
}

function readRequirement(tokens: Tokens): LabelRequirement {
  const negated = tokens.next === '!';
  if (negated) tokens.take();
  const key = tokens.take();
  if (!isIdentifier(key)) throw refusal(`found '${key}', expected: identifier`);
  refuse(invalidText('<nil>', key, qualifiedNameErrors(key)));
  if (negated) return { key, operator: '!', values: [] };
  if (tokens.next === end || tokens.next === ',') return { key, operator: 'exists', values: [] };
  const operator = tokens.take();
  if (!operators.has(operator)) throw refusal(`found '${operator}', expected: in, notin, =, ==, !=, gt, lt`);
  const isSet = operator === 'in' || operator === 'notin';
  const values = isSet ? readValues(tokens) : [readValue(tokens)];
  const isOrder = operator === '>' || operator === '<';
  if (isOrder && !/^[-+]?\d+$/.test(values[0] as string))
    throw refusal(`values[0]: Invalid value: ${JSON.stringify(values[0])}: for 'Gt', 'Lt' operators, the value must be an integer`);
  refuse(values.flatMap((value, index) => invalidText(`values[${index}][${key}]`, value, labelValueErrors(value))));
  if (isOrder) return { key, operator, values };
  return { key, operator: operator === 'notin' || operator === '!=' ? 'notin' : 'in', values };
}

function readValue(tokens: Tokens): string {
  if (tokens.next === end || tokens.next === ',') return '';
  const value = tokens.take();
  if (!isIdentifier(value)) throw refusal(`found '${value}', expected: identifier`);
  return value;
}

/** Reads the values in parentheses, sorted; one that is left out is empty. */
function readValues(tokens: Tokens): readonly string[] {
  if (tokens.take() !== '(') throw refusal(`found '${tokens.last}' expected: '('`);
  const values = new Set<string>();
  for (;;) {
    const value = tokens.next === ',' || tokens.next === ')' ? '' : tokens.take();
    const isMissing = value === end ? tokens.next === end : !isIdentifier(value);
    if (isMissing) throw refusal(`found '${value}', expected: ',',${values.size === 0 ? " ')'" : ''} or identifier`);
    values.add(value);
    const mark = tokens.take();
    if (mark === ')') return [...values].sort();
    if (mark !== ',') throw refusal(`found '${mark}', expected: ',' or ')'`);
  }
}

function invalidText(path: string, value: string, errors: readonly string[]): readonly string[] {
  return errors.length === 0 ? [] : [`${path}: Invalid value: ${JSON.stringify(value)}: ${errors.join('; ')}`];
}

function refuse(texts: readonly string[]): void {
  if (texts.length > 0) throw refusal(texts.length === 1 ? (texts[0] as string) : `[${texts.join(', ')}]`);
}
