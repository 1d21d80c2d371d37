import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiClient } from '../harness/api-client.js';
import type { TestCluster } from '../harness/cluster.js';
import { InterceptionProxy, type ProxiedRequest } from '../harness/interception-proxy.js';
import { Gate } from './gate.js';
import { isAboutLock, nameOf, type Run, type SentRequest, ServerObserver, targetOf } from './observers.js';
import { errors, hasSecondBetween, isStop, type Pause } from './pause.js';
import { contest, contested, furnish, type Kind, type Programs, theirs } from './programs.js';
import { type RunOrder, type RunOutcome, run } from './run.js';
import { type Scripts, StartedRun } from './started-run.js';

/** What all cases share. */
export interface Environment {
  readonly cluster: TestCluster;
  readonly scripts: Scripts;
  readonly directory: string;
}

const never = Number.POSITIVE_INFINITY;
/** The value that the other manager gives its fields when the second run has ended. */
export const again = 'again';
const arrivalMs = 200;
const longestRunMs = 120_000;

/**
 * One case: the first run, what befalls it, and the second run. The first one's requests pass an observer beside it, then what holds them,
 * then the observer at the server.
 */
export class PauseCase {
  readonly sent: SentRequest[] = [];
  readonly server = new ServerObserver();
  /** Requests of the first run, once it had a lock. */
  readonly counts = { others: 0, writes: 0, forced: 0, locks: 0 };
  /** When the fault struck, when the first run went on, and when it got the first answer after that; infinite for what did not happen. */
  struckAt = never;
  wentOnAt = never;
  answeredAt = never;
  /** The locks of the first run when the fault struck. */
  locks: readonly string[] = [];
  /** Data of the ConfigMaps when the second run had ended, if the first one was to go on only then. */
  between: ReadonlyMap<string, Record<string, string>> | undefined;
  /** Data of the ConfigMaps, and the holders of locks, at the end. */
  data: ReadonlyMap<string, Record<string, string>> = new Map();
  holders: readonly string[] = [];
  readonly #environment: Environment;
  readonly #requests = new Gate();
  readonly #answers = new Gate();
  #struck: ProxiedRequest | undefined;
  #onStrike = () => {};
  #onSecond = () => {};

  constructor(
    environment: Environment,
    readonly kind: Kind,
    readonly programs: Programs,
    readonly pause: Pause,
    readonly namespace: string,
  ) {
    this.#environment = environment;
  }

  async run(): Promise<Readonly<Record<Run, RunOutcome>>> {
    const { pause, programs, namespace } = this;
    const { cluster, scripts, directory } = this.#environment;
    const below = mkdtempSync(join(directory, 'case-'));
    const far = await InterceptionProxy.start(cluster.client, join(below, 'far.kubeconfig'));
    const near = await InterceptionProxy.start(new ApiClient(far.kubeconfig), join(below, 'near.kubeconfig'));
    const beside = await InterceptionProxy.start(cluster.client, join(below, 'beside.kubeconfig'));
    const patient = { namespace, concurrency: 8, timeoutMs: 60_000, retryTimeoutMs: 60_000 };
    const started: StartedRun[] = [];
    const start = (order: RunOrder) => new StartedRun(scripts, order, join(below, `${started.length}.shifts`));
    const startSecond = () => start({ ...patient, verb: 'deploy', assembly: programs.second, kubeconfig: beside.kubeconfig });
    try {
      await furnish(cluster, namespace, this.kind);
      for (const assembly of programs.before)
        requireOk(await run({ ...patient, verb: 'deploy', assembly, kubeconfig: cluster.kubeconfig }));
      for (const name of contested) await contest(cluster, namespace, name, theirs);
      const struck = new Promise<void>((resolve) => {
        this.#onStrike = resolve;
      });
      const secondIsFar = new Promise<void>((resolve) => {
        this.#onSecond = resolve;
      });
      const { concurrency, timeoutMs } = pause;
      const first = start({ ...programs.first, namespace, kubeconfig: near.kubeconfig, concurrency, timeoutMs, retryTimeoutMs: 5_000 });
      started.push(first);
      this.#observe(far, 'first');
      this.#observe(beside, 'second');
      this.#strike(near, first);
      await inTime(Promise.race([struck, first.ended]), 'the first run, until the fault');
      if (this.struckAt < never && hasSecondBetween(pause)) {
        const second = startSecond();
        started.push(second);
        await inTime(Promise.race([second.ended, ...(pause.goesOnAt === undefined ? [] : [secondIsFar])]), 'the second run');
        if (pause.goesOnAt === undefined) {
          this.between = await this.#dataNow();
          for (const name of contested.slice(1)) await contest(cluster, namespace, name, again);
        }
        await this.#goOn(first);
      }
      const outcome = await inTime(first.ended, 'the first run');
      if (started.length === 1) started.push(startSecond());
      const second = await inTime((started[1] as StartedRun).ended, 'the second run');
      this.data = await this.#dataNow();
      const leases = await cluster.list('coordination.k8s.io/v1', 'Lease', namespace);
      this.holders = leases.flatMap(({ spec }) => (spec.holderIdentity ? [spec.holderIdentity] : []));
      return { first: outcome, second };
    } finally {
      for (const one of started) one.signal('SIGKILL');
      for (const gate of [this.#requests, this.#answers]) gate.open();
      for (const proxy of [near, far, beside]) await proxy.stop();
      near.upstream.close();
    }
  }

  #observe(proxy: InterceptionProxy, name: Run): void {
    let writes = 0;
    proxy.onRequest = (request) => {
      this.server.reaches(name, request);
      const isWrite = ['object', 'record'].includes(targetOf(request));
      if (name === 'second' && isWrite && writes++ === this.pause.goesOnAt) this.#onSecond();
      return undefined;
    };
    proxy.onResponse = (request, { body }) => {
      this.server.answers(name, request, body);
      return undefined;
    };
  }

  #strike(near: InterceptionProxy, first: StartedRun): void {
    const { fault, error, isLasting, held } = this.pause;
    near.onRequest = async (request) => {
      const left = performance.now();
      this.sent.push({ request, target: targetOf(request), left, answered: never });
      if (this.server.last !== undefined && this.#isStruck(request)) {
        this.#struck = request;
        this.struckAt = left;
        this.#begin(first);
        this.#onStrike();
      }
      const wasHeld = await this.#requests.pass();
      return wasHeld && held === 'dropped' && fault === 'hold' ? 'drop' : undefined;
    };
    near.onResponse = async (request) => {
      await this.#answers.pass();
      const now = performance.now();
      if (now > this.wentOnAt) this.answeredAt = Math.min(this.answeredAt, now);
      for (const sent of this.sent) if (sent.request === request) sent.answered = now;
      const isWrong = request === this.#struck || (isLasting && this.#struck !== undefined && isRepetition(request, this.#struck));
      return fault === 'error' && isWrong ? errors[error] : undefined;
    };
  }

