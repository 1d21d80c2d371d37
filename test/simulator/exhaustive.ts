import type { HistoryPlan, PlannedFault } from './history.js';
import { type Counts, inspect } from './invariants.js';
import type { LaneOrder, LaneResult, Story } from './lane.js';
import { type Exchange, type Fault, isWrite, objectOf } from './network.js';
import { type PlayedHistory, play } from './play.js';
import { agreeing, type DeedName } from './programs.js';
import { embeddedSite } from './site.js';
import { storyOf } from './story.js';
import type { Chooser } from './world.js';

/** Interleavings of two runs that were played, by their deeds. */
export type Branches = Readonly<Record<string, number>>;

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

/** What may happen to a request beside a pause; a request that is lost in front of the server is one that is sent later. */
const failures: readonly Fault[] = [
  { kind: 'request lost' },
  { kind: 'answer lost' },
  { kind: 'error after', status: 500 },
  { kind: 'crash', when: 'lost' },
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
  for (let index = from; index < chosen.length; index += step) {
    const { objects, deeds } = pairs[chosen[index] as number] as (typeof pairs)[number];
    const before = tally.histories;
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
    const isOver = () => performance.now() - started > seconds * 1_000;
    await playAll(plan, faults, tally, isOver);
    tally.branches[`${deeds.join(', ')} of ${objects.length}`] = tally.histories - before;
    if (isOver()) break;
  }
  return tally.result(performance.now() - started);
}

/** Plays a history, and those with one fault more, after the faults that it has. */
async function playAll(plan: HistoryPlan, more: number, tally: Tally, isOver: () => boolean): Promise<void> {
  const history = await tally.play(plan);
  await playPauses(plan, history, tally);
  if (more === 0 || isOver()) return;
  for (const place of placesOf(history))
    for (const fault of faultsAt(plan, place))
      await playAll({ ...plan, faults: [...plan.faults, { ...place, fault }] }, more - 1, tally, isOver);
}

/** Lets a run that stands still go on earlier: before each request with which it does not commute. */
async function playPauses(plan: HistoryPlan, history: PlayedHistory, tally: Tally): Promise<void> {
  const index = plan.faults.findIndex(({ fault }) => fault.kind === 'stop');
  const pause = plan.faults[index];
  if (pause?.fault.kind !== 'stop') return;
  for (const until of dependentRequests(history, pause)) {
    const fault = { ...pause.fault, until };
    await tally.play({ ...plan, faults: plan.faults.with(index, { ...pause, fault }) });
  }
}

/** The requests of the second run that do not commute with those that the first one sends, or that arrive, after its pause. */
function dependentRequests({ network, runs }: PlayedHistory, place: PlannedFault): number[] {
  const [first, second] = runs;
  const late = network.exchanges.filter(({ of, number }) => of === first?.computer && 'request' in place && number >= place.request);
  return network.exchanges.flatMap((exchange) =>
    exchange.of === second?.computer && late.some((one) => !commute(one, exchange)) ? [exchange.number] : [],
  );
}

function commute(one: Exchange, other: Exchange): boolean {
  if (!isWrite(one.request) && !isWrite(other.request)) return true;
  const [left, right] = [objectOf(one.request), objectOf(other.request)];
  // A list reads all objects of its collection.
  return left !== right && !left.startsWith(`${right}/`) && !right.startsWith(`${left}/`);
}

/** The writes, and the requests of locks, of both runs, after the last fault. */
function placesOf({ plan, network, runs }: PlayedHistory): { readonly run: number; readonly request: number }[] {
  const last = plan.faults.at(-1);
  return network.exchanges.flatMap(({ of, number, request }) => {
    const run = runs.findIndex(({ computer }) => computer === of);
    if (run >= plan.runs.length || !isWrite(request)) return [];
    const isAfter = last === undefined || run > last.run || (run === last.run && 'request' in last && number > last.request);
    return isAfter ? [{ run, request: number }] : [];
  });
}

function faultsAt(plan: HistoryPlan, { run }: { readonly run: number }): readonly Fault[] {
  const stops = (['sent', 'held', 'done'] as const).map((when) => ({ kind: 'stop', ms: longest, when }) as const);
  // The second run stands still only where the first has: else, it is the first run of another pair.
  return run === 0 && !plan.faults.some(({ fault }) => fault.kind === 'stop') ? [...stops, ...failures] : failures;
}

/** The first run goes first: it works until it waits. */
const firstRunFirst: Chooser = (events) =>
  Math.max(
    0,
    events.findIndex(({ label }) => label.of === 'run 0'),
  );

/** Counts histories, and keeps the stories of some that broke an invariant. */
class Tally {
  readonly branches: Record<string, number> = {};
  histories = 0;
  readonly #counts: Record<string, number> = {};
  readonly #stories: Story[] = [];
  #broken = 0;

  async play(plan: HistoryPlan): Promise<PlayedHistory> {
    const history = await play(plan, embeddedSite(firstRunFirst));
    const { violations, counts } = await inspect(history);
    const [first] = violations;
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
      branches,
      milliseconds,
      replayed: 0,
      different: 0,
      digests: [],
    };
  }
}
