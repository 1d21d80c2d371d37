import { quoted, type SourceError } from './source-error.js';
import { end, showTypes, type TokenType, typeOfToken } from './token-types.js';
import type { Token } from './tokenize.js';

/** The tokens with which something may begin or go on; `optional` stands for its end. */
export type Expected = ReadonlySet<TokenType>;
export const optional: TokenType = '';

/** Thrown where a rule of the grammar cannot go on. */
class RuleFailure extends Error {}

/** Thrown where parsing ends for good. */
export class ParseAborted extends Error {}

/** More recoveries end parsing. Source: observed. */
const maxRecoveries = 30;

/**
 * The tokens of an expression, with the errors of the real server about them and its ways to go on after one. Source: the book "The
 * Definitive ANTLR 4 Reference", chapter 9, "Error Reporting and Recovery"; observed.
 */
export class TokenReader {
  readonly errors: SourceError[] = [];
  readonly #tokens: readonly Token[];
  readonly #types: readonly TokenType[];
  #at = 0;
  /** The tokens that may follow each rule that is being read. */
  readonly #follow: Expected[] = [];
  /** True from an error to the next token that fits: further errors are not reported. */
  #isRecovering = false;
  #recoveries = 0;
  #lastRecovery: { readonly at: number; readonly places: Set<string> } | undefined;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
    this.#types = tokens.map(typeOfToken);
  }

  get next(): Token {
    return this.#tokens[this.#at] as Token;
  }

  /** Returns the type of the next token, or of one behind it. */
  peek(distance = 0): TokenType {
    return this.#types[this.#at + distance] ?? end;
  }

  /**
   * Reads by a rule of the grammar. A failure ends the rule, and what was read until then stands.
   *
   * @param follow what may come behind the rule
   */
  rule(follow: Expected, read: () => void): void {
    this.#follow.push(follow);
    try {
      read();
    } catch (failure) {
      if (!(failure instanceof RuleFailure)) throw failure;
      this.#recover(failure.message);
    }
    this.#follow.pop();
  }

  /** Takes a token of a type; undefined for a missing one. @param after what may come behind it within the rule */
  take(type: TokenType, place: string, after: Expected): Token | undefined {
    if (this.peek() === type) return this.accept();
    const expected = this.#inContext(new Set([type]));
    if (this.#delete(expected)) return this.accept();
    if (!this.#inContext(after).has(this.peek())) return this.#mismatch(expected, place);
    this.#report(`missing ${showTypes(expected)} at ${this.#shown()}`);
    return undefined;
  }

  /** Takes the next token, which fits. */
  accept(): Token {
    const token = this.next;
    this.#fit();
    if (token.kind !== 'end') this.#at++;
    return token;
  }

  /** Sees to it that the next token is one with which alternatives may begin. */
  expect(expected: Expected, place: string): void {
    if (this.#isRecovering || expected.has(this.peek()) || expected.has(optional)) return;
    const all = this.#inContext(expected);
    if (!this.#delete(all)) this.#mismatch(all, place);
  }

  /** Sees to it that the next token is one with which a repetition may go on or end; leaves out what is neither. */
  expectRepetition(expected: Expected): void {
    if (this.#isRecovering || expected.has(this.peek())) return;
    this.#reportUnwanted(expected);
    this.#skipTo(new Set([...expected, ...this.#recoverySet()]));
  }

  /** Fails because no alternative has the next tokens. @param length the number of tokens that the alternatives looked at */
  noAlternative(place: string, length: number): never {
    const last = this.#tokens[Math.min(this.#at + length - 1, this.#tokens.length - 1)] as Token;
    let text = '';
    for (const token of this.#tokens.slice(this.#at, this.#at + length)) {
      if (text !== '') text += token.before;
      if (token.kind !== 'end') text += token.text;
    }
    if (this.next.kind === 'end') text = end;
    const reserved = /.(true|false|null)$/.exec(text);
    const message =
      reserved?.index === 0 ? `mismatched input '${reserved[1]}' expecting IDENTIFIER` : `no viable alternative at input ${quoted(text)}`;
    this.#report(message, last.offset);
    throw new RuleFailure(place);
  }

  #mismatch(expected: Expected, place: string): never {
    this.#report(`mismatched input ${this.#shown()} expecting ${showTypes(expected)}`);
    throw new RuleFailure(place);
  }

  #shown(): string {
    return quoted(this.next.text);
  }

  #report(message: string, offset = this.next.offset): void {
    if (!this.#isRecovering) this.errors.push({ offset, message: `Syntax error: ${message}` });
    this.#isRecovering = true;
  }

  #reportUnwanted(expected: Expected): void {
    this.#report(`extraneous input ${this.#shown()} expecting ${showTypes(expected)}`);
  }

  /** Leaves out the next token if the one behind it is expected. */
  #delete(expected: Expected): boolean {
    if (!expected.has(this.peek(1))) return false;
    this.#reportUnwanted(expected);
    if (this.peek() !== end) this.#at++;
    this.#fit();
    return true;
  }

  #fit(): void {
    this.#isRecovering = false;
    this.#lastRecovery = undefined;
  }

  /** Returns what may come next, behind the rule too if it may end. */
  #inContext(expected: Expected): Expected {
    const all = new Set(expected);
    for (let level = this.#follow.length - 1; all.delete(optional); level--) {
      const follow = level < 0 ? [end] : (this.#follow[level] as Expected);
      for (const type of follow) all.add(type);
    }
    return all;
  }

  #recover(place: string): void {
    if (++this.#recoveries > maxRecoveries) {
      this.errors.push({ offset: this.next.offset, message: `Syntax error: error recovery attempt limit exceeded: ${maxRecoveries}` });
      throw new ParseAborted();
    }
    // The same failure again would have no end.
    if (this.#lastRecovery?.at === this.#at && this.#lastRecovery.places.has(place) && this.peek() !== end) this.#at++;
    const places = this.#lastRecovery?.places ?? new Set();
    this.#lastRecovery = { at: this.#at, places: places.add(place) };
    this.#skipTo(this.#recoverySet());
  }

  #recoverySet(): Expected {
    return new Set(this.#follow.flatMap((follow) => [...follow]));
  }

  #skipTo(types: Expected): void {
    while (this.peek() !== end && !types.has(this.peek())) this.#at++;
  }
}
