import { isCarriedOut, nameOf, type Run, type SentRequest, type ServedWrite, textOf } from './observers.js';
import { hasSecondBetween, isStop } from './pause.js';
import { again, type PauseCase } from './pause-case.js';
import { contested, theirs } from './programs.js';
import type { ReportEntry, RunOutcome } from './run.js';

/** What is counted in each case, and its words. */
const countNames = {
  runs: 'runs',
  struck: 'struck',
  lost: 'lost their lock',
  /** Writes of objects and records under way when the lock was lost. */
  inFlight: 'writes in flight',
  /** Writes that left the run after the loss, but had passed its check when the process was stopped. */
  passedCheck: 'past the check',
  /** Those of both that the server carried out after the loss, and that it refused. */
  landedLate: 'landed late',
  refusedLate: 'refused late',
  objectsAfter: 'left after the loss: objects',
  recordsAfter: 'records',
  /** Refused ones are in order: so does a run find out. */
  locksAfter: 'locks',
  /** The first run took a lock anew, after the second one. */
  firstIsLast: 'began again after the second run',
} as const;

export type Counts = Readonly<Record<keyof typeof countNames, number>>;

export function sumOf(left: Counts | undefined, right: Counts): Counts {
  return Object.fromEntries(Object.entries(right).map(([name, count]) => [name, (left?.[name as 'runs'] ?? 0) + count])) as Counts;
}

export function countsText(counts: Counts): string {
  const texts = Object.entries(countNames).map(([name, words]) => `${words} ${counts[name as 'runs']}`);
  return texts.join(', ');
}

const never = Number.POSITIVE_INFINITY;
const successes = ['created', 'recreated', 'updated', 'unchanged', 'applied', 'deleted', 'released', 'adopted'];

/** Compares what happened with what must and must not. */
export function checkCase(
  of: PauseCase,
  outcomes: Readonly<Record<Run, RunOutcome>>,
): { readonly problems: readonly string[]; readonly counts: Counts } {
  const { pause, sent, server, wentOnAt } = of;
  const isAfter = (time: number) => time > server.lostAt && time < server.regainedAt;
  const isOpen = (at: number) => (one: SentRequest) => one.left <= at && one.answered > at;
  const isContent = ({ target }: Pick<SentRequest, 'target'>) => target === 'object' || target === 'record';

  const inFlight = sent.filter((one) => isContent(one) && isOpen(server.lostAt)(one));
  const leftAfter = sent.filter((one) => isContent(one) && isAfter(one.left));
  const atOnce = sent.filter((one) => one.target !== 'lock' && isOpen(wentOnAt)(one)).length;
  const unprompted = leftAfter.filter(({ left }) => isStop(pause) && left > wentOnAt && left < of.answeredAt);
  const passedCheck = unprompted.slice(0, Math.max(0, pause.concurrency - atOnce));
  const violations = leftAfter.filter((one) => !passedCheck.includes(one));
  const locks = sent.filter(({ request, target, left }) => target === 'lock' && isAfter(left) && server.isOfLostSession(request));
  const late = server.writes.filter((write) => write.run === 'first' && isContent(write) && isAfter(write.reached));
  const landed = late.filter(isCarriedOut);
  const mayLand = [...inFlight, ...passedCheck];

  const problems = [
    ...server.problems,
    ...found('left the run after it had lost its lock', violations),
    ...found(
      'make a lock that the run had lost',
      locks.filter(({ request }) => request.method === 'POST'),
    ),
    ...found('were carried out, and had not left before the loss', unmatched(landed, mayLand)),
    ...found('were in flight, more than at once', new Set(inFlight.map(textOf)).size > pause.concurrency ? inFlight : []),
    ...found(
      'deleted late what the second run had written',
      landed.filter((write) => write.request.method === 'DELETE' && isOverSecond(of, write)),
    ),
    ...found(
      'are records over those of the second run',
      landed.filter((write) => write.target === 'record' && isOverSecond(of, write)),
    ),
    ...(server.regainedAt === never ? unnamed(outcomes.first, mayLand) : []),
    ...failureOf('second', outcomes.second),
    ...(server.last === 'first' ? [] : differences(of, landed)),
    ...unreported(of, outcomes),
    ...of.holders.map((holder) => `a lock is left: ${holder}`),
    ...(pause.fault === 'jump' ? found('left after the jump, before all locks were renewed', unrenewed(of)) : []),
    ...(pause.fault === 'jump' || pause.fault === 'none' ? failureOf('first', outcomes.first) : []),
  ];
  const counts = {
    runs: 1,
    struck: Number(of.struckAt < never),
    lost: Number(hasSecondBetween(pause) && server.lostAt < never),
    inFlight: inFlight.length,
    passedCheck: passedCheck.length,
    landedLate: landed.length,
    refusedLate: late.length - landed.length,
    objectsAfter: violations.filter(({ target }) => target === 'object').length,
    recordsAfter: violations.filter(({ target }) => target === 'record').length,
    locksAfter: locks.length,
    firstIsLast: Number(server.last === 'first'),
  };
  return { problems, counts };
}

