import { createHash } from 'node:crypto';
import { type ClusterClient, createClusterClient, Transport } from '../../src/kubernetes/index.js';
import { Random } from '../corpus/random.js';
import { inProcessConnection } from '../harness/in-process-wire.js';
import { Computer } from './computer.js';
import type { FaultPoint, HistoryPlan } from './history.js';
import { Ledger, type Line } from './ledger.js';
import { isWrite, Network, type NetworkOptions } from './network.js';
import { Observer } from './observer.js';
import { type DeedName, deeds, type Prepared, type ProgramName, preparedProgram } from './programs.js';
import { type ReportEntry, type RunOutcome, runOn } from './run.js';
import { embeddedSite, type OpenSite } from './site.js';
import { configureWebhook } from './webhook.js';
import type { World } from './world.js';
import { act, type WriterAct } from './writers.js';

/** A run of a history that was played. */
export interface PlayedRun {
  readonly computer: Computer;
  readonly deed: DeedName | 'last';
  readonly program: Prepared;
  readonly startedAt: number;
  endedAt?: number;
  /** What it has told of objects: a run that crashed, as far as it came. */
  readonly entries: readonly ReportEntry[];
  /** Undefined if it crashed, or did not end in time. */
  outcome?: RunOutcome;
}

/** A history that was played. */
export interface PlayedHistory {
  readonly plan: HistoryPlan;
  readonly runs: readonly PlayedRun[];
  readonly network: Network;
  readonly ledger: Ledger;
  /** What an observer has not seen. */
  readonly blind: readonly string[];
  /** The time at which it begins, in milliseconds since 1970. */
  readonly beginning: number;
  /** The story, as bytes. */
  readonly digest: string;
  /** The most milliseconds that it was behind the clock of a real server. */
  readonly lag: number;
}

const hour = 3_600_000;
/** Milliseconds in which an observer learns of everything. */
const quiet = 120_000;

/** Plays a history to its end: the same plan gives the same story, byte by byte. */
export async function play(plan: HistoryPlan, open: OpenSite = embeddedSite()): Promise<PlayedHistory> {
  const site = await open(plan);
  const { world, server, namespace } = site;
  const random = new Random(plan.seed);
  const ledger = new Ledger(world);
  await site.follow(ledger);
  const played: PlayedRun[] = [];
  const latency = () => (plan.maxLatency === 0 ? 0 : 1 + random.below(plan.maxLatency));
  const faultOf: NetworkOptions['faultOf'] = ({ of, number, writes, request }) => {
    const isAt = (place: FaultPoint) =>
      played[place.run]?.computer === of && ('write' in place ? isWrite(request) && place.write === writes : place.request === number);
    for (const { before, act: done } of plan.acts) if (before !== undefined && isAt(before)) perform(done);
    return plan.faults.find(isAt)?.fault;
  };
  const perform = (done: WriterAct) =>
    world.schedule(0, { of: 'somebody', object: done.object, isWrite: true }, () => world.hold(act(site, ledger, done)));
  const network = new Network({ world, server, ledger, latency, faultOf });

  if (plan.webhook === true) await configureWebhook(server);
  const clientOf = (computer: Computer) => {
    const transport = new Transport(inProcessConnection, {
      wire: network.wireOf(computer),
      machine: computer.machine,
      concurrency: plan.concurrency,
    });
    return createClusterClient(transport, namespace);
  };
  const begin = (deed: DeedName | 'last', program: Prepared) => {
    const number = played.length;
    const name = deed === 'last' ? 'last' : `run ${number}`;
    const computer = new Computer(world, name, new Random(plan.seed + 1 + number), number + 1);
    const cluster = clientOf(computer);
    const entries: ReportEntry[] = [];
    const one: PlayedRun = { computer, deed, program, startedAt: world.now, entries };
    played.push(one);
    ledger.tell(name, deed === 'last' ? 'begins: the last deploy' : `begins: ${deed}`);
    const verb = deed === 'last' ? 'deploy' : deeds[deed].verb;
    const settings = {
      verb,
      namespace,
      concurrency: plan.concurrency,
      leaseDurationSeconds: 15,
      yes: plan.asks !== true,
    } as const;
    void runOn(cluster, program.assembly, settings, entries).then((outcome) => {
      if (computer.isDead) return;
      one.outcome = outcome;
      one.endedAt = world.now;
      ledger.tell(name, `ends with ${outcome.exitCode}${outcome.errors.length > 0 ? ` ${JSON.stringify(outcome.errors)}` : ''}`);
    });
    return one;
  };
  const isOver = ({ computer, outcome }: PlayedRun) => outcome !== undefined || computer.isDead;

  for (const { at, act: done } of plan.acts) if (at !== undefined) world.schedule(at, { of: 'somebody' }, () => perform(done));
  const preparedRuns = await Promise.all(plan.runs.map(({ deed }) => preparedProgram(deeds[deed].program, plan.objects)));
  for (const [index, { deed, at }] of plan.runs.entries())
    world.schedule(at, { of: `run ${index}` }, () => void begin(deed, preparedRuns[index] as Prepared));
  const lastProgram = await preparedProgram(lastProgramOf(plan), plan.objects);
  const observed = plan.observed && observeFrom(world, network, { plan, program: lastProgram, clientOf });
  const hasBegun = () => played.length === plan.runs.length;
  await world.run(() => hasBegun() && played.every(isOver) && world.now >= lastActOf(plan), hour);
  const crashed = played.flatMap((one, index) => (one.computer.isDead ? [plan.runs[index] as HistoryPlan['runs'][number]] : []));
  // Runs begin again once the server is back: one that finds nobody there takes the address for a wrong one.
  const awaitServer = async () => {
    if (network.downFor === 0) return;
    world.schedule(network.downFor, { of: 'server' }, () => undefined);
    await world.run(() => network.downFor === 0, world.now + hour);
  };
  for (const { deed } of crashed) {
    await awaitServer();
    const again = begin(deed, await preparedProgram(deeds[deed].program, plan.objects));
    await world.run(() => isOver(again), world.now + hour);
  }
  await awaitServer();
  const last = begin('last', lastProgram);
  await world.run(() => isOver(last), world.now + hour);
  await world.run(() => network.isCalm, world.now + hour);
  const blind = observed === undefined ? [] : await blindSpots(world, observed, clientOf);
  await site.stop();
  const { beginning } = world;
  return { plan, runs: played, network, ledger, blind, beginning, digest: digestOf(ledger.lines), lag: world.lag };
}

