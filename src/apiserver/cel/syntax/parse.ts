import { expandMacro, MacroError } from './expand-macro.js';
import type { Expression, MapEntry } from './expression.js';
import { NodeFactory } from './node-factory.js';
import { numberLiteral } from './number-literal.js';
import { type Expected, optional, ParseAborted, TokenReader } from './recovery.js';
import { nowhere, type SourceError, unknownPlace } from './source-error.js';
import { end, type TokenType } from './token-types.js';
import { type Token, tokenize } from './tokenize.js';

/** Limits of the real server. Source: observed. */
const maxDepth = 250;
const maxCodePoints = 100_000;
const maxErrors = 100;

export type ParseResult = { readonly expression: Expression } | { readonly errors: readonly SourceError[] };

/** Parses an expression and expands its macros. Source: the language definition of CEL, "Syntax". */
export function parse(text: string): ParseResult {
  const size = [...text].length;
  if (size > maxCodePoints)
    return { errors: [{ offset: 0, message: `expression code point size exceeds limit: size: ${size}, limit ${maxCodePoints}` }] };
  const { tokens, errors } = tokenize(text);
  const parser = new Parser(tokens);
  const expression = parser.parse();
  const all = [...errors, ...parser.errors];
  return all.length === 0 ? { expression } : { errors: all.toSorted((left, right) => left.offset - right.offset).slice(0, maxErrors) };
}

const reserved = new Set('as break const continue else for function if import let loop package namespace return var void while'.split(' '));
const constants: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null };

const types = (text: string, ...more: Iterable<TokenType>[]): Expected =>
  new Set([...text.split(' '), ...more.flatMap((each) => [...each])]);
const relations = types('< <= >= > == != in');
const products = types('* / %');
const sums = types('+ -');

/** The tokens with which parts of the grammar may begin. */
const firstOfMember = types('[ { ( . - true false null NUM_FLOAT NUM_INT NUM_UINT STRING BYTES IDENTIFIER');
const first = types('!', firstOfMember);
const firstOfName = types('IDENTIFIER ESC_IDENTIFIER');
const firstOfSelection = types('?', firstOfName);
const firstOfItem = types('?', first);

/** The tokens that may come behind parts of the grammar, within the part around them. */
const ends = types(optional);
const afterMember = types('. [', ends);
const afterCondition = types('?', ends);
const afterOr = types('||', ends);
const afterAnd = types('&&', ends);
const afterRelation = new Set([...relations, optional]);
const afterOperand = types('* / % + -', ends);
const afterItem = types(',', ends);

