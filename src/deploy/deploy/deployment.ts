import { formerManagersOf, objectText } from '../../assembly/identity.js';
import { takenText } from '../../engine/apply/claim-and-release.js';
import { takeText } from '../../engine/apply/conflict-policy.js';
import { createdBy } from '../../engine/apply/created-by.js';
import { expectationOf } from '../../engine/apply/expectation.js';
import { learnedFrom } from '../../engine/apply/skip/proof.js';
import { SchemaStamps } from '../../engine/apply/skip/schema-stamp.js';
import { findUnchanged, type Unchanged } from '../../engine/apply/skip/unchanged.js';
import { dependsOn } from '../../engine/graph/depends-on.js';
import type { Step } from '../../engine/graph/waves.js';
import { type InventoryEntry, isSameEntry } from '../../engine/inventory/entry.js';
import type { StackNames } from '../../engine/inventory/owner-names.js';
import { policyToRemember, type StackState } from '../../engine/inventory/stack-state.js';
import { fightsOf, takesAfter } from '../../engine/inventory/takes.js';
import { isNewOrChanged, type LiveBefore } from '../../engine/live/live-before.js';
import { DeployReadiness } from '../../engine/readiness/deploy-readiness.js';
import { announcedReleases, guardedReleases, releaseUnconfirmed } from '../../engine/release/found-releases.js';
import { releasePolicyFor, strictestRelease } from '../../engine/release/release-policy.js';
import { reportedBy } from '../../engine/release/released-fields.js';
import { endInReverse } from '../../engine/removal/ending-order.js';
import type { Going } from '../../engine/removal/held-back.js';
import { undeclared } from '../../engine/removal/prune.js';
import { deletionOptions, objectsToDelete, reportOf, retire } from '../../engine/removal/retire.js';
import { type Agreed, mayBeParts } from '../../engine/removal/vanishing.js';
import type { AgreedReleases, LiveEndings } from '../../engine/removal/vanishing-release.js';
import { unattempted } from '../../engine/run/error-scope.js';
import { type EventHost, type ObjectReport, untouched } from '../../engine/run/events.js';
import { LastSeen } from '../../engine/run/last-seen.js';
import { defaultConcurrency, defaultGoneSeconds, type RunOptions } from '../../engine/run/options.js';
import { inPool, inSharedPool } from '../../engine/run/pool.js';
import type { Run } from '../../engine/run/run.js';
import { addressIfServed, addressOf } from '../../engine/target/address.js';
import { isChosen } from '../../engine/target/only.js';
import { placeOf } from '../../engine/target/place.js';
import { type FirstContact, isFirstContact } from '../../engine/transfer/first-contact.js';
import type { Inheritance } from '../../engine/transfer/inheritance.js';
import { takeLives } from '../../engine/transfer/life.js';
import type { Heir } from '../../engine/transfer/succession.js';
import { checkTakeover, type Takeover, type TookOver, takeOver } from '../../engine/transfer/takeovers.js';
import { type Cluster, isForbidden } from '../../kubernetes/index.js';
import type { TakenField } from '../../plan/forced-by-both.js';
import { parseExactJson, stringifyExactJson } from '../../util/exact-json.js';
import type { JsonObject } from '../../util/json.js';
import { applyStep, type StepContext } from './apply-step.js';
import { repairAfter, repairBefore } from './repair.js';
import type { Repairs } from './repairs.js';
import type { StaleEndings } from './stale-endings.js';

/** What a deploy has found before its first change. */
export interface DeploymentParts {
  readonly cluster: Cluster;
  readonly options: RunOptions;
  readonly host: EventHost;
  readonly run: Run;
  readonly steps: readonly Step[];
  /** The steps in the order in which they are applied. */
  readonly waves: readonly (readonly Step[])[];
  readonly states: readonly StackState[];
  readonly live: LiveBefore;
  /** Objects that end. */
  readonly endings: LiveEndings;
  readonly names: StackNames;
  /** Which fields of others may go along with items that an intent drops. */
  readonly vanishing: ReadonlyMap<Step, Agreed>;
  /** The same for releases. */
  readonly releases: AgreedReleases;
  /** What intents take over from others. */
  readonly takeovers: ReadonlyMap<Step, Takeover>;
  /** What is wrong with recorded owners, and whether the part of `before-first-apply` ends where they were wiped. */
  readonly repairs: Repairs & { readonly endsStrangers: boolean };
  readonly rewriterOf: StaleEndings['rewriterOf'];
  /** Which rights to delete move. */
  readonly inheritance: Inheritance;
  readonly contact: FirstContact;
  /** Fields that steps release and that a policy other than `report` has looked at. */
  readonly lookedReleases: ReadonlyMap<Step, ReadonlySet<string>>;
}

