import type { Declaration } from '../../assembly/types.js';
import type { IntegersAsText } from '../../util/integers-as-text.js';
import type { Json } from '../../util/json.js';
import type { ObjectReference } from '../addresses/object-reference.js';
import type { Judgment } from './judgment.js';
import type { ReportedError, RunDiagnostic } from './run-diagnostic.js';

/** The effect of a deploy on one object. */
export type PlannedAction =
  /** The object is created. */
  | 'create'
  /** An immutable field changes, and the policy `replace` permits to delete the object and create it again. */
  | 'recreate'
  /** The object is changed. */
  | 'update'
  /** The apply would change no value and no owner. */
  | 'unchanged'
  /** The fields of the stack are released, and the object stays. */
  | 'release'
  /** No longer declared, under `retain: true`: the object stays as it is, and the stack forgets it. */
  | 'retain'
  /** Exactly this object, identified by its uid, is deleted. */
  | 'delete'
  /** The object no longer exists; only its entry in the inventory is removed. */
  | 'absent'
  /** A share whose object does not exist yet. */
  | 'wait'
  /** The deploy of the object would fail: see the error, or the fields with `conflict` or `rejected`. */
  | 'blocked';

/** The effect of a deploy on one field. */
export type FieldChange =
  /** Declared; did not exist before. */
  | 'set'
  /** Declared with another value; long values and multi-line texts are shown as a diff of lines. */
  | 'change'
  /** The items of a list stand in another order; the values are the names of those that stay. */
  | 'reorder'
  /** Not declared: set, changed or removed by the server with this apply, by its defaults, its validation or admission; `owners` had the old value. */
  | 'server'
  /** Declared with an equal value; the text output shows it only if the stack did not own the field before (`gained`). */
  | 'same'
  /** Declared with the same value as other owners, of which all that keep it in this run are named; the text output counts it if the stack already owned the field. */
  | 'co-own'
  /** A conflict that is won by force, with the old value and the previous owners. */
  | 'force'
  /** Left to its owner. */
  | 'yield'
  /** The policy is `fail`: the conflict stops the object. */
  | 'conflict'
  /** No longer declared, and removed. */
  | 'removed'
  /** No longer declared, and set by the server to a default. */
  | 'defaulted'
  /** No longer declared, and kept by its other owners. */
  | 'kept'
  /** The server does not accept the release, because the field is required, or does not accept the change. */
  | 'rejected'
  /**
   * A whole list item or map entry is removed; `collateral` lists the fields of others inside it, `owners` the managers that own the item
   * because they own the whole list or map.
   */
  | 'item-removed';

/** Another owner of a field, as managedFields records it. */
export interface FieldOwner {
  /** The field manager. */
  readonly manager: string;
  /** `Apply` for an applier, `Update` for an updater. */
  readonly operation: 'Apply' | 'Update';
  /** The subresource through which it owns the field, such as `scale`; absent for owners through the object itself. */
  readonly subresource?: string;
  /** If the manager is that of a stack: its name; `app/instance/name` for a stack of another app or instance. */
  readonly stack?: string;
}

/** The effect that a deploy would have on one field. */
export interface PlannedField {
  /** Path such as `.spec.replicas`. */
  readonly field: string;
  /** The effect of a deploy on the field. */
  readonly change: FieldChange;
  /** The live value; absent if the field does not exist. */
  readonly oldValue?: Json;
  /** The value after the deploy; absent if the field is removed. */
  readonly newValue?: Json;
  /**
   * The declared value, where the server accepts it and keeps another one, or none: admission rewrites or drops it. No difference, unless
   * the kept value changes, too.
   */
  readonly declared?: Json;
  /** The other owners of the field: `manager`, `operation`, `subresource` and, if the manager is that of a stack, `stack`. */
  readonly owners?: readonly FieldOwner[];
  /** This stack did not own the field before: the owners of the field change, even if its value does not. */
  readonly gained?: true;
  /** The reason why the server rejects the change, or what is not known of a conflict. */
  readonly reason?: string;
  /** Fields of others inside an item that is removed. */
  readonly collateral?: readonly PlannedCollateralField[];
  /** Predicted without the server's defaults, which may set a value. */
  readonly mayDefault?: true;
}

/** A field of others that would be removed together with a list item or map entry. */
export interface PlannedCollateralField {
  /** Path such as `.spec.ports[port=80].name`. */
  readonly field: string;
  /** The live value. */
  readonly oldValue?: Json;
  /** Its owners. */
  readonly owners: readonly FieldOwner[];
}

