/**
 * How far an object is:
 * - `current`: what is declared is what runs.
 * - `in-progress`: its controller works on it, or has not seen it yet.
 * - `failed`: its controller says that it will not get there by itself.
 * - `terminating`: it is being deleted.
 */
export type ReadinessState = 'current' | 'in-progress' | 'failed' | 'terminating';

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
  readonly timedOutAfter?: number;
}

export const current = (reason: string, message: string): Readiness => ({ state: 'current', reason, message });
export const inProgress = (reason: string, message: string): Readiness => ({ state: 'in-progress', reason, message });
export const failed = (reason: string, message: string): Readiness => ({ state: 'failed', reason, message });
