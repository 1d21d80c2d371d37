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
}

/** Who held which lock when, by the states of the Leases. */
export function locksOf({ ledger, runs }: PlayedHistory) {
  const tenures = ledger.names.filter((name) => name.startsWith('Lease ')).flatMap((name) => tenuresOf(name, { ledger, runs }));
  const of = (run: PlayedRun) => tenures.filter((tenure) => tenure.run === run);
  /** When a run lost one of the locks that it had at a time; never if it did not. */
  const lostAt = (run: PlayedRun, at = 0) =>
    Math.min(never, ...of(run).flatMap(({ from, to, isLost }) => (isLost && to > at && (at === 0 || from <= at) ? [to] : [])));
  return {
    lostAt,
    /** Says why a run must not write at a time; undefined if it may. */
    problemAt(run: PlayedRun, at: number): string | undefined {
      const held = of(run).filter(({ from, to }) => from <= at && at <= to);
      if (held.length === 0) return 'it had no lock';
      const lost = of(run).find(({ from, to, isLost }) => isLost && to < at && !held.some((one) => one.from >= to) && from < at);
      return lost === undefined ? undefined : `it had lost ${lost.lock} at ${lost.to} ms`;
    },
    lastTakenAt: (run: PlayedRun) => Math.max(0, ...of(run).map(({ from }) => from)),
    /** How long a run waited for its first lock. */
    waitOf: (run: PlayedRun) => Math.min(never, ...of(run).map(({ from }) => from)) - run.startedAt,
  };
}

function tenuresOf(name: string, { ledger, runs }: Pick<PlayedHistory, 'ledger' | 'runs'>): readonly Tenure[] {
  const tenures: Tenure[] = [];
  let holder = '';
  for (const { object, at, by } of ledger.of(name)) {
    const now: string = object?.spec.holderIdentity ?? '';
    if (now === holder) continue;
    const current = tenures.at(-1);
    const author = typeof by === 'string' ? undefined : (by as Exchange).of;
    if (current !== undefined && current.to === never) Object.assign(current, { to: at, isLost: author !== current.run.computer });
    const run = runs.find(({ computer }) => now.startsWith(`${computer.name}@`));
    if (run !== undefined) tenures.push({ lock: name, run, from: at, to: never, isLost: false });
    holder = now;
  }
  return tenures;
}
