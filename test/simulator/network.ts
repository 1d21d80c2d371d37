import { inProcessStream } from '../../src/entry/in-process-stream.js';
import type { RequestHandler } from '../../src/entry/request-handler.js';
import { type HttpRequest, type HttpResponse, TransportError } from '../../src/kubernetes/transport/http-request.js';
import { httpResponseOf } from '../../src/kubernetes/transport/read-http-response.js';
import type { StreamRequest } from '../../src/kubernetes/transport/stream.js';
import type { Wire } from '../../src/kubernetes/transport/wire.js';
import type { Json } from '../../src/util/json.js';
import { answerOf } from '../harness/in-process-wire.js';
import type { Computer } from './computer.js';
import type { Ledger } from './ledger.js';
import type { World } from './world.js';

/** What becomes of one request, or of the computer that sends it. */
export type Fault =
  /** The connection is refused, or breaks before or after the server has read the request. */
  | { readonly kind: 'refused' | 'request lost' | 'answer lost' }
  /** The answer is an error, although the server has carried out the request; or another one, and it has not. */
  | { readonly kind: 'error after'; readonly status: 400 | 403 | 500 | 504 }
  | { readonly kind: 'error'; readonly status: 400 | 403 | 500 }
  | { readonly kind: 'busy' }
  /** A list is that of an earlier time: the last one that anybody got. */
  | { readonly kind: 'stale' }
  /** The request, or its answer, takes a time. */
  | { readonly kind: 'request late' | 'answer late'; readonly ms: number }
  /** Something on the way sends it to the server again, and passes on the second answer. */
  | { readonly kind: 'repeated'; readonly ms: number }
  /**
   * The computer stops, or sleeps, for a time, or until another one sends its request of that number: when the request has left, or when the
   * server has carried it out; held, the request arrives as late.
   */
  | { readonly kind: 'stop' | 'sleep'; readonly ms: number; readonly when: 'sent' | 'held' | 'done'; readonly until?: number }
  /** The computer dies; a request that has left it arrives, perhaps late. */
  | { readonly kind: 'crash'; readonly when: 'sent' | 'lost' | 'done'; readonly ms?: number }
  /** Its wall clock jumps. */
  | { readonly kind: 'jump'; readonly ms: number }
  /** The server restarts: requests in flight break, and for a time it refuses all. */
  | { readonly kind: 'restart'; readonly ms?: number };

/** One attempt of a request. */
export interface Exchange {
  readonly of: Computer;
  /** The number of the request among those of its computer, from 0; and among those that write. */
  readonly number: number;
  readonly writes: number;
  readonly request: HttpRequest;
  readonly sentAt: number;
  readonly fault?: Fault | undefined;
  /** How many lines had been told before. */
  readonly line: number;
  /** The times at which the server carried it out. */
  readonly done: { readonly at: number; readonly code: number }[];
  /** The time at which its sender got an answer, or an error. */
  endedAt?: number;
}

/** How long a request and its answer take. */
export type Latency = () => number;

/** What the network does. */
export interface NetworkOptions {
  readonly world: World;
  readonly server: RequestHandler;
  readonly ledger: Ledger;
  readonly latency: Latency;
  /** Returns what becomes of a request; called before it leaves. */
  readonly faultOf: (request: Pick<Exchange, 'of' | 'number' | 'writes' | 'request'>) => Fault | undefined;
}

/** The network between computers and the server. */
export class Network {
  readonly exchanges: Exchange[] = [];
  readonly #options: NetworkOptions;
  readonly #counts = new Map<Computer, { number: number; writes: number }>();
  readonly #breaks = new Set<() => void>();
  readonly #standing = new Set<Standing>();
  readonly #watches = new Set<() => void>();
  readonly #onTheWay = new Set<Attempt>();
  /** When the server is back after a restart. */
  #backAt = 0;
  /** The last answers to lists. */
  readonly #lists = new Map<string, HttpResponse>();

  constructor(options: NetworkOptions) {
    this.#options = options;
  }

