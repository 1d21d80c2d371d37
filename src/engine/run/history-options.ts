import type { TrustedList } from '../history/history-store.js';
import type { HistoryLimits } from '../history/revision.js';
import type { RevisionBody } from '../history/revision-body.js';

/** The options of the revisions that a deploy records. */
export interface HistoryOptions extends HistoryLimits {
  /** The user of the kubeconfig, for servers that do not tell. */
  readonly kubeconfigUser?: string;
  /** Returns the commit of the program; called only if a revision is recorded. */
  readonly commit?: () => Promise<string | undefined>;
  /** Returns the first line of the message of that commit; called only if a revision is recorded. */
  readonly subject?: () => Promise<string | undefined>;
  /** Returns true if the working tree differs from that commit; called only if a revision is recorded. */
  readonly uncommittedChanges?: () => Promise<boolean | 'unknown'>;
  /** The deploy goes back to a revision of its one stack. */
  readonly rollback?: RollbackTarget;
  /** The deploy goes back to revisions of these stacks, by name. */
  readonly rollbacks?: ReadonlyMap<string, RollbackTarget>;
}

/** The revision to which a stack goes back. */
export interface RollbackTarget {
  readonly revision: number;
  /** Its list, if somebody trusts it whatever the inventory knows: the deploy goes on with it, as it was shown. */
  readonly trusted?: TrustedList | undefined;
  /** The revision as it is recorded, with what the deploy leaves out and without the policies that only the rollback needs. */
  readonly body: RevisionBody;
}
