import { formerManagersOf, managersOf, objectText } from '../../assembly/identity.js';
import type { Assembly, StackManifest } from '../../assembly/types.js';
import type { IsLeaving } from '../../engine/apply/conflict-policy.js';
import { intentStepsOf, programWaves, type Step, wavesOf } from '../../engine/graph/waves.js';
import { incompleteWarnings, unlistedMark } from '../../engine/inventory/edited-inventory.js';
import type { StackInventories } from '../../engine/inventory/former-inventories.js';
import type { InventoryEntry } from '../../engine/inventory/inventory-entry.js';
import type { InventoryStore, StackIdentity } from '../../engine/inventory/inventory-store.js';
import { notAsApplied } from '../../engine/inventory/not-as-applied.js';
import { OwnerNameResolver } from '../../engine/inventory/owner-name-resolver.js';
import { undeclaredEntries } from '../../engine/inventory/undeclared-entries.js';
import { type LiveBefore, readLiveBefore } from '../../engine/live/live-before.js';
import { type ApprovedFields, findCollateral } from '../../engine/object/collateral.js';
import { inputDiagnostics } from '../../engine/prepare/input-diagnostics.js';
import { inventoriesIn, readInventories, readSteps, stackIdentityOf } from '../../engine/prepare/prepare-run.js';
import { isSelected } from '../../engine/prepare/select-stacks.js';
import { undeclaredStackWarnings } from '../../engine/prepare/undeclared-stacks.js';
import { findUnserved, unservedLast } from '../../engine/prepare/unserved-steps.js';
import { type CheckedReleases, findReleases } from '../../engine/release/find-releases.js';
import { isTransferredIn } from '../../engine/release/is-transferred.js';
import {
  type ApprovedReleases,
  findReleaseCollateral,
  type LiveRemovals,
  type Removal,
  readLiveRemovals,
  removalOf,
} from '../../engine/release/release-collateral.js';
import { type PredictedRemovals, predictRemovals } from '../../engine/removal/predict-removals.js';
import { findUndeclaredStacks } from '../../engine/removal/prune-stacks.js';
import { reportOf } from '../../engine/removal/remove-entry.js';
import { removedIdentities, type StackRemoval, stackEntryRemovalsOf } from '../../engine/removal/stack-removal.js';
import type { Cleanup } from '../../engine/run/cleanup.js';
import { defaultConcurrency, type RunOptions } from '../../engine/run/options.js';
import { beginSession, type Session, withRetryEvents } from '../../engine/run/session.js';
import { StackState } from '../../engine/run/stack-state.js';
import { beginLifecycleTransfers, type LifecycleTransfers, undeclaredRemovalsOf } from '../../engine/transfer/begin-lifecycle-transfers.js';
import {
  allTransfers,
  type FieldClaims,
  type FieldTransfer,
  findFieldTransfers,
  foreignPreviousOwners,
  leavingAmong,
  previousOwnersOutside,
  refusePendingTransfers,
  withImpliedTransfers,
} from '../../engine/transfer/field-transfers.js';
import { type FirstDeploys, findFirstDeploys } from '../../engine/transfer/first-deploys.js';
import { findTurnedIntoShares, type OtherStacksByEntry } from '../../engine/transfer/other-stacks.js';
import { type FirstDeployOwners, undeclaredOwnerDiagnostics } from '../../engine/transfer/undeclared-owners.js';
import { managedFieldsOf } from '../../ownership/index.js';
import { FieldwiseError } from '../../util/error.js';
import { findUnapplied } from './find-unapplied.js';
import { removalsOf } from './remove-stacks.js';
import { findRepairs, type Repairs } from './repairs.js';
import { findStaleRemovals, type StaleRemovals } from './stale-removals.js';
import type { StartedDeploy } from './start-deploy.js';