  /** Milliseconds until the server is back after a restart. */
  get downFor(): number {
    return Math.max(0, this.#backAt - this.#options.world.now);
  }

  /** True if no request is on its way to the server. */
  get isCalm(): boolean {
    return this.#onTheWay.size === 0;
  }

  /** The wire of one computer. */
  wireOf(computer: Computer): Wire {
    return {
      send: (request) => this.#send(computer, request),
      stream: (_, request) => this.#stream(computer, request),
    };
  }

  /** All watches end. */
  endWatches(): void {
    for (const end of this.#watches) end();
  }

  async *#stream(of: Computer, request: StreamRequest): AsyncGenerator<Json> {
    const { server, ledger } = this.#options;
    ledger.tell(of.name, `watches ${objectOf(request)}`);
    const broken = new AbortController();
    const end = () => broken.abort(new Error('the watch broke'));
    this.#watches.add(end);
    try {
      const signal = AbortSignal.any([broken.signal, request.signal]);
      for await (const event of inProcessStream(server, { ...request, signal }, of.machine)) {
        await of.machine.pause(this.#options.latency());
        yield event;
      }
    } finally {
      this.#watches.delete(end);
    }
  }

  #send(of: Computer, request: HttpRequest): Promise<HttpResponse | undefined> {
    const { world, ledger, latency, faultOf } = this.#options;
    if (request.mayStart?.() === false) return Promise.resolve(undefined);
    const { number, writes } = this.#counts.get(of) ?? { number: 0, writes: 0 };
    const isAway = world.now < this.#backAt;
    const fault = faultOf({ of, number, writes, request }) ?? (isAway ? ({ kind: 'refused' } as const) : undefined);
    this.#counts.set(of, { number: number + 1, writes: writes + (isWrite(request) ? 1 : 0) });
    for (const one of this.#standing) if (one.of !== of && one.until === number) one.goOn();
    const exchange: Exchange = { of, number, writes, request, sentAt: world.now, fault, line: ledger.lines.length, done: [] };
    this.exchanges.push(exchange);
    ledger.tell(of.name, `${textOf(request)}${fault === undefined ? '' : `  ← ${faultText(fault)}`}`);
    return new Promise((resolve, reject) => {
      const attempt = new Attempt({ ...this.#options, lists: this.#lists }, exchange, fault, { resolve, reject });
      attempt.onWay = (isOnIt) => (isOnIt ? this.#onTheWay.add(attempt) : this.#onTheWay.delete(attempt));
      attempt.onStop = (standing) => this.#standing.add(standing);
      const end = () => attempt.break('ECONNRESET');
      this.#breaks.add(end);
      attempt.onEnd = () => this.#breaks.delete(end);
      if (fault?.kind === 'restart') {
        this.#backAt = world.now + (fault.ms ?? 0);
        for (const each of [...this.#breaks]) each();
      }
      attempt.begin(latency());
    });
  }
}

/** A computer that stands still until another one sends a request. */
interface Standing {
  readonly of: Computer;
  readonly until: number | undefined;
  readonly goOn: () => void;
}

interface Settling {
  readonly resolve: (response: HttpResponse) => void;
  readonly reject: (error: Error) => void;
}

interface AttemptOptions extends NetworkOptions {
  readonly lists: Map<string, HttpResponse>;
}

class Attempt {
  readonly #options: AttemptOptions;
  readonly #exchange: Exchange;
  readonly #fault: Fault | undefined;
  readonly #settle: Settling;
  onEnd = () => {};
  onWay: (isOnIt: boolean) => void = () => {};
  onStop: (standing: Standing) => void = () => {};
  #cancelTimeout = () => {};
  #isOver = false;

  constructor(options: AttemptOptions, exchange: Exchange, fault: Fault | undefined, settle: Settling) {
    this.#options = options;
    this.#exchange = exchange;
    this.#fault = fault;
    this.#settle = settle;
  }

  begin(latency: number): void {
    const { world } = this.#options;
    const { of, request } = this.#exchange;
    const fault = this.#fault;
    const slow = fault?.kind === 'request late' ? fault.ms : fault?.kind === 'crash' ? (fault.ms ?? 0) : 0;
    this.#cancelTimeout = of.machine.after(request.timeoutMs, () => this.break('ETIMEDOUT', 'no response in time'));
    if (fault?.kind === 'jump') of.jump(fault.ms);
    const instead = fault && this.#instead(fault);
    if (instead !== undefined) {
      world.schedule(latency, { of: of.name }, instead);
      return;
    }
    if (fault?.kind === 'crash' && fault.when !== 'done') this.#die();
    if (fault?.kind === 'crash' && fault.when === 'lost') return;
    const arrive = () => {
      this.onWay(true);
      world.schedule(latency + slow, this.#label(), () => {
        this.onWay(false);
        this.#arrive();
      });
    };
    const pause = (fault?.kind === 'stop' || fault?.kind === 'sleep') && fault.when !== 'done' ? fault : undefined;
    if (pause !== undefined) this.#stop(pause, pause.when === 'held' ? arrive : undefined);
    if (pause?.when !== 'held') arrive();
  }

  /** What happens instead of the arrival of a request at the server; undefined if it arrives. */
  #instead(fault: Fault): (() => void) | undefined {
    const { kind } = fault;
    if (kind === 'error') return () => this.#answer(statusOf(fault.status));
    if (kind === 'refused') return () => this.break('ECONNREFUSED');
    if (kind === 'restart' || kind === 'request lost') return () => this.break('ECONNRESET');
    return kind === 'busy' ? () => this.#answer(statusOf(503)) : undefined;
  }

  /** The sender gets an error instead of an answer. */
  break(code: string, message = `the connection broke (${code})`): void {
    const cause = Object.assign(new Error(message), { code });
    const unsent = code === 'ECONNREFUSED';
    this.#end(() => this.#settle.reject(new TransportError(cause, { unsent, stale: false })));
  }

  #label() {
    const { of, request } = this.#exchange;
    return { of: of.name, object: objectOf(request), isWrite: isWrite(request) };
  }

  #arrive(isAgain = false): void {
    const fault = this.#fault;
    const { world, latency } = this.#options;
    const answered = this.#carryOut();
    if (fault?.kind === 'crash' && fault.when === 'done') this.#die();
    if ((fault?.kind === 'stop' || fault?.kind === 'sleep') && fault.when === 'done') this.#stop(fault);
    if (fault?.kind === 'repeated' && !isAgain) {
      world.schedule(fault.ms, this.#label(), () => this.#arrive(true));
      return;
    }
    void answered.then((response) => {
      const slow = fault?.kind === 'answer late' ? fault.ms : 0;
      world.schedule(latency() + slow, { of: this.#exchange.of.name }, () => {
        if (fault?.kind === 'answer lost') this.break('ECONNRESET');
        else this.#answer(fault?.kind === 'error after' ? statusOf(fault.status) : response);
      });
    });
  }

  /** The server gets the request. */
  async #carryOut(): Promise<HttpResponse> {
    const { world, server, ledger, lists } = this.#options;
    const { of, request, done } = this.#exchange;
    const known = this.#fault?.kind === 'stale' ? lists.get(request.path) : undefined;
    const answered =
      known === undefined
        ? ledger.during(this.#exchange, () => answerOf(server, request, world.beginning + world.now))
        : Promise.resolve(known);
    world.hold(answered);
    const response = await answered;
    if (isList(request)) lists.set(request.path, response);
    done.push({ at: world.now, code: response.code });
    ledger.tell('server', `${textOf(request)} of ${of.name}: ${response.code}`);
    return response;
  }

  #answer(response: HttpResponse): void {
    this.#end(() => this.#settle.resolve(response));
  }

  #end(settle: () => void): void {
    const { of } = this.#exchange;
    of.do(() => {
      if (this.#isOver) return;
      this.#isOver = true;
      this.#exchange.endedAt = this.#options.world.now;
      this.#cancelTimeout();
      this.onEnd();
      settle();
    });
  }

  #stop({ kind, ms, until }: Extract<Fault, { kind: 'stop' | 'sleep' }>, onGo: () => void = () => {}): void {
    const { of } = this.#exchange;
    of.stop(kind === 'sleep' ? 'asleep' : 'stopped');
    let isOver = false;
    const goOn = () => {
      if (isOver) return;
      isOver = true;
      this.#options.ledger.tell(of.name, 'goes on');
      of.goOn();
      onGo();
    };
    this.#options.world.schedule(ms, { of: of.name }, goOn);
    this.onStop({ of, until, goOn });
  }

  #die(): void {
    this.#exchange.of.die();
  }
}

function statusOf(code: number): HttpResponse {
  const reasons: Readonly<Record<number, string>> = { 400: 'BadRequest', 403: 'Forbidden', 500: 'InternalError' };
  const body = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason: reasons[code], message: 'of the network' };
  const retryAfter = code === 503 ? { 'retry-after': '1' } : {};
  return httpResponseOf({ code, headers: { 'content-type': 'application/json', ...retryAfter }, text: JSON.stringify(body) }, 0);
}

