import type { Assembly } from '../../assembly/types.js';
import { type Step, wavesOf } from '../../engine/graph/waves.js';
import { type PreparedRun, prepareRun } from '../../engine/prepare/prepare-run.js';
import { isSelected } from '../../engine/prepare/select-stacks.js';
import type { EventHost } from '../../engine/report/events.js';
import { defaultReconcile, type RunOptions } from '../../engine/run/options.js';
import { Run } from '../../engine/run/run.js';
import type { BoundPlan } from '../../engine/run/saved-plan.js';
import { withVersionCache } from '../../engine/run/session.js';
import { stepReport } from './step/step-report.js';

/** A deploy that has started and has sent nothing yet. */
export interface StartedDeploy extends PreparedRun {
  /** The options, with the settings of the saved plan if the deploy is bound to one. */
  readonly options: RunOptions;
  readonly host: EventHost;
  readonly run: Run;
  /** The saved plan that the deploy is bound to, with the code that checks it. */
  readonly binding: (BoundPlan & typeof import('../../plan/saved/check-plan.js')) | undefined;
  /** The declared steps in apply order, by the program alone. */
  readonly declaredWaves: readonly (readonly Step[])[];
}

/**
 * Starts a deploy: checks its plan and its program, and reports `started`.
 *
 * @throws FieldwiseError `plan-of-another`, `stack-unknown`, `reference-missing`, `dependency-cycle` (usage), with nothing sent or
 *   reported.
 */
export async function startDeploy(
  unresolvedAssembly: Assembly,
  server: PreparedRun['cluster'],
  requestedOptions: RunOptions,
  outerHost: EventHost,
): Promise<StartedDeploy> {
  // Loaded lazily: only a deploy that is bound to a plan needs the planner.
  const binding = requestedOptions.plan && { ...requestedOptions.plan, ...(await import('../../plan/saved/check-plan.js')) };
  binding?.checkOrigin(binding.saved, unresolvedAssembly, requestedOptions);
  const options = binding ? binding.boundOptions(requestedOptions, binding.saved) : requestedOptions;
  const prepared = prepareRun(unresolvedAssembly, server, options, outerHost);
  const { assembly, stacks, declared, secrets } = prepared;
  const host: EventHost = (event) => outerHost(secrets.maskEvent(event));
  const cluster = withVersionCache(prepared.cluster);
  const declaredWaves = wavesOf(declared);
  const run = new Run('deploy', host, options.signal, options.reconcile ?? defaultReconcile);
  const chosen = declared.filter((step) => isSelected(step, options));
  run.expect('declared', () => chosen.map(stepReport));
  const { app, instance } = assembly.manifest;
  host({
    event: 'started',
    verb: 'deploy',
    app,
    instance,
    stacks: stacks.map((stack) => stack.name),
    server: cluster.server,
    objects: chosen.length,
  });
  return Object.freeze({ ...prepared, cluster, options, host, run, binding, declaredWaves });
}
