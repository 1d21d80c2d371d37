import type { Manifest } from '../../assembly/types.js';
import { applyingDynamically } from '../../engine/client-side-apply/cluster.js';
import { DigestKeys } from '../../engine/client-side-apply/digest-keys.js';
import type { Step } from '../../engine/graph/waves.js';
import type { InventoryEntry } from '../../engine/inventory/entry.js';
import { defaultInventoryNamespace } from '../../engine/inventory/namespace.js';
import { StackNames } from '../../engine/inventory/owner-names.js';
import { type Inventory, InventoryStore, type StackIdentity } from '../../engine/inventory/store.js';
import { emptyLive } from '../../engine/live/read-live.js';
import { lockedAmong } from '../../engine/lock/lock.js';
import { findReleases } from '../../engine/release/found-releases.js';
import { noReceivers } from '../../engine/release/receivers.js';
import { type Fates, fateText, findFates } from '../../engine/removal/fate.js';
import { reportOf } from '../../engine/removal/retire.js';
import { identitiesOf, type Target, targetOf } from '../../engine/removal/targets.js';
import { findVanishingReleases, readLiveEndings, vanishingReleasesQuestion } from '../../engine/removal/vanishing-release.js';
import { askAll } from '../../engine/run/ask-all.js';
import type { EventHost, RunSummary } from '../../engine/run/events.js';
import { defaultConcurrency, type RunOptions } from '../../engine/run/options.js';
import { refuse } from '../../engine/run/refuse.js';
import { Run } from '../../engine/run/run.js';
import { warnOnce } from '../../engine/run/run-warning.js';
import { beginSession, type Session, watchedBy } from '../../engine/run/session.js';
import { SecretTexts, watchSecrets } from '../../engine/secrets/secrets.js';
import { RemovedVersions } from '../../engine/target/removed-versions.js';
import { partsOfTarget } from '../../engine/transfer/inheritance.js';
import { bequeath } from '../../engine/transfer/life.js';
import { findSuccessions, heirsOutside } from '../../engine/transfer/succession.js';
import type { Cluster } from '../../kubernetes/index.js';
import { FieldwiseError } from '../../util/error.js';
import { staleQuestion } from '../deploy/repairs.js';
import { findStaleEndings } from '../deploy/stale-endings.js';
import { findUnapplied } from '../deploy/unapplied.js';
import { endingsOf, undo } from '../deploy/undo-removal.js';

/**
 * Undoes stacks by their inventories: releases what they share, deletes what they own (only these very objects, and only where nobody
 * else applies fields to them), forgets them. Without names, the stacks that the program declares; with names, also stacks of this app
 * and instance that it no longer declares.
 *
 * @throws FieldwiseError of kind `usage`, before anything is changed: unknown stack, `confirmation-needed`. Where the run has started by
 *   then, its events come to their end first, the summary last.
 */
