import type { ResponseBody } from '../harness/api-client.js';
import { fieldRows } from '../harness/field-rows.js';
import type { State } from './ledger.js';
import { locksOf } from './locks.js';
import { type Exchange, isWrite, objectOf, textOf } from './network.js';
import type { PlayedHistory, PlayedRun } from './play.js';
import { app, deeds, type Prepared, preparedProgram, type Values, valuesOf } from './programs.js';
import type { ReportEntry } from './run.js';
import { stamped } from './webhook.js';

/** A promise that a history did not keep. */
export interface Violation {
  readonly invariant: Invariant;
  readonly text: string;
}

/** What is counted, because it is allowed and must stay rare. */
export interface Counts {
  /** Writes that had left a run before it lost its lock, and landed after it; deletions among them. */
  lateWrites: number;
  lateDeletes: number;
  /** Runs that lost a lock. */
  lostLocks: number;
  crashes: number;
}

type Check = (history: Inspected) => readonly string[];

/** A history, with what several invariants need of it. */
interface Inspected extends PlayedHistory {
  readonly locks: ReturnType<typeof locksOf>;
  readonly before: Prepared;
  readonly programs: readonly Prepared[];
  readonly counts: Counts;
}

/** What always holds, whatever happens; each is checked at the end of a history, of which everything is written down. */
export const invariants = {
  /** After a lock was lost, no write leaves that run, records included, until it has taken locks again. */
  'a lost lock stops the run': ({ runs, network, locks }) =>
    network.exchanges.filter(isContentWrite).flatMap((exchange) => {
      const run = runs.find(({ computer }) => computer === exchange.of);
      const problem = run && locks.problemAt(run, exchange.sentAt);
      return problem === undefined ? [] : [`${textOf(exchange.request)} left ${exchange.of.name} at ${exchange.sentAt} ms: ${problem}`];
    }),

  /** A write that had left a run before it lost its lock may land late, but for records of the next run; the report of the run names its object. */
  'late writes are harmless and told': (history) => lateWrites(history).flatMap((late) => lateProblems(history, late)),

  /** Nothing is deleted that no run of ours created or adopted. */
  'nothing foreign is deleted': ({ ledger }) =>
    objectsAmong(ledger.names).flatMap((name) => {
      const states = ledger.of(name);
      return states.flatMap((state) => {
        const first = states.find(({ uid }) => uid === state.uid) as State;
        const isOurs = isRun(first.by) || (first.by === 'server' && isAppliedByUs(first.object) && !isForeignFirst(first.object));
        return state.object === undefined && isRun(state.by) && !isOurs
          ? [`${(state.by as Exchange).of.name} deleted ${name}, which ${authorOf(first)} had made`]
          : [];
      });
    }),

  /** Nothing is deleted that a run declares which began its work later and has ended well, but by a late write. */
  'nothing newer is deleted': (history) =>
    objectsAmong(history.ledger.names).flatMap((name) => {
      const late = new Set(lateWrites(history).map(({ exchange }) => exchange));
      return history.ledger.of(name).flatMap((state) => {
        if (state.object !== undefined || !isRun(state.by) || late.has(state.by)) return [];
        const by = runOf(history, state.by);
        const newer = history.runs.find(
          (run) =>
            run !== by &&
            isGood(run) &&
            (run.endedAt ?? state.at) < state.at &&
            tookLock(history, run) > tookLock(history, by) &&
            declares(run, name),
        );
        return newer === undefined ? [] : [`${by?.computer.name} deleted ${name}, which ${newer.computer.name} had deployed after it`];
      });
    }),

  /** A value of others changes only where a report says so: of that run, or of a later one if it crashed. */
  'foreign values are told': (history) => objectsAmong(history.ledger.names).flatMap((name) => untold(history, name)),

  /** A value that a run gives up, so that it is gone, is in its report; if it crashed, in that of a later run. */
  'what is given up is told': (history) => objectsAmong(history.ledger.names).flatMap((name) => untoldReleases(history, name)),

  /** The result of an object in a report is what happened. */
  'result words are true': (history) => history.runs.flatMap((run) => run.entries.flatMap((entry) => falseWord(history, run, entry))),

  /** A value that every program declares is there at every moment, unless somebody else or a destroy removes it. */
  'what all declare is always there': (history) => gaps(history),

  /** A repair brings back what a run has applied, and nothing else. */
  'a repair deploys nothing': (history) => repairProblems(history),

  /** A run that nothing and nobody disturbs ends well: it asks before its first write, or not at all. */
  'an undisturbed run ends well': ({ plan, runs }) => {
    const [first] = runs as readonly [PlayedRun];
    const isDisturbed = plan.runs.length > 1 || plan.faults.length > 0 || plan.acts.some(({ at = 1 }) => at > 0);
    // Known: an unchanged intent is not read before, so that nobody is asked where others have made its object again with other values.
    const mayRefuse =
      (plan.asks === true && plan.acts.length > 0) ||
      first.deed === 'repair by another program' ||
      first.deed === 'careful' || // its program refuses conflicts, with whoever has made its object again
      plan.acts.length > 1 ||
      plan.acts.some(({ act }) => act.kind !== 'make again');
    return isDisturbed || mayRefuse || isGood(first) ? [] : [`${first.deed} ended with ${first.outcome?.exitCode}: ${errorsOf(first)}`];
  },

  /** A run alone that meets one fault which passes ends well: it sends the request again. */
  'a passing fault is overcome': ({ plan, runs }) => {
    const [first] = runs as readonly [PlayedRun];
    const [fault] = plan.faults.map((one) => one.fault);
    // A run whose first requests, which leave together, find nobody takes the address for a wrong one.
    const isFirst = plan.faults.some((one) => 'request' in one && one.request < 4);
    const passes =
      fault !== undefined &&
      (['refused', 'request lost', 'answer lost', 'busy'].includes(fault.kind) ||
        (fault.kind === 'restart' && (fault.ms ?? 0) <= 2_000 && !isFirst));
    const isAlone =
      plan.runs.length === 1 && plan.faults.length === 1 && plan.acts.length === 0 && first.deed !== 'repair by another program';
    return !isAlone || !passes || isGood(first) ? [] : [`${first.deed} ended with ${first.outcome?.exitCode}: ${errorsOf(first)}`];
  },

  /** Each run ends in time, once the faults are over. */
  'every run ends': ({ runs }) =>
    runs
      .filter(({ outcome, computer }) => outcome === undefined && !computer.isDead)
      .map(({ computer }) => `${computer.name} does not end`),

  /** No lock outlives its holder by more than its duration and a minute. */
  'no lock outlives its holder': ({ runs, plan, locks }) =>
    runs.slice(plan.runs.length).flatMap((run) => {
      const wait = locks.waitOf(run);
      return wait > 75_000 && wait < Number.POSITIVE_INFINITY ? [`${run.computer.name} waited ${wait} ms for its locks`] : [];
    }),

  /** A lock is taken from a run only when it has not renewed it for its duration, and removed by its holder, or by a person. */
  'a lock is taken from the dead alone': ({ locks }) => locks.seizures,

  /** A run that has ended, well or not, has given its locks back. */
  'an ended run keeps no lock': ({ runs, locks }) =>
    runs.flatMap((run) =>
      run.outcome === undefined ? [] : locks.kept(run).map((lock) => `${run.computer.name} has ended, and has ${lock}`),
    ),

  /** After a crash, the same run again ends in the state that an undisturbed one gives, or refuses what it would have to ask. */
  'a run again finishes the work': (history) => againProblems(history),

  /** Whatever happened, the next deploy ends well, and in the state that it declares. */
  'the last deploy has the last word': (history) => lastProblems(history),

  /** Somebody who watches sees at last what there is. */
  'an observer sees everything': ({ blind }) => blind,

  /** The records in the cluster name each object that has fields of ours, and no other. */
  'records explain the owners': (history) => recordProblems(history),
} satisfies Readonly<Record<string, Check>>;

