import { futureFrom } from './future.js';
import type { HistoryPlan, PlannedFault } from './history.js';
import { type BrokenCounts, type Counts, countBroken, inspect } from './invariants.js';
import type { LaneOrder, LaneResult, Story } from './lane.js';
import { type Exchange, type Fault, isWrite, objectOf } from './network.js';
import { type PlayedHistory, play } from './play.js';
import { agreeing, type DeedName } from './programs.js';
import { storyOf } from './story.js';

/** By the deeds of two runs: how many of their interleavings were played, and how many branches were not, because they are the same as one of those. */
export type Branches = Readonly<Record<string, PlayedBranches>>;

interface PlayedBranches {
  readonly played: number;
  readonly same: number;
  readonly seconds: number;
  /** Its time was over before all were played. */
  readonly isCutShort?: boolean;
}

/** The objects that programs declare, and the deeds that do something with them. */
const scopes: readonly { readonly objects: readonly string[]; readonly deeds: readonly DeedName[] }[] = [
  { objects: ['c0'], deeds: ['deploy', 'release', 'destroy', 'rollback', 'repair', 'saved plan', 'rename', 'adopt'] },
  {
    objects: ['c0', 'c1', 'c2'],
    deeds: ['deploy', 'create', 'prune', 'destroy', 'rollback', 'repair', 'rename', 'adopt', 'move', 'rename and move'],
  },
];

/** Longer than everything else takes. */
const longest = 55_000;

/**
 * What may happen to a request beside a pause; a request that is lost in front of the server is one that is sent later. A crash whose request is lost is one
 * after the write before it, of which less is reported.
 */
const failures: readonly Fault[] = [
  { kind: 'request lost' },
  { kind: 'answer lost' },
  { kind: 'error after', status: 500 },
  { kind: 'crash', when: 'sent', ms: longest },
  { kind: 'crash', when: 'done' },
];

/** The pairs of deeds of all scopes, the first of which may be disturbed. */
export const pairs = scopes.flatMap(({ objects, deeds }) =>
  deeds.flatMap((first) =>
    agreeing(first)
      .filter((second) => deeds.includes(second))
      .map((second) => ({ objects, deeds: [first, second] as const })),
  ),
);

/**
 * Plays all interleavings of two runs, the second of which begins when the first has stopped or ended, with a number of faults.
 *
 * A fault is at a write, or at a request of a lock: one at a read is the same as one at the write after it, because each write asks for its lock anew
 * and pins what was read. The first run stands still at each of them, in each way, and goes on before each request of the second run with which
 * its own further requests do not commute: one to the same object, if either writes. Others commute, so that going on before them gives the
 * same history. Runs send one request at a time; a run that goes on works until it waits.
 *
 * Where the future of a history is that of another one, only one of them branches there: see `futureFrom`. Most faults that a run overcomes leave no trace, so that what
 * comes after them is played once.
 */
export async function exhaustive({
  from,
  step,
  faults,
  pairs: chosen = [...pairs.keys()],
  seconds = Number.POSITIVE_INFINITY,
}: LaneOrder & { readonly faults: number }): Promise<LaneResult> {
  const started = performance.now();
  const tally = new Tally();
  const isOver = () => performance.now() - started > seconds * 1_000;
  for (let index = from; index < chosen.length && !isOver(); index += step) {
    const { objects, deeds } = pairs[chosen[index] as number] as (typeof pairs)[number];
    const name = `${deeds.join(', ')} of ${objects.length}`;
    const plan: HistoryPlan = {
      seed: 1,
      runs: deeds.map((deed, number) => ({ deed, at: number })),
      // A repair has something to do.
      acts: deeds.includes('repair') ? [{ at: 0, act: { kind: 'update', object: 'c0', field: 'value', value: 'theirs' } }] : [],
      faults: [],
      maxLatency: 0,
      concurrency: 1,
      objects,
    };
    const before = { ...tally };
    const began = performance.now();
    await new Tree(tally, isOver).play({ plan, faultsLeft: faults, line: 0 });
    tally.branches[name] = {
      played: tally.histories - before.histories,
      same: tally.same - before.same,
      seconds: Math.round((performance.now() - began) / 1_000),
      ...(isOver() ? { isCutShort: true } : {}),
    };
  }
  return tally.result(performance.now() - started);
}

/** A history, and where the next decision may be: after the line of the last one. */
interface Branch {
  readonly plan: HistoryPlan;
  readonly faultsLeft: number;
  readonly line: number;
}

/** The histories of one pair of runs, each of which is one decision longer than the one that it comes from. */
class Tree {
  readonly #tally: Tally;
  readonly #isOver: () => boolean;
  /** By future and decision: the most faults that came after it. */
  readonly #seen = new Map<string, number>();

  constructor(tally: Tally, isOver: () => boolean) {
    this.#tally = tally;
    this.#isOver = isOver;
  }

