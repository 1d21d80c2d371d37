import { addressOf } from '../../engine/addresses/address.js';
import { ChangedDefinitions } from '../../engine/addresses/changed-definitions.js';
import { createdBy } from '../../engine/apply/preconditions/created-by.js';
import type { Step } from '../../engine/graph/waves.js';
import { isSelected } from '../../engine/prepare/select-stacks.js';
import { DeployReadiness } from '../../engine/readiness/deploy-readiness.js';
import { pendingReleases } from '../../engine/release/find-releases.js';
import type { ObjectReport } from '../../engine/report/events.js';
import type { Cleanup } from '../../engine/run/cleanup.js';
import { forEachConcurrent, forEachConcurrentFair } from '../../engine/run/for-each-concurrent.js';
import { LatestResourceVersions } from '../../engine/run/latest-resource-versions.js';
import { claimFields } from '../../engine/transfer/claim-fields.js';
import { transferLifecycles } from '../../engine/transfer/transfer-lifecycle.js';
import type { JsonObject } from '../../util/json.js';
import type { ConfirmedDeploy } from './confirm-deploy.js';
import type { DeployProgress, FailedClaim } from './deploy-progress.js';
import { ForceNotes } from './force-notes.js';
import { managersOfRun } from './prepare-deploy.js';
import { SkippableSteps } from './skippable-steps.js';
import { deployStep, updatedOutcome } from './step/deploy-step.js';

/** The result of the waves, for the steps of a deploy after them. */
export type AppliedWaves = Pick<DeployProgress, 'states' | 'latestVersions' | 'forceNotes'> & {
  readonly forcedConflicts: readonly DeployProgress['forcedConflicts'][number][];
  readonly failed: ReadonlyMap<Step, string>;
};

/**
 * Applies every selected intent, wave by wave, and waits until the objects are ready. Writes the inventories before the first apply, with
 * every object that may exist after the run, and again before the wait, with the results.
 *
 * @param cleanup receives the open watches.
 */
export async function applyWaves(deploy: ConfirmedDeploy, cleanup: Cleanup): Promise<AppliedWaves> {
  const { session, options, host, run, waves, states, live, concurrency } = deploy;
  const readiness = new DeployReadiness(session.cluster, options, host, deploy);
  cleanup.add(() => readiness.close());
  const skippable = new SkippableSteps(deploy);
  const forceNotes = notesOf(deploy);
  await forceNotes.resolveEarlier(states);
  await forEachConcurrent(states, concurrency, (state) =>
    state.writePendingInventory(run, (step) => pendingReleases(live.get(step), step)),
  );
  const progress = await beginProgress(deploy, { skippable, readiness, forceNotes, ...(await claimAll(deploy)) });
  for (const wave of waves) {
    const chosen = wave.filter((step) => isSelected(step, options));
    const kindOf = ({ intent }: Step) => intent.kind;
    await forEachConcurrentFair(chosen, kindOf, concurrency, (step) => applyAndReport(deploy, progress, step));
    readiness.refresh();
  }
  transferLifecyclesWithin(deploy);
  // Persist now: the wait may be long, and the process may be killed.
  await forEachConcurrent(states, concurrency, (state) => state.writeAppliedInventory(run, progress.latestVersions));
  await readiness.waitForAll();
  return progress;
}

function notesOf({ session: { cluster, records }, options, secrets, concurrency, run }: ConfirmedDeploy): ForceNotes {
  const { inventoryNamespace, history } = options;
  return new ForceNotes({ cluster, records, inventoryNamespace, history, secrets, concurrency, run });
}

/** Claims fields that no order of the intents would keep. @returns what was claimed, and the steps for which that failed. */
async function claimAll({ session, states, claims, concurrency }: ConfirmedDeploy): Promise<Pick<DeployProgress, 'unclaimed' | 'claimed'>> {
  const unclaimed = new Map<Step, FailedClaim>();
  const claimed = new Map<Step, readonly string[]>();
  await forEachConcurrent([...claims], concurrency, async ([step, transfers]) => {
    const state = states.find(({ stack }) => stack === step.stack);
    try {
      if (state?.writeFailure !== undefined) throw new Error(state.writeFailure);
      const paths = await claimFields(session.cluster, await addressOf(session.cluster, step.intent), step, transfers);
      if (paths.length > 0) claimed.set(step, paths);
    } catch (error) {
      unclaimed.set(step, { transfers, error });
    }
  });
  return { unclaimed, claimed };
}

