import { goDouble, goFixed } from '../../../util/go-double.js';
import { quote } from '../../../util/quote.js';
import type { Expression } from '../syntax/expression.js';
import { type CelType, formatResultType } from '../types/cel-type.js';
import { CelTime, formatDuration, formatTimestamp } from '../values/cel-time.js';
import { SetSum } from '../values/set-items.js';
import { typeName } from '../values/type-name.js';
import { decodeUtf8, invalidUtf8 } from '../values/utf8.js';
import { CelList, CelMap, CelTypeValue, CelUint, type CelValue, EvaluationError } from '../values/value.js';
import { visit } from '../values/visit.js';

const textKinds = 'strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps';

function fail(message: string): never {
  throw new EvaluationError(message);
}

/** A text that stays, a clause for the argument at `index`, or the first problem of a format. */
type Piece = string | { readonly letter: string; readonly precision: number; readonly index: number } | { readonly problem: string };

/** Splits a format into texts and clauses; the first problem comes in the place of the clause that has it. */
function* piecesOf(format: string, argumentCount: number): Generator<Piece> {
  let at = 0;
  let index = 0;
  for (let percent = format.indexOf('%'); percent >= 0; percent = format.indexOf('%', at)) {
    yield format.slice(at, percent);
    const [all = '', dot, digits = ''] = /^(\.)?(?:(?<=\.)(\d*))?/.exec(format.slice(percent + 1)) ?? [];
    at = percent + 2 + all.length;
    const letter = format[at - 1];
    if (letter === undefined && dot === undefined) yield { problem: 'unexpected end of string' };
    else if (letter === '%' && dot === undefined) yield '%';
    else if (index >= argumentCount) yield { problem: `index ${index} out of range` };
    else if (letter === undefined) yield { problem: `${unparsed}${imprecise}could not find end of precision specifier` };
    else yield clauseOf(letter, dot === undefined ? undefined : digits, index++);
  }
  yield format.slice(at);
}

const unparsed = 'could not parse formatting clause: ';
const imprecise = 'error while parsing precision: ';
const maxPrecision = 2n ** 63n;

function clauseOf(letter: string, digits: string | undefined, index: number): Piece {
  const wrong = (reason: string) => ({
    problem: `${unparsed}${imprecise}error while converting precision to integer: strconv.Atoi: parsing "${digits}": ${reason}`,
  });
  if (digits === '') return wrong('invalid syntax');
  if (digits !== undefined && BigInt(digits) >= maxPrecision) return wrong('value out of range');
  if (Object.hasOwn(allowedKinds, letter)) return { letter, precision: digits === undefined ? 6 : Number(digits), index };
  // The server names a byte. Source: observed.
  return { problem: `${unparsed}unrecognized formatting clause "${Buffer.from(letter).toString('latin1').slice(0, 1)}"` };
}

/** Replaces the clauses of a text, such as `%s`, by arguments. Source: cel-go's extension for strings, "Format"; observed. */
export function formatText(text: string, args: readonly CelValue[]): string {
  let result = '';
  for (const piece of piecesOf(text, args.length)) {
    if (typeof piece === 'string') result += piece;
    else result += 'problem' in piece ? fail(piece.problem) : formatClause(piece.letter, piece.precision, args[piece.index] as CelValue);
  }
  return result;
}

const numbers = ['int', 'uint', 'dyn'];
const doubles = ['double', 'string', 'dyn'];
const hexProblem = 'only integers, byte buffers, and strings can be formatted as hex';
const clauseProblem = (name: string, allowed: string) => `${name} clause can only be used on ${allowed}`;
const allowedKinds: Readonly<Record<string, readonly [problem: string, kinds: readonly string[]]>> = {
  s: [clauseProblem('string', textKinds), 'string bool bytes int uint double map list type duration timestamp null dyn param'.split(' ')],
  d: [clauseProblem('decimal', 'integers'), numbers],
  // Of strings, only `NaN` and the two infinities can be written; others fail in the evaluation.
  f: [clauseProblem('fixed-point', 'doubles'), doubles],
  e: [clauseProblem('scientific', 'doubles'), doubles],
  b: ['only integers and bools can be formatted as binary', [...numbers, 'bool']],
  o: [clauseProblem('octal', 'integers'), numbers],
  x: [hexProblem, [...numbers, 'string', 'bytes']],
  X: [hexProblem, [...numbers, 'string', 'bytes']],
};

export interface ClauseError {
  readonly message: string;
  /** The argument, or the item inside of it, that is wrong; undefined for the format itself. */
  readonly at?: Expression;
}

/** Returns the error of the first clause of a format that its argument does not fit, or that has none. */
export function clauseError(text: string, args: readonly Expression[], typeOf: (node: Expression) => CelType): ClauseError | undefined {
  let used = 0;
  for (const piece of piecesOf(text, args.length)) {
    if (typeof piece === 'string') continue;
    if ('problem' in piece) return { message: piece.problem };
    const [problem, kinds] = allowedKinds[piece.letter] as (typeof allowedKinds)[string];
    const at = unfitNode(args[piece.index] as Expression, kinds, typeOf);
    if (at !== undefined)
      return { message: `error during formatting: ${problem}, was given ${formatResultType({ ...typeOf(at), parameters: [] })}`, at };
    used++;
  }
  if (used < args.length) return { message: `too many arguments supplied to string.format (expected ${used}, got ${args.length})` };
  return undefined;
}

