import { expandMacro, MacroError } from './expand-macro.js';
import type { Expression, MapEntry } from './expression.js';
import { NodeFactory } from './node-factory.js';
import { numberLiteral } from './number-literal.js';
import type { SourceError } from './source-error.js';
import { type Token, tokenize } from './tokenize.js';

/** Limits of the real server. Source: observed. */
const maxDepth = 250;
const maxCodePoints = 100_000;

export type ParseResult = { readonly expression: Expression } | { readonly errors: readonly SourceError[] };

/** Parses an expression and expands its macros. Source: the language definition of CEL, "Syntax". */
export function parse(text: string): ParseResult {
  const size = [...text].length;
  if (size > maxCodePoints)
    return { errors: [{ offset: 0, message: `expression code point size exceeds limit: size: ${size}, limit ${maxCodePoints}` }] };
  const { tokens, errors } = tokenize(text);
  try {
    const expression = new Parser(tokens).parse();
    return errors.length === 0 ? { expression } : { errors };
  } catch (error) {
    if (error instanceof MacroError) return { errors: [...errors, { offset: error.offset, message: error.message }] };
    throw error;
  }
}

const reserved = new Set('as break const continue else for function if import let loop package namespace return var void while'.split(' '));
const constants: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null };
/** The binary operators, weakest first; each level is left-associative. */
const levels: readonly (readonly string[])[] = [
  ['<', '<=', '>=', '>', '==', '!=', 'in'],
  ['+', '-'],
  ['*', '/', '%'],
];
const expected = "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

class Parser {
  readonly #tokens: readonly Token[];
  readonly #nodes = new NodeFactory();
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  parse(): Expression {
    const expression = this.#expression();
    if (this.#next.kind !== 'end') this.#fail(`Syntax error: extraneous input '${this.#next.text}' expecting <EOF>`);
    return expression;
  }

  get #next(): Token {
    return this.#tokens[this.#at] as Token;
  }

