import type { JsonObject } from '../../util/json.js';

/**
 * How far an object is:
 * - `current`: what is declared is what runs.
 * - `in-progress`: its controller works on it, or has not seen it yet.
 * - `failed`: its controller says that it will not get there by itself.
 * - `terminating`: it is being deleted.
 * - `unknown`: nothing in the object tells whether it is ready.
 */
export type ReadinessState = 'current' | 'in-progress' | 'failed' | 'terminating' | 'unknown';

/** How far an object is, and why. Source of the rules: the kstatus library of Kubernetes SIG CLI as docs/deploy.md states them. */
export interface Readiness {
  readonly state: ReadinessState;
  /** One word, the condition's own reason where a condition decides. */
  readonly reason: string;
  /** For a person, without a full stop. */
  readonly message: string;
}

/** How waiting for an object ended: it is ready where `state` is `current`. */
export interface SettledReadiness extends Readiness {
  /** Seconds after which it was given up. */
  readonly timedOutAfterSeconds?: number;
}

/** What a rule makes of an object. */
export interface RuleResult extends Readiness {
  /** Present where the controller may still change its mind: a failure from before an apply counts only after a grace period. */
  readonly provisional?: ProvisionalFailure;
}

export interface ProvisionalFailure {
  /** What the failure is read from, as text: equal for two states of an object if the controller has said nothing new in between. */
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