/** Returns an argument that a clause cannot show, or the item of a literal that it cannot. */
function unfitNode(node: Expression, kinds: readonly string[], typeOf: (node: Expression) => CelType): Expression | undefined {
  if (!kinds.includes(typeOf(node).kind)) return node;
  const inner = node.kind === 'list' ? node.items : node.kind === 'map' ? node.entries.flatMap(({ key, value }) => [key, value]) : [];
  return inner.map((each) => unfitNode(each, kinds, typeOf)).find((each) => each !== undefined);
}

function formatClause(letter: string, precision: number, arg: CelValue): string {
  switch (letter) {
    case 's':
      return asText(arg);
    case 'd':
      return String(whole(arg) ?? mismatch(letter, arg));
    case 'f':
      return asDouble(letter, arg, (value) => fixedPoint(value, precision));
    case 'e':
      return asDouble(letter, arg, scientific).padStart(precision);
    case 'b':
      return typeof arg === 'boolean' ? String(Number(arg)) : (whole(arg) ?? mismatch(letter, arg)).toString(2);
    case 'o':
      return (whole(arg) ?? mismatch(letter, arg)).toString(8);
    case 'x':
      return inHex(letter, arg);
    default:
      return inHex(letter, arg).toUpperCase();
  }
}

/** The most digits behind a point that are written. */
const maxZeros = 100_000;

/** Writes a number with a comma before each three digits, rounded to the even one of two that are equally near. */
function fixedPoint(value: number, precision: number): string {
  const digits = Math.min(precision, 100);
  const zeros = '0'.repeat(Math.min(precision, maxZeros) - digits);
  const text = goFixed(value, digits);
  const sign = text.startsWith('-') ? '-' : '';
  const [whole = '', fraction] = text.slice(sign.length).split('.');
  return `${sign}${grouped(whole)}${fraction === undefined ? '' : `.${fraction}`}${zeros}`;
}

function grouped(digits: string): string {
  const first = digits.length % 3;
  const groups = [...(first > 0 ? [digits.slice(0, first)] : []), ...(digits.slice(first).match(/\d{3}/g) ?? [])];
  return groups.join(',');
}

const superscript = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** Writes a number such as `2.500000×10⁰⁰`, with six digits whatever the clause says. Source: observed. */
function scientific(value: number): string {
  const [digits = '', exponent = '0'] = value.toExponential(6).split('e');
  const size = String(Math.abs(Number(exponent))).padStart(2, '0');
  return `${digits}×10${Number(exponent) < 0 ? '⁻' : ''}${[...size].map((digit) => superscript[Number(digit)]).join('')}`;
}

function mismatch(letter: string, arg: CelValue): never {
  return fail(`error during formatting: ${allowedKinds[letter]?.[0]}, was given ${typeName(arg)}`);
}

function whole(arg: CelValue): bigint | undefined {
  if (typeof arg === 'bigint') return arg;
  return arg instanceof CelUint ? arg.value : undefined;
}

function special(value: number): string {
  return Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity';
}

const unreal: Readonly<Record<string, string>> = { NaN: 'NaN', Infinity: '∞', '-Infinity': '-∞' };

function asDouble(letter: string, arg: CelValue, write: (value: number) => string): string {
  if (typeof arg === 'number' && Number.isFinite(arg)) return write(arg);
  const name = typeof arg === 'number' ? special(arg) : arg;
  return (typeof name === 'string' && Object.hasOwn(unreal, name) ? unreal[name] : undefined) ?? mismatch(letter, arg);
}

function inHex(letter: string, arg: CelValue): string {
  const value = whole(arg);
  if (value !== undefined) return value.toString(16);
  if (typeof arg === 'string') return Buffer.from(arg).toString('hex');
  return arg instanceof Uint8Array ? Buffer.from(arg).toString('hex') : mismatch(letter, arg);
}

const unreadable = `error during formatting: could not convert argument "${invalidUtf8}" to string`;

/** Writes any value as `%s` shows it. */
function asText(arg: CelValue): string {
  visit();
  if (typeof arg === 'string') return arg;
  if (arg === null) return 'null';
  if (typeof arg === 'boolean' || typeof arg === 'bigint') return String(arg);
  if (typeof arg === 'number') return goDouble(arg);
  if (arg instanceof CelUint) return String(arg.value);
  if (arg instanceof Uint8Array) return decodeUtf8(arg) ?? fail(unreadable);
  if (arg instanceof CelTypeValue) return arg.name;
  if (arg instanceof CelTime) return arg.isDuration ? formatDuration(arg) : formatTimestamp(arg);
  if (arg instanceof SetSum && !arg.isReadable) return fail('error during formatting: no formatting function for error');
  if (arg instanceof CelList) return `[${arg.items.map(asItem).join(', ')}]`;
  if (arg instanceof CelMap) {
    const entries = arg.keys().map((key) => `${asItem(asKey(key))}:${asItem(arg.get(key) as CelValue)}`);
    return `{${entries.toSorted().join(', ')}}`;
  }
  return mismatch('s', arg);
}

/** @throws EvaluationError for a key of a map that cannot be one. */
function asKey(key: CelValue): CelValue {
  if (typeof key === 'string' || typeof key === 'boolean' || whole(key) !== undefined) return key;
  return fail(`error during formatting: no formatting function for map key of type ${typeName(key)}`);
}

/** Writes a value as it is shown inside of lists and maps. Source: observed. */
function asItem(arg: CelValue): string {
  if (typeof arg === 'string') return quote(arg);
  if (typeof arg === 'number') return Number.isFinite(arg) ? goFixed(arg, 6) : `"${goDouble(arg)}"`;
  if (arg instanceof Uint8Array) return `b${quote(asText(arg))}`;
  if (arg instanceof CelTime) return `${arg.isDuration ? 'duration' : 'timestamp'}("${asText(arg)}")`;
  return asText(arg);
}