class Parser {
  readonly #read: TokenReader;
  readonly #nodes = new NodeFactory();
  /** Errors that are not of the syntax; they do not stop parsing. */
  readonly #misuses: SourceError[] = [];
  #isAborted = false;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#read = new TokenReader(tokens);
  }

  get errors(): readonly SourceError[] {
    return this.#isAborted ? this.#read.errors : [...this.#read.errors, ...this.#misuses];
  }

  parse(): Expression {
    let expression = this.#missing();
    try {
      this.#read.rule(ends, () => {
        expression = this.#expression(types(end));
        this.#read.take(end, 'start', ends);
      });
    } catch (error) {
      // Each level of nesting takes dozens of frames, so the stack may end before the limit is reached.
      if (error instanceof RangeError) this.#exceed();
      else if (!(error instanceof ParseAborted)) throw error;
      this.#isAborted = true;
    }
    return expression;
  }

  /** Stands for what could not be read. */
  #missing(offset = unknownPlace): Expression {
    return { kind: 'struct', id: this.#nodes.id(), offset, name: '' };
  }

  #misuse(offset: number, message: string): Expression {
    this.#misuses.push({ offset, message });
    return this.#missing(offset);
  }

  #deepen(): void {
    if (++this.#depth <= maxDepth) return;
    this.#abort();
  }

  #exceed(): void {
    this.#read.errors.push({ offset: nowhere, message: `expression recursion limit exceeded: ${maxDepth}` });
  }

  #abort(): never {
    this.#exceed();
    throw new ParseAborted();
  }

  #expression(follow: Expected): Expression {
    this.#deepen();
    let result = this.#missing();
    this.#read.rule(follow, () => {
      const condition = this.#or(afterCondition);
      result = condition;
      if (this.#read.peek() !== '?') return;
      const { offset } = this.#read.accept();
      const yes = this.#or(types(':'));
      result = this.#nodes.call(offset, '_?_:_', [condition, yes, this.#missing()]);
      this.#read.take(':', 'condition', first);
      result = this.#nodes.call(offset, '_?_:_', [condition, yes, this.#expression(ends)]);
    });
    this.#depth--;
    return result;
  }

  #or(follow: Expected): Expression {
    return this.#logical(follow, '||', '_||_', () => this.#logical(afterOr, '&&', '_&&_', () => this.#relation(afterAnd)));
  }

  /** Operands of one logical operator become a balanced tree, which keeps long chains shallow. */
  #logical(follow: Expected, symbol: string, name: string, operand: () => Expression): Expression {
    const operands: Expression[] = [];
    const offsets: number[] = [];
    this.#read.rule(follow, () => {
      operands.push(operand());
      while (this.#read.peek() === symbol) {
        offsets.push(this.#read.accept().offset);
        operands.push(operand());
      }
    });
    const balanced = (from: number, to: number): Expression => {
      if (from === to) return operands[from] as Expression;
      const middle = Math.floor((from + to) / 2);
      return this.#nodes.call(offsets[middle] as number, name, [balanced(from, middle), balanced(middle + 1, to)]);
    };
    return balanced(0, operands.length - 1);
  }

  #relation(follow: Expected): Expression {
    return this.#binary(follow, relations, (inner) => this.#sum(inner), afterRelation);
  }

  #sum(follow: Expected): Expression {
    return this.#binary(follow, sums, (inner) => this.#product(inner), afterOperand);
  }

  #product(follow: Expected): Expression {
    return this.#binary(follow, products, (inner) => this.#unary(inner), afterOperand);
  }

  /** Reads operands with left-associative operators between them. */
  #binary(follow: Expected, operators: Expected, operand: (follow: Expected) => Expression, after: Expected): Expression {
    let left = this.#missing();
    this.#read.rule(follow, () => {
      left = operand(after);
      for (let count = 1; operators.has(this.#read.peek()); count++) {
        // A chain of operators is as deep as it is long.
        if (count > maxDepth) this.#abort();
        const { offset, text } = this.#read.accept();
        left = this.#nodes.call(offset, text === 'in' ? '@in' : `_${text}_`, [left, operand(after)]);
      }
    });
    return left;
  }

  #unary(follow: Expected): Expression {
    let result = this.#missing();
    this.#read.rule(follow, () => {
      this.#read.expect(first, 'unary');
      const type = this.#read.peek();
      if (type === '!') result = this.#negations(() => this.#read.peek() === '!', types('!', firstOfMember));
      else if (type === '-' && !this.#isSign('unary')) result = this.#negations(() => this.#isRepeatedMinus(), firstOfMember);
      else if (firstOfMember.has(type)) result = this.#member(ends);
      else this.#read.noAlternative('unary', 1);
    });
    return result;
  }

  /** Returns true if the minus that comes next belongs to a number. */
  #isSign(place: string): boolean {
    const type = this.#read.peek(1);
    if (type !== '-' && !firstOfMember.has(type)) this.#read.noAlternative(place, 2);
    return type === 'NUM_INT' || type === 'NUM_FLOAT';
  }

  #isRepeatedMinus(): boolean {
    if (this.#read.peek() !== '-') return false;
    // A second minus never is that of a number.
    this.#isSign('minus');
    return true;
  }

  #negations(goesOn: () => boolean, more: Expected): Expression {
    const { offset, text } = this.#read.accept();
    let count = 1;
    this.#read.expectRepetition(more);
    while (goesOn()) {
      this.#read.accept();
      this.#read.expectRepetition(more);
      count++;
    }
    const operand = this.#member(ends);
    return count % 2 === 0 ? operand : this.#nodes.call(offset, `${text}_`, [operand]);
  }

  #member(follow: Expected): Expression {
    const read: Holder = { value: this.#missing() };
    this.#read.rule(follow, () => {
      read.value = this.#primary(afterMember);
      for (let count = 1; ; count++) {
        const type = this.#read.peek();
        if (type !== '.' && type !== '[') return;
        if (count >= maxDepth) this.#abort();
        if (type === '[') this.#index(read);
        else this.#selection(read);
      }
    });
    return read.value;
  }

  #index(operand: Holder): void {
    const { offset } = this.#read.accept();
    let isOptional = false;
    let index = this.#missing();
    try {
      this.#read.expect(firstOfItem, 'index');
      isOptional = this.#accepts('?');
      index = this.#expression(types(']'));
      this.#read.take(']', 'index end', afterMember);
    } finally {
      operand.value = this.#nodes.call(offset, isOptional ? '_[?_]' : '_[_]', [operand.value, index]);
    }
  }

  #accepts(type: TokenType): boolean {
    const isNext = this.#read.peek() === type;
    if (isNext) this.#read.accept();
    return isNext;
  }

  #selection(operand: Holder): void {
    const second = this.#read.peek(1);
    if (!firstOfSelection.has(second)) this.#read.noAlternative('member', 2);
    const { offset } = this.#read.accept();
    if (second === 'IDENTIFIER' && this.#read.peek(1) === '(') {
      const { text } = this.#read.accept();
      const { value: target } = operand;
      this.#call(operand, (open, args) => expandMacro(this.#nodes, open, target, text, args) ?? this.#nodes.call(open, text, args, target));
      return;
    }
    const isOptional = this.#accepts('?');
    const { offset: at, name } = this.#name(afterMember);
    operand.value = isOptional
      ? this.#nodes.call(offset, '_?._', [operand.value, this.#nodes.literal(at, name)])
      : this.#nodes.select(offset, operand.value, name);
  }

  /** Reads the name of a field. @param at the position of errors about it */
  #name(follow: Expected, at = this.#read.next.offset): { readonly offset: number; readonly name: string } {
    const { offset } = this.#read.next;
    let name: string | undefined;
    this.#read.rule(follow, () => {
      this.#read.expect(firstOfName, 'name');
      if (!firstOfName.has(this.#read.peek())) this.#read.noAlternative('name', 1);
      const { kind, text } = this.#read.accept();
      name = text;
      if (kind === 'escaped') this.#misuse(at, "unsupported syntax: '`'");
    });
    if (name === undefined) this.#misuse(at, 'unsupported ident kind');
    return { offset, name: name ?? '' };
  }

  /** Reads arguments, and keeps a call of as many as there are. */
  #call(result: Holder, make: (offset: number, args: readonly Expression[]) => Expression): void {
    const { offset } = this.#read.accept();
    const args: Expression[] = [];
    try {
      this.#read.expect(types(')', first), 'arguments');
      if (first.has(this.#read.peek())) this.#arguments(args);
      this.#read.take(')', 'arguments end', afterMember);
    } finally {
      result.value = this.#expanded(() => make(offset, args));
    }
  }

  #expanded(make: () => Expression): Expression {
    try {
      return make();
    } catch (error) {
      if (!(error instanceof MacroError)) throw error;
      return this.#misuse(error.offset, error.message);
    }
  }

  #arguments(args: Expression[]): void {
    this.#read.rule(types(')'), () => {
      args.push(this.#expression(afterItem));
      while (this.#accepts(',')) args.push(this.#expression(afterItem));
    });
  }

  #primary(follow: Expected): Expression {
    const read: Holder = { value: this.#missing() };
    this.#read.rule(follow, () => {
      this.#read.expect(firstOfMember, 'primary');
      const { offset } = this.#read.next;
      switch (this.#read.peek()) {
        case '(':
          this.#read.accept();
          read.value = this.#expression(types(')'));
          this.#read.take(')', 'nested', ends);
          break;
        case '[':
          this.#list(offset, read);
          break;
        case '{':
          this.#map(offset, read);
          break;
        case '.':
        case 'IDENTIFIER':
          this.#named(read);
          break;
        default:
          if (!firstOfMember.has(this.#read.peek())) this.#read.noAlternative('primary', 1);
          this.#read.rule(ends, () => {
            read.value = this.#literal();
          });
      }
    });
    return read.value;
  }

  #literal(): Expression {
    if (this.#read.peek() === '-' && !this.#isSign('literal')) this.#read.noAlternative('literal', 2);
    const minus = this.#read.peek() === '-' ? this.#read.accept() : undefined;
    const token = this.#read.accept();
    const { offset } = minus ?? token;
    if (token.kind === 'string' || token.kind === 'bytes') return this.#nodes.literal(offset, token.value);
    if (token.kind === 'identifier') return this.#nodes.literal(offset, constants[token.text] as boolean | null);
    const value = numberLiteral(token, minus !== undefined);
    return typeof value === 'string' ? this.#misuse(offset, value) : this.#nodes.literal(offset, value);
  }

  /** Reads a variable, a call or a message, which all begin with a name. */
  #named(read: Holder): void {
    const { offset: start } = this.#read.next;
    const isRooted = this.#read.peek() === '.';
    if (isRooted && this.#read.peek(1) !== 'IDENTIFIER') this.#read.noAlternative('primary', 2);
    if (isRooted) this.#read.accept();
    if (this.#isMessage()) {
      this.#message(read);
      return;
    }
    const { offset, text } = this.#read.accept();
    const count = this.#misuses.length;
    try {
      this.#variable(read, offset, text, isRooted);
    } finally {
      if (reserved.has(text)) {
        this.#forget(count);
        read.value = this.#misuse(start, `reserved identifier: ${text}`);
      }
    }
  }

  #variable(read: Holder, offset: number, text: string, isRooted: boolean): void {
    read.value = this.#nodes.rooted(this.#nodes.identifier(offset, text), isRooted);
    if (this.#read.peek() !== '(') return;
    this.#call(read, (open, args) => {
      const macro = isRooted ? undefined : expandMacro(this.#nodes, open, undefined, text, args);
      return macro ?? this.#nodes.rooted(this.#nodes.call(open, text, args), isRooted);
    });
  }

  /** Forgets the errors within a part that the server does not look at, because of another error. */
  #forget(count: number): void {
    this.#misuses.length = count;
  }

  /** Takes the colon behind a key. Without it, the server does not look at the key. */
  #colon(place: string, count: number): void {
    try {
      this.#read.take(':', place, first);
    } catch (error) {
      this.#forget(count);
      throw error;
    }
  }

  /** Returns true if names with dots between them come next, and a brace. */
  #isMessage(): boolean {
    let distance = 1;
    while (this.#read.peek(distance) === '.' && this.#read.peek(distance + 1) === 'IDENTIFIER') distance += 2;
    return this.#read.peek(distance) === '{';
  }

  /** Reads a message such as `a.b.C{…}`. */
  #message(read: Holder): void {
    let { text: name } = this.#read.accept();
    while (this.#accepts('.')) name += `.${this.#read.accept().text}`;
    const { offset } = this.#read.accept();
    read.value = { kind: 'struct', id: this.#nodes.id(), offset, name };
    this.#items('}', firstOfSelection, () => {
      const count = this.#misuses.length;
      const { offset: at } = this.#read.next;
      this.#read.rule(types(':'), () => {
        this.#read.expect(firstOfSelection, 'field');
        this.#accepts('?');
        this.#name(ends, at);
      });
      this.#colon('field value', count);
      this.#expression(afterItem);
    });
  }

  #list(offset: number, read: Holder): void {
    const items: Expression[] = [];
    const choices = new Set<number>();
    this.#read.accept();
    try {
      this.#items(']', firstOfItem, () => {
        const { isOptional, value } = this.#item(afterItem);
        if (isOptional) choices.add(items.length);
        items.push(value);
      });
    } finally {
      read.value = this.#nodes.list(offset, items, choices);
    }
  }

  #map(offset: number, read: Holder): void {
    const entries: MapEntry[] = [];
    this.#read.accept();
    try {
      this.#items('}', firstOfItem, () => {
        const count = this.#misuses.length;
        const { isOptional, value: key } = this.#item(types(':'));
        this.#colon('entry', count);
        entries.push({ key, value: this.#expression(afterItem), optional: isOptional });
      });
    } finally {
      read.value = { kind: 'map', id: this.#nodes.id(), offset, entries };
    }
  }

  /** Reads items with commas between them, and maybe one behind them. */
  #items(close: TokenType, starts: Expected, item: () => void): void {
    this.#read.expect(types(`, ${close}`, starts), 'items');
    if (starts.has(this.#read.peek())) {
      this.#read.rule(types(`, ${close}`), () => {
        item();
        while (this.#read.peek() === ',' && starts.has(this.#read.peek(1))) {
          this.#read.accept();
          item();
        }
      });
    }
    this.#read.expect(types(`, ${close}`), 'items end');
    this.#accepts(',');
    this.#read.take(close, 'items close', ends);
  }

  #item(follow: Expected): { readonly isOptional: boolean; readonly value: Expression } {
    let isOptional = false;
    let value = this.#missing();
    this.#read.rule(follow, () => {
      this.#read.expect(firstOfItem, 'item');
      isOptional = this.#accepts('?');
      value = this.#expression(ends);
    });
    return { isOptional, value };
  }
}

/** Holds what was read until a rule fails. */
interface Holder {
  value: Expression;
}
