import type { Strategy } from '../../assembly/policy-vocabulary.js';
import type { ReadClusterIdentity } from '../inventory/cluster-identity.js';
import type { Question } from '../report/question.js';
import type { ReferenceSources } from '../secrets/references.js';
import type { HistoryOptions } from './history-options.js';
import type { BoundPlan } from './saved-plan.js';

/** The options of a deploy or destroy. */
export interface RunOptions {
  /**
   * Names of the stacks to work on.
   *
   * @default all stacks of the assembly
   */
  readonly stacks?: readonly string[];
  /**
   * Positions of the intents to work on, by stack. With it nothing is pruned.
   *
   * @default all intents
   */
  readonly targets?: ReadonlyMap<string, ReadonlySet<number>>;
  /**
   * Keys of context values that the user has chosen for this run: the report does not say that the last deploy had others.
   *
   * @default none
   */
  readonly chosenContext?: readonly string[];
  /**
   * Refuses the run (`repair-outdated`) if one of its intents is not known to be the one that was applied last.
   *
   * @default false
   */
  readonly onlyAsApplied?: boolean;
  /**
   * Namespace of the inventories.
   *
   * @default fieldwise-system
   */
  readonly inventoryNamespace?: string;
  /**
   * The maximum number of objects applied concurrently within a wave.
   *
   * @default 16
   */
  readonly concurrency?: number;
  /**
   * `full` sends every intent; `changed` skips intents that a LIST proves unchanged; `auto` skips them where no webhook, admission policy or
   * quota would see them.
   *
   * @default auto
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
   * @default per assembly
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
   * False to take no field from another owner, whatever the policies and `yes` say: its object ends with `force-unconfirmed`.
   *
   * @default true
   */
  readonly forces?: boolean;
  /**
   * Says which stacks of the app and instance are in the cluster and not in the program, but for those whose names fit one of these
   * patterns, in which `*` stands for any text.
   *
   * @default says nothing
   */
  readonly independent?: readonly string[];
  /**
   * Deletes even owned objects that other managers apply fields to.
   *
   * @default false
   */
  readonly deleteShared?: boolean;
  /**
   * Destroy only: forgets objects that would be invalid without the fields of their stack, and leaves them as they are.
   *
   * @default false
   */
  readonly retainRejected?: boolean;
  /**
   * Seconds to wait until an object is deleted; 0 does not wait.
   *
   * @default 120
   */
  readonly deletionTimeoutSeconds?: number;
  /**
   * Deletes a Namespace or a CustomResourceDefinition even with content of others.
   *
   * @default false
   */
  readonly deleteForeign?: boolean;
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
   * Asked before anything is pruned or destroyed, with one sentence and the objects concerned. The answer is final for the run.
   *
   * @default nothing is confirmed
   */
  readonly confirm?: (question: Question) => Promise<boolean>;
  /**
   * Confirms every question, also those that arise after the questions: fields that a first deploy finds in an object that appeared
   * meanwhile are taken by force.
   *
   * @default false
   */
  readonly yes?: boolean;
  /**
   * Seconds to wait for another run that works on one of the stacks; 0 refuses the deploy (`stack-locked`).
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
   * The number of times in a row that a field may be forced from the same manager before it counts as a fight.
   *
   * @default 3
   */
  readonly contentionLimit?: number;
  /**
   * The sources of referenced values of Secrets.
   *
   * @default the environment and working directory of this process
   */
  readonly references?: ReferenceSources;
  /** A plan that was saved and approved: the deploy is refused if it would do anything else (`plan-outdated`). */
  readonly plan?: BoundPlan;
  /** Reads the identity of the cluster, which saved plans, revisions and rules have. @default a reader of this run */
  readonly readIdentity?: ReadClusterIdentity;
  /** Records a revision of each stack that the deploy changes. @default records none */
  readonly history?: HistoryOptions;
  /** Resolves when the events so far have left this process: notes of what a run was about to do stay in the inventory until then. */
  readonly written?: () => Promise<unknown>;
  /** Stops the run between requests; objects that were not attempted are reported as skipped. */
  readonly signal?: AbortSignal;
}

/**
 * Which intents a deploy sends: all (`full`), all but those that a LIST proves unchanged (`changed`), or also those of them that admission
 * sees (`auto`).
 */
export type Reconcile = 'auto' | 'changed' | 'full';

export const defaultReconcile: Reconcile = 'auto';

/** Returns the mode of a deploy of a number of objects: `auto` sends every one of few, as to look costs as much. */
export function effectiveReconcile(mode: Reconcile = defaultReconcile, objects: number): Reconcile {
  return mode === 'auto' && objects < fewestWorthALook ? 'full' : mode;
}

/** The number of objects from which `auto` looks for unchanged ones: its reads cost about as much as to send this many. */
export const fewestWorthALook = 20;
export const defaultConcurrency = 16;
export const defaultDeletionTimeoutSeconds = 120;
