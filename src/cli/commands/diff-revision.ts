import type { Assembly } from '../../assembly/types.js';
import type { PlanEvent, PlanSummary, RunOptions } from '../../deploy/index.js';
import type { ClusterClient } from '../../kubernetes/index.js';
import { FieldwiseError } from '../../util/error.js';
import { simulationFor } from '../files/plan-file.js';

/** @throws FieldwiseError `flag-without-use`. */
export function refuseWithRevision(flags: { readonly toRevision?: number; readonly planFile?: string; readonly offline?: boolean }): void {
  if (flags.toRevision === undefined || (flags.planFile === undefined && !flags.offline)) return;
  const flag = flags.planFile === undefined ? '--offline' : `--output-file plan=${flags.planFile}`;
  throw new FieldwiseError('flag-without-use', 'usage', `\`--to-revision\` cannot be combined with \`${flag}\``, {
    next: `Leave out \`${flag}\`: \`fieldwise rollback\` plans again, shows the plan, and applies exactly that.`,
  });
}

/** Plans the way back to a revision of one stack. */
export async function diffRevision(
  program: Assembly,
  cluster: ClusterClient,
  options: RunOptions & { readonly readOnly: boolean; readonly revision: number },
  events: (event: PlanEvent) => void,
): Promise<PlanSummary> {
  const { clusterWarning } = await import('../../engine/history/cluster-warning.js');
  const { chooseRevision, revisionWarnings, openHistory, openRevision } = await import('../../engine/prepare/open-revision.js');
  const opened = await openHistory(program, cluster, options, events);
  const { chosen } = chooseRevision(opened, options.revision);
  const [revision, identity] = await Promise.all([openRevision(opened, chosen), chosen.cluster && options.readIdentity?.()]);
  const warning = identity && clusterWarning(chosen, identity);
  for (const each of [...(warning ? [warning] : []), ...revisionWarnings(revision)]) events(each);
  const { plan } = await import('../../plan/plan.js');
  return plan(revision.assembly, cluster, { ...options, stacks: [opened.stack.name], simulate: simulationFor(cluster) }, events);
}
