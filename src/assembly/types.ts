import type { JsonObject } from '../util/json.js';
import type {
  ConflictPolicy,
  ConflictPolicyByManager,
  DeletePropagation,
  IfAbsent,
  IfPresent,
  Lifecycle,
  ListKeys,
  ReleasePolicy,
  WaitFor,
} from './policy-vocabulary.js';

/**
 * The assembly: what synth writes and the engine reads. A directory with one `manifest.json` and, per stack, the partial
 * objects twice: `<file>.yaml` for people and `kubectl apply --server-side`, `<file>.json` (an array) for the engine.
 * `stacks[].intents[i]` of the manifest speaks of item `i` of that array.
 */
export interface Manifest {
  /** Format version; a reader refuses any other. */
  readonly fieldwise: 1;
  readonly app: string;
  /** `default` unless the program names one (staging, production). */
  readonly instance: string;
  /** In deploy order: a stack stands after those it depends on. */
  readonly stacks: readonly StackManifest[];
  /** What synth noticed and did not refuse; printed again by deploy. */
  readonly warnings: readonly SynthDiagnostic[];
}

/** A stack of an assembly. */
export interface StackManifest {
  /** Path of the stack below the app, such as `gateway` or `team/gateway`. */
  readonly name: string;
  /** Field manager: derived from app, instance and stack; at most 128 bytes. */
  readonly manager: string;
  /** Identities that this stack may still have in a cluster, by `renamedFrom`; absent where there are none. */
  readonly formerIdentities?: readonly FormerIdentity[];
  /** Names of stacks of this assembly that are deployed before this one. */
  readonly dependsOn: readonly string[];
  readonly json: FileDigest;
  readonly yaml: FileDigest;
  /** Whether objects no longer declared may be pruned without asking (`prune: true` in the configuration). */
  readonly prune: boolean;
  readonly intents: readonly IntentManifest[];
  /**
   * Groups of intents and of other groups, as indices: what depends on a group depends on all that is in it. They keep the assembly of
   * "all of these after all of those" small. Absent where there are none.
   */
  readonly groups?: readonly (readonly number[])[];
}

/** What a stack was called before a rename, and so its inventory and its field manager. */
export interface FormerIdentity {
  readonly app: string;
  readonly instance: string;
  readonly stack: string;
  readonly manager: string;
}

/** A file of the assembly by its path relative to the manifest (forward slashes, no `..`) and its SHA-256 in hex. */
export interface FileDigest {
  readonly path: string;
  readonly sha256: string;
}

/** Effective policies of one intent, defaults filled in: the nearest of intent, stack and app has won. */
export interface IntentPolicy {
  readonly conflicts: ConflictPolicy | ConflictPolicyByManager;
  /** Seconds a share waits for its object; 0 does not wait. */
  readonly waitSeconds: number;
  readonly ifAbsent: IfAbsent;
  /** `own` only; absent: `adopt`. */
  readonly ifPresent?: Exclude<IfPresent, 'adopt'>;
  /** Absent: `report`. */
  readonly releases?: Exclude<ReleasePolicy, 'report'>;
  /** `own` only: an object that was there before is deleted on destroy, as if this stack had created it. */
  readonly adopt: boolean;
  readonly deletePropagation: DeletePropagation;
  /** How long a deploy waits until the object is ready; false does not wait. */
  readonly wait: false | { readonly seconds: number };
  readonly waitFor?: WaitFor;
  /** `own` only: where the server does not let a field change, the object is deleted and created anew. */
  readonly replace?: true;
  /** `own` only: when it ends, the object stays as it is and is forgotten. */
  readonly retain?: true;
  /** Whose fields become this stack's: a field manager; `fields` as paths such as `.spec.replicas`, absent: all that are declared. */
  readonly transferFrom?: { readonly from: string; readonly fields?: readonly string[] };
  /** Absent: `server-side`. */
  readonly strategy?: 'dynamic';
  /** Of the strategy `dynamic`, by field path without list keys, such as `.spec.template.spec.containers.ports`. */
  readonly listKeys?: Readonly<Record<string, ListKeys>>;
  /** Policies of single fields by path, such as `.spec.replicas`; the path also covers everything below it. */
  readonly fields: Readonly<Record<string, FieldPolicy>>;
}

/** Policies of a single field; what is absent is said by a shorter path, or by the intent. */
export interface FieldPolicy {
  readonly conflicts?: ConflictPolicy | ConflictPolicyByManager;
  readonly releases?: ReleasePolicy;
}

/** An intent of a stack, without its object. */
export interface IntentManifest {
  readonly apiVersion: string;
  readonly kind: string;
  /** Absent for cluster-scoped objects and where neither object nor stack names one. */
  readonly namespace?: string;
  readonly name: string;
  readonly lifecycle: Lifecycle;
  readonly policy: IntentPolicy;
  /** Every declaration that was merged into this intent, in program order. */
  readonly declaredBy: readonly Declaration[];
  /** What is applied before this one: indices of the same stack's intents, then of its groups (number of intents + index of the group). */
  readonly dependsOn: readonly number[];
}

/** Where a program declares an intent. */
export interface Declaration {
  /** Construct path such as `shop/gateway/own-SharedGateway-public`. */
  readonly construct: string;
  /** Source position relative to the project, such as `main.ts:12:9`; absent where the stack shows none. */
  readonly source?: string;
}

/** A warning of `synth`. */
export interface SynthDiagnostic {
  /** Stable, such as `atomic-list-shared`; listed in docs/errors.md. */
  readonly code: string;
  readonly message: string;
  readonly stack?: string;
  readonly object?: string;
  readonly field?: string;
  readonly construct?: string;
  readonly source?: string;
}

/** A partial object as it is sent: fully specified intent of one stack for one object. */
export type PartialObject = JsonObject & {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: JsonObject & { readonly name: string; readonly namespace?: string };
};

/** An assembly read from disk, its digests verified. */
export interface Assembly {
  readonly manifest: Manifest;
  /** `objects[stackIndex][intentIndex]` belongs to `manifest.stacks[stackIndex].intents[intentIndex]`. */
  readonly objects: readonly (readonly PartialObject[])[];
}
