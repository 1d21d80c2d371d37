import { isDeepStrictEqual } from 'node:util';
import type { ResponseBody } from '../harness/api-client.js';
import { eventsOf } from '../harness/events.js';
import { fieldRows } from '../harness/field-rows.js';
import type { RunResult } from '../harness/fieldwise.js';
import { deeds } from './deeds.js';
import { afterDeed, deployed, doesAsk, type Situation, type Told } from './model.js';
import { type Deed, type DeedRule, type Manager, pairRuleOf, type Rules } from './rules.js';
import type { Scene } from './scene.js';
import { nameOf, planLines, recordLines } from './tellings.js';

export interface Pair {
  readonly first: Deed;
  readonly second: Deed;
}

/** Does two deeds to one object, and returns where plan, record, values and owners differ from the table. */
export async function checkPair(scene: Scene, pair: Pair, rules: Rules): Promise<readonly string[]> {
  await scene.begin();
  const course = new Course(scene, pair, rules);
  const special = pairRuleOf(rules.pairs, pair.first, pair.second)?.outcome;
  const isLate = rules.deeds[pair.second].by === 'others';
  const problems: string[] = [];
  await course.do(pair.first);
  if (rules.deeds[pair.first].by !== 'program') {
    problems.push(...(await liveDifferences(scene, course.situation)).map((text) => `before the run: ${text}`));
  }
  if (typeof special === 'object') {
    return refused(scene, () => course.do(pair.second), special.refused, `${pair.first}, ${pair.second}`);
  }
  if (!isLate) await course.do(pair.second, special !== 'no effect');
  if (special === 'stack stays' && course.pruned) course.situation = { ...course.situation, staying: [course.pruned] };
  const { events } = await scene.run(...scene.command('plan'));
  const plannedTold = course.told().filter(({ line }) => !line.startsWith(`${course.pruned} `)); // no flag of diff shows it
  problems.push(...differences('plan', planLines(eventsOf(events, 'plan'), scene), plannedTold));
  if (isLate) await course.do(pair.second, special !== 'no effect');

  const told = course.isDone ? [] : course.told();
  const result = await deployedOnce(scene, { asking: course.asking, told }, problems);
  problems.push(...differences('record', recordLines(eventsOf(result.events, 'object'), scene), told));
  if (special === 'stack stays') problems.push(...withoutWarning(result, 'stack-undeclared', course));
  if (result.exitCode !== 0) problems.push(`deploy ended with ${result.exitCode}: ${errorsOf(result)}`);
  const { after } = deployed(course.situation, rules, course.only);
  problems.push(...(await liveDifferences(scene, after)));
  const toldAgain = pair.second === 'rollback' ? [] : deployed(after, rules, course.only).told; // nothing is left to go back to
  return [...problems, ...(await changesOfSecondDeploy(scene, toldAgain))];
}

/** Words about the object that are said of the stack to which the declaration has moved. */
const inheritedWords = ['creates', 'recreates'];

/** The deeds of a pair, done to the scene and to the model side by side. */
class Course {
  situation: Situation;
  /** The deeds that have an effect on the run. */
  readonly done: Deed[] = [];
  readonly #start: Situation;
  /** The run has nothing to do, and records nothing. */
  isDone = false;
  #goesBack = false;

  constructor(
    readonly scene: Scene,
    readonly pair: Pair,
    readonly rules: Rules,
  ) {
    this.situation = scene.situation();
    this.#start = this.situation;
  }

