/** What a deploy or destroy may do, and how. */
export interface RunOptions {
  /** Names of the stacks to work on; all of the assembly when absent. */
  readonly stacks?: readonly string[];
  /** Namespace of the inventories; `fieldwise-system` when absent. */
  readonly inventoryNamespace?: string;
  /** Objects worked on at once within a wave. Default 16. */
  readonly concurrency?: number;
  /** Prune without asking, as `prune: true` of the configuration; decides over what the assembly says. */
  readonly prune?: boolean;
  /** Delete even owned objects that other managers apply fields to. */
  readonly deleteShared?: boolean;
  /** Delete a Namespace or a CustomResourceDefinition even with what others keep in it. */
  readonly deleteForeign?: boolean;
  /**
   * Asked before anything is pruned or destroyed, with one sentence and the objects concerned. Absent means no.
   * The answer is final for the run.
   */
  readonly confirm?: (question: Question) => Promise<boolean>;
  /** Stops between requests; what was not attempted is reported as skipped. */
  readonly signal?: AbortSignal;
}

export interface Question {
  readonly text: string;
  readonly objects: readonly string[];
  /** Whether `prune: true` in the configuration answers it. */
  readonly answeredByPruneSetting: boolean;
}

export const defaultInventoryNamespace = 'fieldwise-system';
export const defaultConcurrency = 16;
