import { quote } from '../../fields/index.js';
import { badRequest } from '../api/status-error.js';
import { labelValueErrors, qualifiedNameErrors } from './metadata-rules.js';

/** One condition of a label selector; `=` is `in` with one value, `!=` is `notin`. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: 'exists' | '!' | 'in' | 'notin' | '>' | '<';
  readonly values: readonly string[];
}

/**
 * Parses a label selector: `app=web,tier in (a,b),!canary`.
 * Source: Kubernetes documentation "Labels and Selectors"; the order of checks and their messages as observed.
 *
 * @throws StatusError 400
 */
export function parseLabelSelector(text: string): readonly LabelRequirement[] {
  const reader = new TokenReader(text);
  const requirements: LabelRequirement[] = [];
  if (reader.peek() === '') return requirements;
  if (!startsRequirement(reader)) throw badRequest(`found '${reader.peek()}', expected: !, identifier, or 'end of string'`);
  for (;;) {
    requirements.push(readRequirement(reader));
    if (reader.peek() === '') return requirements;
    if (reader.peek() !== ',') throw badRequest(`found '${reader.peek()}', expected: ',' or 'end of string'`);
    reader.next();
    if (!startsRequirement(reader)) throw badRequest(`found '${reader.peek()}', expected: identifier after ','`);
  }
}

/** Reads the tokens of a selector: `!`, `(`, `)`, `,`, operators and identifiers; the end is an empty token. */
class TokenReader {
  readonly #tokens: RegExp;
  readonly #text: string;
  #token = '';

  constructor(text: string) {
    this.#text = text;
    this.#tokens = /[ \t\r\n]*([(),]|[=!<>]+|[^ \t\r\n(),=!<>]+|)/gy;
    this.next();
  }

  peek(): string {
    return this.#token;
  }

  /** True if the token is an identifier. */
  get isIdentifier(): boolean {
    return this.#token !== '' && !/^[(),=!<>]/.test(this.#token);
  }

  next(): void {
    const found = this.#tokens.exec(this.#text)?.[1] ?? '';
    // Of a run of symbols, those count that are an operator: `!!` are two.
    const operator = /^(?:[=!<>]+)$/.test(found) ? (/^(?:==|!=|[=!<>])/.exec(found)?.[0] ?? found) : found;
    this.#tokens.lastIndex -= found.length - operator.length;
    this.#token = operator;
  }
}

function startsRequirement(reader: TokenReader): boolean {
  return reader.peek() === '!' || reader.isIdentifier;
}

function readRequirement(reader: TokenReader): LabelRequirement {
  const isAbsence = reader.peek() === '!';
  if (isAbsence) reader.next();
  const key = reader.peek();
  if (!reader.isIdentifier) throw cannotParse(`found '${key}', expected: identifier`);
  reader.next();
  if (isAbsence) return checked({ key, operator: '!', values: [] });
  const operator = reader.peek();
  if (operator === '' || operator === ',') return checked({ key, operator: 'exists', values: [] });
  reader.next();
  switch (operator) {
    case 'in':
    case 'notin':
      return checked({ key, operator, values: readSet(reader) });
    case '=':
    case '==':
      return checked({ key, operator: 'in', values: [readValue(reader)] });
    case '!=':
      return checked({ key, operator: 'notin', values: [readValue(reader)] });
    case '>':
    case '<':
      return checked({ key, operator, values: [readValue(reader)] });
    default:
      throw cannotParse(`found '${operator}', expected: in, notin, =, ==, !=, gt, lt`);
  }
}

function readValue(reader: TokenReader): string {
  if (reader.peek() === '' || reader.peek() === ',') return '';
  if (!reader.isIdentifier) throw cannotParse(`found '${reader.peek()}', expected: identifier`);
  const value = reader.peek();
  reader.next();
  return value;
}

/** Reads the values of a set. A missing value beside a comma is the empty one. */
function readSet(reader: TokenReader): readonly string[] {
  if (reader.peek() !== '(') throw cannotParse(`found '${reader.peek()}' expected: '('`);
  reader.next();
  const values = new Set<string>();
  let needsValue = true;
  for (; reader.peek() !== ')'; reader.next()) {
    if (reader.peek() === ',') {
      if (needsValue) values.add('');
      needsValue = true;
    } else if (reader.isIdentifier && needsValue) {
      values.add(reader.peek());
      needsValue = false;
    } else throw cannotParse(`found '${reader.peek()}', expected: ${values.size === 0 ? "',', ')' or identifier" : "',' or ')'"}`);
  }
  reader.next();
  if (needsValue) values.add('');
  return [...values];
}

function checked(requirement: LabelRequirement): LabelRequirement {
  const { key, operator, values } = requirement;
  const errors: string[] = [];
  const reasons = qualifiedNameErrors(key);
  if (reasons.length > 0) errors.push(`<nil>: Invalid value: ${quote(key)}: ${reasons.join('; ')}`);
  if ((operator === '>' || operator === '<') && !/^[-+]?\d{1,19}$/.test(values[0] ?? ''))
    errors.push(`values[0]: Invalid value: ${quote(values[0] ?? '')}: for 'Gt', 'Lt' operators, the value must be an integer`);
  for (const [index, value] of values.entries()) {
    const found = labelValueErrors(value);
    if (found.length > 0) errors.push(`values[${index}][${key}]: Invalid value: ${quote(value)}: ${found.join('; ')}`);
  }
  if (errors.length === 0) return requirement;
  throw cannotParse(errors.length === 1 ? String(errors[0]) : `[${errors.join(', ')}]`);
}

function cannotParse(reason: string): Error {
  return badRequest(`unable to parse requirement: ${reason}`);
}
