import type { CelType } from '../types/cel-type.js';
import { perCharacter, perRegexCharacter } from './call-cost.js';
import { add, fixed, multiply, type Range, scale, unknownSize, unlimited } from './range.js';

/** An argument of a call, as far as its cost is concerned. */
export interface CostedArgument {
  readonly type: CelType;
  readonly size: Range;
  /** The size of the items of a list. */
  readonly itemSize: Range;
  /** The value of an integer constant. */
  readonly constant: number | undefined;
}

export interface CallEstimate {
  readonly cost: Range;
  /** The size of the result; undefined if nothing is known of it. */
  readonly size?: Range;
}

type Estimate = (args: readonly CostedArgument[], overload: string) => CallEstimate | undefined;

const one = fixed(1);
const positive = (argument: CostedArgument | undefined, otherwise: number): number => Math.max(0, argument?.constant ?? otherwise);
/** The real server counts without a sign. Source: observed. */
const unsigned = (size: number): number => (size < 0 ? unlimited : size);
const sizeOf = (argument: CostedArgument | undefined): Range => argument?.size ?? unknownSize;
const traversed: Estimate = ([text]) => ({ cost: scale(sizeOf(text), perCharacter) });
const copied: Estimate = ([text]) => ({ cost: scale(sizeOf(text), perCharacter), size: sizeOf(text) });
const simple: Estimate = () => ({ cost: one });

const scan: Estimate = ([list]) => {
  if (list === undefined || list.type.kind !== 'list') return { cost: scale(sizeOf(list), perCharacter) };
  const kind = list.type.parameters[0]?.kind;
  const item = kind === 'string' || kind === 'bytes' ? add(one, scale(list.itemSize, perCharacter)) : one;
  return { cost: multiply(list.size, item) };
};

const matching: Estimate = ([text, pattern]) => ({
  cost: multiply(scale(add(sizeOf(text), one), perCharacter), scale(sizeOf(pattern), perRegexCharacter)),
});

const comparison: Estimate = ([left, right]) => {
  const max = Math.min(sizeOf(left).max, sizeOf(right).max);
  return { cost: scale({ min: max > 0 ? 1 : 0, max }, perCharacter) };
};

const equality: Estimate = (args, overload) => {
  const [left, right] = args;
  const isLibraryType = left?.type.kind === 'opaque' && left.type.name !== 'optional_type' && left.type.name === right?.type.name;
  return isLibraryType ? { cost: one } : comparison(args, overload);
};

/** A list that a call makes. */
const allocated = (size: Range, factor = 1): CallEstimate => ({ cost: add(scale(size, factor), fixed(11)), size });

const quadratic: Estimate = (args) => {
  const list = args.at(-1);
  const kind = list?.type.parameters[0]?.kind;
  const size = sizeOf(list);
  return allocated(multiply(size, size), kind === 'string' || kind === 'bytes' ? 2 + perCharacter : 2);
};

function replaced([text, from, to]: readonly CostedArgument[]): CallEstimate {
  const [size, old, fresh] = [sizeOf(text), sizeOf(from), sizeOf(to)];
  const most =
    old.min === 0
      ? { count: size.max + 1, kept: size.max }
      : fresh.max <= old.min
        ? { count: 0, kept: size.max }
        : { count: Math.ceil(size.max / old.min), kept: 0 };
  const least =
    old.max === 0
      ? { count: size.min + 1, kept: size.min }
      : old.max <= fresh.min
        ? { count: 0, kept: size.min }
        : { count: Math.ceil(size.min / old.max), kept: 0 };
  const result = add(multiply({ min: least.count, max: most.count }, fresh), { min: least.kept, max: most.kept });
  return { cost: scale(size, 2 * perCharacter), size: result };
}

function joinedSize([list, separator]: readonly CostedArgument[]): Range {
  const [count, item] = [sizeOf(list), list?.itemSize ?? unknownSize];
  const items = multiply(count, item);
  if (separator === undefined) return items;
  return add(items, multiply(separator.size, { min: Math.max(0, count.min - 1), max: Math.max(0, count.max - 1) }));
}

/** The bytes of an address. */
const addressSize: Range = { min: 4, max: 16 };

const contained =
  (factor: number, extra: Range): Estimate =>
  ([, other], overload) => {
    const parsed = overload.endsWith('_string') ? scale(sizeOf(other), perCharacter) : fixed(0);
    return {
      cost: add(
        scale(add(addressSize, addressSize), perCharacter),
        factor === 3 ? scale(addressSize, perCharacter) : fixed(0),
        extra,
        parsed,
      ),
    };
  };

const sets =
  (factor: number): Estimate =>
  ([left, right]) => ({ cost: add(scale(multiply(sizeOf(left), sizeOf(right)), factor), one) });

