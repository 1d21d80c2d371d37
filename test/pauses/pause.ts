import type { Random } from '../corpus/random.js';
import type { ResponseFault } from '../harness/interception-proxy.js';

/** What befalls the first run at one of its requests. */
export const faults = ['stop', 'stop-held', 'hold', 'error', 'suspend', 'set-back', 'jump'] as const;

export type Fault = (typeof faults)[number];

/** A fault, and when it befalls the first run. */
export interface Pause {
  readonly fault: Fault | 'none';
  /** The number of the request, from 0, among those that the run sends once it has a lock: locks aside, writes of these, with force, or about locks. */
  readonly at: number;
  readonly among: 'others' | 'writes' | 'forced' | 'locks';
  /** Of the first run. */
  readonly concurrency: number;
  /** Milliseconds after which the first run gives up an attempt. */
  readonly timeoutMs: number;
  /** The number of the second run's writes at which the first one goes on; without it, it goes on when that has ended. */
  readonly goesOnAt: number | undefined;
  /** What becomes of requests that are held. */
  readonly held: 'passed on' | 'dropped';
  readonly error: keyof typeof errors;
  /** Whether repetitions of the request are answered with the error, too. */
  readonly isLasting: boolean;
  /** Milliseconds by which the wall clock and the monotonic clock jump. */
  readonly jump: readonly [number, number];
}

const failure = (status: number, body: object): ResponseFault => ({
  status,
  body: { kind: 'Status', apiVersion: 'v1', code: status, ...body },
});

/** Answers instead of the server's, after it has done what was asked. */
export const errors = {
  '500': failure(500, { status: 'Failure', reason: 'InternalError', message: 'of the proxy' }),
  '500 without a reason': failure(500, {}),
  '403': failure(403, { status: 'Failure', reason: 'Forbidden', message: 'of the proxy' }),
  '400': failure(400, { status: 'Failure', reason: 'BadRequest', message: 'of the proxy' }),
  HTML: { status: 200, body: '<html><body>Please sign in</body></html>' },
  cut: 'truncate',
  reset: 'reset',
  lost: 'lose',
} as const satisfies Record<string, ResponseFault>;

const hour = 3_600_000; // milliseconds

/** @param counts the numbers of requests of such a run without a fault. */
export function randomPause(fault: Pause['fault'], counts: Readonly<Record<Pause['among'], number>>, random: Random): Pause {
  const classes: Pause['among'][] = [
    'others',
    'writes',
    'writes',
    fault === 'jump' ? 'others' : 'locks',
    counts.forced > 0 ? 'forced' : 'writes',
  ];
  const among = random.pick(classes);
  return {
    fault,
    at: random.below(among === 'locks' ? 1 : counts[among]),
    among,
    concurrency: fault === 'jump' || fault === 'none' ? 1 : random.pick([1, 3, 8]),
    timeoutMs: random.pick([1_000, 60_000]),
    goesOnAt: random.chance(0.25) ? random.below(15) : undefined,
    held: random.pick(['passed on', 'passed on', 'dropped']),
    error: random.pick(Object.keys(errors) as (keyof typeof errors)[]),
    isLasting: random.chance(0.5),
    jump: random.pick([
      [hour, 0],
      [-hour, 0],
      [hour, hour],
      [0, hour],
    ]),
  };
}

/** Whether the second run comes between. */
export const hasSecondBetween = ({ fault }: Pause) => isStop({ fault }) || fault === 'hold';

/** Whether the process of the first run is stopped. */
export const isStop = ({ fault }: Pick<Pause, 'fault'>) => ['stop', 'stop-held', 'suspend', 'set-back'].includes(fault);

export function pauseText(pause: Pause): string {
  const { fault, at, among, concurrency, timeoutMs, goesOnAt, held, error, isLasting, jump } = pause;
  const facts = { hold: `, ${held}`, error: ` ${error}${isLasting ? ' each time' : ''}`, jump: ` by ${jump.join(' and ')} ms` };
  const until = goesOnAt === undefined ? 'ends' : `comes to its write ${goesOnAt}`;
  const between = hasSecondBetween(pause) ? `, until the second run ${until}` : '';
  const what = { others: 'request', writes: 'write', forced: 'forced write', locks: 'request about a lock' }[among];
  return `${fault}${fault in facts ? facts[fault as 'hold'] : ''} at ${what} ${at}${between}, ${concurrency} at once, attempts of ${timeoutMs / 1_000} s`;
}
