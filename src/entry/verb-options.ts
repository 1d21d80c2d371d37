import type { Strategy } from '../assembly/policy-vocabulary.js';
import type { DeployEvent, PlanEvent, Question, Reconcile } from '../deploy/index.js';
import type { ReferenceSources } from '../engine/secrets/references.js';

/** Options that all verbs share. */
export interface CommonOptions {
  /**
   * Names of the stacks to work on.
   *
   * @default all stacks of the assembly
   */
  readonly stacks?: readonly string[];
  /**
   * Namespace of the inventories.
   *
   * @default 'fieldwise-system'
   */
  readonly inventoryNamespace?: string;
  /**
   * Objects worked on at once within a wave.
   *
   * @default 16
   */
  readonly concurrency?: number;
  /**
   * Deletes even owned objects that other managers apply fields to.
   *
   * @default false
   */
  readonly deleteShared?: boolean;
  /**
   * Deletes a Namespace or a CustomResourceDefinition even with what others keep in it.
   *
   * @default false
   */
  readonly deleteForeign?: boolean;
}

/** Options of the verbs that write: locks, questions and the wait for deletions. */
export interface WriteOptions extends CommonOptions {
  /**
   * Asked before anything is deleted or taken, with one sentence and the objects concerned. The answer is final for the run.
   *
   * @default every answer is no
   */
  readonly confirm?: (question: Question) => Promise<boolean>;
  /**
   * Answers every question with yes, also those that come up after the first change: fields that a first deploy finds in an object which
   * appeared meanwhile are taken by force.
   *
   * @default false
   */
  readonly yes?: boolean;
  /**
   * Seconds to wait for another run that has a lock on one of the stacks; after them the run is refused (`stack-locked`).
   *
   * @default 0
   */
  readonly lockTimeoutSeconds?: number;
  /**
   * Seconds after which this run counts as dead when it stops renewing its locks.
   *
   * @default 15
   */
  readonly leaseDurationSeconds?: number;
  /**
   * Seconds to wait until a deleted object is absent; 0 does not wait.
   *
   * @default 120
   */
  readonly deletionTimeoutSeconds?: number;
  /** Stops the run between requests; objects that were not attempted are reported as `skipped`. */
  readonly signal?: AbortSignal;
  /** Receives each event as it happens. */
  readonly onEvent?: (event: DeployEvent) => void;
}

/** Options of `deploy`. */
export interface DeployOptions extends WriteOptions {
  /**
   * `full` sends every intent, so that admission sees each one; `changed` skips the intents that a LIST proves unchanged.
   *
   * @default 'full'
   */
  readonly reconcile?: Reconcile;
  /**
   * Who merges, for every intent: overrides the policies of the assembly and the advice for the version of the server.
   *
   * @default per policy
   */
  readonly strategy?: Strategy;
  /**
   * Prunes without asking; overrides `prune` of the assembly.
   *
   * @default per stack, as the assembly says
   */
  readonly prune?: boolean;
  /**
   * Destroys the stacks of this app and instance that have an inventory and that the program no longer declares. Always asks.
   *
   * @default false
   */
  readonly pruneStacks?: boolean;
  /**
   * Waits until every applied object is ready; overrides the policies of the assembly.
   *
   * @default per policy
   */
  readonly wait?: boolean;
  /**
   * Seconds to wait until each object is ready, and until the object of a share exists (`ifAbsent: wait`); overrides the policies of the
   * assembly.
   *
   * @default per policy
   */
  readonly waitSeconds?: number;
  /**
   * How often in a row a field may be taken from the same manager before it counts as contended.
   *
   * @default 3
   */
  readonly contentionLimit?: number;
  /**
   * Where referenced values of Secrets are read.
   *
   * @default the environment and the working directory of this process
   */
  readonly references?: ReferenceSources;
}

/** Options of `destroy`. */
export interface DestroyOptions extends WriteOptions {
  /**
   * Removes objects from the inventory that would be invalid without the fields of their stack, and leaves them as they are.
   *
   * @default false
   */
  readonly retainRejected?: boolean;
}

/** Options of `plan`. */
export interface PlanOptions extends CommonOptions {
  /**
   * Only reads: the effect is computed from the schema and the live objects, without dry runs.
   *
   * @default false
   */
  readonly readOnly?: boolean;
  /**
   * Who merges, for every intent, as for `deploy`.
   *
   * @default per policy
   */
  readonly strategy?: Strategy;
  /**
   * Where referenced values of Secrets are read.
   *
   * @default the environment and the working directory of this process
   */
  readonly references?: ReferenceSources;
  /** Receives each object as it is planned, the summary last. */
  readonly onEvent?: (event: PlanEvent) => void;
}

/** Options of `listStacks`. */
export interface ListStacksOptions {
  /**
   * Namespace of the inventories.
   *
   * @default 'fieldwise-system'
   */
  readonly inventoryNamespace?: string;
}

/** Options of `undoForcedConflicts`. */
export interface UndoOptions {
  /** Stops between requests; the call then rejects with `interrupted`, and the fields written until then stay. */
  readonly signal?: AbortSignal;
}