/** A deploy under way: its phases in the order in which `deploy` calls them. */
export class Deployment {
  readonly #cluster: Cluster;
  readonly #options: RunOptions;
  readonly #host: EventHost;
  readonly #run: Run;
  readonly #steps: readonly Step[];
  readonly #waves: readonly (readonly Step[])[];
  readonly #live: LiveBefore;
  readonly #endings: LiveEndings;
  readonly #names: StackNames;
  readonly #vanishing: ReadonlyMap<Step, Agreed>;
  readonly #releases: AgreedReleases;
  readonly #takeovers: ReadonlyMap<Step, Takeover>;
  readonly #repairs: DeploymentParts['repairs'];
  readonly #rewriterOf: DeploymentParts['rewriterOf'];
  readonly #inheritance: Inheritance;
  readonly #contact: FirstContact;
  readonly #lookedReleases: DeploymentParts['lookedReleases'];
  /** Field managers of the stacks of this run. */
  readonly #managers: ReadonlySet<string>;
  readonly #states: ReadonlyMap<string, StackState>;
  readonly #concurrency: number;
  readonly #lastSeen = new LastSeen();
  /** By step, where nothing needs to be sent; an apply of the same object by another stack voids it. */
  #unchanged: ReadonlyMap<Step, Unchanged> = new Map();
  /** Objects of unchanged intents that a look for drift has read anyway, as JSON. */
  readonly #drifted = new Map<Step, string>();
  readonly #sent = new Set<string>();
  /** What this run took by force. */
  readonly #taken: TakenField[] = [];
  readonly #stamps: SchemaStamps | undefined;
  /** Steps that did not succeed, and what they are instead. */
  readonly #failed = new Map<Step, 'did not succeed' | 'is not ready'>();
  readonly #readiness: DeployReadiness;
  /** Managers that share an object and never create one, by identity key. */
  readonly #sharers = new Map<string, Set<string>>();

  constructor(parts: DeploymentParts) {
    const { cluster, options, host, run, steps, waves, states, live, endings, names } = parts;
    const { vanishing, releases, takeovers, repairs, rewriterOf, inheritance, contact, lookedReleases } = parts;
    this.#cluster = cluster;
    this.#options = options;
    this.#host = host;
    this.#run = run;
    this.#steps = steps;
    this.#waves = waves;
    this.#live = live;
    this.#endings = endings;
    this.#names = names;
    this.#vanishing = vanishing;
    this.#releases = releases;
    this.#takeovers = takeovers;
    this.#repairs = repairs;
    this.#rewriterOf = rewriterOf;
    this.#inheritance = inheritance;
    this.#contact = contact;
    this.#lookedReleases = lookedReleases;
    this.#managers = new Set(steps.map(({ stack }) => stack.manager));
    this.#states = new Map(states.map((state) => [state.stack.name, state]));
    this.#concurrency = options.concurrency ?? defaultConcurrency;
    this.#stamps = options.reconcile === 'changed' ? new SchemaStamps(cluster) : undefined;
    this.#readiness = new DeployReadiness(cluster, options, host);
    for (const { key, intent, stack } of steps) {
      if (intent.lifecycle === 'own' || intent.policy.ifAbsent === 'create') continue;
      this.#sharers.set(key, (this.#sharers.get(key) ?? new Set()).add(stack.manager));
    }
  }

  /** Whether everything that is declared succeeded. */
  get complete(): boolean {
    return this.#failed.size === 0 && this.#run.stopped === undefined;
  }

