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
  /** Of the object that was applied. */
  readonly uid?: string;
  /** `own` met an object that was there already: its other owners. On destroy it is only released. */
  readonly adopted?: { readonly owners: readonly string[] };
  /** After a rename: the field managers that gave up to this one what they had of the object. */
  readonly renamedFrom?: readonly string[];
  /** The field manager that gave fields up to this one by the policy `transferFrom`, and which. */
  readonly transferred?: { readonly from: string; readonly fields: readonly string[] };
  /** The stack of the same app and instance that declares it no more: the right to delete it is this stack's now. */
  readonly movedFrom?: string;
  /** The object as it was before it was deleted and created anew, without managedFields; values of Secrets are masked. */
  readonly replaced?: JsonObject;
  /** Another object has the name than last time, and the stack joined it: it was not created again. */
  readonly rejoined?: true;
  /** Conflicts won by force. */
  readonly forcedConflicts: readonly FieldConflict[];
  /** Fields taken more than three times in a row from the same manager, within a day from one to the next. */
  readonly contendedFields?: readonly Contention[];
  /** Fields left to their owner by the policy `yield`: nothing of them was changed. */
  readonly yielded: readonly YieldedField[];
  /** Fields of others that went with a list item or map entry which this stack had introduced and dropped. */
  readonly collateral?: readonly FieldConflict[];
  /**
   * Fields that this stack applied before and gave up, each with what became of it; absent where there are none. Not of a deleted object.
   */
  readonly released?: readonly ReleasedField[];
  /** Values that nobody owned and that this apply changed, where the object was read before it; absent where there are none. */
  readonly overwritten?: readonly OverwrittenField[];
  /** Conflicts that stopped this object under the policy `fail`. */
  readonly conflicts: readonly FieldConflict[];
  /** Finalizers that still hold a deleted object. */
  readonly finalizers?: readonly string[];
  /** After an apply: how waiting until it is ready ended; absent where nothing was waited for. Other than `current` counts as failed. */
  readonly readiness?: SettledReadiness;
  /** Why it was skipped, or released instead of deleted. */
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
  /** The value that is there, the owner's; absent where the field does not exist. */
  readonly value?: Json;
  /** The value that this stack declares. */
  readonly declared?: Json;
}

/** A report in which nothing happened yet. */
export function emptyReport(reference: ObjectReference, declaredBy: readonly Declaration[] = []): Omit<ObjectReport, 'result'> {
  // One literal: of several that are spread into one, the reports of an unchanged deploy would take a tenth of its time.
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

/** Something takes time; for a person to see. */
export interface Waiting {
  readonly event: 'waiting';
  readonly stack: string;
  readonly object: string;
  readonly for: 'create' | 'established' | 'delete';
  readonly timeoutSeconds: number;
  /** With `object`: there is one, which is being deleted. */
  readonly terminating?: true;
}

/** A request failed for a reason that passes and is about to be sent again. */
export interface Retrying extends Retry {
  readonly event: 'retrying';
}

/** Another run has a stack locked; this one looks whether it still lives, or waits for its end. */
export interface WaitingForLock {
  readonly event: 'waiting-for-lock';
  readonly stack: string;
  /** Who holds it: `user@host`, process and a random word. */
  readonly holder: string;
  /** As the holder's clock told it. */
  readonly since: string;
  /** How long this run waits at most. */
  readonly timeoutSeconds: number;
  /** After how many seconds without a sign of life the other run counts as dead. */
  readonly leaseDurationSeconds: number;
}

/** The run ends before its first change; its objects follow as skipped, and the summary has the error again. */
export interface RunRefused {
  readonly event: 'refused';
  readonly error: ReportedError;
}

/** An applied object is not ready yet; told again whenever something of it changes. */
export interface ReadinessProgress {
  readonly event: 'readiness';
  readonly stack: string;
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
  /** Fields over which stacks and other appliers fight; absent where there are none. */
  readonly contendedFields?: number;
  /** Objects that were applied and did not become ready. */
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
