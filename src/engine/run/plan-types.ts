import type { Declaration } from '../../assembly/types.js';
import type { IntegersAsText } from '../../util/integers-as-text.js';
import type { Json } from '../../util/json.js';
import type { ObjectReference } from '../target/object-reference.js';
import type { ReportedError, RunDiagnostic } from './run-diagnostic.js';

/**
 * The action that a deploy would take on one object:
 * - `create`, `update`, `unchanged`, `delete`, `release` as named; `absent` needs no action any more.
 * - `recreate`: the server does not let a declared field change, and the object would be deleted and created again.
 * - `retain`: no longer declared, under `retain: true`: it stays as it is and is forgotten.
 * - `wait`: a share whose object does not exist yet.
 * - `blocked`: the apply would not succeed; see `error`, or the fields with `conflict` or `rejected`.
 */
export type PlannedAction =
  | 'create'
  | 'recreate'
  | 'update'
  | 'unchanged'
  | 'release'
  | 'retain'
  | 'delete'
  | 'absent'
  | 'wait'
  | 'blocked';

/**
 * The change of one field:
 * - `set`: declared, did not exist. `change`: declared with another value. `same`: declared, equal.
 * - `co-own`: declared with the same value as another owner.
 * - `force`: a conflict won by force. `yield`: left to its owner. `conflict`: stops the object under `fail`.
 * - no longer declared: `removed`; `defaulted` (the server sets a default again); `kept` (another owner keeps it); `item-removed` (a whole
 * list item or map entry is removed, together with the fields of others in it).
 * - `rejected`: the server does not let the field be removed, because the object would be invalid without it; with a `newValue`, does not
 * let it change.
 */
export type FieldChange =
  | 'set'
  | 'change'
  | 'same'
  | 'co-own'
  | 'force'
  | 'yield'
  | 'conflict'
  | 'removed'
  | 'defaulted'
  | 'kept'
  | 'rejected'
  | 'item-removed';

/** Another owner of a field, as managedFields records it. */
export interface FieldOwner {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  /** Absent for owners through the object itself. */
  readonly subresource?: string;
  /** If the manager is that of a stack: its name; `app/instance/name` for a stack of another app or instance. */
  readonly stack?: string;
}

export interface PlannedField {
  /** Path such as `.spec.replicas`. */
  readonly field: string;
  readonly change: FieldChange;
  readonly oldValue?: Json;
  readonly newValue?: Json;
  /** Other owners of the field. */
  readonly owners?: readonly FieldOwner[];
  /** This stack did not own the field before: its owners change even where its value does not. */
  readonly gained?: true;
  /** The reason why the server rejects it. */
  readonly reason?: string;
  /** The fields that others own inside an item that is removed. */
  readonly collateral?: readonly PlannedCollateralField[];
  /** Predicted without the server's defaults, which may set a value. */
  readonly mayDefault?: true;
}

export interface PlannedCollateralField {
  readonly field: string;
  readonly oldValue?: Json;
  readonly owners: readonly FieldOwner[];
}

/**
 * The source of a prediction. `server`: a dry run. `schema`: Fieldwise's engine by the schema, on the live or the planned state; `reason`
 * says why the server was not asked. `inventory`: the record of what the stack has applied, with the object as it is.
 */
export type PlanSource = 'server' | 'schema' | 'inventory';

export interface PlannedObject extends ObjectReference, IntegersAsText {
  readonly event: 'plan';
  readonly action: PlannedAction;
  readonly source: PlanSource;
  /** The uid of the live object; absent where it does not exist. */
  readonly uid?: string;
  /** `own` finds an object that this stack did not create: the owners of its fields. */
  readonly adopts?: { readonly owners: readonly FieldOwner[] };
  /** After a rename: field managers that would give up their fields of the object to this one. */
  readonly renamedFrom?: readonly string[];
  /** The field manager that would give up fields to this one by the policy `transferFrom`, and those fields. */
  readonly transferred?: { readonly from: string; readonly fields: readonly string[] };
  /** The stack of the same app and instance from which the object moves here, with the right to delete it. */
  readonly movedFrom?: string;
  readonly reason?: string;
  readonly fields: readonly PlannedField[];
  readonly error?: ReportedError;
  readonly declaredBy: readonly Declaration[];
}

export interface PlanSummary {
  readonly event: 'plan-summary';
  readonly counts: Readonly<Partial<Record<PlannedAction, number>>>;
  readonly adopts: number;
  readonly forcedConflicts: number;
  /** The number of fields taken by force, by owner: a stack's name or a field manager. */
  readonly forcedConflictsByOwner: Readonly<Record<string, number>>;
  /** True if a deploy would change anything, or that is unknown. */
  readonly differs: boolean;
  readonly exitCode: number;
  readonly errors: readonly ReportedError[];
}

/** The events of a plan: warnings first, then its objects, the summary last. */
export type PlanEvent = RunDiagnostic | PlannedObject | PlanSummary;
