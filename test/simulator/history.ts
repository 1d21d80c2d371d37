import type { Random } from '../corpus/random.js';
import type { Fault } from './network.js';
import { agreeing, type DeedName, deeds } from './programs.js';
import { randomAct, randomUnlock, type WriterAct } from './writers.js';

/** A run of a history. */
export interface PlannedRun {
  readonly deed: DeedName;
  /** Milliseconds after the beginning. */
  readonly at: number;
}

/** A request of one run. */
export type FaultPoint = {
  /** The number of the run, from 0; one that runs again after a crash has a number of its own. */
  readonly run: number;
} & (
  | {
      /** The number of the request among those of the run, from 0. */
      readonly request: number;
    }
  | {
      /** The number among its writes, those of Leases and records included, from 0. */
      readonly write: number;
    }
);

/** A fault at one request of one run. */
export type PlannedFault = FaultPoint & { readonly fault: Fault };

/** What somebody else does: at a time, or just before a request arrives. */
export interface PlannedAct {
  readonly at?: number;
  readonly before?: FaultPoint;
  readonly act: WriterAct;
}

/** All that decides what happens in a history. */
export interface HistoryPlan {
  /** Of the random numbers of the computers and the latencies. */
  readonly seed: number;
  readonly runs: readonly PlannedRun[];
  readonly acts: readonly PlannedAct[];
  readonly faults: readonly PlannedFault[];
  /** The longest time that a request, and an answer, takes, in milliseconds; 0 for none. */
  readonly maxLatency: number;
  /** Requests of a run at once. */
  readonly concurrency: number;
  /** A mutating webhook is asked about each ConfigMap. */
  readonly webhook?: boolean;
  /** Somebody watches the drift of the program; the times at which all watches end. */
  readonly observed?: readonly number[];
  /** The runs take nothing by force of which they have not asked. */
  readonly asks?: boolean;
  /** The programs declare only objects of these names. @default all */
  readonly objects?: readonly string[];
}

/** Milliseconds, more than a lease lasts. */
const long = [16_000, 40_000, 55_000];
/** A server carries out no request that is older than a minute. Source: kube-apiserver, --request-timeout. */
const delays = [50, 2_000, 6_000, 11_000, ...long];

/** What has found faults: histories of these kinds are more frequent than any other. */
const kinds = ['any', 'suspended', 'crashed', 'contested', 'raced', 'others', 'refused', 'unlocked'] as const;

/** A random history, with more of what has found faults: long pauses at writes, lost answers, and others who write just then. */
export function randomHistory(random: Random): HistoryPlan {
  const kind = random.pick(kinds);
  const runs = randomRuns(random, kind);
  const faults = randomFaults(random, kind, runs.length);
  const plan = { seed: random.below(2 ** 31), runs, maxLatency: random.pick([1, 20, 20, 400]), concurrency: random.pick([1, 2, 8]) };
  return {
    ...plan,
    acts: randomActs(random, kind, { runs: runs.length, faults }),
    faults: faults.filter((fault, index) => faults.findIndex((one) => isSamePlace(one, fault)) === index),
    ...(random.chance(0.3) ? { asks: true } : {}),
    ...(random.chance(0.08) ? { webhook: true } : {}),
    ...(random.chance(0.1) ? { observed: Array.from({ length: random.below(3) }, () => random.below(60_000)) } : {}),
  };
}

type Kind = (typeof kinds)[number];

/** Deeds that make or delete objects. */
const makers: readonly DeedName[] = ['create', 'create', 'prune', 'destroy', 'move', 'rename and move'];

function randomRuns(random: Random, kind: Kind): readonly PlannedRun[] {
  const first = random.pick(kind !== 'any' && random.chance(0.5) ? makers : (Object.keys(deeds) as DeedName[]));
  // Something of a run that ends is refused, and the next run must know it.
  if (kind === 'refused') return [first, random.pick(agreeing(first))].map((deed, index) => ({ deed, at: index * random.below(10_000) }));
  const isAgain = kind === 'crashed' && random.chance(0.5);
  if (kind === 'others') return [{ deed: random.pick(Object.keys(deeds) as DeedName[]), at: 0 }];
  const count =
    isAgain || kind === 'suspended' || kind === 'unlocked' ? 2 : kind === 'any' ? random.pick([1, 2, 2, 2, 3]) : random.pick([1, 1, 2]);
  const starts = kind === 'suspended' ? 1_000 : random.pick([100, 3_000, 30_000]);
  return Array.from({ length: count }, (_, index) => ({
    deed: index === 0 || isAgain ? first : random.pick(agreeing(first)),
    at: index === 0 ? 0 : random.below(starts),
  }));
}