/** A deploy that holds its locks. */
interface LockedDeploy extends StartedDeploy {
  readonly concurrency: number;
  readonly session: Session;
  readonly store: InventoryStore;
  /** Stacks of the app and instance that are in the cluster and that the program does not declare; only with `pruneStacks`. */
  readonly undeclaredStacks: readonly StackRemoval[];
  /** The stacks of other apps and instances whose fields are transferred to intents of the run. */
  readonly foreignPreviousOwners: readonly StackIdentity[];
}

/** A deploy with its stacks: their steps, with the scopes of the server, and their inventories. */
interface ReadDeploy extends LockedDeploy {
  readonly steps: readonly Step[];
  readonly states: readonly StackState[];
}

/** The objects that are applied. */
interface FoundChanges {
  readonly live: LiveBefore;
  /** The fields that are transferred from other stacks. */
  readonly transfers: ReadonlyMap<Step, FieldTransfer>;
  readonly claims: FieldClaims;
  /** The steps in the order in which they are applied. */
  readonly waves: readonly (readonly Step[])[];
  /** Those that cannot be applied. */
  readonly unserved: ReadonlySet<Step>;
  /** Steps of the program that the run leaves out. */
  readonly others: readonly Step[];
  /** Fields of others that may be removed with items that an intent drops. */
  readonly collateral: ReadonlyMap<Step, ApprovedFields>;
}

/** The objects that are deleted or released. */
interface FoundRemovals {
  /** The stacks that are pruned: all, or none if only some intents are selected. */
  readonly prunableStates: readonly StackState[];
  readonly pruneRemovals: readonly Removal[];
  /** Removals of stacks that are destroyed. */
  readonly undeclaredStackRemovals: readonly Removal[];
  /** The rights to delete that move between stacks. */
  readonly lifecycleTransfers: LifecycleTransfers;
  readonly isLeavingOf: (step: Step) => IsLeaving;
  readonly liveRemovals: LiveRemovals;
  /** Fields of others that may be removed with a release. */
  readonly approvedReleases: ApprovedReleases;
}

/** The findings that need a person's agreement. */
interface FoundRisks {
  readonly repairs: Repairs;
  readonly firstDeploys: FirstDeploys;
  readonly releases: CheckedReleases;
  readonly unapplied: ReadonlySet<InventoryEntry>;
  readonly predictions: PredictedRemovals;
  readonly staleRemovals: StaleRemovals;
}

/** A deploy before its first question: everything that is known of the cluster, and nothing changed. */
export interface PreparedDeploy extends ReadDeploy, FoundChanges, FoundRemovals, FoundRisks {}

/**
 * Reads everything that a deploy needs to know before its first question. Changes nothing but locks.
 *
 * @param cleanup receives the locks that are held.
 * @throws FieldwiseError of locks, inventories and policies; `repair-outdated`, `flag-without-use`, `handoff-pending`, `plan-outdated`, `release-refused`.
 */
export async function prepareDeploy(started: StartedDeploy, cleanup: Cleanup): Promise<PreparedDeploy> {
  const discovery = discoverSteps(started);
  try {
    const deploy = await readStacks(await lockStacks(started, cleanup), discovery.steps);
    await deploy.binding?.checkPlan(deploy.binding, deploy.assembly, deploy.session.cluster, deploy.options, deploy.secrets);
    const changes = await findChanges(deploy);
    const removals = await findRemovals({ ...deploy, ...changes }, cleanup);
    const risks = await findRisks({ ...deploy, ...changes, ...removals });
    return Object.freeze({ ...deploy, ...changes, ...removals, ...risks });
  } catch (error) {
    discovery.cancel(); // A request in flight must not report anything after the summary.
    throw error;
  }
}

