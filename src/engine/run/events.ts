import type { Declaration } from '../../assembly/types.js';
import type { Retry } from '../../kubernetes/index.js';
import type { FieldConflict } from '../../ownership/index.js';
import type { IntegersAsText } from '../../util/integers-as-text.js';
import type { Json, JsonObject } from '../../util/json.js';
import type { Outcome } from '../../util/outcome.js';
import type { Contention } from '../inventory/contention.js';
import type { Readiness, SettledReadiness } from '../readiness/state.js';
import type { ObjectReference } from '../target/object-reference.js';
import type { OverwrittenField, ReleasedField } from './released-field.js';
import type { ReportedError, RunDiagnostic } from './run-diagnostic.js';

/** The end of a run for one object. */
export interface ObjectReport extends ObjectReference, IntegersAsText {
  readonly event: 'object';
  /** How the run ended for the object; every object of a run ends in exactly one outcome. */
  readonly result: Outcome;
  /** The uid of the object that was applied. */
  readonly uid?: string;
  /** `own` found an existing object: its other owners. On destroy it is only released. */
  readonly adopted?: { readonly owners: readonly string[] };
  /** After a rename: the field managers that gave up their fields of the object to this one. */
  readonly renamedFrom?: readonly string[];
  /** The field manager that gave up fields to this one by the policy `transferFrom`, and those fields. */
  readonly transferred?: { readonly from: string; readonly fields: readonly string[] };
  /** The stack of the same app and instance that no longer declares it: this stack now has the right to delete it. */
  readonly movedFrom?: string;
  /** The object as it was before it was deleted and created again, without managedFields; values of Secrets are masked. */
  readonly replaced?: JsonObject;
  /** The name now belongs to another object than last time, and the stack joined that one: it was not created again. */
  readonly rejoined?: true;
  /** Conflicts won by force. */
  readonly forcedConflicts: readonly FieldConflict[];
  /** Fields taken more than `contentionLimit` times in a row from the same manager, within a day from one to the next. */
  readonly contendedFields?: readonly Contention[];
  /** Fields left to their owner by the policy `yield`: none of them was changed. */
  readonly yielded: readonly YieldedField[];
  /** Fields of others that were removed with a list item or map entry which this stack had introduced and dropped. */
  readonly collateral?: readonly FieldConflict[];
  /** Fields that this stack applied before and released, each with its outcome; absent where there are none, and for a deleted object. */
  readonly released?: readonly ReleasedField[];
  /** Unowned values that this apply changed, where the object was read before it; absent where there are none. */
  readonly overwritten?: readonly OverwrittenField[];
  /** Conflicts that stopped this object under the policy `fail`. */
  readonly conflicts: readonly FieldConflict[];
  /** Finalizers that still hold a deleted object. */
  readonly finalizers?: readonly string[];
  /** After an apply: the readiness with which waiting ended; absent where nothing was waited for. Other than `current` counts as failed. */
  readonly readiness?: SettledReadiness;
  /** The reason why it was skipped, or released instead of deleted. */
  readonly reason?: string;
  /** Why it failed. */
  readonly error?: ReportedError;
  /** The server's warnings. */
  readonly warnings: readonly string[];
  /** Where the program declares it. */
  readonly declaredBy: readonly Declaration[];
}

/** A field that was left to its owner. Values of Secrets are masked. */
export interface YieldedField extends Pick<FieldConflict, 'field' | 'from' | 'operation' | 'subresource'> {
  /** The live value, which is the owner's; absent where the field does not exist. */
  readonly value?: Json;
  /** The value that this stack declares. */
  readonly declared?: Json;
}

/** Returns a report in which nothing happened yet. */
export function emptyReport(reference: ObjectReference, declaredBy: readonly Declaration[] = []): Omit<ObjectReport, 'result'> {
  // A single literal on purpose: spreading costs about 10 % of an unchanged deploy.
  return { event: 'object', ...reference, forcedConflicts: [], yielded: [], conflicts: [], warnings: [], declaredBy };
}

/** The first event of a run. */
export interface RunStarted {
  readonly event: 'started';
  readonly verb: 'deploy' | 'destroy';
  readonly app: string;
  readonly instance: string;
  /** Names of the stacks of the run. */
  readonly stacks: readonly string[];
  /** Address of the server. */
  readonly server: string;
  /** Number of objects that the stacks declare. */
  readonly objects: number;
}

/** Reports to people that something takes time. */
export interface Waiting {
  readonly event: 'waiting';
  readonly stack: string;
  /** `Kind namespace/name`. */
  readonly object: string;
  /** The awaited state: the object of a share exists, a CustomResourceDefinition is served, a deletion is finished. */
  readonly for: 'create' | 'established' | 'delete';
  readonly timeoutSeconds: number;
  /** The object exists and is being deleted. */
  readonly terminating?: true;
}

/** A request failed for a transient reason and is about to be sent again. */
export interface Retrying extends Retry {
  readonly event: 'retrying';
}

/** Another run has locked a stack; this one finds out whether that run is alive, or waits for its end. */
export interface WaitingForLock {
  readonly event: 'waiting-for-lock';
  readonly stack: string;
  /** The holder: `user@host`, process and a random word. */
  readonly holder: string;
  /** The time by the holder's clock. */
  readonly since: string;
  /** The maximum number of seconds that this run waits. */
  readonly timeoutSeconds: number;
  /** The number of seconds without a renewal after which the other run counts as dead. */
  readonly leaseDurationSeconds: number;
}

/** The run ends before its first change; its objects follow as skipped, and the summary has the error again. */
export interface RunRefused {
  readonly event: 'refused';
  readonly error: ReportedError;
}

/** An applied object is not ready yet; reported again whenever its readiness changes. */
export interface ReadinessProgress {
  readonly event: 'readiness';
  readonly stack: string;
  /** `Kind namespace/name`. */
  readonly object: string;
  readonly readiness: Readiness;
}

/** The last event of a run. */
export interface RunSummary {
  readonly event: 'summary';
  readonly verb: 'deploy' | 'destroy';
  /** Objects by outcome. */
  readonly counts: Readonly<Partial<Record<Outcome, number>>>;
  /** Fields taken from other owners by force. */
  readonly forcedConflicts: number;
  /** Objects that existed before their stack applied them first. */
  readonly adopted: number;
  /** The number of fields over which stacks and other appliers fight; absent where there are none. */
  readonly contendedFields?: number;
  /** The number of objects that were applied and did not become ready. */
  readonly notReady: number;
  /** True where every object and the run as a whole succeeded. */
  readonly ok: boolean;
  /** The exit code that the command line ends with. */
  readonly exitCode: number;
  /** Errors of the run as a whole, such as an inventory that could not be written. */
  readonly errors: readonly ReportedError[];
}

/** An event of a deploy or destroy, in the order in which they happen: `started` first, `summary` last. */
export type DeployEvent =
  | RunStarted
  | RunRefused
  | Waiting
  | Retrying
  | WaitingForLock
  | RunDiagnostic
  | ReadinessProgress
  | ObjectReport
  | RunSummary;

/** Receives events as they happen; the engine itself prints nothing. */
export type EventHost = (event: DeployEvent) => void;