  /** The deed for which the run asks; the answer to a saved plan is the plan. */
  get asking(): string | undefined {
    if (this.done.includes('saved plan')) return undefined;
    const asking = this.done.filter((deed) => deed !== 'rollback' || this.#goesBack);
    return (
      asking.find((deed) => doesAsk(this.situation, this.rules.deeds[deed], this.#start)) ?? this.told().find(({ asks }) => asks)?.rule
    );
  }

  /** The stack that leaves the program, if one does. */
  get pruned(): Manager | undefined {
    return this.done.flatMap((deed) => (this.rules.deeds[deed] as DeedRule).leaves ?? [])[0];
  }

  /** The stack of which alone the run is. */
  get only(): Manager | undefined {
    if (this.#goesBack) return 'web';
    const [only] = this.done.flatMap((deed) => (this.rules.deeds[deed] as DeedRule).only ?? []);
    return only && (this.situation.movedTo[only] ?? only);
  }

  async do(deed: Deed, hasEffect = true): Promise<void> {
    if (deed === 'rollback' && deed === this.pair.second) return this.#rollBack();
    await deeds[deed](this.scene);
    if (hasEffect) this.done.push(deed);
    this.situation = afterDeed(this.situation, deed, this.rules.deeds[deed], hasEffect);
  }

  /** The lines of plan and record, those of the deeds among them. */
  told(): Told[] {
    const { declared, owners, movedTo } = this.situation;
    const isOfRun = (stack: Manager) => declared[stack] !== undefined && (this.only === undefined || this.only === stack);
    const lastLive = this.done.findLast((deed) => (this.rules.deeds[deed] as DeedRule).live);
    const telling = this.done.filter((deed) => deed === lastLive || !(this.rules.deeds[deed] as DeedRule).live);
    const ofDeeds = telling.flatMap((deed) => {
      const { told = {}, renames = [] }: DeedRule = this.rules.deeds[deed];
      const isMadeAgain = this.done.some((other) => (this.rules.deeds[other] as DeedRule).told?.web?.includes('recreates'));
      const renamed = (isMadeAgain ? [] : renames).filter((stack) => Object.values(owners).some((managers) => managers.includes(stack)));
      const words = Object.entries(told) as [Manager, readonly string[]][];
      const lines = [
        ...words.flatMap(([stack, all]) =>
          all.map((word) => [inheritedWords.includes(word) ? (movedTo[stack] ?? stack) : stack, word] as const),
        ),
        ...renamed.map((stack) => [stack, 'renamed'] as const),
      ];
      const isTold = ([stack, word]: readonly [Manager, string]) =>
        isOfRun(stack) && !(word === 'recreates' && this.situation.live?.r === undefined);
      return lines.filter(isTold).map(([stack, word]) => ({ line: `${stack} ${word}`, rule: deed }));
    });
    const ofFields = deployed(this.situation, this.rules, this.only).told;
    // The record of an object that is made again has the whole old object instead of releases.
    const remade = ofDeeds.filter(({ line }) => line.endsWith(' recreates')).map(({ line }) => line.replace(' recreates', ' releases:'));
    return [...ofFields.filter(({ line }) => !remade.some((start) => line.startsWith(start))), ...ofDeeds];
  }

  /** After another deed, a rollback is the run: to the declarations of the start. */
  async #rollBack(): Promise<void> {
    const { scene, rules } = this;
    await scene.must(...scene.command('deploy'), '--yes');
    const { after } = deployed(this.situation, rules, this.only);
    const { declared, movedTo } = this.situation;
    const isAway = movedTo.web !== undefined && declared[movedTo.web]?.as === 'own'; // what has moved stays there
    const web = isAway ? undefined : this.#start.declared.web;
    const isSame = web === undefined || JSON.stringify(web) === JSON.stringify(after.declared.web);
    this.situation = { ...after, goesBack: true, transfers: [], movedTo: {}, declared: isSame ? ((web && { web }) ?? {}) : { web } };
    this.isDone = isSame;
    this.#goesBack = true;
    this.done.splice(0, this.done.length, ...(isSame ? [] : ['rollback' as const]));
    scene.rollBackTo(scene.startRevision);
  }
}

function differences(where: string, actual: readonly string[], told: readonly Told[]): string[] {
  return [
    ...told.filter(({ line }) => !actual.includes(line)).map(({ line, rule }) => `${where} does not say "${line}" (rule ${rule})`),
    ...actual.filter((line) => !told.some((one) => one.line === line)).map((line) => `${where} says "${line}", which no rule has`),
  ];
}

interface Asked {
  /** The rule by which the deploy asks. */
  readonly asking: string | undefined;
  readonly told: readonly Told[];
}

/** Deploys without an answer; where the table says that the deploy asks, it must have written nothing, and is told yes afterwards. */
async function deployedOnce(scene: Scene, { asking, told }: Asked, problems: string[]): Promise<RunResult> {
  const before = await versions(scene);
  const result = await scene.run(...scene.command('deploy'));
  const asks = errorsOf(result).includes('confirmation-needed');
  if (asks && asking === undefined) {
    const rules = [...new Set(told.map(({ rule }) => rule))].join('; ');
    problems.push(`deploy asks, which no rule says (those of what is told: ${rules}): ${errorsOf(result)}`);
  }
  if (!asks && asking !== undefined) problems.push(`deploy does not ask (rule ${asking})`);
  if (!asks) return result;
  const after = await versions(scene);
  if (JSON.stringify(before) !== JSON.stringify(after))
    problems.push(`a question came after a write: ${JSON.stringify({ before, after })}`);
  return scene.run(...scene.command('deploy'), '--yes');
}

/** Does the second deed and deploys, of which one must be refused and change nothing. */
async function refused(scene: Scene, act: () => Promise<void>, code: string, rule: string): Promise<string[]> {
  const problem = await act().then(
    () => undefined,
    (error: Error) => error.message,
  );
  const before = await scene.cluster.find(scene.object);
  const said = problem ?? errorsOf(await scene.run(...scene.command('deploy'), '--yes'));
  const after = await scene.cluster.find(scene.object);
  return [
    ...(said.includes(code) ? [] : [`it is not refused with ${code} (rule ${rule}): ${said}`]),
    ...(before?.metadata.uid === after?.metadata.uid ? [] : [`the refused deploy has made the object again (rule ${rule})`]),
    ...(isDeepStrictEqual(before?.spec, after?.spec) ? [] : [`the refused deploy has changed a value (rule ${rule})`]),
  ];
}

/** What is wrong where no warning of a run names the stack that leaves the program. */
function withoutWarning({ events }: RunResult, code: string, { pruned }: Course): string[] {
  const isNamed = eventsOf(events, 'warning').some((warning) => warning.code === code && warning.message.includes(String(pruned)));
  return isNamed ? [] : [`deploy does not warn with ${code} of the stack ${pruned}`];
}

/** Codes and messages of all errors of a run. */
function errorsOf({ events, stderr }: RunResult): string {
  const errors = [
    ...eventsOf(events, 'refused').map(({ error }) => error),
    ...eventsOf(events, 'plan').flatMap(({ error }) => error ?? []),
    ...eventsOf(events, 'object').flatMap(({ error }) => error ?? []),
    ...eventsOf(events, 'summary').flatMap((summary) => summary.errors),
  ];
  return errors.length === 0 ? stderr : errors.map(({ code, message }) => `${code}: ${message}`).join('; ');
}

/** What a write changes: the versions of the object and of what the cluster keeps of its stacks. */
async function versions(scene: Scene): Promise<Record<string, string>> {
  const { namespace, object } = scene;
  const lists = await Promise.all(['ConfigMap', 'Secret'].map((kind) => scene.cluster.list('v1', kind, namespace)));
  const all = [await scene.cluster.find(object), ...lists.flat()].filter((one): one is ResponseBody => one !== undefined);
  return Object.fromEntries(all.map(({ metadata }) => [metadata.name, metadata.resourceVersion]));
}

/** Where values and owners of the live object are not those of the model. */
async function liveDifferences(scene: Scene, { live, owners, decidedBy }: Situation): Promise<string[]> {
  const object = await scene.cluster.find(scene.object);
  if (object === undefined || live === undefined) {
    return (object === undefined) === (live === undefined) ? [] : [`the object ${object ? 'exists' : 'does not exist'}`];
  }
  const rows = new Map<string, Set<string>>();
  for (const { path, owners: managers } of fieldRows(object)) {
    if (!path.startsWith('.spec')) continue;
    const known = rows.get(nameOf(path)) ?? new Set();
    for (const manager of managers) known.add(scene.partOf(manager.replace(/ \(Update\)$/, '')));
    rows.set(nameOf(path), known);
  }
  const names = new Set([...Object.keys(live), ...Object.keys(object.spec ?? {}), ...rows.keys()]);
  return [...names].sort().flatMap((name) => {
    const value = object.spec?.[name];
    const is = `${Array.isArray(value) ? value.join() : value} of ${[...(rows.get(name) ?? [])].sort().join(', ')}`;
    const should = `${live[name]} of ${[...new Set(live[name] === undefined ? [] : owners[name])].sort().join(', ')}`;
    return is === should ? [] : [`${name} is ${is}, and should be ${should} (rule ${decidedBy[name] ?? 'start'})`];
  });
}

async function changesOfSecondDeploy(scene: Scene, told: readonly Told[]): Promise<string[]> {
  const before = await scene.cluster.find(scene.object);
  const result = await scene.run(...scene.command('again'));
  const again = await scene.cluster.find(scene.object);
  const changed = eventsOf(result.events, 'object').filter((one) => !['unchanged', 'applied'].includes(one.result));
  const isWritten = before?.metadata.resourceVersion !== again?.metadata.resourceVersion;
  return [
    ...(result.exitCode === 0 ? [] : [`the second deploy ended with ${result.exitCode}: ${errorsOf(result)}`]),
    ...(isWritten ? [`the second deploy has written: ${JSON.stringify({ before, again })}`] : []),
    ...changed.map(({ stack, result: outcome }) => `the second deploy calls the object of ${stack} ${outcome}`),
    ...differences('second record', recordLines(eventsOf(result.events, 'object'), scene), told),
  ];
}
