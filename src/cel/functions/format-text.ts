import type { Expression } from '../syntax/expression.js';
import { type CelType, formatType } from '../types/cel-type.js';
import { CelTime, formatDuration, formatTimestamp } from '../values/cel-time.js';
import { typeName } from '../values/type-name.js';
import { CelList, CelMap, CelTypeValue, CelUint, type CelValue, EvaluationError } from '../values/value.js';
import { goDouble } from './go-number.js';

const textKinds = 'strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps';
const clause = /%(?:\.(\d+))?([a-zA-Z%])?/g;

function fail(message: string): never {
  throw new EvaluationError(message);
}

/** Replaces the clauses of a text, such as `%s`, by arguments. Source: cel-go's extension for strings, "Format". */
export function formatText(text: string, args: readonly CelValue[]): string {
  let next = 0;
  return text.replace(clause, (_, precision: string | undefined, letter: string | undefined) => {
    if (letter === '%') return '%';
    if (letter === undefined) fail('unexpected end of string');
    const arg = args[next] ?? (next >= args.length ? fail(`index ${next} out of range`) : (args[next] as CelValue));
    next++;
    return formatClause(letter, precision === undefined ? 6 : Number(precision), arg);
  });
}

const numbers = ['int', 'uint', 'dyn'];
const allowedKinds: Readonly<Record<string, readonly [name: string, allowed: string, kinds: readonly string[]]>> = {
  s: ['string', textKinds, 'string bool bytes int uint double map list type duration timestamp null dyn param'.split(' ')],
  d: ['decimal', 'integers', numbers],
  f: ['fixed-point', 'doubles', ['double', 'dyn']],
  e: ['scientific', 'doubles', ['double', 'dyn']],
  b: ['binary', 'integers and bools', [...numbers, 'bool']],
  o: ['octal', 'integers', numbers],
  x: ['hex', 'integers, byte buffers, and strings', [...numbers, 'string', 'bytes']],
  X: ['hex', 'integers, byte buffers, and strings', [...numbers, 'string', 'bytes']],
};

export interface ClauseError {
  readonly message: string;
  /** The argument, or the item inside of it, that is wrong; undefined for the format itself. */
  readonly at?: Expression;
}

/** Returns the error of the first clause of a format that its argument does not fit, or that has none. */
export function clauseError(text: string, args: readonly Expression[], typeOf: (node: Expression) => CelType): ClauseError | undefined {
  let next = 0;
  for (const [, , letter] of text.matchAll(clause)) {
    if (letter === '%') continue;
    if (letter === undefined) return { message: 'unexpected end of string' };
    const arg = args[next];
    if (arg === undefined) return { message: `index ${next} out of range` };
    const known = Object.hasOwn(allowedKinds, letter) ? allowedKinds[letter] : undefined;
    if (known === undefined) return { message: `could not parse formatting clause: unrecognized formatting clause "${letter}"` };
    const [name, allowed, kinds] = known;
    const at = unfitNode(arg, kinds, typeOf);
    if (at !== undefined) {
      const given = formatType({ ...typeOf(at), parameters: [] });
      return { message: `error during formatting: ${name} clause can only be used on ${allowed}, was given ${given}`, at };
    }
    next++;
  }
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
      return asInteger(arg);
    case 'f':
      return asDouble(arg, 'fixed-point', (value) => value.toFixed(Math.min(precision, 100)));
    case 'e':
      return asDouble(arg, 'scientific notation', (value) => scientific(value, precision));
    case 'b':
      return inBase(arg, 2, 'binary');
    case 'o':
      return inBase(arg, 8, 'octal');
    case 'x':
      return inHex(arg);
    case 'X':
      return inHex(arg).toUpperCase();
    default:
      return fail(`could not parse formatting clause: unrecognized formatting clause "${letter}"`);
  }
}

const superscript = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** Writes a number such as `2.5×10⁰⁰`. */
function scientific(value: number, precision: number): string {
  const [digits = '', exponent = '0'] = value.toExponential(Math.min(precision, 100)).split('e');
  const size = String(Math.abs(Number(exponent))).padStart(2, '0');
  return `${digits}×10${Number(exponent) < 0 ? '⁻' : ''}${[...size].map((digit) => superscript[Number(digit)]).join('')}`;
}

function mismatch(clauseName: string, allowed: string, arg: CelValue): never {
  return fail(`error during formatting: ${clauseName} clause can only be used on ${allowed}, was given ${typeName(arg)}`);
}

function whole(arg: CelValue): bigint | undefined {
  if (typeof arg === 'bigint') return arg;
  return arg instanceof CelUint ? arg.value : undefined;
}

function asInteger(arg: CelValue): string {
  if (typeof arg === 'number' && !Number.isFinite(arg)) return special(arg);
  const value = whole(arg);
  return value === undefined ? mismatch('decimal', 'integers', arg) : String(value);
}

function special(value: number): string {
  return Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity';
}

function asDouble(arg: CelValue, name: string, write: (value: number) => string): string {
  const integer = whole(arg);
  const value = typeof arg === 'number' ? arg : integer === undefined ? mismatch(name, 'doubles', arg) : Number(integer);
  return Number.isFinite(value) ? write(value) : special(value);
}

function inBase(arg: CelValue, base: 2 | 8, name: string): string {
  if (typeof arg === 'boolean' && base === 2) return arg ? '1' : '0';
  const value = whole(arg);
  return value === undefined ? mismatch(name, base === 2 ? 'integers and bools' : 'integers', arg) : value.toString(base);
}

function inHex(arg: CelValue): string {
  const value = whole(arg);
  if (value !== undefined) return value.toString(16);
  if (typeof arg === 'string') return Buffer.from(arg).toString('hex');
  return arg instanceof Uint8Array ? Buffer.from(arg).toString('hex') : mismatch('hex', 'integers, byte buffers, and strings', arg);
}

/** Writes any value as `%s` shows it. */
function asText(arg: CelValue): string {
  if (typeof arg === 'string') return arg;
  if (arg === null) return 'null';
  if (typeof arg === 'boolean' || typeof arg === 'bigint') return String(arg);
  if (typeof arg === 'number') return Number.isFinite(arg) ? goDouble(arg) : special(arg);
  if (arg instanceof CelUint) return String(arg.value);
  if (arg instanceof Uint8Array) return Buffer.from(arg).toString('utf8');
  if (arg instanceof CelTypeValue) return arg.name;
  if (arg instanceof CelTime) return arg.isDuration ? formatDuration(arg) : formatTimestamp(arg);
  if (arg instanceof CelList) return `[${arg.items.map(asItem).join(', ')}]`;
  if (arg instanceof CelMap) {
    const entries = arg.keys().map((key) => `${asItem(key)}:${asItem(arg.get(key) as CelValue)}`);
    return `{${entries.toSorted().join(', ')}}`;
  }
  return mismatch('string', textKinds, arg);
}

/** Writes a value as it is shown inside of lists and maps. */
function asItem(arg: CelValue): string {
  return typeof arg === 'string' ? JSON.stringify(arg) : asText(arg);
}
