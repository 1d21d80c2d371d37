import { costSize } from '../values/type-name.js';
import { CelList, CelMap, type CelValue } from '../values/value.js';

/** The cost of a character, by which the real server counts. Source: observed, as all costs are. */
export const perCharacter = 0.1;
/** The cost of a character of a regular expression. */
export const perRegexCharacter = 0.25;

const size = (value: CelValue | undefined): number => (value === undefined ? 1 : costSize(value));
const characters = (value: CelValue | undefined, factor = 1): number => Math.ceil(size(value) * perCharacter * factor);

/** The cost of a look through a list or map, whose items may be long. */
function traversal(value: CelValue | undefined): number {
  if (typeof value === 'string' || value instanceof Uint8Array) return Math.floor(size(value) * perCharacter);
  if (value instanceof CelList) return value.items.reduce<number>((sum, item) => sum + traversal(item), 0);
  if (value instanceof CelMap) return value.keys().reduce<number>((sum, key) => sum + traversal(key) + traversal(value.get(key)), 0);
  return 1;
}

type Cost = (args: readonly CelValue[], result: CelValue) => number;

const first: Cost = ([text]) => characters(text);
const both: Cost = ([left, right]) => Math.ceil(Math.min(size(left), size(right)) * perCharacter);
const match: Cost = ([text, pattern]) => Math.ceil((1 + size(text)) * perCharacter) * Math.ceil(size(pattern) * perRegexCharacter);
const listSize: Cost = (_, result) => size(result) * 1 + 10;

const costs: Readonly<Record<string, Cost>> = {
  // Two checks by the authorizer are the most that one expression can make.
  check: () => 350_000,
  isSorted: ([list]) => traversal(list),
  sum: ([list]) => traversal(list),
  max: ([list]) => traversal(list),
  min: ([list]) => traversal(list),
  indexOf: ([list]) => traversal(list),
  lastIndexOf: ([list]) => traversal(list),
  url: first,
  lowerAscii: first,
  upperAscii: first,
  substring: first,
  trim: first,
  replace: ([text], result) => Math.max(characters(text, 2), characters(result)),
  split: ([text]) => characters(text, 2),
  join: (_, result) => characters(result, 2),
  find: match,
  findAll: match,
  matches: match,
  cidr: first,
  ip: first,
  isIP: first,
  isCIDR: first,
  isURL: first,
  quantity: first,
  isQuantity: first,
  semver: first,
  isSemver: first,
  'ip.isCanonical': ([text]) => characters(text, 2),
  containsIP: ([range, other]) => characters(range, 2) + (typeof other === 'string' ? characters(other) : 0),
  containsCIDR: ([range, other]) => characters(range, 3) + 1 + (typeof other === 'string' ? characters(other) : 0),
  validate: ([, text]) => Math.ceil((1 + size(text)) * perCharacter) * 16,
  startsWith: first,
  endsWith: first,
  contains: ([text, part]) => characters(text) * characters(part),
  bytes: first,
  'strings.quote': first,
  format: ([text], result) => Math.max(characters(text), characters(result)),
  '@in': ([, list]) => (list instanceof CelList ? list.size : 1),
  '_==_': both,
  '_!=_': both,
  '_<_': both,
  '_<=_': both,
  '_>_': both,
  '_>=_': both,
  '_+_': ([left, right]) =>
    typeof left === 'string' || left instanceof Uint8Array ? Math.ceil((size(left) + size(right)) * perCharacter) : 1,
  slice: listSize,
  flatten: listSize,
  reverse: listSize,
  'lists.range': listSize,
  distinct: ([list]) => size(list) ** 2 + 10,
  sort: ([list]) => size(list) ** 2 + 10,
  '@sortByAssociatedKeys': ([list]) => size(list) ** 2 + 10,
  'sets.contains': ([list, part]) => size(list) * size(part),
  'sets.equivalent': ([list, part]) => size(list) * size(part) * 2,
  'sets.intersects': ([list, part]) => size(list) * size(part),
};

/** Returns the cost of a call that was made. */
export function callCost(name: string, args: readonly CelValue[], result: CelValue): number {
  const cost = Object.hasOwn(costs, name) ? costs[name] : undefined;
  return cost === undefined ? 1 : cost(args, result);
}

/** Returns the least cost of a call whose arguments alone can be expensive, which is charged before it is made. */
export function costBefore(name: string, args: readonly CelValue[]): number {
  return beforehand.has(name) ? (costs[name]?.(args, true) ?? 0) : 0;
}

const beforehand = new Set([
  'distinct',
  'sort',
  '@sortByAssociatedKeys',
  'sets.contains',
  'sets.equivalent',
  'sets.intersects',
  'contains',
]);