/** Discovery needs no lock, so it runs while the locks are taken. */
function discoverSteps(started: StartedDeploy): { readonly steps: Promise<readonly Step[]>; cancel(): void } {
  const { cluster, options, host } = started;
  const canceled = new AbortController();
  const signal = AbortSignal.any([canceled.signal, ...(options.signal ? [options.signal] : [])]);
  const steps = readSteps({ ...started, cluster: withRetryEvents(cluster, host).withContext({ signal }) }, options, host);
  steps.catch(() => undefined); // Rejections are handled where the promise is awaited.
  return { steps, cancel: () => canceled.abort() };
}

async function lockStacks(started: StartedDeploy, cleanup: Cleanup): Promise<LockedDeploy> {
  const { assembly, stacks, cluster, options, host, run, onWarning } = started;
  const before = inventoriesIn(withRetryEvents(cluster, host).withContext({ signal: options.signal }), options, onWarning);
  const find = async (...[store, locked]: [store: InventoryStore, locked?: readonly StackIdentity[]]) => {
    const found = await findUndeclaredStacks(store, assembly.manifest, options, locked);
    run.expect('undeclared-stacks', () =>
      found.flatMap(({ stack, entries }) => [...entries.values()].map((entry) => reportOf(stack, entry))),
    );
    return found;
  };
  const found = removedIdentities(await find(before));
  const previousOwners = await foreignPreviousOwners(assembly, stacks, before);
  const declared = [...stacks, ...previousOwnersOutside(assembly, stacks)];
  const locked = [...declared.flatMap((stack) => identitiesOf(assembly, stack)), ...found, ...previousOwners];
  const session = await beginSession(cluster, locked, options, host, onWarning);
  cleanup.add(() => session.end());
  const store = session.inventories;
  const undeclaredStacks = await find(store, found); // Again, because other runs may have changed them before the locks were taken.
  const concurrency = options.concurrency ?? defaultConcurrency;
  return { ...started, concurrency, session, store, undeclaredStacks, foreignPreviousOwners: previousOwners };
}

async function readStacks(deploy: LockedDeploy, discovery: Promise<readonly Step[]>): Promise<ReadDeploy> {
  const { assembly, stacks, options, run, store, declaredWaves } = deploy;
  const undeclared = deploy.undeclaredStacks.flatMap((removal) => removal.inventories);
  const [steps, inventories] = await Promise.all([discovery, readInventories(deploy, store, options, deploy.onWarning, undeclared)]);
  const known = stacks.length === assembly.manifest.stacks.length ? declaredWaves : undefined;
  const waves = programWaves(assembly, known);
  const inputs = options.targets ? undefined : (assembly.manifest.inputs ?? []);
  const states = stacks.map((stack, index) => {
    const own = steps.filter((step) => step.stack === stack && isSelected(step, options));
    return new StackState(stack, own, inventories[index] as StackInventories, { store, waves, inputs, id: assembly.manifest.id });
  });
  if (options.onlyAsApplied) requireAsApplied(states);
  else if (options.targets === undefined) {
    const ofStacks = states.map(({ stack, steps: own, before }) => ({ stack, steps: own, inventory: before }));
    for (const warning of await inputDiagnostics({ assembly, cluster: deploy.session.cluster }, ofStacks, options))
      deploy.onWarning(warning);
  }
  const reports = () =>
    prunableStatesOf(states, options).flatMap(({ before, steps: own }) =>
      undeclaredEntries(before, own).map(([, entry]) => reportOf(before.stack, entry)),
    );
  run.expect('undeclared', reports);
  return { ...deploy, steps, states };
}

