import { managersOf } from '../../assembly/identity.js';
import type { Assembly, StackManifest } from '../../assembly/types.js';
import { DigestKeys } from '../../engine/client-side-apply/digest-keys.js';
import { withClientSideApply } from '../../engine/client-side-apply/with-client-side-apply.js';
import { type ProgramWaves, programWaves, type Step, stepsOf, wavesOf } from '../../engine/graph/waves.js';
import { findInventory, type StackInventories } from '../../engine/inventory/former-inventories.js';
import { InventoryStore, type StackIdentity } from '../../engine/inventory/inventory-store.js';
import { OwnerNameResolver } from '../../engine/inventory/owner-name-resolver.js';
import { StackState } from '../../engine/inventory/stack-state.js';
import { type LiveBefore, readLiveBefore } from '../../engine/live/live-before.js';
import { findReleases } from '../../engine/release/find-releases.js';
import { isTransferredIn } from '../../engine/release/is-transferred.js';
import { type ApprovedFields, collateralQuestion, findCollateral } from '../../engine/removal/collateral.js';
import { predictRemovals } from '../../engine/removal/predict-removals.js';
import { pruneQuestion, undeclaredEntries } from '../../engine/removal/prune-question.js';
import { findUndeclaredStacks, stacksQuestion } from '../../engine/removal/prune-stacks.js';
import {
  type ApprovedReleases,
  findReleaseCollateral,
  type LiveRemovals,
  type Removal,
  readLiveRemovals,
  releaseCollateralQuestion,
  removalOf,
} from '../../engine/removal/release-collateral.js';
import { reportOf } from '../../engine/removal/remove-entry.js';
import { type StackRemoval, removedIdentities as storedAs } from '../../engine/removal/stack-removal.js';
import { clearedQuestion } from '../../engine/repairs/cleared-objects.js';
import { askAll } from '../../engine/run/ask-all.js';
import type { EventHost, RunSummary } from '../../engine/run/events.js';
import { defaultConcurrency, type RunOptions } from '../../engine/run/options.js';
import { refuse } from '../../engine/run/refuse.js';
import { Run } from '../../engine/run/run.js';
import { type RunDiagnostic, warnOnce } from '../../engine/run/run-diagnostic.js';
import { beginSession, type Session, withRetryEvents, withVersionCache } from '../../engine/run/session.js';
import { resolveReferences } from '../../engine/secrets/references.js';
import { SecretMasker, withSecretMasking } from '../../engine/secrets/secret-masker.js';
import { effectiveSteps } from '../../engine/target/effective-strategy.js';
import { isSelected, selectStacks } from '../../engine/target/select-stacks.js';
import {
  type FieldTransfer,
  findFieldTransfers,
  foreignPreviousOwners,
  previousOwnersOutside,
  refusedFieldTransfers,
  refusePendingTransfers,
} from '../../engine/transfer/field-transfers.js';
import { type FirstDeploys, findFirstDeploys, firstDeployQuestions } from '../../engine/transfer/first-deploys.js';
import {
  beginLifecycleTransfers,
  type LifecycleTransfers,
  stackEntryRemovalsOf,
  undeclaredRemovalsOf,
} from '../../engine/transfer/lifecycle-transfers.js';
import type { OtherStacksByEntry } from '../../engine/transfer/other-stacks.js';
import { transferLifecyclesFromOutside } from '../../engine/transfer/transfer-lifecycle.js';
import { type FirstDeployOwners, undeclaredOwnerDiagnostics } from '../../engine/transfer/undeclared-owners.js';
import type { Cluster } from '../../kubernetes/index.js';
import { managedFieldsOf } from '../../ownership/index.js';
import { forcedByBoth } from '../../plan/forced-by-both.js';
import { Deployment, stepReport } from './deployment.js';
import { findUnapplied } from './find-unapplied.js';
import { removalsOf, removeStacks, skipStacks } from './remove-stacks.js';
import { findRepairs, type Repairs, repairQuestions } from './repairs.js';
import { findStaleRemovals, type StaleRemovals } from './stale-removals.js';

/**
 * Brings the chosen stacks of an assembly into the cluster: applies each intent, then deletes or releases what their programs no
 * longer declare. Stacks that the assembly does not declare are never touched. A run that was killed is finished by running it again.
 *
 * @throws FieldwiseError of kind `usage`, before anything is changed: unknown stack, dependency cycle, `confirmation-needed`. Where the run
 *   has started by then, its events come to their end first, the summary last.
 *   Everything else ends in the reports and the summary.
 */