  async recordSuperset(): Promise<void> {
    await inPool([...this.#states.values()], this.#concurrency, (state) =>
      state.recordSuperset(this.#run, (step) => announcedReleases(this.#live.get(step), step)),
    );
  }

  /** With `reconcile: changed`: which intents need no request. */
  async findUnchanged(): Promise<void> {
    if (!this.#stamps || this.#run.stopped !== undefined) return;
    const candidates = this.#steps.map((step) => ({ step, known: this.#states.get(step.stack.name)?.before.entries.get(step.key) }));
    this.#unchanged = await findUnchanged(this.#cluster, candidates, {
      stamps: this.#stamps,
      concurrency: this.#concurrency,
      onDrifted: (step, live) => this.#drifted.set(step, stringifyExactJson(live)),
    });
  }

  async applyWaves(): Promise<void> {
    for (const wave of this.#waves) {
      const chosen = wave.filter((step) => isChosen(step, this.#options));
      await inSharedPool(
        chosen,
        ({ intent }) => intent.kind,
        this.#concurrency,
        (step) => this.#work(step),
      );
      this.#readiness.look();
    }
  }

  async awaitReady(): Promise<void> {
    await this.#readiness.rest();
  }

  get taken(): readonly TakenField[] {
    return this.#taken;
  }

  close(): void {
    this.#readiness.close();
  }

  /** Gives stacks of this run the right to delete what they now own in place of others. */
  takeLives(): void {
    const { parts, successions } = this.#inheritance;
    takeLives(parts, successions, [...this.#states.values()], ({ stack, formerManagers }, step) => {
      const live = this.#live.get(step);
      return live && createdBy(live, [stack.manager, ...formerManagers]) ? String((live.metadata as JsonObject).uid) : undefined;
    });
  }

  /**
   * Deletes or releases what stacks no longer declare, where all that they do declare succeeded.
   *
   * @param unwritten why objects whose heirs the run leaves out must be left as they are, if so.
   */
  async prune(unwritten: string | undefined): Promise<void> {
    if (this.#options.only) return;
    const { successions } = this.#inheritance;
    const ending: (Going & { readonly state: StackState })[] = [];
    for (const state of this.#states.values()) {
      const going = undeclared(state.before, state.steps);
      const { stack } = state.before;
      if (!this.#complete(state) && this.#run.stopped === undefined) {
        const reason = 'no longer declared, but kept because its stack did not fully succeed';
        for (const [, entry] of going) this.#run.report({ ...reportOf(stack, entry), result: 'skipped', reason });
        continue;
      }
      for (const [key, entry] of going) {
        const heir = successions.get(entry)?.heir;
        const reason = this.#brokenTakeover(key, state.stack.manager) ?? this.#brokenHeir(key, heir) ?? (heir?.inventory && unwritten);
        if (reason !== undefined) this.#run.report({ ...reportOf(stack, entry), result: 'skipped', reason });
        else ending.push({ state, stack, key, entry });
      }
    }
    const ours = objectsToDelete(ending, successions);
    await endInReverse(this.#run, ending, this.#concurrency, async ({ state, stack, key, entry }, onHeld) => {
      const formerManagers = formerManagersOf(state.stack);
      const options = {
        ...deletionOptions(this.#options, ours, onHeld),
        formerManagers,
        succession: successions.get(entry),
        agreed: this.#releases.get(entry),
        live: this.#endings.get(entry),
        names: this.#names,
        rewriter: this.#rewriterOf(entry),
      };
      const done = await retire(this.#cluster, this.#run, stack, entry, options);
      if (done) state.entries.delete(key);
      return done;
    });
  }

  async recordApplied(): Promise<void> {
    await inPool([...this.#states.values()], this.#concurrency, (state) => state.recordApplied(this.#run, this.#lastSeen));
  }

  async recordEnd(): Promise<void> {
    await inPool([...this.#states.values()], this.#concurrency, (state) => state.recordEnd(this.#run, this.#lastSeen));
  }

  /** Applies a step and reports it when its object is ready. */
  async #work(step: Step): Promise<void> {
    await this.#readiness.dependenciesOf(step);
    let applied = { uid: '', affected: false };
    const outcome = await this.#apply(step, (uid, affected) => {
      applied = { uid, affected };
    });
    const report = this.#withOrigin(step, applied.uid === '' ? outcome : { ...outcome, uid: applied.uid });
    if (!succeeded.has(report.result)) {
      this.#failed.set(step, 'did not succeed');
      this.#run.report(report);
      return;
    }
    this.#states.get(step.stack.name)?.settled.add(step.key);
    if (applied.uid === '') return this.#run.report(report); // there is no object, and none is meant to be
    const created = report.result === 'created' || report.result === 'recreated';
    await this.#readiness.follow(step, { ...applied, created }, (readiness) => {
      if (readiness !== undefined && readiness.state !== 'current') this.#failed.set(step, 'is not ready');
      this.#run.report(readiness === undefined ? report : { ...report, readiness });
    });
  }

  /** What moves from a stack of the app is not adopted: the app has made it. */
  #withOrigin(step: Step, report: ObjectReport): ObjectReport {
    const from = succeeded.has(report.result) ? this.#inheritance.movedFrom(step) : undefined;
    if (from === undefined) return report;
    const { adopted: _, ...others } = report;
    return { ...others, movedFrom: from };
  }

  async #apply(step: Step, onApplied: (uid: string, affected: boolean) => void): Promise<ObjectReport> {
    const state = this.#states.get(step.stack.name) as StackState;
    const reason = this.#run.stopped ?? state.broken ?? this.#brokenDependency(step);
    if (reason !== undefined) return { ...stepReport(step), result: 'skipped', reason };
    const takeover = this.#takeovers.get(step);
    const unchanged = this.#sent.has(step.key) || takeover ? undefined : this.#unchanged.get(step);
    if (unchanged) return this.#leave(step, state, unchanged, onApplied);
    this.#sent.add(step.key);
    let accepted = false;
    let isWiped = false;
    let isUnseen = false;
    let metWholes = false;
    const known = state.before.entries.get(step.key);
    try {
      const schema = await this.#stampOf(step);
      await repairBefore(this.#cluster, step, this.#repairs);
      if (takeover) await checkTakeover(this.#cluster, step, takeover);
      const outcome = await applyStep(step, {
        cluster: this.#cluster,
        signal: this.#options.signal,
        ...(this.#options.plan ? { planned: expectationOf(this.#options.plan.saved, step.stack.name, step.key) } : {}),
        known,
        deployers: this.#inheritance.deployersOf(step, known),
        live: await this.#before(step, known, schema, () => {
          isUnseen = true;
        }),
        names: this.#names,
        mayTake: this.#mayTake(step, known),
        checkReleases: this.#checkReleases(step, known),
        mustCreate: this.#mustCreate(step),
        agreed: this.#vanishing.get(step),
        mayRemove: this.#mayRemove(step),
        onWiped: () => {
          isWiped = true;
        },
        onMetWholes: () => {
          metWholes = true;
        },
        goneSeconds: this.#options.goneSeconds ?? defaultGoneSeconds,
        waitSeconds: this.#options.waitSeconds,
        sharers: this.#sharers.get(step.key) ?? new Set(),
        isApplied: (uid) => this.#lastSeen.has(uid),
        onWait: (wait) => this.#host({ event: 'waiting', stack: step.stack.name, object: objectText(step.intent), ...wait }),
        onApplied: ({ entry: applied, affected, settled }) => {
          accepted = true;
          onApplied(applied.uid ?? '', affected);
          const entry = schema === undefined ? applied : { ...applied, schema };
          state.entries.set(step.key, { ...entry, ...learnedFrom(settled, step, entry, known) });
          if (entry.uid !== undefined && entry.resourceVersion !== undefined) this.#lastSeen.see(entry.uid, entry.resourceVersion);
        },
      });
      const entry = state.entries.get(step.key);
      const isChanged = isNewOrChanged(step, known);
      const applied = { uid: entry?.uid ?? '', isWiped, isChanged, yes: this.#options.yes === true };
      if (accepted) this.#see(await repairAfter(this.#cluster, step, this.#repairs, applied, this.#host));
      const takes = takesAfter(known?.takes, outcome.taken);
      if (accepted && entry && takes.length > 0) state.entries.set(step.key, { ...entry, takes });
      if (metWholes) this.#readNextTime(step, state);
      const fights = fightsOf(takes, this.#options.fightLimit);
      const { stack, key, intent } = step;
      for (const { field, from } of outcome.taken ?? [])
        this.#taken.push({ object: objectText(intent), key, field, from, stack: stack.name, manager: stack.manager });
      const tookOver = accepted && takeover && (await this.#takeOver(step, takeover));
      const fought = fights.length > 0 ? { fights } : {};
      const unseen = isUnseen && known !== undefined ? { warnings: [...(outcome.warnings ?? []), unseenText] } : {};
      return { ...stepReport(step), ...outcome, ...fought, ...unseen, ...(tookOver ? { result: changed(outcome.result), tookOver } : {}) };
    } catch (error) {
      const noted = this.#run.note(error);
      if (metWholes || unasked.has(noted.code)) this.#readNextTime(step, state);
      if (unattempted.has(noted.code) && !accepted)
        return { ...stepReport(step), result: 'skipped', reason: this.#run.stopped ?? noted.message };
      return { ...stepReport(step), ...reportedBy(error), result: 'failed', error: noted };
    }
  }

  /** An entry without items is one whose object the next run reads, and so can ask about, before its first write. */
  #readNextTime({ key }: Step, state: StackState): void {
    const entry = state.entries.get(key);
    if (entry?.items === undefined) return;
    const { items: _, ...others } = entry;
    state.entries.set(key, others);
  }

  /** Whether questions that come up now are answered already: by `--yes`, or by a plan that was approved. */
  get #isAnswered(): boolean {
    return this.#options.yes === true || this.#options.plan !== undefined;
  }

  /** What a first deploy may take by force: what was asked for, and what other stacks of the run have just applied. */
  #mayTake(step: Step, known: InventoryEntry | undefined): StepContext['mayTake'] {
    if (this.#isAnswered) return undefined;
    const agreed = this.#contact.takes.get(step);
    const isFirst = isFirstContact(step, known, this.#live.get(step));
    return (conflict, live) => {
      // Another object may have come to the name since it was read, or since the last deploy where nothing was to be read.
      if (!isFirst && !isFirstContact(step, known, live)) return true;
      return this.#managers.has(conflict.from) || agreed?.has(takeText(conflict)) === true;
    };
  }

  /** What stands in the way of an intent: of an unchanged one it is found only when the server has refused it. */
  #mayRemove(step: Step): StepContext['mayRemove'] {
    const agreed = this.#repairs.unions.get(step);
    return (conflict) => this.#isAnswered || agreed?.has(takenText(conflict)) === true;
  }

  #checkReleases(step: Step, known: InventoryEntry | undefined): StepContext['checkReleases'] {
    const { policy } = step.intent;
    if (this.#options.plan || strictestRelease(policy) === 'report' || !isNewOrChanged(step, known)) return undefined;
    const looked = this.#lookedReleases.get(step);
    return (live, object) => {
      const more = guardedReleases(live, object, step, known, this.#names).filter((field) => !looked?.has(field));
      const open = more.filter((field) => this.#options.yes !== true || releasePolicyFor(field, policy) === 'fail');
      if (open.length > 0) throw releaseUnconfirmed(open, step.stack.manager);
    };
  }

  /** What was there when the run looked has been asked for. */
  #mustCreate(step: Step): boolean {
    const { lifecycle, policy } = step.intent;
    if (lifecycle !== 'own' || policy.transferFrom !== undefined || policy.ifPresent === undefined) return false;
    return !(policy.ifPresent === 'ask' && this.#isAnswered) && this.#live.get(step) === undefined;
  }

  /** The object as it was read; as it is now where its record of owners has just been repaired. */
  async #before(
    step: Step,
    known: InventoryEntry | undefined,
    schema: string | undefined,
    onUnseen: () => void,
  ): Promise<JsonObject | undefined> {
    const { stale, wiped } = this.#repairs;
    if (stale.has(step) || wiped.has(step)) return this.#cluster.find(await addressOf(this.#cluster, step.intent));
    if (this.#live.has(step)) return this.#live.get(step);
    const drifted = this.#drifted.get(step);
    if (drifted !== undefined) return parseExactJson(drifted) as JsonObject;
    if (!isNewOrChanged(step, known) && !isRedefined(step, known, schema)) return undefined;
    return this.#readAgain(step, onUnseen); // what it releases stands in no record otherwise
  }

  /** Where reading it was refused before the first question: who may not read at all deploys without knowing what it gives up. */
  async #readAgain({ intent }: Step, onUnseen: () => void): Promise<JsonObject | undefined> {
    const address = await addressIfServed(this.#cluster, intent);
    if (address === undefined) return undefined;
    try {
      return await this.#cluster.find(address);
    } catch (error) {
      if (!isForbidden(error)) throw error;
      onUnseen();
      return undefined;
    }
  }

  async #takeOver(step: Step, takeover: Takeover): Promise<TookOver | undefined> {
    const { tookOver, object } = await takeOver(this.#cluster, step, takeover);
    this.#see(object);
    return tookOver;
  }

  #see(object: JsonObject | undefined): void {
    const { uid, resourceVersion } = (object?.metadata ?? {}) as { uid?: string; resourceVersion?: string };
    if (uid !== undefined && resourceVersion !== undefined) this.#lastSeen.see(uid, resourceVersion);
  }

  /** The object holds the intent already; only the inventory learns what was seen. */
  #leave(step: Step, state: StackState, unchanged: Unchanged, onApplied: (uid: string, affected: boolean) => void): ObjectReport {
    const known = state.before.entries.get(step.key) as InventoryEntry;
    onApplied(known.uid ?? '', false);
    const { retain: _, conflicts: __, releases: ___, ...lasting } = known;
    const entry = { ...lasting, ...unchanged, ...policyToRemember(step.intent) };
    if (!isSameEntry(entry, known)) state.entries.set(step.key, entry);
    return { ...stepReport(step), result: 'unchanged' };
  }

  /** Read before the apply: where the schema changes in between, the next run finds another stamp. */
  async #stampOf(step: Step): Promise<string | undefined> {
    if (!this.#stamps) return undefined;
    const resource = await this.#cluster.resourceOf(step.intent.apiVersion, step.intent.kind);
    return this.#stamps.stampOf(resource);
  }

  /** Declared dependencies that did not succeed; order by kind alone is no reason to give up. */
  #brokenDependency(step: Step): string | undefined {
    for (const [failed, what] of this.#failed) {
      if (failed.stack === step.stack && dependsOn(step.stack, step.index, failed.index)) {
        return `it depends on ${objectText(failed.intent)}, which ${what}`;
      }
      if (step.stack.dependsOn.includes(failed.stack.name)) return `its stack depends on ${failed.stack.name}, which ${what}`;
    }
    return this.#brokenTakeover(step.key, step.stack.manager);
  }

  /** Whoever was to take fields over from a manager does not own them yet, so the manager must not drop them. */
  #brokenTakeover(key: string, giver: string): string | undefined {
    for (const [step, takeover] of this.#takeovers) {
      if (step.key !== key || takeover.giver !== giver || this.#states.get(step.stack.name)?.settled.has(key)) continue;
      return `stack ${step.stack.name}, which takes fields of it over, did not succeed`;
    }
    return undefined;
  }

  /** Whoever is to own an object in place of another stack does not yet, so the other must not drop it. */
  #brokenHeir(key: string, heir: Heir | undefined): string | undefined {
    if (heir === undefined || heir.inventory || this.#states.get(heir.stack.stack)?.settled.has(key)) return undefined;
    return `stack ${heir.stack.stack}, which declares it now, did not succeed`;
  }

  #complete(state: StackState): boolean {
    return state.broken === undefined && !state.steps.some((step) => this.#failed.has(step));
  }
}

const unseenText =
  'These credentials may not read the object, so that nobody knows which fields this apply released. Grant get of its kind.';

/** Whether the schema of a custom resource is known to be another than at the last apply: parts of what others own as one value may be free. */
function isRedefined({ intent }: Step, known: InventoryEntry | undefined, schema: string | undefined): boolean {
  return known?.schema !== undefined && schema !== undefined && known.schema !== schema && mayBeParts(intent.apiVersion);
}

/** Owners have changed, if nothing else has. */
function changed(result: ObjectReport['result']): ObjectReport['result'] {
  return result === 'unchanged' || result === 'applied' ? 'updated' : result;
}

/** Nobody was asked before the run, and nothing is done without a yes. */
const unasked: ReadonlySet<string> = new Set(['takeover-unconfirmed', 'union-member-held']);

const succeeded: ReadonlySet<string> = new Set(['created', 'recreated', 'updated', 'unchanged', 'applied']);

/** The constant part of a report about an intent. */
export function stepReport(step: Step): Omit<ObjectReport, 'result'> {
  return untouched(placeOf(step.stack.name, step.stack.manager, step.intent), step.intent.declaredBy);
}
