import type { WaitFor } from '../../assembly/policy-vocabulary.js';
import { conditionsOf, metadataOf, type StatusCondition } from '../../fields/object.js';
import { isBuiltIn } from '../../schema/index.js';
import type { JsonObject } from '../../util/json.js';
import { deletionBlockers } from '../object/deletion-blockers.js';
import { current, failed, inProgress, type Readiness, type RuleResult } from '../report/readiness-state.js';
import { kindReadinessRuleOf } from './kind-readiness-rules.js';
import { conditionEvidence, count, statusOf } from './object.js';
import { waitForReadiness } from './wait-for-readiness.js';

/** Options of evaluating the readiness of an object. */
export interface ReadinessOptions {
  readonly waitFor?: WaitFor | undefined;
  /**
   * True if the object's schema has `status.observedGeneration` or `status.conditions`: then a controller is expected to write them, and an
   * object without any has not been observed by it.
   */
  readonly expectsStatus?: boolean;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Seconds in which a pod may find a node. @default 120 */
  readonly unschedulableSeconds?: number;
  /** False to count a failure that may pass as in progress. @default true */
  readonly failFast?: boolean;
  /** After an apply: the object as it was first read then, and the time. A failure in that status already has a grace period. */
  readonly applied?: { readonly first: JsonObject; readonly at: number };
}

/** The readiness of an object, and whether time alone may change it. */
export interface ReadinessEvaluation {
  readonly readiness: Readiness;
  readonly provisional: boolean;
}

/**
 * Returns true if a deploy waits for objects of a kind; all others are ready once the server has accepted them, or depend on what others
 * run.
 */
export function isWaitedFor(object: { readonly apiVersion: string; readonly kind: string }): boolean {
  return kindReadinessRuleOf(object)?.isWaitedFor ?? isCustom(object);
}

/** Returns true if a kind is a custom (non-built-in) resource. */
export function isCustom({ apiVersion }: { readonly apiVersion: string }): boolean {
  return !isBuiltIn(apiVersion);
}

/**
 * Evaluates the readiness of an object. First by the rules for all kinds: it is being deleted, its controller has not observed its newest
 * generation, `Reconciling`, `Stalled`. Then by `waitFor`, else by the rule of its kind, else by the condition `Ready`, where there is one.
 */
export function readiness(object: JsonObject, options: ReadinessOptions): Readiness {
  return evaluateReadiness(object, options).readiness;
}

/** Evaluates the same, and returns whether time alone may change it. */
export function evaluateReadiness(object: JsonObject, options: ReadinessOptions): ReadinessEvaluation {
  const { now, applied, failFast = true } = options;
  const { provisional, ...readiness } = evaluateObject(object, options, now);
  if (provisional !== undefined && !failFast) return { readiness: inProgress(readiness.reason, readiness.message), provisional: false };
  if (provisional === undefined || applied === undefined) return { readiness, provisional: readiness.reason === 'Unschedulable' };
  const before = provisional.evidence(applied.first);
  const standing = before !== undefined && before === provisional.evidence(object);
  if (!standing || now - applied.at >= provisional.graceSeconds * 1000) return { readiness, provisional: false };
  const message = `${readiness.message} (reported before this apply; it counts if it is still reported ${provisional.graceSeconds} s after)`;
  return { readiness: inProgress(readiness.reason, message), provisional: true };
}

function evaluateObject(object: JsonObject, options: ReadinessOptions, now: number): RuleResult {
  const { waitFor, expectsStatus = false, unschedulableSeconds } = options;
  const rule = kindReadinessRuleOf(object as { apiVersion: string; kind: string });
  const early = commonReadiness(object, expectsStatus || rule?.reportsGeneration === true);
  if (early) return early;
  if (waitFor) return waitForReadiness(object, waitFor);
  return rule ? rule.evaluate(object, now, unschedulableSeconds) : byReady(object);
}

/** Seconds in which a controller that has given up is expected to see that a missing dependency exists now. */
const stalledGraceSeconds = 60;

function commonReadiness(object: JsonObject, expectsStatus: boolean): RuleResult | undefined {
  const { deletionTimestamp } = metadataOf(object);
  if (deletionTimestamp !== undefined) {
    const blockers = deletionBlockers(object);
    return {
      state: 'terminating',
      reason: 'Terminating',
      message: `it is being deleted${blockers.length > 0 ? `, held by ${blockers.join('; ')}` : ''}`,
    };
  }
  const generation = count(metadataOf(object).generation);
  const { observedGeneration } = statusOf(object);
  const conditions = conditionsOf(object);
  if (typeof observedGeneration === 'number' && observedGeneration !== generation) {
    return inProgress('NotObserved', `its controller has seen generation ${observedGeneration} of ${generation}`);
  }
  if (expectsStatus && observedGeneration === undefined && conditions.length === 0) {
    return inProgress('NotObserved', unreported(object));
  }
  const upToDate = (condition: StatusCondition | undefined) =>
    condition?.status === 'True' && (condition.observedGeneration ?? generation) >= generation;
  const stalled = conditions.find(({ type }) => type === 'Stalled');
  if (stalled && upToDate(stalled)) {
    const revisable = { evidence: conditionEvidence('Stalled'), graceSeconds: stalledGraceSeconds };
    return failed(stalled.reason || 'Stalled', stalled.message || 'its controller has given up', revisable);
  }
  const reconciling = conditions.find(({ type }) => type === 'Reconciling');
  if (reconciling?.status === 'True')
    return inProgress(reconciling.reason || 'Reconciling', reconciling.message || 'its controller works on it');
  return undefined;
}

/** Names what a custom resource waits for: the program whose controller writes its status may not be installed. */
function unreported(object: JsonObject): string {
  const { apiVersion, kind } = object as { readonly apiVersion: string; readonly kind: string };
  if (!isCustom({ apiVersion })) return 'its controller has not reported on it yet';
  return `its controller has not reported on it yet: it waits for a controller of ${kind} (${apiVersion}) to write .status`;
}

function byReady(object: JsonObject): Readiness {
  const ready = conditionsOf(object).find(({ type }) => type === 'Ready');
  if (!ready) return current('Accepted', 'its kind reports nothing more');
  if (ready.observedGeneration !== undefined && ready.observedGeneration < count(metadataOf(object).generation)) {
    return inProgress('NotObserved', 'its condition Ready is about an older generation');
  }
  if (ready.status === 'True') return current(ready.reason || 'Ready', ready.message || 'it is ready');
  return inProgress(ready.reason || 'NotReady', ready.message || 'it is not ready yet');
}
