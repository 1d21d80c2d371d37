import type { State } from './ledger.js';
import type { Exchange } from './network.js';
import type { PlayedHistory, PlayedRun } from './play.js';

const never = Number.POSITIVE_INFINITY;

/** A time in which a run held a lock, as the server saw it. */
interface Tenure {
  readonly lock: string;
  readonly run: PlayedRun;
  readonly from: number;
  /** When it gave it back, or somebody else had it, or nobody could have it. */
  to: number;
  /** Whether it was taken from it. */
  isLost: boolean;
  /** When somebody deleted its Lease: then the run may write for as long as the Lease lasts, until it notices that. */
  deletedAt?: number;
}

/** Who held which lock when, by the states of the Leases. */
export function locksOf({ ledger, runs, network }: PlayedHistory) {
  const names = ledger.names.filter((name) => name.startsWith('Lease '));
  const tenures = names.flatMap((name) => tenuresOf(name, { ledger, runs }));
  const tenuresIn = (run: PlayedRun) => tenures.filter((tenure) => tenure.run === run);
  /** When a run lost one of the locks that it had at a time; never if it did not. */
  const lostAt = (run: PlayedRun, at = 0) =>
    Math.min(never, ...tenuresIn(run).flatMap(({ from, to, isLost }) => (isLost && to > at && (at === 0 || from <= at) ? [to] : [])));
  return {
    lostAt,
    /** Says why a run must not write at a time; undefined if it may. */
    problemAt(run: PlayedRun, at: number): string | undefined {
      const held = tenuresIn(run).filter(({ from, to }) => from <= at && at <= to);
      if (held.length === 0) return 'it had no lock';
      const lost = tenuresIn(run).find(
        ({ from, to, isLost, deletedAt = to }) => isLost && to < at && !held.some((one) => one.from >= deletedAt) && from < at,
      );
      return lost === undefined ? undefined : `it had lost ${lost.lock} at ${lost.to} ms`;
    },
    /** The locks that other runs took from a run, or removed, although it had renewed them less than their duration before. */
    seizures: names.flatMap((name) => seizuresOf(name, ledger.of(name))),
    /** The locks that a run still had when it had ended, although no request about a lock of it met a fault. */
    kept(run: PlayedRun): readonly string[] {
      const { computer, endedAt = never } = run;
      const isDisturbed = network.exchanges.some(
        ({ of, request, fault }) => of === computer && fault !== undefined && /\/leases/.test(request.path),
      );
      return isDisturbed
        ? []
        : tenuresIn(run).flatMap(({ lock, to, deletedAt }) => (to > endedAt && deletedAt === undefined ? [lock] : []));
    },
    lastTakenAt: (run: PlayedRun) => Math.max(0, ...tenuresIn(run).map(({ from }) => from)),
    /** How long a run waited for its first lock. */
    waitOf: (run: PlayedRun) => Math.min(never, ...tenuresIn(run).map(({ from }) => from)) - run.startedAt,
  };
}

function seizuresOf(name: string, states: readonly State[]): readonly string[] {
  return states.flatMap(({ object, at, by }, index) => {
    const before = states[index - 1];
    const { holderIdentity: holder = '', leaseDurationSeconds = 0 } = before?.object?.spec ?? {};
    const author = typeof by === 'string' ? by : by.of.name;
    const age = at - (before?.at ?? at);
    if (author.startsWith('somebody') || holder === '' || object?.spec.holderIdentity === holder || holder.startsWith(`${author}@`))
      return [];
    return age >= leaseDurationSeconds * 1_000 ? [] : [`${author} took ${name} from ${holder}, ${age} ms after its last renewal`];
  });
}

function tenuresOf(name: string, { ledger, runs }: Pick<PlayedHistory, 'ledger' | 'runs'>): readonly Tenure[] {
  const tenures: Tenure[] = [];
  let holder = '';
  let lasts = 0;
  for (const { object, at, by } of ledger.of(name)) {
    const now: string = object?.spec.holderIdentity ?? '';
    if (now === holder) continue;
    const current = tenures.at(-1);
    const author = typeof by === 'string' ? undefined : (by as Exchange).of;
    const deleted = object === undefined && author === undefined ? { to: at + lasts * 1_000, deletedAt: at } : {};
    if (current !== undefined && current.to === never)
      Object.assign(current, { to: at, isLost: author !== current.run.computer, ...deleted });
    lasts = object?.spec.leaseDurationSeconds ?? 0;
    const run = runs.find(({ computer }) => now.startsWith(`${computer.name}@`));
    if (run !== undefined) tenures.push({ lock: name, run, from: at, to: never, isLost: false });
    holder = now;
  }
  return tenures;
}
