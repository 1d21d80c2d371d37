import type { Pair } from './check-pair.js';
import { type Deed, type DeedRule, type FieldRule, type FieldSituation, type PairRule, pairRuleOf, type Rules } from './rules.js';

/** The table with one row that is wrong, and a pair that must fail by it. */
export interface BrokenRow {
  readonly row: string;
  /** What is wrong in it. */
  readonly change: string;
  readonly rules: Rules;
  readonly pair: Pair;
}

/** Breaks each row of the table in turn, by each of its members; pairs that are not run have none. */
export function brokenRows(rules: Rules): readonly BrokenRow[] {
  const fields = (Object.keys(rules.fields) as FieldSituation[]).flatMap((name) =>
    brokenFields(rules.fields[name]).map((changed) => ({
      row: name,
      change: JSON.stringify(changed),
      rules: { ...rules, fields: { ...rules.fields, [name]: { ...rules.fields[name], ...changed } } },
      pair:
        name === 'forced' && 'asks' in changed
          ? { first: 'move own→own', second: 'value changed' }
          : { first: 'value changed', second: 'field dropped' },
    })),
  );
  const deeds = (Object.keys(rules.deeds) as Deed[]).flatMap((deed) =>
    brokenDeeds(rules.deeds[deed]).map((changed) => ({
      row: deed,
      change: JSON.stringify(changed),
      rules: { ...rules, deeds: { ...rules.deeds, [deed]: { ...rules.deeds[deed], ...changed } } },
      // A rollback asks where it is the run itself.
      pair:
        deed === 'rollback' && 'asks' in changed
          ? { first: 'value changed', second: deed }
          : { first: deed, second: partnerOf(deed, rules) },
    })),
  );
  const pairs = rules.pairs.flatMap((rule) => {
    const pair = pairOf(rule, rules.pairs);
    if (rule.outcome === 'not run' || pair === undefined) return [];
    const others = rules.pairs.filter((other) => other !== rule);
    const broken = typeof rule.outcome === 'object' ? [{ ...rule, outcome: { refused: 'no-such-code' } }] : [];
    return [{ row: pair.first, change: 'another outcome', rules: { ...rules, pairs: [...others, ...broken] }, pair }];
  });
  return [...fields, ...deeds, ...pairs] as readonly BrokenRow[];
}

function brokenFields(rule: FieldRule): Partial<FieldRule>[] {
  return [
    { value: rule.value === 'none' ? 'live' : 'none' },
    { owners: rule.owners === 'others' || rule.owners === 'nobody' ? 'the stack' : 'others' },
    { told: rule.told === 'yields' ? 'forces' : 'yields' },
    ...(rule.asks ? [{ asks: undefined } as never] : []),
  ];
}

/** Every deed is said to change a field that none changes, and each of its own members is another one. */
function brokenDeeds(rule: DeedRule): object[] {
  const { declares, moves, leaves, transfers, hands, ends, live, goesBack, told, asks, renames, only } = rule;
  const values = Object.entries(declares ?? {}).flatMap(([stack, all]) =>
    Object.entries(all ?? {}).map(([field, value]) => ({ stack, field, value })),
  );
  return [
    { declares: { ...declares, web: { ...declares?.web, a: 'never' } } },
    ...values.map(({ stack, field, value }) => ({
      declares: { ...declares, [stack]: { ...declares?.[stack as 'web'], [field]: value === null ? '1' : 'never' } },
    })),
    ...(moves ? [{ moves: { ...moves, to: 'side' } }, { moves: { ...moves, as: moves.as === 'own' ? 'share' : 'own' } }] : []),
    ...(leaves ? [{ leaves: 'side' }] : []),
    ...(transfers ? [{ transfers: { ...transfers, fields: [] } }] : []),
    ...(hands ? [{ hands: { ...hands, fields: [] } }] : []),
    ...(ends ? [{ ends: { ...ends, manager: 'them' } }] : []),
    ...(live ? [{ live: live === 'gone' ? { o: 'theirs' } : 'gone' }] : []),
    ...(goesBack ? [{ goesBack: {} }] : []),
    ...Object.keys(told ?? {}).map((stack) => ({ told: { ...told, [stack]: ['never'] } })),
    ...(asks ? [{ asks: undefined }] : []),
    ...(renames ? [{ renames: [] }] : []),
    ...(only ? [{ only: 'side' }] : []),
  ];
}

function partnerOf(deed: Deed, { pairs }: Rules): Deed {
  const candidates: readonly Deed[] = ['field dropped', 'value changed', 'list type changed'];
  return candidates.find((other) => other !== deed && pairRuleOf(pairs, deed, other) === undefined) as Deed;
}

/** The first pair of which the rule decides. */
function pairOf(rule: PairRule, all: readonly PairRule[]): Pair | undefined {
  const pairs = rule.first.flatMap((first) => rule.second.filter((second) => second !== first).map((second) => ({ first, second })));
  return pairs.find(({ first, second }) => pairRuleOf(all, first, second) === rule);
}