export type Invariant = keyof typeof invariants;

/** Checks a history against all invariants. */
export async function inspect(history: PlayedHistory): Promise<{ readonly violations: readonly Violation[]; readonly counts: Counts }> {
  const locks = locksOf(history);
  const counts: Counts = {
    lateWrites: 0,
    lateDeletes: 0,
    lostLocks: 0,
    crashes: history.runs.filter(({ computer }) => computer.isDead).length,
  };
  const programs = await Promise.all(history.plan.runs.map(({ deed }) => preparedProgram(deeds[deed].program, history.plan.objects)));
  const inspected: Inspected = { ...history, locks, counts, programs, before: await preparedProgram('old', history.plan.objects) };
  counts.lostLocks = history.runs.filter((run) => locks.lostAt(run) < Number.POSITIVE_INFINITY).length;
  for (const { exchange } of lateWrites(inspected)) {
    counts.lateWrites++;
    if (exchange.request.method === 'DELETE') counts.lateDeletes++;
  }
  const violations = Object.entries(invariants).flatMap(([invariant, check]) =>
    check(inspected).map((text) => ({ invariant: invariant as Invariant, text })),
  );
  return { violations, counts };
}

/** By invariant: how many histories broke it. */
export type BrokenCounts = Partial<Record<Invariant, number>>;

