import type { Declaration } from '../../assembly/types.js';
import type { Retry } from '../../kubernetes/index.js';
import type { FieldConflict } from '../../ownership/index.js';
import type { IntegersAsText } from '../../util/integers-as-text.js';
import type { Json, JsonObject } from '../../util/json.js';
import type { Contention } from '../inventory/contention.js';
import type { Readiness, SettledReadiness } from '../readiness/state.js';
import type { ObjectReference } from '../target/object-reference.js';
import type { OverwrittenField, ReleasedField } from './released-field.js';
import type { ReportedError, RunDiagnostic } from './run-diagnostic.js';

/**
 * The outcome of a deploy or destroy for one object; every object of a run ends in exactly one:
 * - `recreated`: deleted and created again, because the server does not let a declared field change; see `replaced`.
 * - `created`: the server responded with 201.
 * - `updated`, `unchanged`: proved by a resourceVersion or by our own managedFields entry known from before.
 * - `applied`: accepted, and nothing proves whether it changed anything.
 * - `deleted`: deleted, or being deleted while finalizers hold it (see `finalizers`).
 * - `released`: this stack gave up its fields, the object stays.
 * - `retained`: no longer declared, or destroyed, under `retain: true` or `--retain-rejected`: nothing was sent, the stack has forgotten
 * it.
 * - `absent`: it was to be deleted or released and did not exist any more, or another object has its name.
 * - `conflict`: another manager owns declared fields and the policy is `fail`; nothing of it was changed.
 * - `failed`: refused or not reachable; see `error`.
 * - `skipped`: not attempted; see `reason`.
 */
export type Outcome =
  | 'created'
  | 'recreated'
  | 'updated'
  | 'unchanged'
  | 'applied'
  | 'deleted'
  | 'released'
  | 'retained'
  | 'absent'
  | 'conflict'
  | 'failed'
  | 'skipped';

/** The report of one object. */
export interface ObjectReport extends ObjectReference, IntegersAsText {
  readonly event: 'object';
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
  readonly error?: ReportedError;
  /** The server's warnings. */
  readonly warnings: readonly string[];
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

export interface RunStarted {
  readonly event: 'started';
  readonly verb: 'deploy' | 'destroy';
  readonly app: string;
  readonly instance: string;
  readonly stacks: readonly string[];
  readonly server: string;
  readonly objects: number;
}

/** Reports to people that something takes time. */
export interface Waiting {
  readonly event: 'waiting';
  readonly stack: string;
  readonly object: string;
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
  readonly object: string;
  readonly readiness: Readiness;
}

export interface RunSummary {
  readonly event: 'summary';
  readonly verb: 'deploy' | 'destroy';
  readonly counts: Readonly<Partial<Record<Outcome, number>>>;
  readonly forcedConflicts: number;
  readonly adopted: number;
  /** The number of fields over which stacks and other appliers fight; absent where there are none. */
  readonly contendedFields?: number;
  /** Objects that were applied and did not become ready. */
  readonly notReady: number;
  readonly ok: boolean;
  readonly exitCode: number;
  /** Errors beside those of single objects, such as an inventory that could not be written. */
  readonly errors: readonly ReportedError[];
}

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
