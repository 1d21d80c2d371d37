import type { Strategy } from '../assembly/policy-vocabulary.js';
import type { DeployEvent, PlanEvent, Question, Reconcile } from '../deploy/index.js';
import type { ReferenceSources } from '../engine/secrets/references.js';
import type { Rule } from '../rules/rule.js';

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
   * The maximum number of objects that are planned, applied or removed at the same time.
   *
   * @default 16
   */
  readonly concurrency?: number;
  /**
   * Also deletes owned objects to which other managers apply fields.
   *
   * @default false
   */
  readonly deleteShared?: boolean;
  /**
   * Also deletes a Namespace or a CustomResourceDefinition that contains objects of others.
   *
   * @default false
   */
  readonly deleteForeign?: boolean;
}

/** Options of the verbs that write: locks, questions and the wait for deletions. */
export interface WriteOptions extends CommonOptions {
  /**
   * Receives each question, with one sentence and the objects that it concerns, before anything is deleted or forced. Only `true` means
   * yes, and the answer is final for the run. If it throws, the run ends with `callback-failed` before anything is changed.
   *
   * @default every answer is no
   */
  readonly confirm?: (question: Question) => Promise<boolean>;
  /**
   * Answers every question with yes, and `confirm` is not called. A first deploy then also forces fields of an object that others create after the questions.
   *
   * @default false
   */
  readonly yes?: boolean;
  /**
   * Seconds to wait for another run on one of the stacks, before this run fails with `stack-locked`.
   *
   * @default 0
   */
  readonly lockTimeoutSeconds?: number;
  /**
   * Seconds after which this run counts as dead if it stops renewing its locks; at most 60.
   *
   * @default 15
   */
  readonly leaseDurationSeconds?: number;
  /**
   * Seconds to wait until an object is deleted; 0 does not wait.
   *
   * @default 120
   */
  readonly deletionTimeoutSeconds?: number;
  /** Stops the run between requests; objects that were not attempted are reported as skipped. */
  readonly signal?: AbortSignal;
  /**
   * Receives each event as it happens. If it throws, the run continues; after it, the promise is rejected with a `CallbackError`, which has
   * the first error and the report.
   */
  readonly onEvent?: (event: DeployEvent) => void;
}

/** Options of `deploy`. */
export interface DeployOptions extends WriteOptions {
  /**
   * `full` sends every intent; `changed` skips intents that a LIST proves unchanged; `auto` skips them where no webhook, admission policy or
   * quota would see them.
   *
   * @default 'auto'
   */
  readonly reconcile?: Reconcile;
  /**
   * The merge strategy for every intent; overrides the policies of the assembly and the choice by the server's version.
   *
   * @default per policy
   */
  readonly strategy?: Strategy;
  /**
   * Prunes without asking, like `prune: true` of the configuration; overrides the assembly.
   *
   * @default per stack, by the assembly
   */
  readonly prune?: boolean;
  /**
   * Destroys the stacks of this app and instance that have an inventory and are no longer declared, but for those of `independent`. Always asks first.
   *
   * @default false
   */
  readonly pruneStacks?: boolean;
  /**
   * The id of a program of the same name whose stacks this one takes over: they are refused otherwise.
   *
   * @default none
   */
  readonly takeOver?: string;
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
   * False to wait until the timeout even if the cause of a failure is certain; overrides the policies of the assembly.
   *
   * @default per policy
   */
  readonly failFast?: boolean;
  /**
   * The number of times in a row that a field may be forced from the same manager before it counts as contended.
   *
   * @default 3
   */
  readonly contentionLimit?: number;
  /**
   * The sources of referenced values of Secrets.
   *
   * @default the environment and the working directory of this process
   */
  readonly references?: ReferenceSources;
}

/** Options of `destroy`. */
export interface DestroyOptions extends WriteOptions {
  /**
   * Forgets objects that would be invalid without the fields of their stack, and leaves them as they are.
   *
   * @default false
   */
  readonly retainRejected?: boolean;
}

/** Options of `plan`. */
export interface PlanOptions extends CommonOptions {
  /**
   * Sends only reads, and predicts every change from the schema.
   *
   * @default false
   */
  readonly readOnly?: boolean;
  /**
   * `full` sends a dry run for every intent; `changed` and `auto` send none for those that a deploy with the same option skips.
   *
   * @default 'auto'
   */
  readonly reconcile?: Reconcile;
  /**
   * The merge strategy for every intent; overrides the policies of the assembly and the choice by the server's version.
   *
   * @default per policy
   */
  readonly strategy?: Strategy;
  /**
   * The sources of referenced values of Secrets.
   *
   * @default the environment and the working directory of this process
   */
  readonly references?: ReferenceSources;
  /** Rules of `fieldwise/rules`, which judge each planned object. @default none */
  readonly rules?: readonly Rule[];
  /** Receives each object as it is planned, and the summary last. If it throws, the promise is rejected after the plan. */
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
  /** Stops between two requests: the call then rejects with `interrupted`, and the fields written until then stay. */
  readonly signal?: AbortSignal;
}
