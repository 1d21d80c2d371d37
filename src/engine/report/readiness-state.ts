import type { JsonObject } from '../../util/json.js';
import type { ReadinessCause } from './readiness-cause.js';

/** The readiness state of an object. */
export type ReadinessState =
  /** The object is ready: its declared state is running. */
  | 'current'
  /** Not ready yet: its controller works on it, or has not observed it yet. */
  | 'in-progress'
  /** Its controller reports that it will not become ready by itself, or the cause for which it is not ready is certain. */
  | 'failed'
  /** The object is being deleted. */
  | 'terminating'
  /** Nothing in the object shows whether it is ready. */
  | 'unknown';

/**
 * The readiness of an object, and the reason. Source of the rules: the kstatus library of Kubernetes SIG CLI as docs/deploy.md states them.
 */
export interface Readiness {
  readonly state: ReadinessState;
  /** One word, the condition's own reason where a condition decides. */
  readonly reason: string;
  /** For a person, without a full stop. */
  readonly message: string;
}

/** The readiness with which waiting for an object ended: it is ready where `state` is `current`. */
export interface SettledReadiness extends Readiness {
  /** Seconds after which waiting was given up. */
  readonly timedOutAfterSeconds?: number;
  /** The cause for which it is not ready, where one was found. */
  readonly cause?: ReadinessCause;
  /** The reads that failed in the search for a cause, such as `pods in namespace shop: forbidden`; absent if there are none. */
  readonly notLookedAt?: readonly string[];
}

/** The result of a rule for an object. */
export interface RuleResult extends Readiness {
  /** Present where the controller may still change its mind: a failure from before an apply counts only after a grace period. */
  readonly provisional?: ProvisionalFailure;
}

/** A failure that may be from before an apply. */
export interface ProvisionalFailure {
  /** Returns the source of the failure as text: equal for two states of an object if the controller has reported nothing new in between. */
  readonly evidence: (object: JsonObject) => string | undefined;
  /** Seconds after the apply from which an old failure counts. */
  readonly graceSeconds: number;
}

export const current = (reason: string, message: string): Readiness => ({ state: 'current', reason, message });
export const inProgress = (reason: string, message: string): Readiness => ({ state: 'in-progress', reason, message });
export const unknownReadiness = (message: string): Readiness => ({ state: 'unknown', reason: 'Unknown', message });
export const failed = (reason: string, message: string, revisable?: ProvisionalFailure): RuleResult => ({
  state: 'failed',
  reason,
  message,
  ...(revisable ? { provisional: revisable } : {}),
});
