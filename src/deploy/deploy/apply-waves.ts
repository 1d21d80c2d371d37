import { createdBy } from '../../engine/apply/preconditions/created-by.js';
import type { Step } from '../../engine/graph/waves.js';
import { DeployReadiness } from '../../engine/readiness/deploy-readiness.js';
import { pendingReleases } from '../../engine/release/find-releases.js';
import type { ObjectReport } from '../../engine/report/events.js';
import type { Cleanup } from '../../engine/run/cleanup.js';
import { forEachConcurrent, forEachConcurrentFair } from '../../engine/run/for-each-concurrent.js';
import { LatestResourceVersions } from '../../engine/run/latest-resource-versions.js';
import { ChangedDefinitions } from '../../engine/target/changed-definitions.js';
import { isSelected } from '../../engine/target/select-stacks.js';
import { transferLifecycles } from '../../engine/transfer/transfer-lifecycle.js';
import type { JsonObject } from '../../util/json.js';
import type { ConfirmedDeploy } from './confirm-deploy.js';
import type { DeployProgress } from './deploy-progress.js';
import { ForceNotes } from './force-notes.js';
import { managersOfRun } from './prepare-deploy.js';
import { SkippableSteps } from './skippable-steps.js';
import { deployStep } from './step/deploy-step.js';

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
  const forceNotes = new ForceNotes(deploy);
  await forceNotes.resolveEarlier();
  await forEachConcurrent(states, concurrency, (state) =>
    state.writePendingInventory(run, (step) => pendingReleases(live.get(step), step)),
  );
  const progress = await beginProgress(deploy, { skippable, readiness, forceNotes });
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

async function beginProgress(
  deploy: ConfirmedDeploy,
  {
    skippable,
    readiness,
    forceNotes,
  }: { readonly skippable: SkippableSteps; readonly readiness: DeployReadiness; readonly forceNotes: ForceNotes },
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
  const report = withMovedFrom(deploy, step, applied.uid === '' ? outcome : { ...outcome, uid: applied.uid });
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

/** Transfers the right to delete objects to the stacks of this run that now own them. */
function transferLifecyclesWithin({ lifecycleTransfers, states, live }: ConfirmedDeploy): void {
  const { entryRemovals, otherStacks } = lifecycleTransfers;
  transferLifecycles(entryRemovals, otherStacks, states, ({ stack, formerManagers }, step) => {
    const object = live.get(step);
    return object && createdBy(object, [stack.manager, ...formerManagers]) ? String((object.metadata as JsonObject).uid) : undefined;
  });
}

const successOutcomes: ReadonlySet<string> = new Set(['created', 'recreated', 'updated', 'unchanged', 'applied']);