function found(what: string, writes: readonly Pick<ServedWrite, 'request'>[]): string[] {
  const texts = writes.slice(0, 6).map(textOf).join(', ');
  return writes.length === 0 ? [] : [`${writes.length} writes ${what}: ${texts}${writes.length > 6 ? ', …' : ''}`];
}

function failureOf(run: Run, { exitCode, errors }: RunOutcome): string[] {
  return exitCode === 0 ? [] : [`the ${run} run ended with ${exitCode}: ${JSON.stringify(errors)}`];
}

/** Writes at the server for which none of those that left has the same method and object, one for one. */
function unmatched(landed: readonly ServedWrite[], left: readonly SentRequest[]): ServedWrite[] {
  const rest = left.map(textOf);
  return landed.filter((write) => {
    const index = rest.indexOf(textOf(write));
    if (index >= 0) rest.splice(index, 1);
    return index < 0;
  });
}

/** Whether the second run has written the object before. */
function isOverSecond({ server }: PauseCase, { request, target, reached }: ServedWrite): boolean {
  const isSame = (other: ServedWrite) => other.target === target && nameOf(other.request) === nameOf(request);
  return server.writes.some((other) => other.run === 'second' && isCarriedOut(other) && other.reached < reached && isSame(other));
}

/** The first writes after the jump of the clocks, up to one of content, if one of the locks that the run had is not among them. */
function unrenewed({ sent, struckAt, locks }: PauseCase): SentRequest[] {
  const after = sent.filter(({ left, target }) => left > struckAt && target !== 'nothing');
  const next = after.find(({ target }) => target !== 'lock');
  if (next === undefined) return [];
  const renewed = after
    .filter((one) => one.target === 'lock' && one.answered < next.left && isCarriedOut(one))
    .map(({ request }) => nameOf(request));
  return locks.every((lock) => renewed.includes(lock)) ? [] : [next];
}

/** Objects of whose last request under way the report does not say that its outcome is not known; or which, refused, it calls done. */
function unnamed({ entries }: RunOutcome, mayLand: readonly SentRequest[]): string[] {
  const objects = mayLand.filter(({ target }) => target === 'object').map(({ request }) => request);
  return [...new Set(objects.map(nameOf))].flatMap((name) => {
    const requests = objects.filter((request) => nameOf(request) === name);
    const entry = entriesOf(entries, name).at(-1);
    const isRefused = requests.every(({ status }) => status >= 400);
    const isGood = entry !== undefined && !isSuccess(entry) && (isRefused || /outcome (is )?not known/i.test(JSON.stringify(entry)));
    return isGood ? [] : [`in flight, and not "outcome not known": ${name}: ${JSON.stringify({ ...entry, declaredBy: undefined })}`];
  });
}

function isSuccess({ result, error, fields }: ReportEntry): boolean {
  return result === undefined ? error === undefined && Array.isArray(fields) && fields.length > 0 : successes.includes(result);
}

/** Where the objects are not as the second program declares them; late writes, which the report names, aside. */
function differences({ programs, data }: PauseCase, landed: readonly ServedWrite[]): string[] {
  const late = new Set(landed.map(({ request }) => nameOf(request)));
  return [...programs.declared].flatMap(([name, values]) => {
    const live = data.get(name);
    if (live === undefined) return [`${name} of the second run does not exist`];
    const other = Object.entries(values).filter(
      ([field, value]) => live[field] !== value && !(field === 'contested' && contested.includes(name)),
    );
    return late.has(name) ? [] : other.map(([field, value]) => `${name} .data.${field} is ${live[field]}, the second run wrote ${value}`);
  });
}

/** Values of other managers that are gone and stand in no report. */
function unreported({ data, between }: PauseCase, { first, second }: Readonly<Record<Run, RunOutcome>>): string[] {
  const gone = (name: string, value: string, of: typeof data, outcomes: readonly RunOutcome[]) =>
    of.get(name)?.contested === value || outcomes.some((outcome) => isReported(outcome, name, value))
      ? []
      : [`${name} .data.contested: ${value} is gone, unreported`];
  return [
    ...contested.flatMap((name) => gone(name, theirs, between ?? data, [first, second])),
    ...(between ? contested.slice(1).flatMap((name) => gone(name, again, data, [first])) : []),
    ...(data.get('shared')?.theirs === theirs ? [] : [`shared .data.theirs: ${theirs} is gone`]),
  ];
}

function isReported({ entries }: RunOutcome, name: string, value: string): boolean {
  const texts = entriesOf(entries, name).map((entry) => JSON.stringify(entry));
  return texts.some((text) => text.includes('.data.contested') && (text.includes(`"${value}"`) || /perhaps/i.test(text)));
}

function entriesOf(entries: readonly ReportEntry[], name: string): ReportEntry[] {
  return entries.filter(({ object }) => object.endsWith(`/${name}`));
}