/** Counts a history for each invariant that it breaks. */
export function countBroken(counts: BrokenCounts, violations: readonly Violation[]): void {
  for (const invariant of new Set(violations.map((one) => one.invariant))) counts[invariant] = (counts[invariant] ?? 0) + 1;
}

const objects = /^(ConfigMap [cs]|Widget w)\d$/;
const objectsAmong = (names: readonly string[]) => names.filter((name) => objects.test(name));
const isRun = (by: State['by']): by is Exchange => typeof by !== 'string';
const authorOf = ({ by }: State) => (isRun(by) ? by.of.name : by);
const isGood = ({ outcome }: PlayedRun) => outcome?.exitCode === 0;
const managerOf = (stack: string) => `fieldwise/${app}/default/${stack}`;
const nameIn = (request: Exchange['request']) => objectOf(request).split('/').at(-1) as string;
const runOf = ({ runs }: PlayedHistory, exchange: Exchange) => runs.find(({ computer }) => computer === exchange.of) as PlayedRun;
const tookLock = ({ locks }: Inspected, run: PlayedRun) => locks.lastTakenAt(run);
const declares = ({ program, deed }: PlayedRun, name: string) => deed !== 'destroy' && program.values.has(name);

function isContentWrite({ request }: Exchange): boolean {
  return isWrite(request) && /configmaps|secrets|widgets/.test(request.path);
}

function isAppliedByUs(object: ResponseBody): boolean {
  return managersOf(object).length > 0;
}

function isAppliedByOthers(object: ResponseBody): boolean {
  const entries: ResponseBody[] = object?.metadata.managedFields ?? [];
  return entries.some(({ manager, operation }) => operation === 'Apply' && !manager.startsWith(`fieldwise/${app}/`));
}

/** The first who wrote an object of the cluster at the beginning is somebody else. */
function isForeignFirst(object: ResponseBody): boolean {
  return (object?.metadata.managedFields ?? []).some(
    ({ manager }: ResponseBody) => manager === 'platform' || manager === 'kubectl-client-side-apply',
  );
}

/** The first who wrote an object of this uid is no run. */
function isMadeByOthers(states: readonly State[], { uid }: State): boolean {
  return typeof states.find((state) => state.uid === uid)?.by === 'string';
}

function managersOf(object: ResponseBody): string[] {
  const entries: ResponseBody[] = object?.metadata.managedFields ?? [];
  return entries.flatMap(({ manager, operation }) => (operation === 'Apply' && manager.startsWith(`fieldwise/${app}/`) ? [manager] : []));
}

interface LateWrite {
  readonly exchange: Exchange;
  readonly run: PlayedRun;
  readonly at: number;
}

