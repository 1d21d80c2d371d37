import { RemovedVersions } from '../../engine/addresses/removed-versions.js';
import type { Step } from '../../engine/graph/waves.js';
import type { InventoryEntry } from '../../engine/inventory/inventory-entry.js';
import type { InventoryStore } from '../../engine/inventory/inventory-store.js';
import { OwnerNameResolver } from '../../engine/inventory/owner-name-resolver.js';
import { emptyLive } from '../../engine/live/read-live.js';
import { type CheckedReleases, findReleases } from '../../engine/release/find-releases.js';
import { noTransfers } from '../../engine/release/is-transferred.js';
import {
  type ApprovedReleases,
  findReleaseCollateral,
  type LiveRemovals,
  readLiveRemovals,
  releaseCollateralQuestion,
} from '../../engine/release/release-collateral.js';
import { type PredictedRemovals, predictedRemovalText, predictRemovals } from '../../engine/removal/predict-removals.js';
import { removedIdentities, type StackRemoval } from '../../engine/removal/stack-removal.js';
import type { Question } from '../../engine/report/question.js';
import { defaultConcurrency } from '../../engine/run/options.js';
import { findUnapplied } from '../deploy/find-unapplied.js';
import { removalsOf } from '../deploy/remove-stacks.js';
import { staleQuestion } from '../deploy/repairs.js';
import { findStaleRemovals, type StaleRemovals } from '../deploy/stale-removals.js';
import { findTargetRemovals, type LockedDestroy, readTargets, type TargetRemovals } from './lock-targets.js';
import { targetEntries } from './open-destroy.js';

/** A destroy before its first question: everything that is known of the cluster, and nothing changed. */
export interface PreparedDestroy extends LockedDestroy, TargetRemovals {
  readonly store: InventoryStore;
  readonly targets: readonly StackRemoval[];
  readonly live: LiveRemovals;
  readonly names: OwnerNameResolver;
  /** Fields of others that may be removed with a release. */
  readonly approvedReleases: ApprovedReleases;
  readonly releases: CheckedReleases;
  /** Entries of objects to which the stack has never applied. */
  readonly unapplied: ReadonlySet<InventoryEntry>;
  readonly predictions: PredictedRemovals;
  readonly staleRemovals: StaleRemovals;
}

/**
 * Reads the targets again, because other runs may have changed them before the locks were taken, and everything that the questions need;
 * reports `started`.
 *
 * @throws FieldwiseError of inventories and policies.
 */
export async function prepareDestroy(locked: LockedDestroy): Promise<PreparedDestroy> {
  const { manifest, options, session, lockedStacks, start } = locked;
  const { cluster } = session;
  const store = session.inventories;
  const lockedManagers = new Set(lockedStacks.map((stack) => stack.manager));
  const read = await readTargets(locked, store);
  const targets = read.targets.filter((target) => removedIdentities([target]).every((stack) => lockedManagers.has(stack.manager)));
  const lockedInventories = read.all.filter(({ stack }) => lockedManagers.has(stack.manager));
  const { entryRemovals, otherStacks } = await findTargetRemovals(locked, targets, lockedInventories);
  start.found(targets);
  start.report();
  const concurrency = options.concurrency ?? defaultConcurrency;
  const removals = removalsOf(targets, otherStacks, options);
  const live = await readLiveRemovals(cluster, removals, concurrency, options.yes !== true);
  const approvedReleases = findReleaseCollateral(live, removals, options);
  const names = OwnerNameResolver.of(manifest);
  const nothingApplied = { live: emptyLive<Step>(), states: [], isTransferred: noTransfers };
  const releases = await findReleases(cluster, nothingApplied, { live, pruned: [], destroyed: removals }, names, concurrency);
  const unapplied = await findUnapplied(cluster, entryRemovals, concurrency);
  const predictions = await predictRemovals(cluster, entryRemovals, { live, otherStacks, options }, concurrency);
  const stale = { live, predictions, removed: new RemovedVersions(cluster) };
  const staleRemovals = await findStaleRemovals(cluster, stale, options, concurrency);
  const found = { entryRemovals, otherStacks, live, names, approvedReleases, releases, unapplied, predictions, staleRemovals };
  return Object.freeze({ ...locked, store, targets, ...found });
}

/** The prepared parts of a destroy that its questions are about. */
export type QuestionedDestroy = Pick<
  PreparedDestroy,
  'manifest' | 'targets' | 'unapplied' | 'predictions' | 'staleRemovals' | 'releases' | 'approvedReleases'
>;

/** Returns the questions that must be answered with yes before the destroy changes anything. */
export function questionsOf(destroy: QuestionedDestroy): readonly Question[] {
  const { staleRemovals, releases, approvedReleases } = destroy;
  const questions = [
    staleQuestion(staleRemovals),
    destroyQuestion(destroy),
    releases.question,
    releaseCollateralQuestion(approvedReleases),
  ];
  return questions.filter((question) => question !== undefined);
}

/** Returns the question about the objects to destroy, without those to which the stack has never applied. */
function destroyQuestion({ manifest, targets, unapplied, predictions }: QuestionedDestroy): Question | undefined {
  const work = targetEntries(targets).filter(({ entry }) => !unapplied.has(entry));
  if (work.length === 0) return undefined;
  const names = [...new Set(work.map(({ target }) => target.stack.stack))];
  return {
    text: `destroy stack${names.length > 1 ? 's' : ''} ${names.join(', ')} of ${manifest.app} (${manifest.instance})`,
    objects: work.map(({ entry }) => predictedRemovalText(entry, predictions)),
    answeredByPruneSetting: false,
  };
}
