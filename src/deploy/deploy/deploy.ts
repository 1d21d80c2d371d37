import type { Assembly } from '../../assembly/types.js';
import type { EventHost, RunSummary } from '../../engine/report/events.js';
import { carryOut } from '../../engine/run/carry-out.js';
import type { RunOptions } from '../../engine/run/options.js';
import type { ClusterClient } from '../../kubernetes/index.js';
import { forcedByBoth } from '../../plan/forced-by-both.js';
import { type AppliedWaves, applyWaves } from './apply-waves.js';
import { type ConfirmedDeploy, confirmDeploy } from './confirm-deploy.js';
import { prepareDeploy } from './prepare-deploy.js';
import { removeUndeclared } from './remove-undeclared.js';
import { startDeploy } from './start-deploy.js';

/**
 * Brings the chosen stacks of an assembly into the cluster: applies each intent, then deletes or releases what their programs no
 * longer declare. Stacks that the assembly does not declare are never touched. A run that was killed is finished by running it again.
 *
 * @throws FieldwiseError of kind `usage`, before anything is changed: unknown stack, dependency cycle, `confirmation-needed`. Where the run
 *   has started by then, its events are reported to their end first, the summary last.
 *   Every other failure is in the reports and the summary.
 */
export async function deploy(
  unresolvedAssembly: Assembly,
  server: ClusterClient,
  options: RunOptions,
  host: EventHost,
): Promise<RunSummary> {
  const started = await startDeploy(unresolvedAssembly, server, options, host);
  return carryOut(started.run, {
    prepare: async (cleanup) => confirmDeploy(await prepareDeploy(started, cleanup)),
    change: async (confirmed, cleanup) => {
      const applied = await applyWaves(confirmed, cleanup);
      await removeUndeclared(confirmed, applied);
      await warnOfForcedTwice(confirmed, applied);
    },
  });
}

/** Gives a hint about conflicts that are reported anyway: where the inventories of others cannot be read, it is left out. */
async function warnOfForcedTwice({ store, assembly, host }: ConfirmedDeploy, { forcedConflicts }: AppliedWaves): Promise<void> {
  const managers = new Set(assembly.manifest.stacks.map(({ manager }) => manager));
  for (const warning of await forcedByBoth(store, forcedConflicts, managers).catch(() => [])) host(warning);
}
