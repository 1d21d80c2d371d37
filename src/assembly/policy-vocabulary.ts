/** The values of policies, which programs, assemblies and the engine share. */

export const lifecycles = ['own', 'share'] as const;
/** `own`: the stack creates and deletes the object; `share`: it declares fields of an object that others own too. */
export type Lifecycle = (typeof lifecycles)[number];

export const conflictPolicies = ['force', 'fail', 'yield'] as const;
/** The action if another field manager owns a declared field with another value. */
export type ConflictPolicy = (typeof conflictPolicies)[number];

/**
 * Conflict policies by the manager that owns the contested field. A name is exact, or ends in `*`, which matches any text:
 * `fieldwise/shop/*`. An exact name wins over a pattern, and a longer pattern over a shorter one.
 */
export interface ConflictPolicyByManager {
  readonly force?: readonly string[] | undefined;
  readonly fail?: readonly string[] | undefined;
  readonly yield?: readonly string[] | undefined;
  /** The policy for all other managers. */
  readonly otherwise: ConflictPolicy;
}

export const absencePolicies = ['wait', 'fail', 'create'] as const;
/** The action if the object of a share does not exist. */
export type IfAbsent = (typeof absencePolicies)[number];

export const presencePolicies = ['adopt', 'fail', 'ask'] as const;
/** The action if an owned object exists and its stack did not create it. */
export type IfPresent = (typeof presencePolicies)[number];

export const releasePolicies = ['report', 'ask', 'fail'] as const;
/** The action if a field without other owners is no longer declared, and its release changes its value. */
export type ReleasePolicy = (typeof releasePolicies)[number];

export const deletePropagations = ['Background', 'Foreground', 'Orphan'] as const;
/** The deletion propagation policies of Kubernetes. */
export type DeletePropagation = (typeof deletePropagations)[number];

export const strategies = ['server-side', 'dynamic'] as const;
/**
 * Who merges an intent into the live object: the API server (server-side apply), or Fieldwise (`dynamic`, a three-way merge with the last
 * applied intent), by list types, explicit keys and convention.
 */
export type Strategy = (typeof strategies)[number];

/**
 * The keys of a list under the strategy `dynamic`: the fields that identify an item, `set` for a list of scalars that identify themselves,
 * or `atomic` for a list that is one value.
 */
export type ListKeys = readonly string[] | 'set' | 'atomic';

/** The definition of readiness for an object: a condition of its status, or the value of a field. */
export type WaitFor =
  | {
      /** Type of a condition in `.status.conditions`, such as `Programmed`. */
      readonly condition: string;
      /**
       * Status of the condition.
       *
       * @default 'True'
       */
      readonly status?: string | undefined;
    }
  | {
      /** Path such as `.status.phase`. */
      readonly field: string;
      readonly equals: string | number | boolean;
    };
