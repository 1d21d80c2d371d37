import type { TrustedList } from './history-store.js';
import type { HistoryLimits } from './revision.js';
import type { RevisionBody } from './revision-body.js';

/** The options of the revisions that a deploy records. */
export interface HistoryOptions extends HistoryLimits {
  /** The user of the kubeconfig, for servers that do not tell. */
  readonly kubeconfigUser?: string;
  /** Returns the commit of the program; called only if a revision is recorded. */
  readonly commit?: () => Promise<string | undefined>;
  /** The deploy goes back to a revision of this stack. */
  readonly rollback?: {
    readonly revision: number;
    /** Its list, if somebody trusts it whatever the inventory knows: the deploy goes on with it, as it was shown. */
    readonly trusted?: TrustedList | undefined;
    /** The revision as it is recorded, with what the deploy leaves out and without the policies that only the rollback needs. */
    readonly body: RevisionBody;
  };
}