/** The source of a prediction. */
export type PlanSource =
  /** A dry run of exactly the request that a deploy sends, or a list that shows that it needs none. A failed dry run is shown as `blocked` with its error. */
  | 'server'
  /** The embedded API server, run on the live or the planned object; `reason` says why the server cannot predict it. */
  | 'schema'
  /** A deletion, derived from the record of what the stack has applied and from the live object. */
  | 'inventory';

/**
 * The server refused the dry run of an object, and the refusal can depend on what the deploy changes before it sends the object: until then, the
 * server cannot judge it.
 */
export interface NotJudged {
  /** The objects that the deploy creates or changes first, and on which the refusal can depend. */
  readonly changedFirst: readonly ChangedFirst[];
  /** The refusal of the dry run. */
  readonly refusal: ReportedError;
}

/** An object that a deploy creates or changes before it sends another one. */
export interface ChangedFirst extends Pick<ObjectReference, 'stack' | 'object' | 'apiVersion' | 'kind' | 'namespace' | 'name'> {
  /** The effect of the deploy on the object. */
  readonly action: 'create' | 'update' | 'recreate';
}

/** One object of the plan. */
export interface PlannedObject extends ObjectReference, IntegersAsText {
  readonly event: 'plan';
  /** The effect of a deploy on the object. */
  readonly action: PlannedAction;
  /** The source of the prediction. */
  readonly source: PlanSource;
  /** The uid of the live object; absent where it does not exist. */
  readonly uid?: string;
  /** The resourceVersion of the live object, if it is a Secret: while it is the same, so are the values, which no plan contains. */
  readonly resourceVersion?: string;
  /**
   * Present if the stack would own an object that it did not create: the owners of the fields, and other tools that delete the object once
   * their files no longer contain it. `unlisted`: the stack has applied it before, and its inventory does not list it, so whether the stack created it is
   * not known.
   */
  readonly adopts?: { readonly owners: readonly FieldOwner[]; readonly prunedBy?: readonly string[]; readonly unlisted?: true };
  /** After a rename: field managers that would give up their fields of the object to this one. */
  readonly renamedFrom?: readonly string[];
  /** The field manager that would give up fields to this one by the policy `transferFrom`, and those fields. */
  readonly transferred?: { readonly from: string; readonly fields: readonly string[] };
  /** The stack of the same app and instance from which the object moves here, with the right to delete it. */
  readonly movedFrom?: string;
  /** Another object has had the name since the last deploy, and the stack would apply to that object. */
  readonly rejoined?: true;
  /** Present if the server could not judge the object: it is predicted by the schema. */
  readonly notJudged?: NotJudged;
  /** The reason for the action or the source, such as a question that the deploy asks. */
  readonly reason?: string;
  /** The fields that the deploy touches. */
  readonly fields: readonly PlannedField[];
  /**
   * Fields whose values could not be read, in a plan that sends nothing: they are taken as they are in the cluster, and a deploy may change
   * them. Those that no stack owns are planned as if the values differed.
   */
  readonly notCompared?: readonly string[];
  /** These credentials may not read the object, in a plan that sends nothing: a new object is planned as if nobody had made it, and a share waits. */
  readonly notRead?: true;
  /** The error with which the deploy of the object would fail. */
  readonly error?: ReportedError;
  /** The warnings with which the server answered the dry run, except those of admission policies. */
  readonly warnings?: readonly string[];
  /** The objections of rules and admission policies to the change. If one denies it, the object is blocked. */
  readonly judgments?: readonly Judgment[];
  /** The declarations of the object, with their source lines. */
  readonly declaredBy: readonly Declaration[];
}

/** The last event of a plan. */
export interface PlanSummary {
  readonly event: 'plan-summary';
  /** The number of objects by action. */
  readonly counts: Readonly<Partial<Record<PlannedAction, number>>>;
  /** The number of objects that would be adopted. */
  readonly adopts: number;
  /** The number of objects that the server could not judge (`notJudged`). */
  readonly notJudged: number;
  /** The number of conflicts that would be won by force. */
  readonly forcedConflicts: number;
  /** The number of fields that would be forced, by previous owner: a stack's name or a field manager. */
  readonly forcedConflictsByOwner: Readonly<Record<string, number>>;
  /** True if a deploy would change anything, or if that is unknown. */
  readonly differs: boolean;
  /** The exit code of the command line. */
  readonly exitCode: number;
  /** The errors of all objects, in the order of the plan; each is also the `error` of its object. */
  readonly errors: readonly ReportedError[];
}

/** An event of a plan: warnings first, then its objects, the summary last. */
export type PlanEvent = RunDiagnostic | PlannedObject | PlanSummary;
