import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../corpus/random.js';
import { ApiClient } from '../harness/api-client.js';
import { type Interception, InterceptionProxy, type ProxiedRequest, type ResponseFault } from '../harness/interception-proxy.js';
import { exitOf } from '../harness/process.js';
import type { Computer } from './computer.js';
import type { FaultPoint, HistoryPlan } from './history.js';
import { inspect } from './invariants.js';
import { Ledger } from './ledger.js';
import { type Exchange, type Fault, faultText, isWrite, type Network, textOf } from './network.js';
import { lastProgramOf, type PlayedHistory, type PlayedRun } from './play.js';
import { agreeing, type DeedName, deeds, type Prepared, preparedProgram } from './programs.js';
import type { ReportEntry, RunOutcome } from './run.js';
import { realSite, type Site } from './site.js';
import { storyOf } from './story.js';
import { act } from './writers.js';

/** Seconds that a lock lasts, and milliseconds that outlast it. */
const lease = 15;
const long = 20_000;

/** Each kind of fault, as a process and a proxy make it. */
const faults: readonly Fault[] = [
  { kind: 'stop', when: 'held', ms: long },
  { kind: 'stop', when: 'sent', ms: long },
  { kind: 'stop', when: 'done', ms: long },
  { kind: 'crash', when: 'lost' },
  { kind: 'crash', when: 'sent', ms: 300 },
  { kind: 'crash', when: 'done' },
  { kind: 'request late', ms: long },
  { kind: 'answer late', ms: long },
  { kind: 'request lost' },
  { kind: 'answer lost' },
  { kind: 'error after', status: 500 },
  { kind: 'error after', status: 403 },
  { kind: 'error', status: 400 },
  { kind: 'repeated', ms: 0 },
  { kind: 'busy' },
];

const deedNames = (Object.keys(deeds) as DeedName[]).filter((name) => name !== 'dynamic');

/** Histories in which processes meet faults: of as many in a row as there are kinds of faults, each meets one. */
export function plansForProcesses(random: Random, count: number): readonly HistoryPlan[] {
  return Array.from({ length: count }, (_, index) => {
    const first = random.pick(deedNames);
    const second = random.pick(agreeing(first));
    const value = 'theirs-1';
    return {
      seed: index,
      runs: [first, second].map((deed) => ({ deed, at: 0 })),
      acts: [{ at: 0, act: { kind: random.pick(['apply', 'update'] as const), object: 'c0', field: 'contested', value } }],
      faults: [{ run: 0, write: random.below(10), fault: faults[index % faults.length] as Fault }],
      maxLatency: 0,
      concurrency: 1,
    };
  });
}

/**
 * Plays a history with real processes: each run is one, and its requests pass a proxy, where they meet their faults. The second run begins when the first has met its
 * fault, or has ended.
 *
 * @param script the bundle of `run-process.ts`.
 * @returns the story, if it breaks an invariant.
 */
export async function playProcesses(plan: HistoryPlan, { kubeconfig, script, directory }: ProcessOptions): Promise<string | undefined> {
  const site = await realSite(kubeconfig)(plan);
  const scene = new Scene(plan, site, { kubeconfig, script, directory });
  await site.follow(scene.ledger);
  try {
    const history = await scene.play();
    const { violations } = await inspect(history);
    return violations.length === 0 ? undefined : storyOf(history, violations, { everything: true });
  } finally {
    await scene.end();
  }
}

export interface ProcessOptions {
  readonly kubeconfig: string;
  readonly script: string;
  readonly directory: string;
}

type MessageOfRun = 'ready' | { readonly entries: readonly ReportEntry[] } | { readonly outcome: RunOutcome };

class Scene {
  readonly ledger: Ledger;
  readonly #plan: HistoryPlan;
  readonly #site: Site;
  readonly #options: ProcessOptions;
  readonly #client: ApiClient;
  readonly #runs: PlayedRun[] = [];
  readonly #exchanges: Exchange[] = [];
  readonly #proxies: InterceptionProxy[] = [];
  readonly #children: ChildProcess[] = [];
  /** Resolves when the server has done all that it was given: it works for one at a time, so that each state has one author. */
  #work: Promise<unknown> = Promise.resolve();
  #onStrike = () => {};

