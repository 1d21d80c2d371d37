import type { Strategy } from '../../assembly/policy-vocabulary.js';
import type { Cluster } from '../../kubernetes/index.js';
import type { JsonObject } from '../../util/json.js';
import type { PlannedObject } from './plan-types.js';
/** A saved plan that a deploy is bound to. */
export interface BoundPlan {
  readonly saved: SavedPlan;
  readonly simulate: StartSimulation;
}

/**
 * A plan to be approved and applied later (docs/diff.md). It holds no value of a Secret: in their place stand HMACs under a salt of its
 * own, by which they can be compared with the values of that day and not be guessed from another plan.
 */
export interface SavedPlan {
  readonly fieldwise: 1;
  readonly kind: 'plan';
  /** SHA-256 in hex of the manifest, which holds the digests of all files of the assembly. */
  readonly assembly: string;
  readonly app: string;
  readonly instance: string;
  readonly settings: PlanSettings;
  /** In base64. */
  readonly salt: string;
  readonly objects: readonly PlannedObject[];
}

/** What was planned: the options that decide what a deploy does. */
export interface PlanSettings {
  readonly stacks: readonly string[];
  readonly inventoryNamespace: string;
  readonly deleteShared: boolean;
  readonly deleteForeign: boolean;
  /** Absent where the policies decided. */
  readonly strategy?: Strategy;
}

/** An API server of our own that answers dry runs by the schema, on the objects that it is given. */
export interface Simulation {
  readonly cluster: Cluster;
  /** Makes an object known as it stands, owners included; a CustomResourceDefinition makes its kind served. False for unknown kinds. */
  load(object: JsonObject): boolean;
  /** Lets go of an object that was put. */
  unload(object: JsonObject): void;
  /**
   * Whether an apply that is not forced would leave an object that was not put, and its owners, exactly as they are. False where anything
   * would change, and where only the dry run itself could tell.
   */
  wouldBeNoop(live: JsonObject, intent: JsonObject, manager: string): boolean;
}

/** Starts one that behaves as a server of this version does. */
export type StartSimulation = (serverVersion: string) => Promise<Simulation>;