export async function deploy(
  unresolvedAssembly: Assembly,
  server: Cluster,
  requestedOptions: RunOptions,
  outerHost: EventHost,
): Promise<RunSummary> {
  const binding = requestedOptions.plan && { ...requestedOptions.plan, ...(await import('../../plan/check-plan.js')) }; // few deploys need all that makes plans
  binding?.checkOrigin(binding.saved, unresolvedAssembly, requestedOptions);
  const options = binding ? binding.boundOptions(requestedOptions, binding.saved) : requestedOptions;
  const assembly = resolveReferences(unresolvedAssembly, selectStacks(unresolvedAssembly, options.stacks), options.references);
  const secrets = new SecretMasker(assembly.objects.flat());
  const host: EventHost = (event) => outerHost(secrets.maskEvent(event));
  const onWarning = warnOnce(host);
  const keys = new DigestKeys(server, options.inventoryNamespace, onWarning);
  const cluster = withVersionCache(withSecretMasking(withClientSideApply(server, keys), secrets));
  const { app, instance } = assembly.manifest;
  const stacks = selectStacks(assembly, options.stacks);
  const declared = stepsOf(assembly, stacks);
  const declaredWaves = wavesOf(declared); // a cycle is found before the first request
  const run = new Run('deploy', host, options.signal);
  const names = OwnerNameResolver.of(assembly.manifest);
  host({
    event: 'started',
    verb: 'deploy',
    app,
    instance,
    stacks: stacks.map((stack) => stack.name),
    server: cluster.server,
    objects: declared.filter((step) => isSelected(step, options)).length,
  });
  let session: Session | undefined;
  let steps: readonly Step[];
  let states: readonly StackState[] = [];
  let waves: readonly (readonly Step[])[];
  let undeclaredStacks: readonly StackRemoval[] = [];
  let live: LiveBefore;
  let liveRemovals: LiveRemovals;
  let transfers: ReadonlyMap<Step, FieldTransfer>;
  let collateral: ReadonlyMap<Step, ApprovedFields>;
  let releases: ApprovedReleases;
  let repairs: Repairs;
  let staleRemovals: StaleRemovals;
  let firstDeploys: FirstDeploys;
  let checkedReleases: ReadonlyMap<Step, ReadonlySet<string>>;
  let releasesInitialEntry = false;
  let lifecycleTransfers: LifecycleTransfers | undefined;
  const over = new AbortController();
  let previousOwners: readonly StackIdentity[] = [];
  try {
    const watched = withRetryEvents(cluster, host).withContext({ signal: options.signal });
    const side = watched.withContext({ signal: AbortSignal.any([over.signal, ...(options.signal ? [options.signal] : [])]) });
    const asking = effectiveSteps(side, declared, options, host); // what the server serves is no secret of who holds the locks
    asking.catch(() => undefined); // told where it is awaited
    undeclaredStacks = await findUndeclaredStacks(inventoriesOf(watched, options, onWarning), assembly.manifest, options);
    previousOwners = await foreignPreviousOwners(assembly, stacks, inventoriesOf(watched, options, onWarning));
    session = await beginSession(
      cluster,
      [
        ...[...stacks, ...previousOwnersOutside(assembly, stacks)].flatMap(identitiesOf(assembly)),
        ...storedAs(undeclaredStacks),
        ...previousOwners,
      ],
      options,
      host,
    );
    const store = inventoriesOf(session.records, options, onWarning);
    undeclaredStacks = await findUndeclaredStacks(store, assembly.manifest, options, storedAs(undeclaredStacks));
    const [inForce, inventories] = await Promise.all([
      asking,
      Promise.all(stacks.map((stack) => findInventory(store, identityOf(assembly)(stack), stack))),
    ]);
    steps = inForce;
    const known = stacks.length === assembly.manifest.stacks.length ? declaredWaves : undefined;
    states = statesOf(stacks, steps, inventories, store, programWaves(assembly, known), options);
    await binding?.checkPlan(binding, assembly, session.cluster, options, secrets);
    const concurrency = options.concurrency ?? defaultConcurrency;
    const chosen = steps.filter((step) => isSelected(step, options));
    live = await readLiveBefore(session.cluster, states, concurrency);
    for (const warning of undeclaredOwnerDiagnostics(
      firstDeployOwners(states, live, assembly),
      assembly.manifest,
      undeclaredStacks.map(({ stack }) => stack.stack),
    ))
      host(warning);
    transfers = await findFieldTransfers(session.cluster, assembly, chosen, concurrency, live);
    const asDeclared = transfers.size === 0 && steps.length === declared.length && steps.every((step, index) => step === declared[index]);
    waves = asDeclared ? declaredWaves : wavesOf(steps, transfers);
    const others = [
      ...declared.filter((step) => !isSelected(step, options)),
      ...stepsOf(
        assembly,
        assembly.manifest.stacks.filter((stack) => !stacks.includes(stack)),
      ),
    ];
    await refusePendingTransfers(session.cluster, assembly, states, others, concurrency);
    collateral = findCollateral(live, states);
    const pruned = options.targets ? [] : states;
    const entryRemovals = [...pruned.flatMap(undeclaredRemovalsOf), ...undeclaredStacks.flatMap(stackEntryRemovalsOf)];
    const context = { app, instance, steps, others, inventories: () => store.read() };
    lifecycleTransfers = await beginLifecycleTransfers(cluster, entryRemovals, context, options, host);
    const { otherStacks, movedFrom, deployersOf } = lifecycleTransfers;
    const pruneRemovals = pruned.flatMap((state) => prunedRemovals(state, otherStacks, options));
    const destroyed = removalsOf(undeclaredStacks, otherStacks, options);
    const removals = [...pruneRemovals, ...destroyed];
    liveRemovals = await readLiveRemovals(session.cluster, removals, concurrency, true);
    releases = findReleaseCollateral(liveRemovals, removals, options);
    repairs = await findRepairs(session.cluster, live, states, deployersOf, concurrency);
    firstDeploys = await findFirstDeploys(session.cluster, live, states, concurrency, (step) => movedFrom(step) !== undefined);
    const { checked, question } = await findReleases(
      session.cluster,
      { live, states, isTransferred: isTransferredIn(steps, transfers, entryRemovals, otherStacks) },
      { live: liveRemovals, pruned: pruneRemovals, destroyed },
      names,
      concurrency,
    );
    checkedReleases = checked;
    const unapplied = await findUnapplied(session.cluster, entryRemovals, concurrency);
    const declaredKeys = new Set(steps.map(({ key }) => key));
    const isDeclared = (key: string) => declaredKeys.has(key);
    const predictions = await predictRemovals(
      session.cluster,
      entryRemovals,
      { live: liveRemovals, otherStacks: otherStacks, options, isDeclared },
      concurrency,
    );
    staleRemovals = await findStaleRemovals(
      session.cluster,
      { live: liveRemovals, fates: predictions, removed: repairs.removedVersions },
      options,
      concurrency,
    );
    const questions = [
      ...repairQuestions(repairs, staleRemovals),
      ...firstDeployQuestions(firstDeploys),
      question,
      collateralQuestion(collateral),
      releaseCollateralQuestion(releases),
      ...pruned.map((state) =>
        pruneQuestion(state.stack, state.before, [...state.steps, ...transferredFrom(state.stack, steps)], {
          ...{ options, otherStacks: otherStacks, unapplied, predictions: predictions },
        }),
      ),
      stacksQuestion(undeclaredStacks, { unapplied, otherStacks: otherStacks, predictions: predictions }),
    ];
    const openQuestions = questions.filter((question) => question !== undefined);
    if (options.yes !== true && openQuestions.length > 0) {
      for (const warning of await refusedFieldTransfers(session.cluster, transfers, concurrency)) host(warning);
    }
    await askAll(openQuestions, options);
    const clearedOwners = clearedQuestion(repairs.cleared);
    releasesInitialEntry = clearedOwners !== undefined && (await options.confirm?.(clearedOwners)) === true;
  } catch (error) {
    over.abort(); // what is still being asked tells nothing after the summary
    await lifecycleTransfers?.end();
    await session?.end();
    const pruned = options.targets ? [] : states;
    return refuse(run, error, [
      ...declared.filter((step) => isSelected(step, options)).map(stepReport),
      ...pruned.flatMap(({ before, steps }) => undeclaredEntries(before, steps).map(([, entry]) => reportOf(before.stack, entry))),
      ...undeclaredStacks.flatMap(({ stack, entries }) => [...entries.values()].map((entry) => reportOf(stack, entry))),
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
    liveRemovals: liveRemovals,
    names,
    approvedCollateral: collateral,
    approvedReleases: releases,
    transfers: transfers,
    repairs: { ...repairs, endsStrangers: releasesInitialEntry },
    removedVersionsRewriter: staleRemovals.removedVersionsRewriter,
    lifecycleTransfers: lifecycleTransfers,
    firstDeploys: firstDeploys,
    checkedReleases: checkedReleases,
  });
  try {
    await deployment.writePendingInventory();
    await deployment.findUnchanged();
    await deployment.applyWaves();
    deployment.transferLifecycles();
    await deployment.writeAppliedInventory(); // waiting may take long, and be ended by force
    await deployment.awaitReady();
    const store = inventoriesOf(session.records, options, onWarning);
    const writeFailure = await lifecycleTransfers.transferOutside(run);
    await deployment.prune(writeFailure);
    await deployment.writeFinalInventory();
    await transferLifecyclesFromOutside({
      cluster: session.cluster,
      store,
      assembly,
      foreignPreviousOwners: previousOwners,
      states,
      steps,
      run,
    });
    const { otherStacks } = lifecycleTransfers;
    if (deployment.complete)
      await removeStacks(session.cluster, store, run, undeclaredStacks, options, {
        ...{ approvedReleases: releases, live: liveRemovals, names, otherStacks: otherStacks, unwritten: writeFailure },
        removedVersionsRewriter: staleRemovals.removedVersionsRewriter,
      });
    else skipStacks(run, undeclaredStacks);
    await warnOfForced(deployment, inventoriesOf(session.records, options, onWarning), assembly, host);
  } finally {
    deployment.close();
    await lifecycleTransfers.end();
    await session.end();
  }
  return run.finish();
}

/** A hint about what is reported anyway: where the inventories of others cannot be read, it is left out. */
async function warnOfForced(
  { forcedConflicts }: Deployment,
  store: InventoryStore,
  { manifest }: Assembly,
  host: EventHost,
): Promise<void> {
  const managers = new Set(manifest.stacks.map(({ manager }) => manager));
  for (const warning of await forcedByBoth(store, forcedConflicts, managers).catch(() => [])) host(warning);
}

function statesOf(
  stacks: readonly StackManifest[],
  steps: readonly Step[],
  inventories: readonly StackInventories[],
  store: InventoryStore,
  waves: ProgramWaves,
  options: RunOptions,
): readonly StackState[] {
  return stacks.map((stack, index) => {
    const own = steps.filter((step) => step.stack === stack && isSelected(step, options));
    return new StackState(stack, own, inventories[index] as StackInventories, store, waves);
  });
}

function identityOf({ manifest: { app, instance } }: Assembly): (stack: StackManifest) => StackIdentity {
  return ({ name, manager }) => ({ app, instance, stack: name, manager });
}

/** Its own, and those that a deploy under a former name may be working on. */
function identitiesOf(assembly: Assembly): (stack: StackManifest) => readonly StackIdentity[] {
  return (stack) => [identityOf(assembly)(stack), ...(stack.formerIdentities ?? [])];
}

function inventoriesOf(cluster: Cluster, options: RunOptions, onWarning: (warning: RunDiagnostic) => void): InventoryStore {
  return new InventoryStore(cluster, options.inventoryNamespace, onWarning);
}

/** What the run read of objects that their stack has never applied to. */
function firstDeployOwners(states: readonly StackState[], live: LiveBefore, { manifest }: Assembly): readonly FirstDeployOwners[] {
  const names = new OwnerNameResolver(manifest.app, manifest.instance, new Map());
  return states.flatMap(({ before, steps }) =>
    steps
      .filter((step) => live.has(step) && before.entries.get(step.key)?.uid === undefined)
      .map((step) => ({ step, owners: managedFieldsOf(live.get(step)).map((owner) => names.resolve(owner)) })),
  );
}

/** Objects that go over whole from a stack to another of this run: they do not end. */
function transferredFrom({ manager }: StackManifest, steps: readonly Step[]): readonly Step[] {
  return steps.filter(({ intent }) => intent.lifecycle === 'own' && intent.policy.transferFrom?.from === manager);
}

/** What a stack's program no longer declares. */
function prunedRemovals({ before, steps, stack }: StackState, otherStacks: OtherStacksByEntry, options: RunOptions): readonly Removal[] {
  return undeclaredEntries(before, steps).map(([, entry]) => removalOf(entry, managersOf(stack), otherStacks.get(entry), options));
}