interface ProgressParts extends Pick<DeployProgress, 'readiness' | 'forceNotes' | 'unclaimed' | 'claimed'> {
  readonly skippable: SkippableSteps;
}

async function beginProgress(
  deploy: ConfirmedDeploy,
  { skippable, readiness, forceNotes, unclaimed, claimed }: ProgressParts,
): Promise<DeployProgress> {
  const { steps, states } = deploy;
  return {
    ...(await skippable.find()),
    states: new Map(states.map((state) => [state.stack.name, state])),
    managers: managersOfRun(deploy),
    sharers: sharersOf(steps),
    readiness,
    latestVersions: new LatestResourceVersions(),
    changedDefinitions: new ChangedDefinitions(),
    appliedKeys: new Set(),
    forceNotes,
    unclaimed,
    claimed,
    forcedConflicts: [],
    failed: new Map(),
  };
}

function sharersOf(steps: readonly Step[]): ReadonlyMap<string, ReadonlySet<string>> {
  const sharers = new Map<string, Set<string>>();
  for (const { key, intent, stack } of steps) {
    if (intent.lifecycle === 'own' || intent.policy.ifAbsent === 'create') continue;
    sharers.set(key, (sharers.get(key) ?? new Set()).add(stack.manager));
  }
  return sharers;
}

/** Applies a step and reports it when its object is ready. */
async function applyAndReport(deploy: ConfirmedDeploy, progress: DeployProgress, step: Step): Promise<void> {
  const { readiness, failed, states } = progress;
  await readiness.dependenciesOf(step);
  let applied = { uid: '', affected: false };
  const outcome = await deployStep(deploy, progress, step, (uid, affected) => {
    applied = { uid, affected };
  });
  const moved = withMovedFrom(deploy, step, applied.uid === '' ? outcome : { ...outcome, uid: applied.uid });
  const report = withClaimed(moved, progress.claimed.get(step));
  if (!successOutcomes.has(report.result)) {
    failed.set(step, 'did not succeed');
    deploy.run.report(report);
    return;
  }
  states.get(step.stack.name)?.succeededKeys.add(step.key);
  if (applied.uid === '') return deploy.run.report(report); // There is no object, and the intent does not need one.
  const created = report.result === 'created' || report.result === 'recreated';
  await readiness.follow(step, { ...applied, created }, (settled) => {
    if (settled !== undefined && settled.state !== 'current') failed.set(step, 'is not ready');
    deploy.run.report(settled === undefined ? report : { ...report, readiness: settled });
  });
}

/** Reports an object that moves from another stack as moved, not as adopted, because the app created it. */
function withMovedFrom({ lifecycleTransfers }: ConfirmedDeploy, step: Step, report: ObjectReport): ObjectReport {
  const from = successOutcomes.has(report.result) ? lifecycleTransfers.movedFrom(step, report.uid) : undefined;
  if (from === undefined) return report;
  const { adopted: _, ...others } = report;
  return { ...others, movedFrom: from };
}

/** Reports what a step has claimed before it was applied, or left out. */
function withClaimed(report: ObjectReport, paths: readonly string[] | undefined): ObjectReport {
  if (paths === undefined) return report;
  if (successOutcomes.has(report.result)) return { ...report, result: updatedOutcome(report.result) };
  const text = `${report.manager} co-owns ${paths.join(', ')}, as live: it was to take over what another stack gives up`;
  return { ...report, warnings: [...report.warnings, text] };
}

/** Transfers the right to delete objects to the stacks of this run that now own them. */
function transferLifecyclesWithin({ lifecycleTransfers, states, live }: ConfirmedDeploy): void {
  const { entryRemovals, otherStacks, turned } = lifecycleTransfers;
  transferLifecycles(turned.parts, turned.newOwners, states, () => undefined);
  transferLifecycles(entryRemovals, otherStacks, states, ({ stack, formerManagers }, step) => {
    const object = live.get(step);
    return object && createdBy(object, [stack.manager, ...formerManagers]) ? String((object.metadata as JsonObject).uid) : undefined;
  });
}

const successOutcomes: ReadonlySet<string> = new Set(['created', 'recreated', 'updated', 'unchanged', 'applied']);
