/** The words of policies: what a program says by them, what the assembly carries and what the engine does, all by the same values. */

export const lifecycles = ['own', 'share'] as const;
/** `own`: the stack creates and deletes the object; `share`: it declares fields of an object that others may own, too. */
export type Lifecycle = (typeof lifecycles)[number];

export const conflictPolicies = ['force', 'fail', 'yield'] as const;
/** What to do where another field manager owns a field with another value. */
export type ConflictPolicy = (typeof conflictPolicies)[number];

/**
 * A policy by the manager that a conflict is with. Names are exact, or end in `*`, which stands for anything: `fieldwise/shop/*`. An
 * exact name goes before a pattern, a longer pattern before a shorter one.
 */
export interface ConflictPolicyByManager {
  readonly force?: readonly string[] | undefined;
  readonly fail?: readonly string[] | undefined;
  readonly yield?: readonly string[] | undefined;
  /** For all other managers. */
  readonly otherwise: ConflictPolicy;
}

export const absencePolicies = ['wait', 'fail', 'create'] as const;
/** What a share does when its object does not exist. */
export type IfAbsent = (typeof absencePolicies)[number];

export const presencePolicies = ['adopt', 'fail', 'ask'] as const;
/** What an `own` does when its object is there already and its stack did not create it. */
export type IfPresent = (typeof presencePolicies)[number];

export const releasePolicies = ['report', 'ask', 'fail'] as const;
/** What a deploy does when a field that nobody else owns is no longer declared and its value changes by that. */
export type ReleasePolicy = (typeof releasePolicies)[number];

export const deletePropagations = ['Background', 'Foreground', 'Orphan'] as const;
/** Kubernetes' deletion propagation policies. */
export type DeletePropagation = (typeof deletePropagations)[number];

export const strategies = ['server-side', 'dynamic'] as const;
/**
 * Who merges an intent into the live object: the API server (server-side apply), or Fieldwise from what it remembers to have applied, by
 * list types, explicit keys and convention.
 */
export type Strategy = (typeof strategies)[number];

/**
 * How the items of a list are told apart under the strategy `dynamic`: the fields that do it, `set` for scalars that are each an item, or
 * `atomic` for a list that is one value.
 */
export type ListKeys = readonly string[] | 'set' | 'atomic';

/** What makes an object ready, where its kind alone does not say it: a condition of its status, or the value of a field. */
export type WaitFor =
  | {
      /** Type of a condition in `.status.conditions`, such as `Programmed`. */
      readonly condition: string;
      /** Default `True`. */
      readonly status?: string | undefined;
    }
  | {
      /** Path such as `.status.phase`. */
      readonly field: string;
      readonly equals: string | number | boolean;
    };
