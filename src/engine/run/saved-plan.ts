import type { Strategy } from '../../assembly/policy-vocabulary.js';
import type { ClusterClient } from '../../kubernetes/index.js';
import type { JsonObject } from '../../util/json.js';
import type { ClusterIdentity } from '../inventory/cluster-identity.js';
import type { PlannedObject } from '../report/plan-types.js';
/** A saved plan that a deploy is bound to. */
export interface BoundPlan {
  readonly saved: SavedPlan;
  readonly simulate: StartSimulation;
}

/**
 * A plan to be approved and applied later (docs/diff.md). It contains no value of a Secret and no digest of one: the resourceVersion shows
 * whether the live values of a Secret are the same, and the digest of the assembly whether the declared ones are, unless they are references.
 */
export interface SavedPlan {
  readonly fieldwise: 2;
  readonly kind: 'plan';
  /** SHA-256 in hex of the manifest, which contains the digests of all files of the assembly. */
  readonly assembly: string;
  readonly app: string;
  readonly instance: string;
  /** The cluster for which the plan was made; absent in a plan of an older version, without uids where none could be read. */
  readonly cluster?: PlannedCluster;
  readonly settings: PlanSettings;
  readonly objects: readonly PlannedObject[];
}

/** The cluster of a saved plan. */
export interface PlannedCluster extends ClusterIdentity {
  /** The URL of its server, for people: another URL may lead to the same cluster. */
  readonly server: string;
}

/** The options that determine what a deploy does. */
export interface PlanSettings {
  readonly stacks: readonly string[];
  readonly inventoryNamespace: string;
  readonly deleteShared: boolean;
  readonly deleteForeign: boolean;
  /** Absent where the policies decided. */
  readonly strategy?: Strategy;
}

/** An in-process API server that responds to dry runs by the schema, on the objects that it is given. */
export interface Simulation {
  readonly cluster: ClusterClient;
  /** Loads an object as it is, owners included; a CustomResourceDefinition makes its kind served. False for unknown kinds. */
  load(object: JsonObject): boolean;
  /** Removes a loaded object. */
  unload(object: JsonObject): void;
  /**
   * Returns true if an unforced apply would leave an object that is not loaded, and its owners, exactly as they are. False where anything
   * would change, and where only the dry run itself could show it.
   */
  wouldBeNoop(live: JsonObject, intent: JsonObject, manager: string): boolean;
}

/** Starts a simulation that behaves like a server of this version. */
export type StartSimulation = (serverVersion: string) => Promise<Simulation>;
