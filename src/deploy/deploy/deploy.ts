import { managersOf } from '../../assembly/identity.js';
import type { Assembly, StackManifest } from '../../assembly/types.js';
import { applyingDynamically } from '../../engine/client-side-apply/cluster.js';
import { DigestKeys } from '../../engine/client-side-apply/digest-keys.js';
import { type ProgramWaves, programWaves, type Step, stepsOf, wavesOf } from '../../engine/graph/waves.js';
import { type FoundInventory, findInventory } from '../../engine/inventory/former-inventories.js';
import { StackNames } from '../../engine/inventory/owner-names.js';
import { StackState } from '../../engine/inventory/stack-state.js';
import { InventoryStore, type StackIdentity } from '../../engine/inventory/store.js';
import { type LiveBefore, readLiveBefore } from '../../engine/live/live-before.js';
import { findReleases } from '../../engine/release/found-releases.js';
import { receiversIn } from '../../engine/release/receivers.js';
import { findFates } from '../../engine/removal/fate.js';
import { pruneQuestion, undeclared } from '../../engine/removal/prune.js';
import { stacksQuestion, undeclaredStacks } from '../../engine/removal/prune-stacks.js';
import { reportOf } from '../../engine/removal/retire.js';
import { identitiesOf as storedAs, type Target } from '../../engine/removal/targets.js';
import { type Agreed, findVanishing, vanishingQuestion } from '../../engine/removal/vanishing.js';
import {
  type AgreedReleases,
  type Ending,
  endingOf,
  findVanishingReleases,
  type LiveEndings,
  readLiveEndings,
  vanishingReleasesQuestion,
} from '../../engine/removal/vanishing-release.js';
import { wipedQuestion } from '../../engine/repairs/wiped.js';
import { askAll } from '../../engine/run/ask-all.js';
import type { EventHost, RunSummary } from '../../engine/run/events.js';
import { defaultConcurrency, type RunOptions } from '../../engine/run/options.js';
import { refuse } from '../../engine/run/refuse.js';
import { Run } from '../../engine/run/run.js';
import { type RunWarning, warnOnce } from '../../engine/run/run-warning.js';
import { beginSession, knowingVersion, type Session, watchedBy } from '../../engine/run/session.js';
import { resolveReferences } from '../../engine/secrets/references.js';
import { SecretTexts, watchSecrets } from '../../engine/secrets/secrets.js';
import { chooseStacks } from '../../engine/target/choose-stacks.js';
import { isChosen } from '../../engine/target/only.js';
import { stepsInForce } from '../../engine/target/strategy.js';
import { type FirstContact, findFirstContact, firstContactQuestions } from '../../engine/transfer/first-contact.js';
import { beginInheritance, type Inheritance, partsOf, partsOfTarget } from '../../engine/transfer/inheritance.js';
import { leftBehind, type MetOwners } from '../../engine/transfer/left-behind.js';
import { moveLivesOutside } from '../../engine/transfer/life.js';
import type { Successions } from '../../engine/transfer/succession.js';
import {
  findTakeovers,
  foreignGivers,
  giversOutside,
  refusedTakeovers,
  refusePending,
  type Takeover,
} from '../../engine/transfer/takeovers.js';
import type { Cluster } from '../../kubernetes/index.js';
import { managedFieldsOf } from '../../ownership/index.js';
import { forcedByBoth } from '../../plan/forced-by-both.js';
import { Deployment, stepReport } from './deployment.js';
import { findRepairs, type Repairs, repairQuestions } from './repairs.js';
import { findStaleEndings, type StaleEndings } from './stale-endings.js';
import { findUnapplied } from './unapplied.js';
import { endingsOf, skip, undo } from './undo-removal.js';

/**
 * Brings the chosen stacks of an assembly into the cluster: applies each intent, then deletes or releases what their programs no
 * longer declare. Stacks that the assembly does not declare are never touched. A run that was killed is finished by running it again.
 *
 * @throws FieldwiseError of kind `usage`, before anything is changed: unknown stack, dependency cycle, `confirmation-needed`. Where the run
 *   has started by then, its events come to their end first, the summary last.
 *   Everything else ends in the reports and the summary.
 */
