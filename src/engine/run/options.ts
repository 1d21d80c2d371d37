import type { Strategy } from '../../assembly/policy-vocabulary.js';
import type { ReferenceSources } from '../secrets/references.js';
import type { Question } from './question.js';
import type { BoundPlan } from './saved-plan.js';

/** What a deploy or destroy may do, and how. */
export interface RunOptions {
  /** Names of the stacks to work on; all of the assembly when absent. */
  readonly stacks?: readonly string[];
  /** Positions of the intents to work on, by stack; all when absent. With it nothing is pruned. */
  readonly targets?: ReadonlyMap<string, ReadonlySet<number>>;
  /** Namespace of the inventories; `fieldwise-system` when absent. */
  readonly inventoryNamespace?: string;
  /** Objects worked on at once within a wave. Default 16. */
  readonly concurrency?: number;
  /**
   * `full` (default) sends every intent, so that admission sees each; `changed` sends none of which a LIST proves that it would change
   * nothing.
   */
  readonly reconcile?: Reconcile;
  /** Who merges, for every intent; decides over the policies of the assembly and over what the server's version asks for. */
  readonly strategy?: Strategy;
  /** Prune without asking, as `prune: true` of the configuration; decides over what the assembly says. */
  readonly prune?: boolean;
  /** Destroy the stacks of this app and instance that have an inventory and are not declared any more. Always asks. */
  readonly pruneStacks?: boolean;
  /** Delete even owned objects that other managers apply fields to. */
  readonly deleteShared?: boolean;
  /** Of destroy: forget objects that would be invalid without the fields of their stack, and leave them as they are. */
  readonly retainRejected?: boolean;
  /** Seconds to wait until a deleted object is gone; 0 does not wait. Default 120. */
  readonly deletionTimeoutSeconds?: number;
  /** Delete a Namespace or a CustomResourceDefinition even with what others keep in it. */
  readonly deleteForeign?: boolean;
  /** Whether to wait until what was applied is ready; decides over the policies of the assembly. */
  readonly wait?: boolean;
  /**
   * Seconds to wait until each object is ready, and until the object of a share exists (`ifAbsent: wait`); decides over the policies of the
   * assembly.
   */
  readonly waitSeconds?: number;
  /**
   * Asked before anything is pruned or destroyed, with one sentence and the objects concerned. Absent means no.
   * The answer is final for the run.
   */
  readonly confirm?: (question: Question) => Promise<boolean>;
  /**
   * Every question is answered with yes, also what comes up after the questions: fields that a first deploy meets in an object that
   * appeared meanwhile are taken by force. Default false.
   */
  readonly yes?: boolean;
  /** Seconds to wait for another run that works on one of the stacks; without it such a run is refused (`stack-locked`). */
  readonly lockTimeoutSeconds?: number;
  /** Seconds after which this run counts as dead when it stops renewing its locks. Default 15. */
  readonly leaseDurationSeconds?: number;
  /** How often in a row a field may be taken from the same manager before it counts as a fight. Default 3. */
  readonly contentionLimit?: number;
  /** Where referenced values of Secrets are read; the environment and working directory of this process when absent. */
  readonly references?: ReferenceSources;
  /** A plan that was saved and approved: the deploy is refused where it would do anything else (`plan-outdated`). */
  readonly plan?: BoundPlan;
  /** Stops between requests; what was not attempted is reported as skipped. */
  readonly signal?: AbortSignal;
}

/** Which intents a deploy sends: all (`full`), or all but those that a LIST proves unchanged (`changed`). */
export type Reconcile = 'full' | 'changed';

export const defaultConcurrency = 16;
export const defaultDeletionTimeoutSeconds = 120;