async function findChanges(deploy: ReadDeploy): Promise<FoundChanges> {
  const { assembly, stacks, declared, options, host, session, steps, states, concurrency, undeclaredStacks } = deploy;
  const live = await readLiveBefore(session.cluster, states, concurrency);
  const undeclared = undeclaredStacks.map(({ stack }) => stack.stack);
  const firstDeploys = firstDeployOwners(states, live, assembly);
  const leftBehind = await undeclaredOwnerDiagnostics(firstDeploys, assembly.manifest, undeclared, deploy.store);
  const named = leftBehind.map(({ stack }) => stack);
  const alsoUndeclared = await undeclaredStackWarnings(session.cluster, options, assembly.manifest, named);
  for (const warning of [...leftBehind.map(({ warning: one }) => one), ...alsoUndeclared]) host(warning);
  const chosen = steps.filter((step) => isSelected(step, options));
  const unlisted = states.flatMap(({ stack, steps: own, before }) =>
    own.flatMap(({ key, intent }, index) =>
      unlistedMark(before.entries.get(key), live.get(own[index] as Step), managersOf(stack)).unlisted && intent.lifecycle === 'own'
        ? [{ ...intent, stack: stack.name }]
        : [],
    ),
  );
  for (const warning of incompleteWarnings(unlisted)) deploy.onWarning(warning);
  const byPolicy = await findFieldTransfers(session.cluster, assembly, chosen, concurrency, live, host);
  const { transfers, claims } = await withImpliedTransfers(byPolicy, chosen, steps, async (rival) => live.get(rival));
  const unserved = await findUnserved(session.cluster, chosen);
  const asDeclared = transfers.size === 0 && steps.length === declared.length && steps.every((step, index) => step === declared[index]);
  const waves = asDeclared ? deploy.declaredWaves : wavesOf(steps, transfers);
  const stacksLeftOut = assembly.manifest.stacks.filter((stack) => !stacks.includes(stack));
  const others = [...declared.filter((step) => !isSelected(step, options)), ...intentStepsOf(assembly, stacksLeftOut)];
  await refusePendingTransfers(session.cluster, assembly, states, others, concurrency);
  const ordered = unservedLast(waves, unserved);
  return { live, transfers, claims, waves: ordered, unserved, others, collateral: findCollateral(live, states) };
}

async function findRemovals(deploy: ReadDeploy & FoundChanges, cleanup: Cleanup): Promise<FoundRemovals> {
  const { assembly, cluster, options, host, session, store, steps, states, others, undeclaredStacks, concurrency } = deploy;
  const { app, instance } = assembly.manifest;
  const prunableStates = prunableStatesOf(states, options);
  const entryRemovals = [...prunableStates.flatMap(undeclaredRemovalsOf), ...undeclaredStacks.flatMap(stackEntryRemovalsOf)];
  const context = { app, instance, steps, others, inventories: () => store.read() };
  const before = states.map((state) => ({ ...state.before, formerManagers: formerManagersOf(state.stack), steps: state.steps }));
  const turned = findTurnedIntoShares(before, context);
  const lifecycleTransfers = await beginLifecycleTransfers({ cluster, session }, entryRemovals, context, options, host, turned);
  cleanup.add(() => lifecycleTransfers.end());
  const { otherStacks } = lifecycleTransfers;
  const pruneRemovals = prunableStates.flatMap((state) => prunedRemovals(state, otherStacks, options));
  const undeclaredStackRemovals = removalsOf(undeclaredStacks, otherStacks, options);
  const removals = [...pruneRemovals, ...undeclaredStackRemovals];
  const selected = steps.filter((step) => isSelected(step, options));
  const isLeavingOf = leavingAmong(selected, lifecycleTransfers.leavingManagersOf);
  const liveRemovals = await readLiveRemovals(session.cluster, removals, concurrency, true);
  const approvedReleases = findReleaseCollateral(liveRemovals, removals, options);
  return { prunableStates, pruneRemovals, undeclaredStackRemovals, lifecycleTransfers, isLeavingOf, liveRemovals, approvedReleases };
}

/** Returns the field managers of the stacks of a run, also their former ones, and of the stacks that it removes. */
export function managersOfRun({ stacks, undeclaredStacks }: Pick<LockedDeploy, 'stacks' | 'undeclaredStacks'>): ReadonlySet<string> {
  const removed = undeclaredStacks.flatMap(({ stack, formerManagers }) => [stack.manager, ...formerManagers]);
  return new Set([...stacks.flatMap(managersOf), ...removed]);
}

