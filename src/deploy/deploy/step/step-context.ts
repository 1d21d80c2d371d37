import type { ApplyTask } from '../../../engine/apply/apply-intent.js';
import type { Expectation } from '../../../engine/apply/preconditions/expectation.js';
import type { InventoryEntry } from '../../../engine/inventory/inventory-entry.js';
import type { OwnerNameResolver } from '../../../engine/inventory/owner-name-resolver.js';
import type { ApprovedFields } from '../../../engine/removal/collateral.js';
import type { Deployer } from '../../../engine/repairs/deployers.js';
import type { ObjectReport, Waiting } from '../../../engine/report/events.js';
import type { ClusterClient } from '../../../kubernetes/index.js';
import type { JsonObject } from '../../../util/json.js';

/** What an intent is applied with. */
export interface StepContext {
  readonly cluster: ClusterClient;
  readonly signal: AbortSignal | undefined;
  /** What the inventory knew before this run; pending where it has no uid. */
  readonly known: InventoryEntry | undefined;
  /** Who has applied to the object before this run: the stack, or those from which it moves here. */
  readonly deployers: readonly Deployer[];
  /** The object as the run read it before its first question, where there was one and it was looked for. */
  readonly live: JsonObject | undefined;
  /** How long it waits for an object to go that it replaces. */
  readonly deletionTimeoutSeconds: number;
  /** How long it waits for the object of a share; absent: as the policy says. */
  readonly waitSeconds?: number | undefined;
  /** What the plan that the deploy is bound to says of the object. */
  readonly planned?: Expectation;
  /** Present where the intent drops items: which fields of others may go along. */
  readonly approvedCollateral?: ApprovedFields | undefined;
  /** Which values of others may go because they stand in the way of the intent; see `applyPastUnions`. */
  readonly mayRemove?: ApplyTask['mayRemove'];
  /** Knows the stacks behind field managers. */
  readonly names: OwnerNameResolver;
  /** What a first deploy may take by force, and what a policy lets go: see `ApplyTask`. */
  readonly mayForce?: ApplyTask['mayForce'];
  readonly checkReleases?: ApplyTask['checkReleases'];
  /** The policy `ifPresent` lets the stack own only what it creates itself. */
  readonly mustCreate: boolean;
  /** Managers of this run that share the object, and so cannot have created it. */
  readonly sharers: ReadonlySet<string>;
  /** Whether this run has applied to an object. */
  readonly isApplied: (uid: string) => boolean;
  readonly onWait: (event: Omit<Waiting, 'event' | 'stack' | 'object'>) => void;
  /** Called where the answer shows that managedFields were wiped since the first apply. */
  readonly onOwnersCleared: () => void;
  /** Called where the apply met conflicts that a later schema may hide; see `meetsWholes`. */
  readonly onAtomicConflict: () => void;
  /** Called as soon as the server has accepted the intent. */
  readonly onApplied: (accepted: AcceptedIntent) => void;
}

/** An intent that the server has accepted. */
export interface AcceptedIntent {
  /** What the inventory is to remember. */
  readonly entry: InventoryEntry;
  /** Whether it may have changed the object's generation. */
  readonly affected: boolean;
  /** A CustomResourceDefinition that is served as it was before: what it defines did not change. */
  readonly established: boolean;
  /** Whether the server wrote nothing, and would write nothing if it were asked once more. */
  readonly settled: boolean;
}

/** What became of an intent. */
export type StepOutcome = Partial<ObjectReport> & Pick<ObjectReport, 'result'>;
