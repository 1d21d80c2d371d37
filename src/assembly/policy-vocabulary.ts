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

export const presencePolicies = [
  /** The stack owns it from now on, and reports it as an object that existed before; the default. */
  'own',
  /** The deploy ends before anything is changed (`object-already-exists`, exit code 4). */
  'fail',
  /** Asks before anything is changed; without a terminal, that needs `--yes`. */
  'ask',
] as const;
/** The action if an owned object exists and its stack did not create it. */
export type IfPresent = (typeof presencePolicies)[number];

export const releasePolicies = [
  /** The report and the text show the new value; the default. */
  'report',
  /** Asks before anything is changed, and shows the new value of each field from a dry run; without a terminal, that needs `--yes`. */
  'ask',
  /** The deploy ends before anything is changed (`release-refused`, exit code 4). */
  'fail',
] as const;
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
