import { Random } from '../corpus/random.js';
import type { Pair } from './check-pair.js';
import { type Deed, deedRules, pairRuleOf, pairRules } from './rules.js';

/** Returns all ordered pairs of the table that can be, or those of some deeds. */
export function chosenPairs(only: readonly Deed[]): readonly Pair[] {
  const all = Object.keys(deedRules) as Deed[];
  const isWanted = (deed: Deed) => only.length === 0 || only.includes(deed);
  const pairs = all.flatMap((first) => all.filter((second) => second !== first).map((second) => ({ first, second })));
  return pairs
    .filter(({ first, second }) => (only.length === 1 ? isWanted(first) || isWanted(second) : isWanted(first) && isWanted(second)))
    .filter(({ first, second }) => pairRuleOf(pairRules, first, second)?.outcome !== 'not run');
}

/** Returns `count` random ones, or all without it. */
export function sampled<Item>(items: readonly Item[], count: number | undefined, seed: number): readonly Item[] {
  if (count === undefined) return items;
  const random = new Random(seed);
  const shuffled = items.map((item) => ({ item, at: random.next() })).sort((left, right) => left.at - right.at);
  return shuffled.slice(0, count).map(({ item }) => item);
}