/** Writes of content that a run sent while it had its lock, and that the server carried out after the loss. */
function lateWrites(history: Inspected): readonly LateWrite[] {
  return history.network.exchanges.filter(isContentWrite).flatMap((exchange) => {
    const run = runOf(history, exchange);
    const lostAt = history.locks.lostAt(run, exchange.sentAt);
    const landed = exchange.done.find(({ at, code }) => at > lostAt && code < 300);
    return landed === undefined || exchange.sentAt > lostAt ? [] : [{ exchange, run, at: landed.at }];
  });
}

function lateProblems(history: Inspected, { exchange, run }: LateWrite): string[] {
  const name = nameIn(exchange.request);
  const lostAt = history.locks.lostAt(run, exchange.sentAt);
  if (/configmaps|secrets/.test(exchange.request.path) && !objects.test(`ConfigMap ${name}`)) {
    const states = history.ledger.of(`${exchange.request.path.includes('/secrets') ? 'Secret' : 'ConfigMap'} ${name}`);
    const own = states.findIndex(({ by }) => by === exchange);
    // A note of old values is created by its name and never replaced: one that arrives after its removal is a rest, which the next note replaces.
    const isRest =
      /\/secrets\/.*\.\d+$/.test(exchange.request.path.split('?')[0] ?? '') && own > 0 && states[own - 1]?.object === undefined;
    if (isRest) return [];
    const over = states.slice(0, Math.max(0, own)).some((state) => state.at > lostAt && isRun(state.by) && state.by.of !== exchange.of);
    return over ? [`the record ${name} of the next run was written over by ${textOf(exchange.request)} of ${run.computer.name}`] : [];
  }
  if (run.outcome === undefined) return [];
  const entries = run.outcome.entries.filter(({ object }) => object.endsWith(`/${name}`));
  return entries.some((entry) => /not known|perhaps|may have/i.test(JSON.stringify(entry)))
    ? []
    : [
        `${textOf(exchange.request)} of ${run.computer.name} landed after the loss of its lock, and its report does not say so: ${JSON.stringify(entries)}`,
      ];
}

function untold(history: Inspected, name: string): string[] {
  const states = history.ledger.of(name);
  return states.flatMap((state, index) => {
    const previous = states[index - 1]?.object;
    if (!isRun(state.by) || previous === undefined || isAfterAll(history, state)) return [];
    const by = runOf(history, state.by);
    const now = valuesOf(state.object);
    const lost = Object.entries(valuesOf(previous)).filter(([path, value]) => now[path] !== value);
    return lost.flatMap(([path, value]) => {
      const others = othersOf(states.slice(0, index), path, value);
      if (others.length === 0 || isToldBy(history, { ...state, of: by }, name, path, value)) return [];
      return [
        `${by.computer.name} changed ${name} ${path} of ${others.join(', ')}: ${value} → ${now[path] ?? 'removed'}, and no report says so`,
      ];
    });
  });
}

/** Returns true where what a run had sent that was cut off arrived when the last run had begun: nobody can say that any more. */
function isAfterAll({ runs }: Inspected, { by, at }: State): boolean {
  return isRun(by) && by.of.isDead && at > (runs.at(-1) as PlayedRun).startedAt;
}

function untoldReleases(history: Inspected, name: string): string[] {
  const states = history.ledger.of(name);
  return states.flatMap((state, index) => {
    const previous = states[index - 1]?.object;
    if (!isRun(state.by) || previous === undefined || state.object === undefined || isAfterAll(history, state)) return [];
    const by = runOf(history, state.by);
    const now = valuesOf(state.object);
    const rows = fieldRows(previous);
    return Object.entries(valuesOf(previous)).flatMap(([path, value]) => {
      const isOurs = rows.find((row) => row.path === path)?.owners.some((owner) => owner.startsWith(`fieldwise/${app}/`));
      if (now[path] !== undefined || !isOurs || isToldBy(history, { ...state, of: by }, name, path, value)) return [];
      return [`${by.computer.name} gave up ${name} ${path} (${value}), which is gone, and no report says so`];
    });
  });
}

