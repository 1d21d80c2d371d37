import { Random } from '../corpus/random.js';
import { type Branches, exhaustive } from './exhaustive.js';
import { type HistoryPlan, randomHistory } from './history.js';
import { type BrokenCounts, type Counts, countBroken, type Invariant, inspect, type Violation } from './invariants.js';
import { play } from './play.js';
import { type Agreement, plansForReal, playForReal } from './real.js';
import { shrink } from './shrink.js';
import { storyOf } from './story.js';
import { endWebhook } from './webhook.js';

/** What one process is to play. */
export interface LaneOrder {
  readonly seed: number;
  /** The first history, and the distance to the next one. */
  readonly from: number;
  readonly step: number;
  /** Ends after this many histories, or this many seconds. */
  readonly count?: number;
  readonly seconds?: number;
  /** Ends where this invariant is broken; what others find is only counted. */
  readonly until?: Invariant;
  /** One history instead of random ones, told with all requests. */
  readonly history?: HistoryPlan;
  /** That one is told without the requests that only read. */
  readonly isShort?: true;
  /** Histories of which only is wanted what they break. */
  readonly histories?: readonly HistoryPlan[];
  /** All interleavings with this many faults instead of random histories. */
  readonly faults?: number;
  /** The kubeconfig of a real API server, on which `count` random histories are played, too. */
  readonly kubeconfig?: string;
  /** The numbers of the pairs of runs. @default all */
  readonly pairs?: readonly number[];
}

/** The shortest history that breaks an invariant. */
export interface Story {
  readonly number: number;
  /** The first that is broken. */
  readonly invariant?: Invariant;
  readonly story: string;
  readonly plan: HistoryPlan;
}

/** What a process tells at its end. */
export interface LaneResult {
  readonly histories: number;
  readonly milliseconds: number;
  readonly counts: Counts;
  /** Stories of histories that broke an invariant, the shortest of each invariant. */
  readonly stories: readonly Story[];
  readonly broken: number;
  /** How many of them broke each invariant. */
  readonly byInvariant: BrokenCounts;
  /** Histories that were played twice; whose second story differed. */
  readonly replayed: number;
  readonly different: number;
  /** What each of the given histories breaks. */
  readonly broke?: readonly (readonly Invariant[])[];
  /** Of the first histories, to compare them with those of another process. */
  readonly digests: readonly string[];
  /** By deed: how many interleavings there are. */
  readonly branches?: Branches;
  /** Of histories that were played on a real server, too. */
  readonly agreement?: Agreement;
}

/** Stories that are told at most: each costs a hundred histories. */
const maxStories = 4;

async function main(order: LaneOrder): Promise<LaneResult> {
  const started = performance.now();
  const tally = {
    histories: 0,
    broken: 0,
    replayed: 0,
    different: 0,
    counts: {} as Record<string, number>,
    byInvariant: {} as BrokenCounts,
  };
  const stories: Story[] = [];
  const digests: string[] = [];
  const check = async (number: number, plan: HistoryPlan) => {
    const history = await play(plan);
    const { violations, counts } = await inspect(history);
    tally.histories++;
    for (const [name, value] of Object.entries(counts)) tally.counts[name] = (tally.counts[name] ?? 0) + value;
    if (tally.histories % 25 === 1) {
      tally.replayed++;
      if ((await play(plan)).digest !== history.digest) tally.different++;
    }
    countBroken(tally.byInvariant, violations);
    const first = order.until === undefined ? violations[0] : violations.find(({ invariant }) => invariant === order.until);
    if (first === undefined) return history.digest;
    tally.broken++;
    const isNew = stories.length < maxStories && !stories.some(({ invariant }) => invariant === first.invariant);
    if (isNew) stories.push({ number, invariant: first.invariant, ...(await shortest(plan, first)) });
    return history.digest;
  };
  if (order.kubeconfig !== undefined) {
    const plans = order.history === undefined ? plansForReal((number) => historyOf(order.seed, number), order.count ?? 0) : [order.history];
    const agreement = await playForReal(order.kubeconfig, plans);
    const { same, late, different } = agreement;
    const result = { ...tally, counts: tally.counts as unknown as Counts, stories, digests, agreement };
    return { ...result, histories: same + late + different.length, milliseconds: performance.now() - started };
  }
  if (order.histories !== undefined) {
    const broke: Invariant[][] = [];
    for (const plan of order.histories) broke.push((await inspect(await play(plan))).violations.map(({ invariant }) => invariant));
    const result = { ...tally, counts: tally.counts as unknown as Counts, stories, digests, broke };
    return { ...result, histories: broke.length, milliseconds: performance.now() - started };
  }
  if (order.history !== undefined)
    return { ...(await one(order.history, order.isShort !== true)), milliseconds: performance.now() - started };
  if (order.faults !== undefined) return exhaustive({ ...order, faults: order.faults });
  for (let number = 0; number < 3; number++) digests.push(await check(number, historyOf(order.seed, number)));
  const isOver = () =>
    tally.histories >= (order.count ?? Number.POSITIVE_INFINITY) ||
    performance.now() - started > (order.seconds ?? Number.POSITIVE_INFINITY) * 1_000 ||
    (order.until !== undefined && stories.length > 0);
  for (let number = order.from + 3; !isOver(); number += order.step) await check(number, historyOf(order.seed, number));
  return { ...tally, counts: tally.counts as unknown as Counts, stories, digests, milliseconds: performance.now() - started };
}

/** The history of a number. */
function historyOf(seed: number, number: number): HistoryPlan {
  return randomHistory(new Random(Math.imul(seed, 1_000_003) + number));
}

async function shortest(plan: HistoryPlan, { invariant }: Violation): Promise<Pick<Story, 'story' | 'plan'>> {
  const broken = async (candidate: HistoryPlan) =>
    (await inspect(await play(candidate))).violations.filter((one) => one.invariant === invariant);
  const found = await shrink(plan, async (candidate) => (await broken(candidate)).length > 0);
  return { story: storyOf(await play(found), await broken(found)), plan: found };
}

async function one(plan: HistoryPlan, everything: boolean): Promise<Omit<LaneResult, 'milliseconds'>> {
  const history = await play(plan);
  const { violations, counts } = await inspect(history);
  const story = storyOf(history, violations, { everything });
  const byInvariant: BrokenCounts = {};
  countBroken(byInvariant, violations);
  return {
    histories: 1,
    counts,
    stories: [{ number: 0, story, plan }],
    broken: violations.length > 0 ? 1 : 0,
    byInvariant,
    replayed: 0,
    different: 0,
    digests: [history.digest],
  };
}

const result = await main(JSON.parse(process.argv[2] as string));
process.stdout.write(JSON.stringify(result));
await endWebhook();
