import { managersOf } from '../../assembly/identity.js';
import type { Assembly } from '../../assembly/types.js';
import type { EventHost, RunSummary } from '../../engine/report/events.js';
import { carryOut } from '../../engine/run/carry-out.js';
import { clockWarning } from '../../engine/run/clock-warning.js';
import type { RunOptions } from '../../engine/run/options.js';
import type { ClusterClient } from '../../kubernetes/index.js';
import { forcedByBoth } from '../../plan/forced-by-both.js';
import { type AppliedWaves, applyWaves } from './apply-waves.js';
import { type ConfirmedDeploy, confirmDeploy } from './confirm-deploy.js';
import { prepareDeploy } from './prepare-deploy.js';
import { removeUndeclared } from './remove-undeclared.js';
import { startDeploy } from './start-deploy.js';

/**
 * Deploys the selected stacks of an assembly: applies each intent, then deletes or releases the objects and fields that the program no
 * longer declares. Stacks that the assembly does not declare stay as they are, except with `pruneStacks`. To finish a killed run, run it
 * again.
 *
 * @throws FieldwiseError of kind `usage`, before anything is changed: unknown stack, dependency cycle, `confirmation-needed`. If
 *   `started` was reported, the remaining events up to the summary are reported first. The reports and the summary contain every other
 *   failure.
 */
export async function deploy(assembly: Assembly, server: ClusterClient, options: RunOptions, host: EventHost): Promise<RunSummary> {
  const started = await startDeploy(assembly, server, options, host);
  return carryOut(started.run, {
    prepare: async (cleanup) => {
      const prepared = await prepareDeploy(started, cleanup);
      if (options.history) for (const warning of clockWarning(server)) host(warning);
      return confirmDeploy(prepared);
    },
    change: async (confirmed, cleanup) => {
      const applied = await applyWaves(confirmed, cleanup);
      await removeUndeclared(confirmed, applied);
      await warnOfForcedTwice(confirmed, applied);
      // Loaded lazily: a deploy without a history does not need it.
      if (options.history) await (await import('./record-revisions.js')).recordRevisions(confirmed, applied);
    },
  });
}

/** Warns of conflicts that both sides force. The conflicts are reported anyway, so an unreadable inventory only omits the warning. */
async function warnOfForcedTwice({ store, assembly, host }: ConfirmedDeploy, { forcedConflicts }: AppliedWaves): Promise<void> {
  const managers = new Set(assembly.manifest.stacks.flatMap(managersOf));
  for (const warning of await forcedByBoth(store, forcedConflicts, managers).catch(() => [])) host(warning);
}