export async function deploy(written: Assembly, server: Cluster, asked: RunOptions, outer: EventHost): Promise<RunSummary> {
  const binding = asked.plan && { ...asked.plan, ...(await import('../../plan/check-saved.js')) }; // few deploys need all that makes plans
  binding?.checkOrigin(binding.saved, written, asked);
  const options = binding ? binding.boundOptions(asked, binding.saved) : asked;
  const assembly = resolveReferences(written, chooseStacks(written, options.stacks), options.references);
  const secrets = new SecretTexts(assembly.objects.flat());
  const host: EventHost = (event) => outer(secrets.maskEvent(event));
  const onWarning = warnOnce(host);
  const keys = new DigestKeys(server, options.inventoryNamespace, onWarning);
  const cluster = knowingVersion(watchSecrets(applyingDynamically(server, keys), secrets));
  const { app, instance } = assembly.manifest;
  const stacks = chooseStacks(assembly, options.stacks);
  const declared = stepsOf(assembly, stacks);
  const declaredWaves = wavesOf(declared); // a cycle is found before the first request
  const run = new Run('deploy', host, options.signal);
  const names = StackNames.of(assembly.manifest);
  host({
    event: 'started',
    verb: 'deploy',
    app,
    instance,
    stacks: stacks.map((stack) => stack.name),
    server: cluster.server,
    objects: declared.filter((step) => isChosen(step, options)).length,
  });
  let session: Session | undefined;
  let steps: readonly Step[];
  let states: readonly StackState[] = [];
  let waves: readonly (readonly Step[])[];
  let leaving: readonly Target[] = [];
  let live: LiveBefore;
  let liveEndings: LiveEndings;
  let takeovers: ReadonlyMap<Step, Takeover>;
  let vanishing: ReadonlyMap<Step, Agreed>;
  let releases: AgreedReleases;
  let repairs: Repairs;
  let staleEndings: StaleEndings;
  let contact: FirstContact;
  let lookedReleases: ReadonlyMap<Step, ReadonlySet<string>>;
  let endsStrangers = false;
  let inheritance: Inheritance | undefined;
  const over = new AbortController();
  let givers: readonly StackIdentity[] = [];
  try {
    const watched = watchedBy(cluster, host).attendedBy({ signal: options.signal });
    const side = watched.attendedBy({ signal: AbortSignal.any([over.signal, ...(options.signal ? [options.signal] : [])]) });
    const asking = stepsInForce(side, declared, options, host); // what the server serves is no secret of who holds the locks
    asking.catch(() => undefined); // told where it is awaited
    leaving = await undeclaredStacks(inventoriesOf(watched, options, onWarning), assembly.manifest, options);
    givers = await foreignGivers(assembly, stacks, inventoriesOf(watched, options, onWarning));
    session = await beginSession(
      cluster,
      [...[...stacks, ...giversOutside(assembly, stacks)].flatMap(identitiesOf(assembly)), ...storedAs(leaving), ...givers],
      options,
      host,
    );
    const store = inventoriesOf(session.records, options, onWarning);
    leaving = await undeclaredStacks(store, assembly.manifest, options, storedAs(leaving));
    const [inForce, inventories] = await Promise.all([
      asking,
      Promise.all(stacks.map((stack) => findInventory(store, identityOf(assembly)(stack), stack))),
    ]);
    steps = inForce;
    const known = stacks.length === assembly.manifest.stacks.length ? declaredWaves : undefined;
    states = statesOf(stacks, steps, inventories, store, programWaves(assembly, known), options);
    await binding?.checkPlan(binding, assembly, session.cluster, options, secrets);
    const concurrency = options.concurrency ?? defaultConcurrency;
    const chosen = steps.filter((step) => isChosen(step, options));
    live = await readLiveBefore(session.cluster, states, concurrency);
    for (const warning of leftBehind(
      firstContacts(states, live, assembly),
      assembly.manifest,
      leaving.map(({ stack }) => stack.stack),
    ))
      host(warning);
    takeovers = await findTakeovers(session.cluster, assembly, chosen, concurrency, live);
    const asDeclared = takeovers.size === 0 && steps.length === declared.length && steps.every((step, index) => step === declared[index]);
    waves = asDeclared ? declaredWaves : wavesOf(steps, takeovers);
    const others = [
      ...declared.filter((step) => !isChosen(step, options)),
      ...stepsOf(
        assembly,
        assembly.manifest.stacks.filter((stack) => !stacks.includes(stack)),
      ),
    ];
    await refusePending(session.cluster, assembly, states, others, concurrency);
    vanishing = findVanishing(live, states);
    const pruned = options.only ? [] : states;
    const parts = [...pruned.flatMap(partsOf), ...leaving.flatMap(partsOfTarget)];
    const context = { app, instance, steps, others, inventories: () => store.read() };
    inheritance = await beginInheritance(cluster, parts, context, options, host);
    const { successions, movedFrom, deployersOf } = inheritance;
    const going = pruned.flatMap((state) => prunedBy(state, successions, options));
    const destroyed = endingsOf(leaving, successions, options);
    const endings = [...going, ...destroyed];
    liveEndings = await readLiveEndings(session.cluster, endings, concurrency, true);
    releases = findVanishingReleases(liveEndings, endings, options);
    repairs = await findRepairs(session.cluster, live, states, deployersOf, concurrency);
    contact = await findFirstContact(session.cluster, live, states, concurrency, (step) => movedFrom(step) !== undefined);
    const { looked, question } = await findReleases(
      session.cluster,
      { live, states, isReceived: receiversIn(steps, takeovers, parts, successions) },
      { live: liveEndings, pruned: going, destroyed },
      names,
      concurrency,
    );
    lookedReleases = looked;
    const unapplied = await findUnapplied(session.cluster, parts, concurrency);
    const declaredKeys = new Set(steps.map(({ key }) => key));
    const isDeclared = (key: string) => declaredKeys.has(key);
    const fates = await findFates(session.cluster, parts, { live: liveEndings, successions, options, isDeclared }, concurrency);
    staleEndings = await findStaleEndings(session.cluster, { live: liveEndings, fates, removed: repairs.removed }, options, concurrency);
    const questions = [
      ...repairQuestions(repairs, staleEndings),
      ...firstContactQuestions(contact),
      question,
      vanishingQuestion(vanishing),
      vanishingReleasesQuestion(releases),
      ...pruned.map((state) =>
        pruneQuestion(state.stack, state.before, [...state.steps, ...takenFrom(state.stack, steps)], {
          ...{ options, successions, unapplied, fates },
        }),
      ),
      stacksQuestion(leaving, { unapplied, successions, fates }),
    ];
    const asked = questions.filter((question) => question !== undefined);
    if (options.yes !== true && asked.length > 0) {
      for (const warning of await refusedTakeovers(session.cluster, takeovers, concurrency)) host(warning);
    }
    await askAll(asked, options);
    const wiped = wipedQuestion(repairs.wiped);
    endsStrangers = wiped !== undefined && (await options.confirm?.(wiped)) === true;
  } catch (error) {
    over.abort(); // what is still being asked tells nothing after the summary
    await inheritance?.end();
    await session?.end();
    const pruned = options.only ? [] : states;
    return refuse(run, error, [
      ...declared.filter((step) => isChosen(step, options)).map(stepReport),
      ...pruned.flatMap(({ before, steps }) => undeclared(before, steps).map(([, entry]) => reportOf(before.stack, entry))),
      ...leaving.flatMap(({ stack, entries }) => [...entries.values()].map((entry) => reportOf(stack, entry))),
    ]);
  }
  const deployment = new Deployment({
    cluster: session.cluster,
    options,
    host,
    run,
    steps,
    waves,
    states,
    live,
    endings: liveEndings,
    names,
    vanishing,
    releases,
    takeovers,
    repairs: { ...repairs, endsStrangers },
    rewriterOf: staleEndings.rewriterOf,
    inheritance,
    contact,
    lookedReleases,
  });
  try {
    await deployment.recordSuperset();
    await deployment.findUnchanged();
    await deployment.applyWaves();
    deployment.takeLives();
    await deployment.recordApplied(); // waiting may take long, and be ended by force
    await deployment.awaitReady();
    const store = inventoriesOf(session.records, options, onWarning);
    const unwritten = await inheritance.bequeath(run);
    await deployment.prune(unwritten);
    await deployment.recordEnd();
    await moveLivesOutside({ cluster: session.cluster, store, assembly, foreignGivers: givers, states, steps, run });
    const { successions } = inheritance;
    if (deployment.complete)
      await undo(session.cluster, store, run, leaving, options, {
        ...{ agreed: releases, live: liveEndings, names, successions, unwritten },
        rewriterOf: staleEndings.rewriterOf,
      });
    else skip(run, leaving);
    await warnOfForced(deployment, inventoriesOf(session.records, options, onWarning), assembly, host);
  } finally {
    deployment.close();
    await inheritance.end();
    await session.end();
  }
  return run.finish();
}