export function isWrite({ method, path }: HttpRequest): boolean {
  return method !== 'GET' && !path.includes('dryRun=All') && !path.includes('selfsubjectaccessreviews');
}

function isList({ method, path }: HttpRequest): boolean {
  return method === 'GET' && /\/(configmaps|secrets|widgets|leases)(\?|$)/.test(path);
}

/** The object, or the collection, that a request names. */
export function objectOf({ path }: Pick<HttpRequest, 'path'>): string {
  return path.replace(/\?.*/, '').replace(/^\/apis?\//, '');
}

export function textOf(request: HttpRequest): string {
  const dry = request.path.includes('dryRun=All') ? ' (dry run)' : '';
  const force = request.path.includes('force=true') ? ' (force)' : '';
  return `${request.method} ${objectOf(request)}${force}${dry}`;
}

/** The kinds of faults. */
export const faultKinds: Record<Fault['kind'], true> = {
  refused: true,
  'request lost': true,
  'answer lost': true,
  'error after': true,
  error: true,
  busy: true,
  stale: true,
  'request late': true,
  'answer late': true,
  repeated: true,
  stop: true,
  sleep: true,
  crash: true,
  jump: true,
  restart: true,
};

export function faultText(fault: Fault): string {
  const { kind, ...others } = fault;
  return [kind, ...Object.values(others).map(String)].join(' ');
}