  #isStruck(request: ProxiedRequest): boolean {
    const { fault, among, at } = this.pause;
    const isForced = request.query.get('force') === 'true' && contested.includes(nameOf(request));
    const classes: Pause['among'][] = isAboutLock(request)
      ? ['locks']
      : ['others', ...(targetOf(request) === 'nothing' ? [] : ['writes' as const]), ...(isForced ? ['forced' as const] : [])];
    const numbers = new Map(classes.map((name) => [name, this.counts[name]++]));
    return fault !== 'none' && this.#struck === undefined && numbers.get(among) === at;
  }

  #begin(first: StartedRun): void {
    const { pause } = this;
    this.locks = this.server.locks();
    if (pause.fault === 'jump') first.shiftClocks(pause.jump);
    if (pause.fault === 'hold' || pause.fault === 'stop-held') this.#requests.close();
    if (!isStop(pause)) return;
    first.signal('SIGSTOP');
    this.#answers.close();
  }

  /** Gives the first run no answer until all has left it that had passed its check when it was stopped. */
  async #goOn(first: StartedRun): Promise<void> {
    this.wentOnAt = performance.now();
    const passed = this.wentOnAt - this.struckAt;
    if (this.pause.fault === 'suspend') first.shiftClocks([0, -passed]);
    if (this.pause.fault === 'set-back') first.shiftClocks([-passed - 1_000, 0]);
    this.#requests.open();
    await first.goOn();
    await sleep(arrivalMs);
    this.#answers.open();
  }

  async #dataNow(): Promise<ReadonlyMap<string, Record<string, string>>> {
    const objects = await this.#environment.cluster.list('v1', 'ConfigMap', this.namespace);
    return new Map(objects.map(({ metadata, data }) => [metadata.name, data]));
  }
}

function isRepetition(request: ProxiedRequest, of: ProxiedRequest): boolean {
  return request.method === of.method && request.path === of.path && String(request.query) === String(of.query);
}

function requireOk({ exitCode, errors: found, entries }: RunOutcome): void {
  if (exitCode !== 0) throw new Error(`a run before ended with ${exitCode}: ${JSON.stringify([found, entries.slice(0, 3)])}`);
}

async function inTime<Result>(promise: Promise<Result>, what: string): Promise<Result> {
  const end = new AbortController();
  const late = sleep(longestRunMs, undefined, { signal: end.signal }).then(() => Promise.reject(new Error(`${what} does not end`)));
  return Promise.race([promise, late]).finally(() => end.abort());
}
