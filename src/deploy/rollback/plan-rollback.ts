import type { Assembly } from '../../assembly/types.js';
import { clusterWarning } from '../../engine/history/cluster-warning.js';
import type { TrustedList } from '../../engine/history/history-store.js';
import type { Revision } from '../../engine/history/revision.js';
import {
  chooseRevision,
  type HistorySelection,
  type OpenHistory,
  type OpenRevision,
  openHistory,
  openRevision,
  revisionWarnings,
} from '../../engine/prepare/open-revision.js';
import type { PlanEvent, PlannedObject, PlanSummary } from '../../engine/report/plan-types.js';
import type { SavedPlan } from '../../engine/run/saved-plan.js';
import type { DriftOptions, ObjectDrift } from '../../inspect/drift/drift.js';
import type { ClusterClient } from '../../kubernetes/index.js';
import { type PlannerOptions, plan } from '../../plan/plan.js';
import { reportChangesOfOthers } from './changes-of-others.js';
import { isLastDeployed } from './is-last-deployed.js';

/** The first event of a rollback. */
export interface RollbackStarted {
  readonly event: 'rollback';
  readonly stack: string;
  /** The last revision of the stack. */
  readonly from: Omit<Revision, 'body'>;
  /** The revision to which the stack goes back. */
  readonly to: Omit<Revision, 'body'>;
  /** Something else than the last revision is deployed: a deploy was not recorded, or was one of some objects only. */
  readonly isNotRecorded?: true;
  /** The numbers of newer revisions that would have been chosen, if their declarations were stored. */
  readonly passedOver?: readonly number[];
}

export type RollbackEvent = RollbackStarted | PlanEvent | ObjectDrift;

/** A rollback that is planned: the deploy is bound to this plan. */
export interface RollbackPlan extends OpenRevision {
  readonly summary: PlanSummary;
  readonly saved: SavedPlan;
  /** The list of the revision, if somebody trusts it whatever the inventory knows. */
  readonly trusted?: TrustedList;
  /** The planned objects that would change. */
  readonly changes: readonly PlannedObject[];
}

export interface RollbackOptions
  extends HistorySelection,
    Omit<PlannerOptions, keyof HistorySelection | 'save'>,
    Pick<DriftOptions, 'simulate'> {
  /** @default the newest stored revision that succeeded with other declarations than those that are deployed */
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
  const last = await openLast(opened);
  const isDeployed = last === undefined || (await isLastDeployed(opened, last, options));
  const { chosen, passedOver } = chooseRevision(opened, options.revision, isDeployed);
  const { body: _, ...to } = chosen;
  const { body: __, ...from } = opened.history.revisions.at(-1) as Revision;
  const notes = { ...(isDeployed ? {} : { isNotRecorded: true as const }), ...(passedOver.length > 0 ? { passedOver } : {}) };
  host({ event: 'rollback', stack: opened.stack.name, from, to, ...notes });
  const [revision, identity] = await Promise.all([openRevision(opened, chosen), chosen.cluster && options.readIdentity?.()]);
  const warning = identity && clusterWarning(chosen, identity);
  for (const each of [...(warning ? [warning] : []), ...revisionWarnings(revision)]) host(each);
  const stacks = [opened.stack.name];
  if (last) await reportChangesOfOthers(opened, last, { ...options, stacks }, host);
  let saved: SavedPlan | undefined;
  const changes: PlannedObject[] = [];
  const save = async (made: SavedPlan) => {
    saved = made;
  };
  const summary = await plan(revision.assembly, cluster, { ...options, stacks, save }, (event) => {
    if (event.event === 'plan' && event.action !== 'unchanged') changes.push(event);
    host(event);
  });
  const { name, sha256 } = opened.history;
  const trusted = options.trustHistory !== undefined && name !== undefined ? { trusted: { name, sha256 } } : {};
  return { ...revision, summary, saved: saved as SavedPlan, changes, ...trusted };
}

/** Opens the last revision of a stack, if its declarations are stored. */
export async function openLast(opened: OpenHistory): Promise<OpenRevision | undefined> {
  const last = opened.history.revisions.at(-1);
  return last?.body === undefined ? undefined : openRevision(opened, last);
}
