import { objectText } from '../assembly/identity.js';
import type { Assembly, StackManifest } from '../assembly/types.js';
import type { Cluster } from '../cluster/index.js';
import { FieldwiseError } from '../util/error.js';
import { applyStep } from './apply-step.js';
import { chooseStacks } from './choose-stacks.js';
import { dependsOn } from './depends-on.js';
import { endInReverse, type Going } from './ending-order.js';
import { type EventHost, type ObjectReport, type RunSummary, untouched } from './events.js';
import type { InventoryEntry } from './inventory/entry.js';
import { InventoryStore, type StackIdentity } from './inventory/store.js';
import { isChosen } from './only.js';
import { defaultConcurrency, defaultGoneSeconds, defaultInventoryNamespace, type RunOptions } from './options.js';
import { placeOf } from './place.js';
import { boundOptions, checkOrigin, checkPlan } from './plan/check-saved.js';
import { expectationOf } from './plan/expectation.js';
import { inPool } from './pool.js';
import { askAll, pruneQuestion, undeclared } from './prune.js';
import { stacksQuestion, undeclaredStacks } from './prune-stacks.js';
import { DeployReadiness } from './readiness/deploy-readiness.js';
import { SchemaStamps } from './reconcile/schema-stamp.js';
import { findUnchanged } from './reconcile/unchanged.js';
import { resolveReferences } from './references.js';
import { findInventory, formerManagersOf } from './rename.js';
import { deletionOptions, reportOf, retire, uidsToDelete } from './retire.js';
import { Run, unattempted } from './run.js';
import { resolveScopes } from './scope.js';
import { SecretTexts, watchSecrets } from './secrets.js';
import { takesAfter } from './seen/takes.js';
import { beginSession, type Session, watchedBy } from './session.js';
import { endingOf, StackState } from './stack-state.js';
import { identitiesOf as storedAs, type Target } from './targets.js';
import { endingsOf, skip, undo } from './undo.js';
import { type Agreed, findVanishing, vanishingQuestion } from './vanishing.js';
import { type AgreedReleases, type Ending, findVanishingReleases, vanishingReleasesQuestion } from './vanishing-release.js';
import { programWaves, type Step, stepsOf, wavesOf } from './waves.js';

/**
 * Brings the chosen stacks of an assembly into the cluster: applies each intent, then deletes or releases what their programs no
 * longer declare. Stacks that the assembly does not declare are never touched. A run that was killed is finished by running it again.
 *
 * @throws FieldwiseError of kind `usage`, before anything is changed: unknown stack, dependency cycle, `confirmation-needed`.
 *   Everything else ends in the reports and the summary.
 */
export async function deploy(written: Assembly, server: Cluster, asked: RunOptions, outer: EventHost): Promise<RunSummary> {
  if (asked.plan) checkOrigin(asked.plan.saved, written, asked);
  const options = asked.plan ? boundOptions(asked, asked.plan.saved) : asked;
  const assembly = resolveReferences(written, chooseStacks(written, options.stacks), options.references);
  const secrets = new SecretTexts(assembly.objects.flat());
  const cluster = watchSecrets(server, secrets);
  const host: EventHost = (event) => outer(secrets.maskEvent(event));
  const { app, instance } = assembly.manifest;
  const stacks = chooseStacks(assembly, options.stacks);
  const declared = stepsOf(assembly, stacks);
  wavesOf(declared); // a cycle is found before the first request
  const run = new Run('deploy', host, options.signal);
  const names = stacks.map((stack) => stack.name);
  host({
    event: 'started',
    verb: 'deploy',
    app,
    instance,
    stacks: names,
    server: cluster.server,
    objects: declared.filter((step) => isChosen(step, options)).length,
  });
  let session: Session | undefined;
  let steps: readonly Step[];
  let states: readonly StackState[];
  let leaving: readonly Target[] = [];
  let vanishing: ReadonlyMap<Step, Agreed>;
  let releases: AgreedReleases;
  try {
    leaving = await undeclaredStacks(inventoriesOf(watchedBy(cluster, host), options), assembly.manifest, options);
    session = await beginSession(cluster, [...stacks.flatMap(identitiesOf(assembly)), ...storedAs(leaving)], options, host);
    leaving = await undeclaredStacks(inventoriesOf(session.records, options), assembly.manifest, options, storedAs(leaving));
    steps = await resolveScopes(session.cluster, declared);
    states = await readStates(assembly, stacks, steps, session, options);
    if (options.plan) await checkPlan(options.plan, assembly, session.cluster, options, secrets);
    vanishing = await findVanishing(session.cluster, states, options.concurrency ?? defaultConcurrency);
    const endings = [...(options.only ? [] : states).flatMap((state) => prunedBy(state, steps)), ...endingsOf(leaving)];
    releases = await findVanishingReleases(session.cluster, endings, options, options.concurrency ?? defaultConcurrency);
    const questions = [
      vanishingQuestion(vanishing),
      vanishingReleasesQuestion(releases),
      ...(options.only ? [] : states).map((state) => pruneQuestion(state.stack, state.before, state.steps, options)),
      stacksQuestion(leaving),
    ];
    await askAll(
      questions.filter((question) => question !== undefined),
      options,
    );
  } catch (error) {
    await session?.end();
    if (error instanceof FieldwiseError && error.kind === 'usage') throw error;
    const { code, message } = run.fail(error);
    const reason = run.stopped ?? (code === 'plan-outdated' ? 'the cluster is not as it was when the plan was made' : message);
    for (const step of declared) if (isChosen(step, options)) run.report({ ...stepReport(step), result: 'skipped', reason });
    return run.finish();
  }
  const deployment = new Deployment(session.cluster, options, host, run, steps, states, vanishing, releases);
  try {
    await deployment.recordSuperset();
    await deployment.findUnchanged();
    await deployment.applyWaves();
    await deployment.recordApplied(); // waiting may take long, and be ended by force
    await deployment.awaitReady();
    await deployment.prune();
    await deployment.recordEnd();
    if (deployment.complete) await undo(session.cluster, inventoriesOf(session.records, options), run, leaving, options, releases);
    else skip(run, leaving);
  } finally {
    deployment.close();
    await session.end();
  }
  return run.finish();
}