/** The others who own a value; in the list of a Widget, of whose items managedFields say nothing, those who wrote it. */
function othersOf(states: readonly State[], path: string, value: string): readonly string[] {
  const last = states.at(-1)?.object;
  if (last.kind === 'Widget') {
    const writer = states.find(({ object, uid }) => uid === last.metadata.uid && valuesOf(object)[path] === value);
    return writer !== undefined && typeof writer.by === 'string' && writer.by !== 'server' ? [writer.by] : [];
  }
  const owners = fieldRows(last).find((row) => row.path === path)?.owners ?? [];
  return owners.filter((owner) => !owner.startsWith(`fieldwise/${app}/`));
}

/**
 * Whether the report of a run names a field with its old value; for one that crashed, that of a run that ended after the change, or that the run perhaps
 * forced it. A run that had begun before, and waited for the lock, is such a one.
 */
function isToldBy(
  { runs }: Inspected,
  { of: by, at, object }: Pick<State, 'at' | 'object'> & { readonly of: PlayedRun },
  name: string,
  path: string,
  value: string,
): boolean {
  const isDeleted = object === undefined;
  const tellers = by.outcome === undefined ? runs.filter((run) => run === by || run.endedAt === undefined || run.endedAt > at) : [by];
  const texts = tellers
    .flatMap(({ entries }) => entries)
    .filter((entry) => isAbout(entry, name))
    .map((entry) => JSON.stringify(entry));
  // After a crash, a later run can only say that the object is absent.
  if (isDeleted) return texts.some((text) => text.includes('deleted') || (by.outcome === undefined && text.includes('"absent"')));
  const field = JSON.stringify(path).slice(1, -1);
  // Who may not read an object says that it does not know what was released of it.
  if (texts.some((text) => text.includes('released are unknown'))) return true;
  return texts.some((text) => text.includes(field) && (text.includes(`"${value}"`) || /perhaps/i.test(text)));
}

/** Whether an entry of a report is about an object, by `Kind name`. */
function isAbout({ object }: ReportEntry, name: string): boolean {
  const [kind, short] = name.split(' ');
  return object.startsWith(`${kind} `) && object.endsWith(`/${short}`);
}

function falseWord(history: Inspected, run: PlayedRun, { object, result, uid, event, manager, warnings = [] }: ReportEntry): string[] {
  const name = `${object.split(' ')[0]} ${object.split('/').at(-1)}`;
  if (event !== 'object' || !objects.test(name)) return [];
  const states = history.ledger.of(name);
  // A handoff also patches managedFields, after its deploy.
  // A renamed stack ends what it owned under its former name.
  const managers = [String(manager), ...(String(manager) === managerOf('fresh') ? [managerOf('web')] : [])];
  const isOwnWrite = ({ request }: Exchange) =>
    request.method === 'DELETE' ||
    (managers.some((one) => request.path.includes(`fieldManager=${encodeURIComponent(one)}`)) &&
      !/json-patch/.test(String(request.headers['content-type'])));
  const own = states.filter(({ by }) => isRun(by) && by.of === run.computer && isOwnWrite(by));

  // A claim of fields that another stack gives up comes before everything else.
  const hasClaimed = warnings.some((text) => / co-owns /.test(text));
  const wrong = (why: string) => [`${run.computer.name} says ${result} of ${name}, and ${why}`];
  if (result === 'unchanged' || result === 'conflict' || result === 'skipped')
    return own.length > 0 && !hasClaimed ? wrong(`wrote it at ${own.map(({ at }) => at)} ms`) : [];
  if (result === 'created' || result === 'recreated') {
    const first = states.find((state) => state.uid === uid);
    return first !== undefined && own.includes(first) ? [] : wrong(`did not make the object of uid ${String(uid)}`);
  }
  if (result === 'deleted')
    return states.some(({ object: live, at }) => live === undefined && at >= run.startedAt) ? [] : wrong('nobody deleted it');
  if (result === 'updated') return own.length > 0 ? [] : wrong('did not write it');
  return [];
}

