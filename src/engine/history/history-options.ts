import type { StackManifest } from '../../assembly/types.js';
import type { HistoryLimits } from './revision.js';

/** The options of the revisions that a deploy records. */
export interface HistoryOptions extends HistoryLimits {
  /** The user of the kubeconfig, for servers that do not tell. */
  readonly kubeconfigUser?: string;
  /** Returns the commit of the program; called only if a revision is recorded. */
  readonly commit?: () => Promise<string | undefined>;
  /** The deploy goes back to a revision of this stack. */
  readonly rollback?: {
    readonly revision: number;
    /** The stack as it is recorded, without the policies that only the rollback needs. */
    readonly stack: StackManifest;
  };
}