/** A hint about what is reported anyway: where the inventories of others cannot be read, it is left out. */
async function warnOfForced({ taken }: Deployment, store: InventoryStore, { manifest }: Assembly, host: EventHost): Promise<void> {
  const managers = new Set(manifest.stacks.map(({ manager }) => manager));
  for (const warning of await forcedByBoth(store, taken, managers).catch(() => [])) host(warning);
}

function statesOf(
  stacks: readonly StackManifest[],
  steps: readonly Step[],
  inventories: readonly FoundInventory[],
  store: InventoryStore,
  waves: ProgramWaves,
  options: RunOptions,
): readonly StackState[] {
  return stacks.map((stack, index) => {
    const own = steps.filter((step) => step.stack === stack && isChosen(step, options));
    return new StackState(stack, own, inventories[index] as FoundInventory, store, waves);
  });
}

function identityOf({ manifest: { app, instance } }: Assembly): (stack: StackManifest) => StackIdentity {
  return ({ name, manager }) => ({ app, instance, stack: name, manager });
}

/** Its own, and those that a deploy under a former name may be working on. */
function identitiesOf(assembly: Assembly): (stack: StackManifest) => readonly StackIdentity[] {
  return (stack) => [identityOf(assembly)(stack), ...(stack.formerIdentities ?? [])];
}