  #isNext(text: string): boolean {
    const { kind, text: found } = this.#next;
    return found === text && (kind === 'symbol' || (kind === 'identifier' && text === 'in'));
  }

  #take(): Token {
    const token = this.#next;
    if (token.kind !== 'end') this.#at++;
    return token;
  }

  #accept(text: string): Token | undefined {
    return this.#isNext(text) ? this.#take() : undefined;
  }

  #expect(text: string, isList = false): Token {
    const accepted = this.#accept(text);
    if (accepted !== undefined) return accepted;
    const { text: found, kind } = this.#next;
    const wanted = text === ']' || text === '}' || (text === ')' && isList) ? `{'${text}', ','}` : `'${text}'`;
    if (this.#tokens[this.#at + 1]?.text === text) return this.#fail(`Syntax error: extraneous input '${found}' expecting ${wanted}`);
    if (kind === 'end' && text === ')' && !isList) return this.#fail(`Syntax error: missing ')' at '<EOF>'`);
    return this.#fail(`Syntax error: mismatched input '${found}' expecting ${wanted}`);
  }

  #fail(message: string, offset = this.#next.offset): never {
    throw new MacroError(offset, message);
  }

  #expression(): Expression {
    if (++this.#depth > maxDepth) this.#fail(`expression recursion limit exceeded: ${maxDepth}`, -1);
    const condition = this.#logical('||', '_||_', () => this.#logical('&&', '_&&_', () => this.#binary(0)));
    const question = this.#accept('?');
    let result = condition;
    if (question !== undefined) {
      const yes = this.#logical('||', '_||_', () => this.#logical('&&', '_&&_', () => this.#binary(0)));
      this.#expect(':');
      result = this.#nodes.call(question.offset, '_?_:_', [condition, yes, this.#expression()]);
    }
    this.#depth--;
    return result;
  }

  /** Operands of one logical operator become a balanced tree, which keeps long chains shallow. */
  #logical(symbol: string, name: string, operand: () => Expression): Expression {
    const operands = [operand()];
    const offsets: number[] = [];
    for (let token = this.#accept(symbol); token !== undefined; token = this.#accept(symbol)) {
      offsets.push(token.offset);
      operands.push(operand());
    }
    const balanced = (from: number, to: number): Expression => {
      if (from === to) return operands[from] as Expression;
      const middle = Math.floor((from + to) / 2);
      return this.#nodes.call(offsets[middle] as number, name, [balanced(from, middle), balanced(middle + 1, to)]);
    };
    return balanced(0, operands.length - 1);
  }

  #binary(level: number): Expression {
    const operators = levels[level];
    if (operators === undefined) return this.#unary();
    let left = this.#binary(level + 1);
    let count = 0;
    for (;;) {
      const operator = operators.find((each) => this.#isNext(each));
      if (operator === undefined) return left;
      // A chain of operators is as deep as it is long.
      if (++count > maxDepth) this.#fail(`expression recursion limit exceeded: ${maxDepth}`, -1);
      const { offset } = this.#take();
      left = this.#nodes.call(offset, `${operator === 'in' ? '@' : '_'}${operator}${operator === 'in' ? '' : '_'}`, [
        left,
        this.#binary(level + 1),
      ]);
    }
  }

  #unary(): Expression {
    const first = this.#next;
    const symbol = this.#isNext('!') ? '!' : this.#isNext('-') ? '-' : undefined;
    if (symbol === undefined) return this.#member();
    let count = 0;
    while (this.#accept(symbol) !== undefined) count++;
    const { kind } = this.#next;
    if (symbol === '-' && count === 1 && (kind === 'int' || kind === 'double')) return this.#member(first);
    const operand = this.#member();
    return count % 2 === 0 ? operand : this.#nodes.call(first.offset, `${symbol}_`, [operand]);
  }

  #member(minus?: Token): Expression {
    let operand = this.#primary(minus);
    let count = 0;
    for (;;) {
      if (++count > maxDepth) this.#fail(`expression recursion limit exceeded: ${maxDepth}`, -1);
      const dot = this.#accept('.');
      const bracket = dot === undefined ? this.#accept('[') : undefined;
      if (dot !== undefined) operand = this.#selection(operand, dot);
      else if (bracket !== undefined) operand = this.#index(operand, bracket);
      else return operand;
    }
  }

  #index(operand: Expression, { offset }: Token): Expression {
    const isOptional = this.#accept('?') !== undefined;
    const index = this.#expression();
    this.#expect(']');
    return this.#nodes.call(offset, isOptional ? '_[?_]' : '_[_]', [operand, index]);
  }

  #selection(operand: Expression, { offset }: Token): Expression {
    const isOptional = this.#accept('?') !== undefined;
    const token = this.#name();
    const name = String(token.value);
    if (isOptional) return this.#nodes.call(offset, '_?._', [operand, this.#nodes.literal(token.offset, name)]);
    const open = token.kind === 'identifier' ? this.#accept('(') : undefined;
    if (open === undefined) return this.#nodes.select(offset, operand, name);
    const args = this.#list(')');
    return expandMacro(this.#nodes, open.offset, operand, name, args) ?? this.#nodes.call(open.offset, name, args, operand);
  }

  /** The name of a field. */
  #name(): Token {
    const token = this.#next;
    if (token.kind === 'escaped') this.#fail("unsupported syntax: '`'");
    const isWord = token.kind === 'identifier' && token.text !== 'in' && !Object.hasOwn(constants, token.text);
    if (!isWord) this.#fail(`Syntax error: no viable alternative at input '.${token.text === '<EOF>' ? '' : token.text}'`);
    return this.#take();
  }

  #primary(minus?: Token): Expression {
    const token = this.#next;
    switch (token.kind) {
      case 'int':
      case 'uint':
      case 'double':
        this.#take();
        return this.#nodes.literal(minus?.offset ?? token.offset, this.#number(token, minus));
      case 'string':
      case 'bytes':
        this.#take();
        return this.#nodes.literal(token.offset, token.value);
      case 'identifier':
        return this.#identifier(token);
      default:
        return this.#bracketed(token);
    }
  }

  #number(token: Token, minus: Token | undefined) {
    const value = numberLiteral(token, minus !== undefined);
    return typeof value === 'string' ? this.#fail(value, (minus ?? token).offset) : value;
  }

  #bracketed(token: Token): Expression {
    if (this.#accept('(') !== undefined) {
      const inner = this.#expression();
      this.#expect(')');
      return inner;
    }
    if (this.#accept('[') !== undefined) return this.#listLiteral(token.offset);
    if (this.#accept('{') !== undefined) return this.#mapLiteral(token.offset);
    if (this.#accept('.') !== undefined) {
      if (Object.hasOwn(constants, this.#next.text)) this.#fail(`Syntax error: mismatched input '${this.#next.text}' expecting IDENTIFIER`);
      return this.#identifier(this.#next, '.');
    }
    return this.#fail(`Syntax error: mismatched input '${token.text}' expecting ${expected}`);
  }

  #identifier(token: Token, prefix = ''): Expression {
    if (token.kind !== 'identifier' || token.text === 'in')
      this.#fail(`Syntax error: mismatched input '${token.text}' expecting ${expected}`);
    this.#take();
    const name = token.text;
    if (prefix === '' && Object.hasOwn(constants, name)) return this.#nodes.literal(token.offset, constants[name] as boolean | null);
    const open = this.#accept('(');
    if (reserved.has(name)) this.#fail(`reserved identifier: ${name}`, token.offset);
    if (open !== undefined) {
      const args = this.#list(')');
      const macro = prefix === '' ? expandMacro(this.#nodes, open.offset, undefined, name, args) : undefined;
      return macro ?? this.#nodes.rooted(this.#nodes.call(open.offset, name, args), prefix !== '');
    }
    return this.#structAt(name) ?? this.#nodes.rooted(this.#nodes.identifier(token.offset, name), prefix !== '');
  }

  /** A message such as `a.b.C{…}`; undefined if the name is not followed by a brace. */
  #structAt(first: string): Expression | undefined {
    let at = this.#at;
    let name = first;
    while (this.#tokens[at]?.text === '.' && this.#tokens[at + 1]?.kind === 'identifier') {
      name += `.${this.#tokens[at + 1]?.text}`;
      at += 2;
    }
    if (this.#tokens[at]?.kind !== 'symbol' || this.#tokens[at]?.text !== '{') return undefined;
    const { offset } = this.#tokens[at] as Token;
    this.#at = at + 1;
    while (!this.#isNext('}')) {
      this.#accept('?');
      this.#name();
      this.#expect(':');
      this.#expression();
      if (this.#accept(',') === undefined) break;
    }
    this.#expect('}');
    return { kind: 'struct', id: this.#nodes.id(), offset, name };
  }

  #list(close: string): readonly Expression[] {
    const items: Expression[] = [];
    if (this.#accept(close) !== undefined) return items;
    do items.push(this.#expression());
    while (this.#accept(',') !== undefined);
    this.#expect(close);
    return items;
  }

  #listLiteral(offset: number): Expression {
    const items: Expression[] = [];
    const optional = new Set<number>();
    while (!this.#isNext(']')) {
      if (this.#accept('?') !== undefined) optional.add(items.length);
      items.push(this.#expression());
      if (this.#accept(',') === undefined) break;
    }
    this.#expect(']');
    return this.#nodes.list(offset, items, optional);
  }

  #mapLiteral(offset: number): Expression {
    const entries: MapEntry[] = [];
    while (!this.#isNext('}')) {
      const optional = this.#accept('?') !== undefined;
      const key = this.#expression();
      this.#expect(':');
      entries.push({ key, value: this.#expression(), optional });
      if (this.#accept(',') === undefined) break;
    }
    this.#expect('}');
    return { kind: 'map', id: this.#nodes.id(), offset, entries };
  }
}