async function readStates(
  assembly: Assembly,
  stacks: readonly StackManifest[],
  steps: readonly Step[],
  session: Session,
  options: RunOptions,
): Promise<readonly StackState[]> {
  const store = inventoriesOf(session.records, options);
  const waves = programWaves(assembly);
  return Promise.all(
    stacks.map(async (stack) => {
      const inventory = await findInventory(store, identityOf(assembly)(stack), stack);
      const own = steps.filter((step) => step.stack === stack && isChosen(step, options));
      return new StackState(stack, own, inventory, store, waves);
    }),
  );
}

function identityOf({ manifest: { app, instance } }: Assembly): (stack: StackManifest) => StackIdentity {
  return ({ name, manager }) => ({ app, instance, stack: name, manager });
}

/** Its own, and those that a deploy under a former name may be working on. */
function identitiesOf(assembly: Assembly): (stack: StackManifest) => readonly StackIdentity[] {
  return (stack) => [identityOf(assembly)(stack), ...(stack.formerly ?? [])];
}

function inventoriesOf(cluster: Cluster, options: RunOptions): InventoryStore {
  return new InventoryStore(cluster, options.inventoryNamespace ?? defaultInventoryNamespace);
}

/** What a stack's program no longer declares. */
function prunedBy({ before, steps, stack }: StackState, all: readonly Step[]): readonly Ending[] {
  return undeclared(before, steps).map(([key, entry]) => ({
    entry,
    managers: [stack.manager, ...formerManagersOf(stack)],
    declaredElsewhere: all.some((step) => step.key === key && step.stack !== stack),
  }));
}

/** A deploy under way. */
class Deployment {
  readonly #cluster: Cluster;
  readonly #options: RunOptions;
  readonly #host: EventHost;
  readonly #run: Run;
  readonly #steps: readonly Step[];
  readonly #vanishing: ReadonlyMap<Step, Agreed>;
  readonly #releases: AgreedReleases;
  readonly #states: ReadonlyMap<string, StackState>;
  readonly #concurrency: number;
  /** resourceVersion by uid after the last apply. */
  readonly #lastSeen = new Map<string, string>();
  /** resourceVersion by step, where nothing needs to be sent; an apply of the same object by another stack voids it. */
  #unchanged: ReadonlyMap<Step, string> = new Map();
  readonly #sent = new Set<string>();
  readonly #stamps: SchemaStamps | undefined;
  /** Steps that did not succeed, and what they are instead. */
  readonly #failed = new Map<Step, 'did not succeed' | 'is not ready'>();
  readonly #readiness: DeployReadiness;
  /** Managers that share an object and never create one, by identity key. */
  readonly #sharers = new Map<string, Set<string>>();

