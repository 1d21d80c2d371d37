import type { ResponseBody } from '../harness/api-client.js';
import type { ProxiedRequest } from '../harness/interception-proxy.js';

export type Run = 'first' | 'second';

/** What a request writes: an object of the programs, a record of Fieldwise's, a lock, or nothing. */
export type Target = 'object' | 'record' | 'lock' | 'nothing';

/** A request that left the first run: seen beside it, before anything that holds its requests. */
export interface SentRequest {
  readonly request: ProxiedRequest;
  readonly target: Target;
  /** When it left, on the campaign's clock. */
  readonly left: number;
  /** When its answer was given to the run; infinite while there is none. */
  answered: number;
}

/** A write that reached the server. */
export interface ServedWrite {
  readonly run: Run;
  readonly request: ProxiedRequest;
  readonly target: Target;
  readonly reached: number;
}

export function targetOf(request: ProxiedRequest): Target {
  const { method, path, query } = request;
  if (method === 'GET' || query.has('dryRun') || path.includes('/apis/auth')) return 'nothing';
  if (isAboutLock(request)) return 'lock';
  return /^((kept|goes)-\d|comes|shared)$/.test(nameOf(request)) ? 'object' : 'record';
}

export const isAboutLock = ({ path }: ProxiedRequest) => path.includes('/leases');
export const isCarriedOut = ({ request: { status } }: Pick<ServedWrite, 'request'>) => status > 0 && status < 300;
export const textOf = ({ request }: Pick<ServedWrite, 'request'>) => `${request.method} ${nameOf(request)}`;

/** The name of the object that a request is about. */
export function nameOf({ method, path, body }: ProxiedRequest): string {
  return method === 'POST' ? String(body?.metadata?.name) : (path.split('/').at(-1) as string);
}

/** The observer at the server, which both runs reach through it: it knows who has the locks when a write passes. */
export class ServerObserver {
  readonly writes: ServedWrite[] = [];
  readonly problems: string[] = [];
  /** When the first run lost a lock, and when it began another session with locks of its own after that; infinite if it did not. */
  lostAt = Number.POSITIVE_INFINITY;
  regainedAt = Number.POSITIVE_INFINITY;
  /** The run that was the last to take a lock. */
  last: Run | undefined;
  readonly #holders = new Map<string, { readonly run: Run; readonly holder: string }>();
  readonly #lostHolders = new Set<string>();

  reaches(run: Run, request: ProxiedRequest): void {
    const target = targetOf(request);
    if (target !== 'nothing') this.writes.push({ run, request, target, reached: performance.now() });
  }

  answers(run: Run, request: ProxiedRequest, body: ResponseBody): void {
    if (targetOf(request) !== 'lock' || !isCarriedOut({ request })) return;
    const name = nameOf(request);
    const holder: string = request.method === 'DELETE' ? '' : (body.spec.holderIdentity ?? '');
    const before = this.#holders.get(name);
    if (run === 'second' && before?.run === 'first') {
      this.#lostHolders.add(before.holder);
      this.lostAt = Math.min(this.lostAt, performance.now());
    }
    if (run === 'first' && (this.#lostHolders.has(holder) || (before?.run === 'second' && holder === ''))) {
      this.problems.push(`the first run wrote a lock that it had lost: ${textOf({ request })}`);
    } else if (holder === '') this.#holders.delete(name);
    else {
      this.#holders.set(name, { run, holder });
      this.last = run;
      if (run === 'first' && this.lostAt < Number.POSITIVE_INFINITY) this.regainedAt = Math.min(this.regainedAt, performance.now());
    }
  }

  /** The locks that the first run has now. */
  locks(): string[] {
    return [...this.#holders].flatMap(([name, { run }]) => (run === 'first' ? [name] : []));
  }

  /** Whether a write of a lock is not one by which another session takes it. */
  isOfLostSession({ body }: ProxiedRequest): boolean {
    const { holderIdentity = '' } = body?.spec ?? {};
    return holderIdentity === '' || this.#lostHolders.has(holderIdentity);
  }
}