  constructor(plan: HistoryPlan, site: Site, options: ProcessOptions) {
    this.#plan = plan;
    this.#site = site;
    this.#options = options;
    this.#client = new ApiClient(options.kubeconfig);
    const now = () => this.#now();
    this.ledger = new Ledger({
      get now() {
        return now();
      },
      schedule: () => {
        throw new Error('only watches are scheduled');
      },
      hold: () => {},
    });
  }

  async play(): Promise<PlayedHistory> {
    const { runs: planned, acts } = this.#plan;
    const struck = new Promise<void>((resolve) => {
      this.#onStrike = resolve;
    });
    for (const { act: done } of acts) await this.#inTurn(() => act(this.#site, this.ledger, done));
    const ended: Promise<void>[] = [];
    for (const [index, { deed }] of planned.entries()) {
      if (index > 0) await Promise.race([struck, ended[0]]);
      ended.push((await this.#run(deed, await preparedProgram(deeds[deed].program))).ended);
    }
    await Promise.all(ended);
    for (const [index, { deed }] of planned.entries()) {
      if (!this.#runs[index]?.computer.isDead) continue;
      await (await this.#run(deed, await preparedProgram(deeds[deed].program))).ended;
    }
    await (await this.#run('last', await preparedProgram(lastProgramOf(this.#plan)))).ended;
    await this.#work;
    const { beginning } = this.#site.world;
    const network = { exchanges: this.#exchanges } as unknown as Network;
    return { plan: this.#plan, runs: this.#runs, network, ledger: this.ledger, blind: [], beginning, digest: '', lag: 0 };
  }

  async end(): Promise<void> {
    for (const child of this.#children) child.kill('SIGKILL');
    for (const proxy of this.#proxies) await proxy.stop();
    this.#client.close();
  }

  #now(): number {
    return Date.now() - this.#site.world.beginning;
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#work.then(work);
    this.#work = done.catch(() => undefined);
    return done;
  }

  /** Starts a run. */
  async #run(deed: PlayedRun['deed'], program: Prepared): Promise<{ readonly ended: Promise<void> }> {
    const number = this.#runs.length;
    const name = deed === 'last' ? 'last' : `run ${number}`;
    const entries: ReportEntry[] = [];
    const computer = { name, isDead: false };
    const one: PlayedRun = { computer: computer as Computer, deed, program, startedAt: this.#now(), entries };
    this.#runs.push(one);
    this.ledger.tell(name, `begins: ${deed}`);
    const below = mkdtempSync(join(this.#options.directory, 'run-'));
    const proxy = await InterceptionProxy.start(this.#client, join(below, 'kubeconfig'));
    this.#proxies.push(proxy);
    const child = fork(this.#options.script, { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    this.#children.push(child);
    this.#intercept(proxy, { one, child, number });
    const verb = deed === 'last' ? 'deploy' : deeds[deed].verb;
    const settings = { verb, namespace: this.#site.namespace, concurrency: 1, leaseDurationSeconds: lease };
    child.on('message', (message: MessageOfRun) => {
      if (message === 'ready') child.send({ ...settings, name, assembly: program.directory, kubeconfig: proxy.kubeconfig });
      else if ('entries' in message) entries.push(...message.entries);
      else one.outcome = message.outcome;
    });
    // Messages may come after the exit.
    const ended = Promise.all([exitOf(child), once(child, 'disconnect')]).then(() => {
      one.endedAt = this.#now();
      computer.isDead = one.outcome === undefined;
      const { exitCode, errors = [] } = one.outcome ?? {};
      this.ledger.tell(name, exitCode === undefined ? 'has died' : `ends with ${exitCode} ${JSON.stringify(errors)}`);
    });
    return { ended };
  }

  /** Lets the requests of a run meet their faults on their way. */
  #intercept(proxy: InterceptionProxy, { one, child, number: run }: { one: PlayedRun; child: ChildProcess; number: number }): void {
    const of = one.computer;
    const open = new Map<ProxiedRequest, { readonly exchange: Exchange; readonly done: () => Promise<void> }>();
    let [number, writes] = [0, 0];
    const stop = async (ms: number) => {
      child.kill('SIGSTOP');
      await sleep(ms);
      this.ledger.tell(of.name, 'goes on');
      child.kill('SIGCONT');
    };
    proxy.onRequest = async (proxied): Promise<Interception | undefined> => {
      const request = requestOf(proxied);
      const isAt = (place: FaultPoint) =>
        place.run === run && ('write' in place ? isWrite(request) && place.write === writes : place.request === number);
      const fault = this.#plan.faults.find(isAt)?.fault;
      const line = this.ledger.lines.length;
      const exchange: Exchange = { of, number: number++, writes, request, sentAt: this.#now(), fault, line, done: [] };
      if (isWrite(request)) writes++;
      this.#exchanges.push(exchange);
      this.ledger.tell(of.name, `${textOf(request)}${fault === undefined ? '' : `  ← ${faultText(fault)}`}`);
      if (fault !== undefined) this.#onStrike();
      const instead = await this.#before(fault, child, stop);
      if (instead !== undefined) return instead;
      await this.#begin(proxied, exchange, open);
      return fault?.kind === 'repeated' ? 'duplicate' : undefined;
    };
    proxy.onResponse = async (proxied, { status }): Promise<ResponseFault | undefined> => {
      const { exchange, done } = open.get(proxied) as NonNullable<ReturnType<typeof open.get>>;
      exchange.done.push({ at: this.#now(), code: status });
      this.ledger.tell('server', `${textOf(exchange.request)} of ${of.name}: ${status}`);
      await done();
      return this.#after(exchange.fault, child, stop);
    };
  }

  /** What happens to a request before it reaches the server, and instead of that. */
  async #before(fault: Fault | undefined, child: ChildProcess, stop: (ms: number) => Promise<void>): Promise<Interception | undefined> {
    if (fault?.kind === 'stop' && fault.when === 'held') await stop(fault.ms);
    if (fault?.kind === 'stop' && fault.when === 'sent') void stop(fault.ms);
    if (fault?.kind === 'request late') await sleep(fault.ms);
    if (fault?.kind === 'crash' && fault.when !== 'done') child.kill('SIGKILL');
    if (fault?.kind === 'crash' && fault.when === 'sent') await sleep(fault.ms ?? 0);
    if (fault?.kind === 'request lost' || (fault?.kind === 'crash' && fault.when === 'lost')) return 'drop';
    if (fault?.kind === 'error') return errorOf(fault.status);
    return fault?.kind === 'busy' ? errorOf(503) : undefined;
  }

  async #after(fault: Fault | undefined, child: ChildProcess, stop: (ms: number) => Promise<void>): Promise<ResponseFault | undefined> {
    if (fault?.kind === 'stop' && fault.when === 'done') void stop(fault.ms);
    if (fault?.kind === 'answer late') await sleep(fault.ms);
    if (fault?.kind === 'crash' && fault.when === 'done') child.kill('SIGKILL');
    if (fault?.kind === 'answer lost' || fault?.kind === 'crash') return 'lose';
    return fault?.kind === 'error after' ? errorOf(fault.status) : undefined;
  }

  /** Waits until the server works for a request alone. */
  #begin(
    proxied: ProxiedRequest,
    exchange: Exchange,
    open: Map<ProxiedRequest, { readonly exchange: Exchange; readonly done: () => Promise<void> }>,
  ): Promise<void> {
    return new Promise((begun) => {
      const work = this.#inTurn(() =>
        this.ledger.during(
          exchange,
          () =>
            new Promise<void>((answered) => {
              const done = () => {
                answered();
                return work;
              };
              open.set(proxied, { exchange, done });
              begun();
            }),
        ),
      );
    });
  }
}

function requestOf({ method, path, query, contentType }: ProxiedRequest): Exchange['request'] {
  const text = query.toString();
  const request = { method, path: text === '' ? path : `${path}?${text}`, headers: { 'content-type': contentType } };
  return request as unknown as Exchange['request'];
}

function errorOf(code: number) {
  const body = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason: reasons[code], message: 'of the proxy' };
  return { status: code, body, headers: code === 503 ? { 'retry-after': '1' } : {} };
}

const reasons: Readonly<Record<number, string>> = { 400: 'BadRequest', 403: 'Forbidden', 500: 'InternalError' };