  constructor(
    cluster: Cluster,
    options: RunOptions,
    host: EventHost,
    run: Run,
    steps: readonly Step[],
    states: readonly StackState[],
    vanishing: ReadonlyMap<Step, Agreed>,
    releases: AgreedReleases,
  ) {
    this.#cluster = cluster;
    this.#options = options;
    this.#host = host;
    this.#run = run;
    this.#steps = steps;
    this.#vanishing = vanishing;
    this.#releases = releases;
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
    await inPool([...this.#states.values()], this.#concurrency, (state) => state.recordSuperset(this.#run));
  }

  /** With `reconcile: changed`: which intents need no request. */
  async findUnchanged(): Promise<void> {
    if (!this.#stamps || this.#run.stopped !== undefined) return;
    const candidates = this.#steps.map((step) => ({ step, known: this.#states.get(step.stack.name)?.before.entries.get(step.key) }));
    this.#unchanged = await findUnchanged(this.#cluster, candidates, { stamps: this.#stamps, concurrency: this.#concurrency });
  }

  async applyWaves(): Promise<void> {
    for (const wave of wavesOf(this.#steps)) {
      const chosen = wave.filter((step) => isChosen(step, this.#options));
      await inPool(chosen, this.#concurrency, (step) => this.#work(step));
      this.#readiness.look();
    }
  }

  async awaitReady(): Promise<void> {
    await this.#readiness.rest();
  }

  close(): void {
    this.#readiness.close();
  }

  /** Deletes or releases what stacks no longer declare, where all that they do declare succeeded. */
  async prune(): Promise<void> {
    if (this.#options.only) return;
    const ending: (Going & { readonly state: StackState; readonly declaredElsewhere: boolean })[] = [];
    for (const state of this.#states.values()) {
      const going = undeclared(state.before, state.steps);
      const { stack } = state.before;
      if (!this.#complete(state) && this.#run.stopped === undefined) {
        const reason = 'no longer declared, but kept because its stack did not fully succeed';
        for (const [, entry] of going) this.#run.report({ ...reportOf(stack, entry), result: 'skipped', reason });
        continue;
      }
      for (const [key, entry] of going) {
        const declaredElsewhere = this.#steps.some((step) => step.key === key && step.stack !== state.stack);
        ending.push({ state, stack, key, entry, declaredElsewhere });
      }
    }
    const ours = uidsToDelete(ending);
    await endInReverse(this.#run, ending, this.#concurrency, async ({ state, stack, key, entry, declaredElsewhere }) => {
      const formerManagers = formerManagersOf(state.stack);
      const options = { ...deletionOptions(this.#options, ours), declaredElsewhere, formerManagers, agreed: this.#releases.get(entry) };
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
    const report = applied.uid === '' ? outcome : { ...outcome, uid: applied.uid };
    if (!succeeded.has(report.result)) {
      this.#failed.set(step, 'did not succeed');
      this.#run.report(report);
      return;
    }
    this.#states.get(step.stack.name)?.settled.add(step.key);
    await this.#readiness.follow(step, applied, (readiness) => {
      if (readiness !== undefined && readiness.state !== 'current') this.#failed.set(step, 'is not ready');
      this.#run.report(readiness === undefined ? report : { ...report, readiness });
    });
  }

  async #apply(step: Step, onApplied: (uid: string, affected: boolean) => void): Promise<ObjectReport> {
    const state = this.#states.get(step.stack.name) as StackState;
    const reason = this.#run.stopped ?? state.broken ?? this.#brokenDependency(step);
    if (reason !== undefined) return { ...stepReport(step), result: 'skipped', reason };
    const resourceVersion = this.#sent.has(step.key) ? undefined : this.#unchanged.get(step);
    if (resourceVersion !== undefined) return this.#leave(step, state, resourceVersion, onApplied);
    this.#sent.add(step.key);
    let accepted = false;
    try {
      const schema = await this.#stampOf(step);
      const outcome = await applyStep(step, {
        cluster: this.#cluster,
        signal: this.#options.signal,
        ...(this.#options.plan ? { planned: expectationOf(this.#options.plan.saved, step.stack.name, step.key) } : {}),
        known: state.before.entries.get(step.key),
        agreed: this.#vanishing.get(step),
        goneSeconds: this.#options.goneSeconds ?? defaultGoneSeconds,
        sharers: this.#sharers.get(step.key) ?? new Set(),
        onWait: (wait) => this.#host({ event: 'waiting', stack: step.stack.name, object: objectText(step.intent), ...wait }),
        onApplied: (entry, affected) => {
          accepted = true;
          onApplied(entry.uid ?? '', affected);
          state.entries.set(step.key, schema === undefined ? entry : { ...entry, schema });
          if (entry.uid !== undefined && entry.resourceVersion !== undefined) this.#lastSeen.set(entry.uid, entry.resourceVersion);
        },
      });
      const entry = state.entries.get(step.key);
      const takes = takesAfter(state.before.entries.get(step.key)?.takes, outcome.taken);
      if (accepted && entry && takes.length > 0) state.entries.set(step.key, { ...entry, takes });
      return { ...stepReport(step), ...outcome };
    } catch (error) {
      const noted = this.#run.note(error);
      if (unattempted.has(noted.code) && !accepted)
        return { ...stepReport(step), result: 'skipped', reason: this.#run.stopped ?? noted.message };
      return { ...stepReport(step), result: 'failed', error: noted };
    }
  }

  /** The object holds the intent already; only the inventory learns what was seen. */
  #leave(step: Step, state: StackState, resourceVersion: string, onApplied: (uid: string, affected: boolean) => void): ObjectReport {
    const known = state.before.entries.get(step.key) as InventoryEntry;
    onApplied(known.uid ?? '', false);
    const { retain: _, ...lasting } = known;
    state.entries.set(step.key, { ...lasting, resourceVersion, ...endingOf(step.intent) });
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
    return undefined;
  }

  #complete(state: StackState): boolean {
    return state.broken === undefined && !state.steps.some((step) => this.#failed.has(step));
  }
}

const succeeded: ReadonlySet<string> = new Set(['created', 'recreated', 'updated', 'unchanged', 'applied']);

function stepReport(step: Step): Omit<ObjectReport, 'result'> {
  return { ...untouched, ...placeOf(step.stack.name, step.stack.manager, step.intent), declaredBy: step.intent.declaredBy };
}
