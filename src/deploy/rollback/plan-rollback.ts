import type { Assembly } from '../../assembly/types.js';
import {
  chooseRevision,
  type HistorySelection,
  type OpenRevision,
  openHistory,
  openRevision,
  revisionWarnings,
} from '../../engine/history/open-revision.js';
import type { Revision } from '../../engine/history/revision.js';
import type { PlanEvent, PlannedObject, PlanSummary } from '../../engine/report/plan-types.js';
import type { SavedPlan } from '../../engine/report/saved-plan.js';
import type { DriftOptions, ObjectDrift } from '../../inspect/drift/drift.js';
import type { ClusterClient } from '../../kubernetes/index.js';
import { type PlannerOptions, plan } from '../../plan/plan.js';
import { reportChangesOfOthers } from './changes-of-others.js';

/** The first event of a rollback. */
export interface RollbackStarted {
  readonly event: 'rollback';
  readonly stack: string;
  /** The last revision of the stack. */
  readonly from: Omit<Revision, 'body'>;
  /** The revision to which the stack goes back. */
  readonly to: Omit<Revision, 'body'>;
}

export type RollbackEvent = RollbackStarted | PlanEvent | ObjectDrift;

/** A rollback that is planned: the deploy is bound to this plan. */
export interface RollbackPlan extends OpenRevision {
  readonly summary: PlanSummary;
  readonly saved: SavedPlan;
  /** The planned objects that would change. */
  readonly changes: readonly PlannedObject[];
}

export interface RollbackOptions
  extends HistorySelection,
    Omit<PlannerOptions, keyof HistorySelection | 'save'>,
    Pick<DriftOptions, 'simulate'> {
  /** @default the last revision before the current one that succeeded with other declarations */
  readonly revision?: number;
}

/**
 * Plans the way back to a revision of a stack, and reports what others have changed since the last one. Changes nothing.
 *
 * @throws FieldwiseError as `openHistory`, `chooseRevision`, `openRevision` and `plan`.
 */
export async function planRollback(
  program: Assembly,
  cluster: ClusterClient,
  options: RollbackOptions,
  host: (event: RollbackEvent) => void,
): Promise<RollbackPlan> {
  const opened = await openHistory(program, cluster, options, host);
  const chosen = chooseRevision(opened, options.revision);
  const { body: _, ...to } = chosen;
  const { body: __, ...from } = opened.history.revisions.at(-1) as Revision;
  host({ event: 'rollback', stack: opened.stack.name, from, to });
  const revision = await openRevision(opened, chosen);
  for (const warning of revisionWarnings(revision)) host(warning);
  const stacks = [opened.stack.name];
  await reportChangesOfOthers(opened, { ...options, stacks }, host);
  let saved: SavedPlan | undefined;
  const changes: PlannedObject[] = [];
  const save = async (made: SavedPlan) => {
    saved = made;
  };
  const summary = await plan(revision.assembly, cluster, { ...options, stacks, save }, (event) => {
    if (event.event === 'plan' && event.action !== 'unchanged') changes.push(event);
    host(event);
  });
  return { ...revision, summary, saved: saved as SavedPlan, changes };
}
