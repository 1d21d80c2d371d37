import type { Declaration } from '../../assembly/types.js';
import type { Retry } from '../../kubernetes/index.js';
import type { FieldConflict } from '../../ownership/index.js';
import type { IntegersAsText } from '../../util/integers-as-text.js';
import type { Json, JsonObject } from '../../util/json.js';
import type { Outcome } from '../../util/outcome.js';
import type { ObjectReference } from '../addresses/object-reference.js';
import type { Contention } from './contention.js';
import type { ForcedField } from './forced-field.js';
import type { PlannedField } from './plan-types.js';
import type { Readiness, SettledReadiness } from './readiness-state.js';
import type { OverwrittenField, ReleasedField } from './released-field.js';
import type { RewrittenField } from './rewritten-field.js';
import type { ReportedError, RunDiagnostic } from './run-diagnostic.js';
import type { SensitiveChange } from './sensitive-changes.js';

/** An object is finished: exactly once for each object that was declared or removed. */
export interface ObjectReport extends ObjectReference, IntegersAsText {
  readonly event: 'object';
  /** The outcome. */
  readonly result: Outcome;
  /** The uid of the object that was applied. */
  readonly uid?: string;
  /**
   * The other owners of an object that existed before this stack owned it. On destroy, it is only released. `unlisted`: the stack had applied it before, and
   * its inventory did not list it, so whether the stack created it is not known.
   */
  readonly adopted?: { readonly owners: readonly string[]; readonly unlisted?: true };
  /** After a rename: the field managers that gave up their fields of the object to this one. */
  readonly renamedFrom?: readonly string[];
  /** The field manager that gave up fields to this one by the policy `transferFrom`, and those fields. */
  readonly transferred?: { readonly from: string; readonly fields: readonly string[] };
  /** The stack of the same app and instance from which the object moved here, with the right to delete it. */
  readonly movedFrom?: string;
  /** The object as it was before it was deleted and created again, without managedFields; values of Secrets are masked. */
  readonly replaced?: JsonObject;
  /** Another object has had the name since the last deploy, and the stack has applied to that object. */
  readonly rejoined?: true;
  /** Conflicts won by force, or perhaps won (`perhaps`), by this run or an earlier one that could not report it (`earlier`). */
  readonly forcedConflicts: readonly ForcedField[];
  /**
   * Fields forced more than `contentionLimit` times in a row from the same manager, each time within a day of the time before; see
   * docs/owners.md#fieldwise-drift.
   */
  readonly contendedFields?: readonly Contention[];
  /**
   * Fields left to their owner by the policy `yield`, with their live `value`, their owner (`from`) and the `declared` value; none of them
   * was changed.
   */
  readonly yielded: readonly YieldedField[];
  /** Fields of others that were removed with a list item or map entry which this stack had introduced and dropped. */
  readonly collateral?: readonly ForcedField[];
  /** Fields that the stack gave up, with the effect on each, and values of others that the server removed then (`owners`); absent if there are none, or if the object was deleted. */
  readonly released?: readonly ReleasedField[];
  /**
   * Changes of this apply beside the fields that other members name, with the values before and after; absent if there are none, of an object that is
   * new, and of one that was not read before. Values of Secrets are masked.
   */
  readonly changed?: readonly ChangedField[];
  /** The object was changed, or perhaps (`applied`), and not read before: of its old values, only those of forced fields are known. */
  readonly notRead?: true;
  /** Effects that a reviewer wants to see although nobody else loses anything; absent if none is known. */
  readonly sensitive?: readonly SensitiveChange[];
  /** Values without an owner that this apply changed, if the object was read before it; absent if there are none. */
  readonly overwritten?: readonly OverwrittenField[];
  /** Declared fields of which the server keeps another value, or none; absent if there are none. */
  readonly rewritten?: readonly RewrittenField[];
  /** Conflicts that stopped this object under the policy `fail`. */
  readonly conflicts: readonly FieldConflict[];
  /** Finalizers that still hold a deleted object. */
  readonly finalizers?: readonly string[];
  /** After an apply: the readiness with which waiting ended; absent if nothing was waited for. Any `state` but `current` counts as failed. */
  readonly readiness?: SettledReadiness;
  /** The reason why it was skipped, or released instead of deleted, or what has perhaps become of it. */
  readonly reason?: string;
  /** The error with which the object failed; its codes are listed in docs/errors.md. */
  readonly error?: ReportedError;
  /** The server's warnings, and warnings about other tools that delete the object, too (docs/adopt.md). */
  readonly warnings: readonly string[];
  /** The declarations of the object, with their source lines. */
  readonly declaredBy: readonly Declaration[];
}

/**
 * A declared field that did not exist before (`set`), or had another value (`change`); a list in another order (`reorder`); a field that the server set, changed or
 * removed (`server`, with `owners` of the old value); a declared field with an equal value that the stack did not own before (`same`, and `co-own` with its other
 * `owners`).
 */
