import type { ApplyTask } from '../../../engine/apply/apply-task.js';
import type { ApplyToOneOptions } from '../../../engine/apply/apply-to-one.js';
import type { Expectation } from '../../../engine/apply/preconditions/expectation.js';
import type { InventoryEntry } from '../../../engine/inventory/inventory-entry.js';
import type { OwnerNameResolver } from '../../../engine/inventory/owner-name-resolver.js';
import type { PartialResult } from '../../../engine/object/apply-failure.js';
import type { ApprovedFields } from '../../../engine/object/collateral.js';
import type { ObjectReport, Waiting } from '../../../engine/report/events.js';
import type { RunDiagnostic } from '../../../engine/report/run-diagnostic.js';
import type { Deployer } from '../../../engine/transfer/deployers.js';
import type { ClusterClient } from '../../../kubernetes/index.js';
import type { JsonObject } from '../../../util/json.js';

/** The context in which one intent is applied. */
export interface StepContext {
  readonly cluster: ClusterClient;
  readonly signal: AbortSignal | undefined;
  /** The entry of the inventory before this run; pending where it has no uid. */
  readonly known: InventoryEntry | undefined;
  /** The stacks that have applied to the object before this run: this one, or those from which it moves here. */
  readonly deployers: readonly Deployer[];
  /** The object as the run read it before its first question; absent where it did not exist or was not read. */
  readonly live: JsonObject | undefined;
  /** Seconds to wait for the deletion of an object that is replaced. */
  readonly deletionTimeoutSeconds: number;
  /** Seconds to wait for the object of a share; absent: per policy. */
  readonly waitSeconds?: number | undefined;
  /** The expectation of the saved plan for the object; absent where the deploy is not bound to a plan. */
  readonly planned?: Expectation;
  /** Present where the intent drops items: the fields of others that may be removed with them. */
  readonly approvedCollateral?: ApprovedFields | undefined;
  /** Returns true if another owner's value may be removed because it prevents the intent; see `applyWithUnionClaims`. */
  readonly mayRemove?: ApplyTask['mayRemove'];
  /** Resolves field managers to stacks. */
  readonly names: OwnerNameResolver;
  /** The limits of a first deploy: see `ApplyTask`. */
  readonly mayForce?: ApplyTask['mayForce'];
  readonly isLeaving?: ApplyTask['isLeaving'];
  /** The fields that the stack has claimed before. */
  readonly claimed?: readonly string[] | undefined;
  readonly beforeLoss?: ApplyTask['beforeLoss'];
  readonly beforeCreation?: ApplyToOneOptions['beforeCreation'];
  readonly checkReleases?: ApplyTask['checkReleases'];
  readonly onMayArriveLate?: ApplyTask['onMayArriveLate'];
  /** Called where another object has the name, which may not be read. */
  readonly onUnreadable?: () => void;
  /** True if the policy `ifPresent` permits the stack to own only an object that it creates. */
  readonly ownsOnlyCreated: boolean;
  /** The managers of this run that share the object and therefore cannot have created it. */
  readonly sharers: ReadonlySet<string>;
  /** Returns true if this run has applied to the object with a uid. */
  readonly isApplied: (uid: string) => boolean;
  /** Returns true if the server may have rejected the intent because it still applies a schema from before this run. */
  readonly mayBeOldSchema: (error: unknown) => boolean;
  readonly onWait: (event: Omit<Waiting, 'event' | 'stack' | 'object'>) => void;
  /** Receives warnings about the object that its report does not contain. */
  readonly onWarning: (warning: RunDiagnostic) => void;
  /** Called where the response shows that managedFields were wiped since the first apply. */
  readonly onOwnersCleared: () => void;
  /** Called where the apply met conflicts that a later schema may hide; see `conflictsWithAtomic`. */
  readonly onAtomicConflict: () => void;
  /** Called as soon as the server has accepted the intent. */
  readonly onApplied: (accepted: AcceptedIntent) => void;
}

/** An intent that the server has accepted. */
export interface AcceptedIntent {
  /** The entry to record in the inventory. */
  readonly entry: InventoryEntry;
  /** True where the apply may have changed the object's generation. */
  readonly affected: boolean;
  /** True for a CustomResourceDefinition that is established and that the apply did not change. */
  readonly established: boolean;
  /** True where the server wrote nothing, and would write nothing if the intent were applied once more. */
  readonly settled: boolean;
  /** Returns true where the object itself shows that, too, and not only what the server and its admission did with the request. */
  readonly isProvedByObject: () => boolean;
  /** The changes that the report contains even if a later request for the object fails. */
  readonly changes: PartialResult;
}

/** The outcome of an intent, without the part of the report that is known beforehand. */
export type StepOutcome = Partial<ObjectReport> & Pick<ObjectReport, 'result'>;