/** Lets somebody watch; its watches end at times of the plan. */
function observeFrom(
  world: World,
  network: Network,
  {
    plan,
    program,
    clientOf,
  }: { readonly plan: HistoryPlan; readonly program: Prepared; readonly clientOf: (computer: Computer) => ClusterClient },
): Observer {
  const observer = new Observer(clientOf(new Computer(world, 'observer', new Random(plan.seed + 17), 99)), program);
  world.schedule(0, { of: 'observer' }, () => observer.begin());
  for (const at of plan.observed ?? []) world.schedule(at, { of: 'observer' }, () => network.endWatches());
  return observer;
}

/** What an observer does not see, a quiet while after all that has happened. */
async function blindSpots(world: World, observer: Observer, clientOf: (computer: Computer) => ClusterClient): Promise<readonly string[]> {
  await world.run(() => false, world.now + quiet);
  if (observer.hasEnded) return ['it has ended'];
  let found: readonly string[] | undefined;
  void observer.problems(clientOf(new Computer(world, 'reader', new Random(1), 98))).then((problems) => {
    found = problems;
  });
  await world.run(() => found !== undefined, world.now + quiet);
  observer.end();
  await world.run(() => observer.hasEnded, world.now + quiet);
  return found ?? ['the drift cannot be read'];
}

/** The program of the last run: later than all others, of the same kind. */
export function lastProgramOf({ runs }: HistoryPlan): ProgramName {
  return deeds[(runs[0] as HistoryPlan['runs'][number]).deed].last;
}

function lastActOf({ acts, runs }: HistoryPlan): number {
  return Math.max(0, ...acts.map(({ at = 0 }) => at), ...runs.map(({ at }) => at));
}

function digestOf(lines: readonly Line[]): string {
  const hash = createHash('sha256');
  for (const { at, who, text } of lines) hash.update(`${at} ${who} ${text}\n`);
  return hash.digest('hex');
}