export interface ChangedField extends Pick<PlannedField, 'field' | 'oldValue' | 'newValue' | 'owners'> {
  readonly change: 'set' | 'change' | 'reorder' | 'server' | 'same' | 'co-own';
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
  /** The command. */
  readonly verb: 'deploy' | 'destroy';
  /** The name of the app. */
  readonly app: string;
  /** The name of the instance. */
  readonly instance: string;
  /** The names of the selected stacks. */
  readonly stacks: readonly string[];
  /** The URL of the API server. */
  readonly server: string;
  /** The context of the kubeconfig; only of the command line. */
  readonly kubeContext?: string;
  /** The environment of fieldwise.yaml; only of the command line, and only if one is chosen. */
  readonly environment?: string;
  /** The number of objects that the run works on. */
  readonly objects: number;
}

/** The run waits for an object. */
export interface Waiting {
  readonly event: 'waiting';
  /** The name of the stack. */
  readonly stack: string;
  /** `Kind namespace/name`. */
  readonly object: string;
  /**
   * `create`: until the object of a share exists; `established`: until a CustomResourceDefinition is served; `delete`: until a deleted
   * object no longer exists; `late-write`: until the server carries out nothing more that a run before may have sent, which was cut off.
   */
  readonly for: 'create' | 'established' | 'delete' | 'late-write';
  /** The longest time to wait. */
  readonly timeoutSeconds: number;
  /** The object exists and is being deleted. */
  readonly terminating?: true;
}

/** A request is about to be sent again. */
export interface Retrying extends Retry {
  readonly event: 'retrying';
}

/** Objects are sent although they may be unchanged, because admission may see that; only with `reconcile: auto`, at most once per run. */
export interface ObjectsSeen {
  readonly event: 'sent-in-full';
  /** The objects by kind and by the first that sees them. */
  readonly seen: readonly {
    readonly apiVersion: string;
    readonly kind: string;
    /** The webhook configuration, policy or quota, as `ValidatingWebhookConfiguration policy`, or what could not be read. */
    readonly seenBy: string;
    /** The number of objects. */
    readonly objects: number;
  }[];
}

/** Another run holds the lock of a stack, or somebody has deleted its Lease, and it may go on until it notices that. */
export interface WaitingForLock {
  readonly event: 'waiting-for-lock';
  /** The name of the stack. */
  readonly stack: string;
  /** The other run: `user@host`, process and a random word; absent where the stack has an inventory and had no Lease. */
  readonly holder?: string;
  /** The start of the other run, by its own clock; absent with `holder`. */
  readonly since?: string;
  /** The longest time that this run waits. */
  readonly timeoutSeconds: number;
  /** The time without a renewal after which the other run is regarded as dead. */
  readonly leaseDurationSeconds: number;
}

/**
 * The run ends before its first change; every object that is declared or would be removed follows as `skipped`. A run also ends this way if
 * a question is answered with no: then `error.questions` has this question and the later ones.
 */
export interface RunRefused {
  readonly event: 'refused';
  /** The error, with `questions` (the `text` and all `objects` of each); its message names at most 20 objects per question. */
  readonly error: ReportedError;
}

/** An applied object is not ready yet; repeated at each change. */
export interface ReadinessProgress {
  readonly event: 'readiness';
  /** The name of the stack. */
  readonly stack: string;
  /** `Kind namespace/name`. */
  readonly object: string;
  /** Its `state`, `reason` and `message`. */
  readonly readiness: Readiness;
}

/** The last event of a run. */
export interface RunSummary {
  readonly event: 'summary';
  /** The command. */
  readonly verb: 'deploy' | 'destroy';
  /** The number of objects by result. */
  readonly counts: Readonly<Partial<Record<Outcome, number>>>;
  /** Deploy only: what it did with the intents that it came to, by the mode of `reconcile`. */
  readonly reconciled?: {
    readonly mode: 'auto' | 'changed' | 'full';
    /** The number of intents that were sent. */
    readonly sent: number;
    /** The number of intents that were proved unchanged, and not sent. */
    readonly provedUnchanged: number;
  };
  /** The number of conflicts won by force. */
  readonly forcedConflicts: number;
  /** The number of conflicts of which nothing shows whether force has won them; absent if there are none. */
  readonly perhapsForced?: number;
  /** The number of adopted objects. */
  readonly adopted: number;
  /** The number of fields over which stacks and other appliers fight; absent if there are none. */
  readonly contendedFields?: number;
  /** The number of objects that were applied and did not become ready. */
  readonly notReady: number;
  /** True if the exit code is 0. */
  readonly ok: boolean;
  /** The exit code of the command line. */
  readonly exitCode: number;
  /** Errors that do not concern one object, such as an inventory that could not be written. */
  readonly errors: readonly ReportedError[];
}

/** An event of a deploy or destroy, in the order in which they happen: `started` first, `summary` last. */
export type DeployEvent =
  | RunStarted
  | RunRefused
  | Waiting
  | Retrying
  | ObjectsSeen
  | WaitingForLock
  | RunDiagnostic
  | ReadinessProgress
  | ObjectReport
  | RunSummary;

/** Receives events as they happen; the engine itself prints nothing. */
export type EventHost = (event: DeployEvent) => void;