/** Fields that all programs declare, and that a write of ours removed, with their object or alone. */
function gaps(history: Inspected): string[] {
  const { programs, before, runs, ledger, plan } = history;
  if (plan.runs.some(({ deed }) => deed === 'destroy')) return [];
  const last = runs.at(-1)?.program as Prepared;
  const all = [...(plan.runs.some(({ deed }) => deed === 'adopt') ? [] : [before]), ...programs, last];
  const always = [...before.values].flatMap(([name, values]) =>
    Object.keys(values).flatMap((path) => (all.every((one) => one.values.get(name)?.[path] !== undefined) ? [[name, path] as const] : [])),
  );
  return always.flatMap(([name, path]) => {
    const states = ledger.of(name);
    return states.flatMap((state, index) => {
      const had = valuesOf(states[index - 1]?.object)[path] !== undefined;
      const has = valuesOf(state.object)[path] !== undefined;
      return had && !has && isRun(state.by)
        ? [`${state.by.of.name} removed ${name} ${path} at ${state.at} ms, which every program declares`]
        : [];
    });
  });
}

/** Whether the webhook of a history decides over a field. */
function isRewritten({ plan }: Pick<PlayedHistory, 'plan'>, path: string): boolean {
  return plan.webhook === true && path.startsWith('.data.') && Object.values(stamped).includes(path.slice('.data.'.length));
}

function repairProblems(history: Inspected): string[] {
  return objectsAmong(history.ledger.names).flatMap((name) => {
    const states = history.ledger.of(name);
    return states.flatMap((state, index) => {
      const run = isRun(state.by) ? runOf(history, state.by) : undefined;
      if (run?.deed !== 'repair' && run?.deed !== 'repair by another program') return [];
      const before = states[index - 1];
      const written = Object.entries(valuesOf(state.object)).filter(([path]) => !isRewritten(history, path));
      return written.flatMap(([path, value]) =>
        valuesOf(before?.object)[path] === value || states.slice(0, index).some(({ object }) => valuesOf(object)[path] === value)
          ? []
          : [`${run.computer.name} repaired ${name} ${path} to ${value}, which nobody had deployed`],
      );
    });
  });
}

function errorsOf({ outcome, entries }: PlayedRun): string {
  return JSON.stringify([
    outcome?.errors,
    entries.flatMap(({ object, result, error }) => (error === undefined ? [] : [[object, result, error]])),
  ]);
}

function lastProblems(history: Inspected): string[] {
  const { runs, ledger } = history;
  const last = runs.at(-1) as PlayedRun;
  if (last.outcome === undefined) return [];
  if (last.outcome.exitCode !== 0) return [`the last deploy ended with ${last.outcome.exitCode}: ${errorsOf(last)}`];
  // What a run had sent may arrive afterwards: a run that was cut off has no report, and every other one says so.
  const mayArrive = (exchange: Exchange, name: string) =>
    exchange.of.isDead ||
    runOf(history, exchange).entries.some((entry) => isAbout(entry, name) && JSON.stringify(entry).includes('may still arrive'));
  const different = [...last.program.values].flatMap(([name, declared]) => {
    const live = valuesOf(ledger.of(name).findLast(({ by, at }) => !(isRun(by) && at > last.startedAt && mayArrive(by, name)))?.object);
    return Object.entries(declared).flatMap(([path, value]) =>
      live[path] === value || isRewritten(history, path)
        ? []
        : [`after the last deploy, ${name} ${path} is ${live[path] ?? 'absent'}, not ${value}`],
    );
  });
  const c2 = ledger.of('ConfigMap c2').at(-1);
  // What somebody has made under our name stays, and what somebody else has applied fields to: of that, nothing may show who has created it.
  const isOthers =
    c2?.object !== undefined &&
    (isMadeByOthers(ledger.of('ConfigMap c2'), c2) ||
      ledger.of('ConfigMap c2').some(({ uid, object }) => uid === c2.uid && isAppliedByOthers(object)));
  const extra = c2?.object && !isOthers ? ['after the last deploy, c2 is there, which it does not declare'] : [];
  return [...different, ...extra];
}

