import type { Manifest } from '../../assembly/types.js';
import { DigestKeys } from '../../engine/client-side-apply/digest-keys.js';
import { withClientSideApply } from '../../engine/client-side-apply/with-client-side-apply.js';
import type { Step } from '../../engine/graph/waves.js';
import type { InventoryEntry } from '../../engine/inventory/inventory-entry.js';
import { type Inventory, InventoryStore, type StackIdentity } from '../../engine/inventory/inventory-store.js';
import { defaultInventoryNamespace } from '../../engine/inventory/namespace.js';
import { OwnerNameResolver } from '../../engine/inventory/owner-name-resolver.js';
import { emptyLive } from '../../engine/live/read-live.js';
import { lockedAmong } from '../../engine/lock/stack-lock.js';
import { findReleases } from '../../engine/release/find-releases.js';
import { noTransfers } from '../../engine/release/is-transferred.js';
import { type PredictedRemovals, predictedRemovalText, predictRemovals } from '../../engine/removal/predict-removals.js';
import { findReleaseCollateral, readLiveRemovals, releaseCollateralQuestion } from '../../engine/removal/release-collateral.js';
import { reportOf } from '../../engine/removal/remove-entry.js';
import { removedIdentities, type StackRemoval, stackRemovalOf } from '../../engine/removal/stack-removal.js';
import { askAll } from '../../engine/run/ask-all.js';
import type { EventHost, RunSummary } from '../../engine/run/events.js';
import { defaultConcurrency, type RunOptions } from '../../engine/run/options.js';
import { refuse } from '../../engine/run/refuse.js';
import { Run } from '../../engine/run/run.js';
import { warnOnce } from '../../engine/run/run-diagnostic.js';
import { beginSession, type Session, withRetryEvents } from '../../engine/run/session.js';
import { SecretMasker, withSecretMasking } from '../../engine/secrets/secret-masker.js';
import { RemovedVersions } from '../../engine/target/removed-versions.js';
import { stackEntryRemovalsOf } from '../../engine/transfer/lifecycle-transfers.js';
import { findOtherStacks, newOwnersOutside } from '../../engine/transfer/other-stacks.js';
import { transferLifecyclesOutside } from '../../engine/transfer/transfer-lifecycle.js';
import type { Cluster } from '../../kubernetes/index.js';
import { FieldwiseError } from '../../util/error.js';
import { findUnapplied } from '../deploy/find-unapplied.js';
import { removalsOf, removeStacks } from '../deploy/remove-stacks.js';
import { staleQuestion } from '../deploy/repairs.js';
import { findStaleRemovals } from '../deploy/stale-removals.js';

/**
 * Undoes stacks by their inventories: releases what they share, deletes what they own (only these very objects, and only where nobody
 * else applies fields to them), forgets them. Without names, the stacks that the program declares; with names, also stacks of this app
 * and instance that it no longer declares.
 *
 * @throws FieldwiseError of kind `usage`, before anything is changed: unknown stack, `confirmation-needed`. Where the run has started by
 *   then, its events come to their end first, the summary last.
 */
