import type { Assembly } from '../../assembly/types.js';
import type { BoundPlan, RunOptions, SavedPlan } from '../../deploy/index.js';
import type { PlannedObject } from '../../engine/report/plan-types.js';
import type { ClusterClient } from '../../kubernetes/index.js';
import type { PlannerOptions } from '../../plan/plan.js';
import { judgmentsText } from '../../plan/with-judgments.js';
import { FieldwiseError } from '../../util/error.js';
import { pluralize } from '../../util/pluralize.js';
import { boundPlan, simulationFor } from '../files/plan-file.js';
import type { Host } from '../process/host.js';

/** The number of refused objects that an error names. */
const maxNamed = 10;

/**
 * Plans a deploy and has its rules judge it. Returns the plan, to which the deploy is then bound: it does what was judged, and nothing else.
 * Warnings of rules are printed; those of policies come with the deploy.
 *
 * @throws FieldwiseError `rule-denied`, `rule-failed`, and those of `plan`.
 */
export async function refuseByRules(
  assembly: Assembly,
  cluster: ClusterClient,
  options: RunOptions & Required<Pick<PlannerOptions, 'check'>>,
  host: Host,
): Promise<BoundPlan> {
  const { plan } = await import('../../plan/plan.js');
  const denied: PlannedObject[] = [];
  let saved: SavedPlan | undefined;
  const save = async (made: SavedPlan) => {
    saved = made;
  };
  await plan(assembly, cluster, { ...options, simulate: simulationFor(cluster), save, onWarning: () => {} }, (event) => {
    if (event.event !== 'plan') return;
    const { judgments = [], object, stack } = event;
    if (judgments.some(({ verdict }) => verdict === 'deny')) denied.push(event);
    for (const { rule, verdict, message, source } of judgments) {
      if (verdict === 'warn' && source === undefined) host.stderr(`warning: ${object} of stack ${stack}: ${rule}: ${message}\n`);
    }
  });
  if (denied.length > 0) throw ruleDenied(denied);
  return boundPlan(saved as SavedPlan, cluster);
}

function ruleDenied(denied: readonly PlannedObject[]): FieldwiseError {
  const texts = denied.slice(0, maxNamed).map(({ object, stack, judgments = [] }) => {
    return `${object} of stack ${stack}: ${judgmentsText(judgments.filter(({ verdict }) => verdict === 'deny'))}`;
  });
  const more = denied.length > maxNamed ? [`and ${pluralize(denied.length - maxNamed, 'object')} more`] : [];
  const what = `Rules refuse ${pluralize(denied.length, 'object')}, so nothing was changed: ${[...texts, ...more].join(' | ')}`;
  throw new FieldwiseError('rule-denied', 'resource', what, {
    next: 'Run `fieldwise diff` to see all; change the program, or have the rules changed by those who keep them (docs/rules.md).',
  });
}