/** Of the runs that began again after a crash, one after the other, when nothing else happens any more. */
function againProblems(history: Inspected): string[] {
  const { runs, plan, ledger } = history;
  const again = runs
    .slice(plan.runs.length, -1)
    .filter(({ deed }) => deed !== 'last' && /^(deploy|destroy|planned)$/.test(deeds[deed].verb));
  return again.flatMap((run) => {
    const { computer, deed, startedAt, outcome } = run;
    const later = runs.slice(runs.indexOf(run) + 1).map((one) => one.computer);
    if (outcome === undefined) return [];
    // A run that is bound to a saved plan refuses where the one that was cut off has changed the object.
    if (outcome.exitCode !== 0)
      return plan.asks === true || deed === 'careful' || deed === 'saved plan' ? [] : [`${computer.name} ended with ${outcome.exitCode}`];
    return objectsAmong(ledger.names).flatMap((name) => {
      const states = ledger.of(name).filter(({ by }) => !isRun(by) || !later.includes(by.of));
      // What a run had sent that was cut off may arrive late: before it has looked, or afterwards.
      const withoutLate = states.filter(({ at, by }) => !(isRun(by) && by.of.isDead && at > startedAt));
      return unfinished(history, run, name, states).length === 0 ? [] : unfinished(history, run, name, withoutLate);
    });
  });
}

/** Says in what the last of some states of an object is not as a run declares it. */
function unfinished(history: Inspected, { computer, deed, program }: PlayedRun, name: string, states: readonly State[]): string[] {
  const declared: Values = (deed === 'destroy' ? undefined : program.values.get(name)) ?? {};
  const last = states.at(-1);
  const live = valuesOf(last?.object);
  const isOurs = last?.object !== undefined && !isMadeByOthers(states, last);
  const owned = isOurs ? fieldRows(last.object).filter(({ owners }) => owners.some((one) => one.startsWith(`fieldwise/${app}/`))) : [];
  return [
    ...Object.entries(declared)
      .filter(([path, value]) => live[path] !== value && !isRewritten(history, path))
      .map(([path, value]) => `${computer.name} has ended, and ${name} ${path} is ${live[path] ?? 'absent'}, not ${value}`),
    ...owned
      .filter(({ path }) => live[path] !== undefined && declared[path] === undefined)
      .map(({ path }) => `${computer.name} has ended, and owns ${name} ${path}, which it does not declare`),
  ];
}

function recordProblems({ runs, ledger }: Inspected): string[] {
  const last = runs.at(-1) as PlayedRun;
  if (last.outcome?.exitCode !== 0) return [];
  const recorded = ledger.names
    .filter((name) => name.startsWith(`ConfigMap ${app}.`))
    .flatMap((name) => entriesOf(ledger.of(name).at(-1)?.object));
  const owned = objectsAmong(ledger.names).flatMap((name) =>
    managersOf(ledger.of(name).at(-1)?.object).map((manager) => `${manager} ${name.split(' ')[1]}`),
  );
  const c2 = ledger.of('ConfigMap c2');
  const isForged = c2.length > 0 && isMadeByOthers(c2, c2.at(-1) as State);
  return [
    ...owned
      .filter((one) => !(isForged && one.endsWith(' c2')))
      .filter((one) => !recorded.includes(one))
      .map((one) => `no record has ${one}`),
    // What was applied client-side, as to a Widget, has no entry of an apply.
    ...recorded.filter((one) => !owned.includes(one) && !one.endsWith(' w0')).map((one) => `a record has ${one}, which owns nothing there`),
  ];
}

function entriesOf(inventory: ResponseBody): string[] {
  if (inventory === undefined) return [];
  const { app: name, instance, stack, entries = '' } = inventory.data;
  const lines = String(entries)
    .split('\n')
    .filter((line) => line !== '');
  return lines.map((line) => `fieldwise/${name}/${instance}/${stack} ${JSON.parse(line).name}`);
}