  async play({ plan, faultsLeft, line }: Branch): Promise<PlayedHistory> {
    const history = await this.#tally.play(plan);
    let sentLate = sentAfterPause(history);
    // The last requests first: what comes after an earlier fault is then often known.
    for (const exchange of history.network.exchanges.filter((one) => one.line > line).reverse()) {
      const isBetween = !isEarlierPoll(history, exchange) && sentLate.some((one) => !commute(one, exchange));
      const going = isBetween ? goingOnBefore(history, exchange) : undefined;
      // It goes on before a request with which nothing commutes that it would send if it went on after it.
      if (going !== undefined) sentLate = sentAfterPause(await this.play({ plan: going, faultsLeft, line: exchange.line }));
      if (faultsLeft > 0) await this.#playFaults(history, exchange, faultsLeft - 1);
    }
    return history;
  }

  async #playFaults(history: PlayedHistory, exchange: Exchange, faultsLeft: number): Promise<void> {
    const { plan, runs } = history;
    const run = runs.findIndex(({ computer }) => computer === exchange.of);
    if (run < 0 || run >= plan.runs.length || !isWrite(exchange.request)) return;
    const future = futureFrom(history, exchange.line);
    for (const fault of faultsAt(plan, run)) {
      if (this.#isOver()) return;
      const key = `${future} ${JSON.stringify(fault)}`;
      if ((this.#seen.get(key) ?? -1) >= faultsLeft) {
        this.#tally.same++;
        continue;
      }
      this.#seen.set(key, faultsLeft);
      const faults = [...plan.faults, { run, request: exchange.number, fault }];
      await this.play({ plan: { ...plan, faults }, faultsLeft, line: exchange.line });
    }
  }
}

/** The run that stands still, until the other one has ended. */
function pauseIn({ faults }: HistoryPlan): { readonly index: number; readonly pause: PlannedFault } | undefined {
  const index = faults.findIndex(({ fault }) => fault.kind === 'stop' && fault.until === undefined);
  const pause = faults[index];
  return pause && { index, pause };
}

/** The requests that the first run sends, or that arrive, after it has stood still. */
function sentAfterPause({ plan, network, runs: [first] }: PlayedHistory): readonly Exchange[] {
  const pause = plan.faults.find(({ fault }) => fault.kind === 'stop');
  if (pause?.fault.kind !== 'stop' || !('request' in pause)) return [];
  const from = pause.fault.when === 'held' ? pause.request : pause.request + 1;
  return network.exchanges.filter(({ of, number }) => of === first?.computer && number >= from);
}

/** A look at the lock of the other run that is not the last one before it is taken: what happens between two of them only makes the second run wait longer. */
function isEarlierPoll({ network, runs: [, second] }: PlayedHistory, { of, number }: Exchange): boolean {
  const taking = network.exchanges.find((one) => one.of === second?.computer && isWrite(one.request));
  return of === second?.computer && taking !== undefined && number < taking.number - 1;
}

/** Lets the first run go on before a request of the second one. */
function goingOnBefore({ plan, runs: [, second] }: PlayedHistory, { of, number }: Exchange): HistoryPlan | undefined {
  const found = pauseIn(plan);
  if (found === undefined || of !== second?.computer) return undefined;
  const { index, pause } = found;
  return { ...plan, faults: plan.faults.with(index, { ...pause, fault: { ...pause.fault, until: number } as Fault }) };
}

function commute(one: Exchange, other: Exchange): boolean {
  if (!isWrite(one.request) && !isWrite(other.request)) return true;
  const [left, right] = [objectOf(one.request), objectOf(other.request)];
  // A list reads all objects of its collection.
  return left !== right && !left.startsWith(`${right}/`) && !right.startsWith(`${left}/`);
}

function faultsAt(plan: HistoryPlan, run: number): readonly Fault[] {
  // Where a request takes no time, it is the same whether a run stands still when it has left or when the server has carried it out.
  const stops = (['sent', 'held'] as const).map((when) => ({ kind: 'stop', ms: longest, when }) as const);
  // The second run stands still only where the first has: else, it is the first run of another pair.
  return run === 0 && !plan.faults.some(({ fault }) => fault.kind === 'stop') ? [...stops, ...failures] : failures;
}

/** Counts histories, and keeps the stories of some that broke an invariant. */
class Tally {
  readonly branches: Record<string, PlayedBranches> = {};
  histories = 0;
  /** Branches that were not played, because another one has the same future. */
  same = 0;
  readonly #counts: Record<string, number> = {};
  readonly #stories: Story[] = [];
  readonly #byInvariant: BrokenCounts = {};
  #broken = 0;

  async play(plan: HistoryPlan): Promise<PlayedHistory> {
    const history = await play(plan);
    const { violations, counts } = await inspect(history);
    const [first] = violations;
    countBroken(this.#byInvariant, violations);
    if (first !== undefined) {
      this.#broken++;
      const isNew = this.#stories.length < 8 && !this.#stories.some(({ invariant }) => invariant === first.invariant);
      if (isNew) this.#stories.push({ number: this.histories, invariant: first.invariant, story: storyOf(history, violations), plan });
    }
    this.histories++;
    for (const [name, value] of Object.entries(counts)) this.#counts[name] = (this.#counts[name] ?? 0) + value;
    return history;
  }

  result(milliseconds: number): LaneResult {
    const counts = this.#counts as unknown as Counts;
    const { histories, branches } = this;
    return {
      histories,
      counts,
      stories: this.#stories,
      broken: this.#broken,
      byInvariant: this.#byInvariant,
      branches,
      milliseconds,
      replayed: 0,
      different: 0,
      digests: [],
    };
  }
}
