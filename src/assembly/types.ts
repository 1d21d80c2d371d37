import type { WarningCode } from '../util/error-codes.js';
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

import type { ProgramInput } from './program-input.js';

/**
 * The manifest of an assembly, which synth writes and the engine reads. An assembly is a directory with one `manifest.json` and, per stack,
 * the partial objects twice: `<file>.yaml` for people and `kubectl apply --server-side`, `<file>.json` (an array) for the engine.
 * `stacks[].intents[i]` of the manifest describes item `i` of that array.
 */
export interface Manifest {
  /** Format version; a reader rejects any other. */
  readonly fieldwise: 1;
  readonly app: string;
  /** Name of the installation, such as staging; `default` if the program and the configuration name none. */
  readonly instance: string;
  /** The id of the program, which tells it from another one of the same name; absent if the configuration has none. */
  readonly id?: string;
  /** Stacks in deploy order: each stack after its dependencies. */
  readonly stacks: readonly StackManifest[];
  /** The inputs that the program has read, by source and name; absent if there are none. */
  readonly inputs?: readonly ProgramInput[];
  /** Context values that the program asked for and nobody sets; absent if there are none. */
  readonly unset?: readonly string[];
  /** Warnings of synth, which deploy prints again. */
  readonly warnings: readonly SynthDiagnostic[];
}

/** A stack of an assembly. */
export interface StackManifest {
  /** Path of the stack below the app, such as `gateway` or `team/gateway`. */
  readonly name: string;
  /** Field manager: derived from app, instance and stack; at most 128 bytes. */
  readonly manager: string;
  /** Identities that this stack may still have in a cluster, from `renamedFrom`; absent if there are none. */
  readonly formerIdentities?: readonly FormerIdentity[];
  /** Names of stacks of this assembly that are deployed before this one. */
  readonly dependsOn: readonly string[];
  readonly json: FileDigest;
  readonly yaml: FileDigest;
  /** True to prune objects that are no longer declared without asking (`prune: true` in the configuration). */
  readonly prune: boolean;
  readonly intents: readonly IntentManifest[];
  /**
   * Groups of intents and of earlier groups, as indices: a dependency on a group is a dependency on all of its members. Groups keep the
   * assembly small if many intents depend on many others. Absent if there are none.
   */
  readonly groups?: readonly (readonly number[])[];
}

/** The identity of a stack, and so of its inventory and its field manager, before a rename. */
export interface FormerIdentity {
  readonly app: string;
  readonly instance: string;
  readonly stack: string;
  readonly manager: string;
}

/** A file of the assembly: its path relative to the manifest (forward slashes, no `..`) and its SHA-256 in hex. */
export interface FileDigest {
  readonly path: string;
  readonly sha256: string;
}

/** The transfer of fields from a previous owner. */
export interface TransferPolicy {
  /** The field manager of the previous owner: the present one, if it is a stack of the program. */
  readonly from: string;
  /** The field managers that a stack of the program had before renames, under which a cluster may still know it. */
  readonly formerManagers?: readonly string[];
  /** Paths such as `.spec.replicas`; without them, all declared fields. */
  readonly fields?: readonly string[];
}

/** The effective policy of one intent, with defaults; the nearest of intent, stack and app has won. */
export interface IntentPolicy {
  readonly conflicts: ConflictPolicy | ConflictPolicyByManager;
  /** `share` only: seconds to wait until the object exists; 0 does not wait. */
  readonly waitSeconds: number;
  readonly ifAbsent: IfAbsent;
  /** `own` only; absent: `own`. */
  readonly ifPresent?: Exclude<IfPresent, 'own'>;
  /** Absent: `report`. */
  readonly releases?: Exclude<ReleasePolicy, 'report'>;
  /** `own` only, `deleteExisting` of a program: an object that existed before is deleted on destroy, as if this stack had created it. */
  readonly adopt: boolean;
  readonly deletePropagation: DeletePropagation;
  /** Seconds that a deploy waits until the object is ready; false does not wait. */
  readonly wait: false | WaitLimits;
  readonly waitFor?: WaitFor;
  /** `own` only: if a declared field is immutable, the object is deleted and created again. */
  readonly replace?: true;
  /** `own` only: when it is no longer declared, the object stays unchanged and is removed from the inventory. */
  readonly retain?: true;
  /** `own` only: a destroy with this program deletes the object even if others apply fields to it. */
  readonly deleteShared?: true;
  readonly transferFrom?: TransferPolicy;
  /** Absent: `server-side`. */
  readonly strategy?: 'dynamic';
  /** `dynamic` only: the keys of lists by field path without list keys, such as `.spec.template.spec.containers.ports`. */
  readonly listKeys?: Readonly<Record<string, ListKeys>>;
  /** Policies of single fields by path, such as `.spec.replicas`; the path also covers everything below it. */
  readonly fields: Readonly<Record<string, FieldPolicy>>;
}

/** The limits of the wait for an object. */
export interface WaitLimits {
  readonly seconds: number;
  /** Seconds for which a pod without a node is waited for; absent: 120. */
  readonly unschedulableSeconds?: number;
  /** Absent: the wait ends when the cause of a failure is certain. */
  readonly failFast?: false;
}

/** The policy of a single field; a shorter path, or the intent, decides about an absent member. */
export interface FieldPolicy {
  readonly conflicts?: ConflictPolicy | ConflictPolicyByManager;
  readonly releases?: ReleasePolicy;
}

/** An intent of a stack, without its object. */
export interface IntentManifest {
  readonly apiVersion: string;
  readonly kind: string;
  /** Absent for cluster-scoped objects, and if neither the object nor its stack names one. */
  readonly namespace?: string;
  readonly name: string;
  readonly lifecycle: Lifecycle;
  readonly policy: IntentPolicy;
  /** Every declaration that was merged into this intent, in program order. */
  readonly declaredBy: readonly Declaration[];
  /** Intents and groups that are applied before: indices of intents of the same stack, or number of intents + index of a group. */
  readonly dependsOn: readonly number[];
  /** The intents of a phase are applied after those of earlier phases of the stack, and by kind within it. Absent: 0. */
  readonly phase?: number;
}

/** Where a program declares an intent. */
export interface Declaration {
  /** Construct path such as `shop/gateway/own-SharedGateway-public`. */
  readonly construct: string;
  /** Source position relative to the project, such as `main.ts:12:9`; absent if it is not known. */
  readonly source?: string;
}

/** A warning of `synth`. */
export interface SynthDiagnostic {
  /** Stable, such as `atomic-list-shared`; listed in docs/errors.md. */
  readonly code: WarningCode;
  readonly message: string;
  readonly stack?: string;
  readonly object?: string;
  readonly field?: string;
  readonly construct?: string;
  readonly source?: string;
}

/** A partial object as it is applied: the fully specified intent of one stack for one object. */
export type PartialObject = JsonObject & {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: JsonObject & { readonly name: string; readonly namespace?: string };
};

/** An assembly that was read from disk and validated. */
export interface Assembly {
  readonly manifest: Manifest;
  /** `objects[stackIndex][intentIndex]` belongs to `manifest.stacks[stackIndex].intents[intentIndex]`. */
  readonly objects: readonly (readonly PartialObject[])[];
}