async function findRisks(deploy: ReadDeploy & FoundChanges & FoundRemovals): Promise<FoundRisks> {
  const { options, session, names, steps, states, live, concurrency } = deploy;
  const { pruneRemovals, undeclaredStackRemovals, lifecycleTransfers, liveRemovals } = deploy;
  const { entryRemovals, otherStacks, movedFrom, deployersOf } = lifecycleTransfers;
  const { cluster } = session;
  const repairs = await findRepairs(cluster, live, states, deployersOf, concurrency);
  const firstDeploys = await findFirstDeploys(
    cluster,
    live,
    states,
    concurrency,
    (step) => movedFrom(step) !== undefined,
    managersOfRun(deploy),
    deploy.isLeavingOf,
  );
  const releases = await findReleases(
    cluster,
    { live, states, isTransferred: isTransferredIn(steps, allTransfers(deploy), entryRemovals, otherStacks) },
    { live: liveRemovals, pruned: pruneRemovals, destroyed: undeclaredStackRemovals },
    names,
    concurrency,
  );
  const unapplied = await findUnapplied(cluster, entryRemovals, concurrency);
  const declaredKeys = new Set(steps.map(({ key }) => key));
  const isDeclared = (key: string) => declaredKeys.has(key);
  const removalContext = { live: liveRemovals, otherStacks, options, isDeclared };
  const predictions = await predictRemovals(cluster, entryRemovals, removalContext, concurrency);
  const stale = { live: liveRemovals, predictions, removed: repairs.removedVersions };
  const staleRemovals = await findStaleRemovals(cluster, stale, options, concurrency);
  return { repairs, firstDeploys, releases, unapplied, predictions, staleRemovals };
}

/** @throws FieldwiseError `repair-outdated` unless each intent is the one that its stack applied last: nothing was changed. */
function requireAsApplied(states: readonly StackState[]): void {
  for (const { stack, steps, before } of states) {
    const step = steps.find((one) => notAsApplied(one, before.entries.get(one.key)) !== undefined);
    if (step === undefined) continue;
    throw new FieldwiseError(
      'repair-outdated',
      'resource',
      `Another run deployed ${objectText(step.intent)} after the repair had read it`,
      {
        location: { object: objectText(step.intent), manager: stack.manager },
        next: 'Nothing was changed. Run `fieldwise drift --repair` again.',
      },
    );
  }
}

/** Returns the identities of a stack: its own, and its former ones, under which another deploy may be running. */
function identitiesOf(assembly: Assembly, stack: StackManifest): readonly StackIdentity[] {
  return [stackIdentityOf(assembly, stack), ...(stack.formerIdentities ?? [])];
}

/** Returns the states to prune: none if only some intents are selected. */
function prunableStatesOf(states: readonly StackState[], { targets }: RunOptions): readonly StackState[] {
  return targets ? [] : states;
}

/** Returns the removals of objects that the program of a stack no longer declares. */
function prunedRemovals({ before, steps, stack }: StackState, otherStacks: OtherStacksByEntry, options: RunOptions): readonly Removal[] {
  return undeclaredEntries(before, steps).map(([, entry]) => removalOf(entry, managersOf(stack), otherStacks.get(entry), options));
}

/** Returns the owners of objects that were read and to which their stack has never applied. */
function firstDeployOwners(states: readonly StackState[], live: LiveBefore, { manifest }: Assembly): readonly FirstDeployOwners[] {
  const names = new OwnerNameResolver(manifest.app, manifest.instance, new Map());
  return states.flatMap(({ before, steps }) =>
    steps
      .filter((step) => live.has(step) && before.entries.get(step.key)?.uid === undefined)
      .map((step) => ({ step, owners: managedFieldsOf(live.get(step)).map((owner) => names.resolve(owner)) })),
  );
}