function randomFaults(random: Random, kind: Kind, runs: number): readonly PlannedFault[] {
  if (kind === 'suspended') {
    const write = random.below(14);
    const jump = { kind: 'jump', ms: random.pick(jumps) } as const;
    const before = random.chance(0.2) ? [{ run: 0, write: random.below(write + 1), fault: jump }] : [];
    return [...before, { run: 0, write: write + before.length, fault: randomPause(random) }];
  }
  if (kind === 'raced' || kind === 'others') return [];
  // A run is slow when somebody deletes its Lease, but not for so long that it is to renew it.
  if (kind === 'unlocked') {
    const late = { kind: random.pick(['request late', 'answer late'] as const), ms: random.pick([1_000, 2_000, 4_000]) };
    return [{ run: 0, write: 1 + random.below(8), fault: random.chance(0.7) ? late : randomFault(random) }];
  }
  if (kind === 'refused')
    return [
      { run: random.below(runs), write: 1 + random.below(8), fault: { kind: 'error', status: random.pick([400, 403, 500] as const) } },
    ];
  if (kind === 'crashed') {
    const crash = { run: random.below(runs), write: 1 + random.below(12), fault: randomCrash(random) };
    return random.chance(0.7) ? [crash] : [crash, { run: 0, write: random.below(14), fault: randomFault(random) }];
  }
  const count = random.pick(kind === 'any' ? [0, 1, 1, 2, 2, 3] : [1, 1, 2]);
  return Array.from({ length: count }, () => ({
    ...randomPlace(random, kind === 'any' ? 'any' : 'write', runs),
    fault: randomFault(random),
  }));
}

function randomActs(
  random: Random,
  kind: Kind,
  { runs, faults }: { readonly runs: number; readonly faults: readonly PlannedFault[] },
): readonly PlannedAct[] {
  // Others have done something before, and nothing disturbs the run.
  if (kind === 'others') return [{ at: 0, act: randomAct(random, random.chance(0.5)) }];
  const counts = {
    any: [0, 0, 1, 2, 4],
    suspended: [0, 0, 1],
    crashed: [0, 1, 1, 2],
    contested: [0, 1, 1, 2],
    raced: [1, 2, 3, 4],
    refused: [0, 0, 1],
    unlocked: [0, 0, 0, 1],
  };
  const [slow] = faults;
  const unlocked =
    kind === 'unlocked' && slow !== undefined && 'write' in slow
      ? [{ before: { run: 0, write: Math.max(1, slow.write - random.below(3)) }, act: randomUnlock(random) }]
      : [];
  const others = Array.from({ length: random.pick(counts[kind]) }, () => {
    const act = randomAct(random, kind === 'raced' && random.chance(0.4));
    const at = random.below(kind === 'crashed' ? 15_000 : random.pick([200, 40_000]));
    const [fault] = faults;
    if (kind !== 'raced' && random.chance(0.4)) return { at, act };
    // Often shortly before a fault.
    if (fault === undefined || 'request' in fault || random.chance(0.4)) return { before: randomPlace(random, 'write', runs), act };
    return { before: { run: fault.run, write: Math.max(0, fault.write - random.below(4)) }, act };
  });
  return [...unlocked, ...others];
}

function randomPlace(random: Random, of: 'any' | 'write', runs: number): FaultPoint {
  const run = random.below(runs);
  return of === 'write' || random.chance(0.5) ? { run, write: random.below(12) } : { run, request: random.below(random.pick([8, 20, 45])) };
}

function isSamePlace(one: FaultPoint, other: FaultPoint): boolean {
  if (one.run !== other.run) return false;
  return 'write' in one ? 'write' in other && one.write === other.write : 'request' in other && one.request === other.request;
}

const jumps = [-3_600_000, 3_600_000, -20_000, 20_000];

function randomPause(random: Random): Fault {
  const when = random.pick(['sent', 'held', 'held', 'done'] as const);
  return { kind: random.pick(['stop', 'stop', 'sleep'] as const), ms: random.pick(when === 'held' ? long : [...long, 90_000]), when };
}

function randomCrash(random: Random): Fault {
  if (random.chance(0.4)) return { kind: 'crash', when: 'sent', ms: random.pick(delays) };
  return { kind: 'crash', when: random.pick(['sent', 'lost', 'done'] as const) };
}

function randomFault(random: Random): Fault {
  const kind = random.below(100);
  if (kind < 15) return { ...randomPause(random), ms: random.pick(delays) } as Fault;
  if (kind < 22) return randomPause(random);
  if (kind < 37) return { kind: random.pick(['request late', 'answer late'] as const), ms: random.pick(delays) };
  if (kind < 50) return { kind: random.pick(['answer lost', 'answer lost', 'request lost', 'refused'] as const) };
  if (kind < 62) return { kind: 'error after', status: random.pick([400, 403, 500, 504] as const) };
  if (kind < 70) return { kind: 'error', status: random.pick([400, 403, 500] as const) };
  if (kind < 82) return randomCrash(random);
  if (kind < 88) return { kind: 'repeated', ms: random.pick(delays) };
  if (kind < 93) return { kind: 'jump', ms: random.pick(jumps) };
  const rest = random.pick(['restart', 'busy', 'stale'] as const);
  return rest === 'restart' ? { kind: rest, ms: random.pick([0, 2_000, 20_000]) } : { kind: rest };
}