export async function destroy(manifest: Manifest, server: Cluster, options: RunOptions, outer: EventHost): Promise<RunSummary> {
  const secrets = new SecretTexts([]);
  const host: EventHost = (event) => outer(secrets.maskEvent(event));
  const onWarning = warnOnce(host);
  const keys = new DigestKeys(server, options.inventoryNamespace, onWarning);
  const cluster = watchSecrets(applyingDynamically(server, keys), secrets);
  const { app, instance } = manifest;
  const namespace = options.inventoryNamespace ?? defaultInventoryNamespace;
  const run = new Run('destroy', host, options.signal);
  let session: Session | undefined;
  let found: readonly Target[] = [];
  let hasStarted = false;
  let hasBegun = false;
  let stacks: readonly StackIdentity[] = [];
  try {
    const watched = watchedBy(cluster, host).attendedBy({ signal: options.signal });
    const read = await readTargets(new InventoryStore(watched, namespace, onWarning));
    found = read.targets;
    const heirs = heirsOutside((await successionsOf(read.targets, read.all)).successions);
    stacks = [...identitiesOf(found), ...heirs, ...(await lockedAmong(watched, namespace, unrecorded()))];
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
    const held = session;
    session = undefined;
    await held?.end();
  }

  async function destroyTargets(held: Session | undefined): Promise<void> {
    const store = held && new InventoryStore(held.records, namespace, onWarning);
    const locked = new Set(stacks.map((stack) => stack.manager));
    const read = store ? await readTargets(store) : { targets: [], all: [] };
    const targets = read.targets.filter((target) => identitiesOf([target]).every((stack) => locked.has(stack.manager)));
    const lockedOnly = read.all.filter(({ stack }) => locked.has(stack.manager));
    const { parts, successions } = await successionsOf(targets, lockedOnly);
    start(targets);
    found = targets;
    const work = workOf(targets);
    const concurrency = options.concurrency ?? defaultConcurrency;
    const endings = endingsOf(targets, successions, options);
    const live = held && (await readLiveEndings(held.cluster, endings, concurrency, options.yes !== true));
    const agreed = live ? findVanishingReleases(live, endings, options) : new Map();
    const names = StackNames.of(manifest);
    const none = { live: emptyLive<Step>(), states: [], isReceived: noReceivers };
    const releases = held && live && (await findReleases(held.cluster, none, { live, pruned: [], destroyed: endings }, names, concurrency));
    const unapplied = held ? await findUnapplied(held.cluster, parts, concurrency) : new Set();
    const ending = work.filter(({ entry }) => !unapplied.has(entry));
    const fates = held && live ? await findFates(held.cluster, parts, { live, successions, options }, concurrency) : new Map();
    const stale =
      held &&
      live &&
      (await findStaleEndings(held.cluster, { live, fates, removed: new RemovedVersions(held.cluster) }, options, concurrency));
    const questions = [
      stale && staleQuestion(stale),
      ...(ending.length > 0 ? [question(ending, fates)] : []),
      releases?.question,
      vanishingReleasesQuestion(agreed),
    ];
    await askAll(
      questions.filter((asked) => asked !== undefined),
      options,
    );
    if (!held || !store || !live || !stale) return;

    hasBegun = true;
    const unwritten = await bequeath(store, parts, successions).then(
      () => undefined,
      (error: unknown) => run.fail(error).message,
    );
    await undo(held.cluster, store, run, targets, options, { agreed, live, names, rewriterOf: stale.rewriterOf, successions, unwritten });
  }

  function start(targets: readonly Target[]): void {
    hasStarted = true;
    host({
      event: 'started',
      verb: 'destroy',
      app,
      instance,
      stacks: targets.map(({ stack }) => stack.stack),
      server: cluster.server,
      objects: workOf(targets).length,
    });
  }

  async function successionsOf(targets: readonly Target[], all: readonly Inventory[]) {
    const parts = targets.flatMap(partsOfTarget);
    return { parts, successions: await findSuccessions(parts, { app, instance, steps: [], others: [], inventories: async () => all }) };
  }

  async function readTargets(store: InventoryStore): Promise<{ readonly targets: readonly Target[]; readonly all: readonly Inventory[] }> {
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
      return targetOf({ app, instance, stack: name, manager }, all, declared) ?? [];
    });
    return { targets, all };
  }

  function chosenNames(): readonly string[] {
    return options.stacks && options.stacks.length > 0 ? options.stacks : manifest.stacks.map((stack) => stack.name);
  }

  /** Declared stacks that no inventory tells of: a run that has not written its inventory yet, or that died after it had removed it. */
  function unrecorded(): readonly StackIdentity[] {
    const recorded = new Set(identitiesOf(found).map((stack) => stack.manager));
    return manifest.stacks
      .filter(({ name }) => chosenNames().includes(name))
      .flatMap(({ name, manager, formerIdentities = [] }) => [{ app, instance, stack: name, manager }, ...formerIdentities])
      .filter((stack) => !recorded.has(stack.manager));
  }

  function question(work: readonly Work[], fates: Fates) {
    const names = [...new Set(work.map(({ target }) => target.stack.stack))];
    return {
      text: `destroy stack${names.length > 1 ? 's' : ''} ${names.join(', ')} of ${app} (${instance})`,
      objects: work.map(({ entry }) => fateText(entry, fates)),
      answeredByPruneSetting: false,
    };
  }
}

function reportsOf(targets: readonly Target[]) {
  return workOf(targets).map(({ target, entry }) => reportOf(target.stack, entry));
}

interface Work {
  readonly target: Target;
  readonly entry: InventoryEntry;
}

function workOf(targets: readonly Target[]): readonly Work[] {
  return targets.flatMap((target) => [...target.entries.values()].map((entry) => ({ target, entry })));
}