export async function destroy(manifest: Manifest, server: Cluster, options: RunOptions, outerHost: EventHost): Promise<RunSummary> {
  const secrets = new SecretMasker([]);
  const host: EventHost = (event) => outerHost(secrets.maskEvent(event));
  const onWarning = warnOnce(host);
  const keys = new DigestKeys(server, options.inventoryNamespace, onWarning);
  const cluster = withSecretMasking(withClientSideApply(server, keys), secrets);
  const { app, instance } = manifest;
  const namespace = options.inventoryNamespace ?? defaultInventoryNamespace;
  const run = new Run('destroy', host, options.signal);
  let session: Session | undefined;
  let found: readonly StackRemoval[] = [];
  let hasStarted = false;
  let hasBegun = false;
  let stacks: readonly StackIdentity[] = [];
  try {
    const watched = withRetryEvents(cluster, host).withContext({ signal: options.signal });
    const read = await readTargets(new InventoryStore(watched, namespace, onWarning));
    found = read.targets;
    const newOwners = newOwnersOutside((await otherStacksOf(read.targets, read.all)).otherStacks);
    stacks = [...removedIdentities(found), ...newOwners, ...(await lockedAmong(watched, namespace, unrecorded()))];
    if (stacks.length > 0) session = await beginSession(cluster, stacks, options, host);
  } catch (error) {
    if (error instanceof FieldwiseError && error.kind === 'usage') throw error;
    start(found);
    return refuse(run, error, reportsOf(found));
  }
  try {
    await destroyTargets(session);
  } catch (error) {
    if (!hasStarted) start(found);
    if (!hasBegun) await endSession(); // what it takes to give up the locks is told before the end of the run
    if (!hasBegun) return refuse(run, error, reportsOf(found));
    run.fail(error);
  } finally {
    await endSession();
  }
  return run.finish();

  async function endSession(): Promise<void> {
    const lockedSession = session;
    session = undefined;
    await lockedSession?.end();
  }

  async function destroyTargets(lockedSession: Session | undefined): Promise<void> {
    const store = lockedSession && new InventoryStore(lockedSession.records, namespace, onWarning);
    const locked = new Set(stacks.map((stack) => stack.manager));
    const read = store ? await readTargets(store) : { targets: [], all: [] };
    const targets = read.targets.filter((target) => removedIdentities([target]).every((stack) => locked.has(stack.manager)));
    const lockedOnly = read.all.filter(({ stack }) => locked.has(stack.manager));
    const { entryRemovals, otherStacks } = await otherStacksOf(targets, lockedOnly);
    start(targets);
    found = targets;
    const work = removalWorkOf(targets);
    const concurrency = options.concurrency ?? defaultConcurrency;
    const removals = removalsOf(targets, otherStacks, options);
    const live = lockedSession && (await readLiveRemovals(lockedSession.cluster, removals, concurrency, options.yes !== true));
    const approved = live ? findReleaseCollateral(live, removals, options) : new Map();
    const names = OwnerNameResolver.of(manifest);
    const none = { live: emptyLive<Step>(), states: [], isTransferred: noTransfers };
    const releases =
      lockedSession &&
      live &&
      (await findReleases(lockedSession.cluster, none, { live, pruned: [], destroyed: removals }, names, concurrency));
    const unapplied = lockedSession ? await findUnapplied(lockedSession.cluster, entryRemovals, concurrency) : new Set();
    const appliedWork = work.filter(({ entry }) => !unapplied.has(entry));
    const predictions =
      lockedSession && live
        ? await predictRemovals(lockedSession.cluster, entryRemovals, { live, otherStacks: otherStacks, options }, concurrency)
        : new Map();
    const stale =
      lockedSession &&
      live &&
      (await findStaleRemovals(
        lockedSession.cluster,
        { live, fates: predictions, removed: new RemovedVersions(lockedSession.cluster) },
        options,
        concurrency,
      ));
    const questions = [
      stale && staleQuestion(stale),
      ...(appliedWork.length > 0 ? [question(appliedWork, predictions)] : []),
      releases?.question,
      releaseCollateralQuestion(approved),
    ];
    await askAll(
      questions.filter((candidate) => candidate !== undefined),
      options,
    );
    if (!lockedSession || !store || !live || !stale) return;

    hasBegun = true;
    const writeFailure = await transferLifecyclesOutside(store, entryRemovals, otherStacks).then(
      () => undefined,
      (error: unknown) => run.fail(error).message,
    );
    await removeStacks(lockedSession.cluster, store, run, targets, options, {
      approvedReleases: approved,
      live,
      names,
      removedVersionsRewriter: stale.removedVersionsRewriter,
      otherStacks: otherStacks,
      unwritten: writeFailure,
    });
  }

  function start(targets: readonly StackRemoval[]): void {
    hasStarted = true;
    host({
      event: 'started',
      verb: 'destroy',
      app,
      instance,
      stacks: targets.map(({ stack }) => stack.stack),
      server: cluster.server,
      objects: removalWorkOf(targets).length,
    });
  }

  async function otherStacksOf(targets: readonly StackRemoval[], all: readonly Inventory[]) {
    const entryRemovals = targets.flatMap(stackEntryRemovalsOf);
    return {
      entryRemovals,
      otherStacks: await findOtherStacks(entryRemovals, { app, instance, steps: [], others: [], inventories: async () => all }),
    };
  }

  async function readTargets(
    store: InventoryStore,
  ): Promise<{ readonly targets: readonly StackRemoval[]; readonly all: readonly Inventory[] }> {
    const all = await store.read();
    const known = all.filter(({ stack }) => stack.app === app && stack.instance === instance);
    const unknown = options.stacks?.find(
      (name) => !known.some(({ stack }) => stack.stack === name) && !manifest.stacks.some((stack) => stack.name === name),
    );
    if (unknown !== undefined) {
      throw new FieldwiseError(
        'stack-unknown',
        'usage',
        `There is no stack ${unknown} of ${app} (${instance}), neither in the program nor in the cluster`,
        {
          location: { server: cluster.server },
          next: `In the cluster are: ${known.map(({ stack }) => stack.stack).join(', ') || 'none'}.`,
        },
      );
    }
    const targets = chosenNames().flatMap((name) => {
      const declared = manifest.stacks.find((stack) => stack.name === name);
      const manager = declared?.manager ?? known.find(({ stack }) => stack.stack === name)?.stack.manager ?? '';
      return stackRemovalOf({ app, instance, stack: name, manager }, all, declared) ?? [];
    });
    return { targets, all };
  }

  function chosenNames(): readonly string[] {
    return options.stacks && options.stacks.length > 0 ? options.stacks : manifest.stacks.map((stack) => stack.name);
  }

  /** Declared stacks that no inventory tells of: a run that has not written its inventory yet, or that died after it had removed it. */
  function unrecorded(): readonly StackIdentity[] {
    const recorded = new Set(removedIdentities(found).map((stack) => stack.manager));
    return manifest.stacks
      .filter(({ name }) => chosenNames().includes(name))
      .flatMap(({ name, manager, formerIdentities = [] }) => [{ app, instance, stack: name, manager }, ...formerIdentities])
      .filter((stack) => !recorded.has(stack.manager));
  }

  function question(work: readonly RemovalWork[], predictions: PredictedRemovals) {
    const names = [...new Set(work.map(({ target }) => target.stack.stack))];
    return {
      text: `destroy stack${names.length > 1 ? 's' : ''} ${names.join(', ')} of ${app} (${instance})`,
      objects: work.map(({ entry }) => predictedRemovalText(entry, predictions)),
      answeredByPruneSetting: false,
    };
  }
}

function reportsOf(targets: readonly StackRemoval[]) {
  return removalWorkOf(targets).map(({ target, entry }) => reportOf(target.stack, entry));
}

interface RemovalWork {
  readonly target: StackRemoval;
  readonly entry: InventoryEntry;
}

function removalWorkOf(targets: readonly StackRemoval[]): readonly RemovalWork[] {
  return targets.flatMap((target) => [...target.entries.values()].map((entry) => ({ target, entry })));
}