function inventoriesOf(cluster: Cluster, options: RunOptions, onWarning: (warning: RunWarning) => void): InventoryStore {
  return new InventoryStore(cluster, options.inventoryNamespace, onWarning);
}

/** What the run read of objects that their stack has never applied to. */
function firstContacts(states: readonly StackState[], live: LiveBefore, { manifest }: Assembly): readonly MetOwners[] {
  const names = new StackNames(manifest.app, manifest.instance, new Map());
  return states.flatMap(({ before, steps }) =>
    steps
      .filter((step) => live.has(step) && before.entries.get(step.key)?.uid === undefined)
      .map((step) => ({ step, owners: managedFieldsOf(live.get(step)).map((owner) => names.owner(owner)) })),
  );
}

/** Objects that go over whole from a stack to another of this run: they do not end. */
function takenFrom({ manager }: StackManifest, steps: readonly Step[]): readonly Step[] {
  return steps.filter(({ intent }) => intent.lifecycle === 'own' && intent.policy.transferFrom?.from === manager);
}

/** What a stack's program no longer declares. */
function prunedBy({ before, steps, stack }: StackState, successions: Successions, options: RunOptions): readonly Ending[] {
  return undeclared(before, steps).map(([, entry]) => endingOf(entry, managersOf(stack), successions.get(entry), options));
}