const added: Estimate = ([left, right], overload) => {
  const size = add(sizeOf(left), sizeOf(right));
  if (overload === 'add_list') return { cost: one, size };
  return overload === 'add_string' || overload === 'add_bytes' ? { cost: scale(size, perCharacter), size } : undefined;
};

const estimates: Readonly<Record<string, Estimate>> = {
  isSorted: scan,
  sum: scan,
  max: scan,
  min: scan,
  indexOf: scan,
  lastIndexOf: scan,
  url: copied,
  lowerAscii: copied,
  upperAscii: copied,
  substring: copied,
  trim: copied,
  replace: replaced,
  split: (args) => ({
    cost: scale(sizeOf(args[0]), 2 * perCharacter),
    size: { min: 0, max: unsigned(args[2]?.constant ?? sizeOf(args[0]).max) },
  }),
  join: (args) => ({ cost: scale(joinedSize(args), perCharacter), size: joinedSize(args) }),
  find: (args, overload) => ({ cost: matching(args, overload)?.cost ?? one, size: { min: 0, max: sizeOf(args[0]).max } }),
  findAll: (args, overload) => ({ cost: matching(args, overload)?.cost ?? one, size: { min: 0, max: sizeOf(args[0]).max } }),
  matches: (args, overload) => (overload === 'matches' || overload === 'matches_string' ? matching(args, overload) : undefined),
  contains: ([text, part]) => ({ cost: multiply(scale(sizeOf(text), perCharacter), scale(sizeOf(part), perCharacter)) }),
  startsWith: ([, part]) => ({ cost: scale(sizeOf(part), perCharacter) }),
  endsWith: ([, part]) => ({ cost: scale(sizeOf(part), perCharacter) }),
  cidr: traversed,
  isIP: traversed,
  isCIDR: traversed,
  ip: (args, overload) => (overload === 'cidr_ip' ? { cost: one } : traversed(args, overload)),
  'ip.isCanonical': ([text]) => ({ cost: scale(sizeOf(text), 2 * perCharacter) }),
  containsIP: contained(2, fixed(0)),
  containsCIDR: contained(3, one),
  quantity: traversed,
  isQuantity: traversed,
  semver: traversed,
  isSemver: traversed,
  validate: ([, text]) => ({ cost: scale(scale(sizeOf(text), perCharacter), 128 * perRegexCharacter) }),
  bytes: ([text], overload) =>
    overload === 'string_to_bytes'
      ? { cost: scale(sizeOf(text), perCharacter), size: { min: sizeOf(text).min, max: sizeOf(text).max * 4 } }
      : undefined,
  string: ([bytes], overload) =>
    overload === 'bytes_to_string'
      ? { cost: scale(sizeOf(bytes), perCharacter), size: { min: Math.floor(sizeOf(bytes).min / 4), max: sizeOf(bytes).max } }
      : undefined,
  'strings.quote': ([text]) => ({
    cost: scale(sizeOf(text), perCharacter),
    size: { min: sizeOf(text).min + 2, max: sizeOf(text).max * 2 + 2 },
  }),
  format: ([text]) => ({ cost: scale(sizeOf(text), perCharacter) }),
  '@in': ([, list], overload) => (overload === 'in_list' ? { cost: sizeOf(list) } : undefined),
  '_==_': equality,
  '_!=_': comparison,
  '_<_': (args, overload) => (overload.endsWith('_string') || overload.endsWith('_bytes') ? comparison(args, overload) : undefined),
  '_<=_': (args, overload) => (overload.endsWith('_string') || overload.endsWith('_bytes') ? comparison(args, overload) : undefined),
  '_>_': (args, overload) => (overload.endsWith('_string') || overload.endsWith('_bytes') ? comparison(args, overload) : undefined),
  '_>=_': (args, overload) => (overload.endsWith('_string') || overload.endsWith('_bytes') ? comparison(args, overload) : undefined),
  '_+_': added,
  slice: ([list, from, to]) => allocated(fixed(unsigned(positive(to, sizeOf(list).max) - positive(from, 0)))),
  'lists.range': ([count]) => allocated(fixed(Math.max(0, count?.constant ?? unknownSize.max))),
  reverse: ([list]) => allocated(sizeOf(list)),
  flatten: ([list, depth]) => allocated(sizeOf(list), depth === undefined ? 1 : Math.max(0, depth.constant ?? unknownSize.max)),
  distinct: ([list]) => allocated(multiply(sizeOf(list), sizeOf(list)), 2),
  sort: quadratic,
  '@sortByAssociatedKeys': quadratic,
  'sets.contains': sets(1),
  'sets.intersects': sets(1),
  'sets.equivalent': sets(2),
};

/** Estimates what one call costs by itself, without its arguments. Source: observed. */
export function estimateCall(name: string, overload: string, args: readonly CostedArgument[]): CallEstimate {
  const estimate = Object.hasOwn(estimates, name) ? estimates[name]?.(args, overload) : undefined;
  return estimate ?? simple(args, overload) ?? { cost: one };
}
