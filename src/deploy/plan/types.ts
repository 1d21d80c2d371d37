import type { Declaration } from '../../assembly/types.js';
import type { Json } from '../../util/json.js';
import type { ReportedError } from '../events.js';
import type { Place } from '../place.js';

/**
 * What a deploy would do to one object:
 * - `create`, `update`, `unchanged`, `delete`, `release` as they say; `gone` needs nothing any more.
 * - `wait`: a share whose object does not exist yet.
 * - `blocked`: it would not succeed; see `error` or the fields with `conflict`.
 */
export type PlannedAction = 'create' | 'update' | 'unchanged' | 'release' | 'delete' | 'gone' | 'wait' | 'blocked';

/**
 * What would happen to one field:
 * - `set`: declared, did not exist. `change`: declared with another value. `same`: declared, equal.
 * - `co-own`: declared with the same value as another owner.
 * - `take`: a conflict won by force. `yield`: left to its owner. `conflict`: stops the object under `fail`.
 * - no longer declared: `removed`, `defaulted` (the server fills in a value again) or `kept` (another owner holds it).
 */
export type FieldChange = 'set' | 'change' | 'same' | 'co-own' | 'take' | 'yield' | 'conflict' | 'removed' | 'defaulted' | 'kept';

export interface PlannedField {
  /** Path such as `.spec.replicas`. */
  readonly field: string;
  readonly change: FieldChange;
  readonly oldValue?: Json;
  readonly newValue?: Json;
  /** Other owners of the field. */
  readonly owners?: readonly string[];
}

export interface PlannedObject extends Place {
  readonly event: 'plan';
  readonly action: PlannedAction;
  /** `server`: a dry run said so. `assembly`: the server cannot be asked yet; only the declared fields are known. */
  readonly source: 'server' | 'assembly';
  /** `own` meets an object that this stack did not create. */
  readonly adopts?: true;
  readonly reason?: string;
  readonly fields: readonly PlannedField[];
  readonly error?: ReportedError;
  readonly declaredBy: readonly Declaration[];
}

export interface PlanSummary {
  readonly event: 'plan-summary';
  readonly counts: Readonly<Partial<Record<PlannedAction, number>>>;
  readonly adopts: number;
  readonly takes: number;
  /** Whether a deploy would change anything. */
  readonly differs: boolean;
  readonly exitCode: number;
  readonly errors: readonly ReportedError[];
}
