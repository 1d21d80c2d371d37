import type { Json } from '../../util/json.js';
import type { FieldChange, PlannedField } from './plan-types.js';
/** What becomes of a field that is no longer declared, in the words of plans. */
export type ReleaseOutcome = Extract<FieldChange, 'removed' | 'defaulted' | 'kept' | 'rejected' | 'item-removed'>;

/**
 * A field that a run gave up, and what became of it: `removed`; `defaulted` (it has a value and no owner: a default mostly); `kept` (its
 * `owners` hold it); `item-removed` (a whole list item or map entry went, and `lost` of others with it); `rejected` (the server does not let
 * it go, `reason` says why). Values of Secrets are masked.
 */
export interface ReleasedField extends Pick<PlannedField, 'field' | 'oldValue' | 'newValue' | 'owners' | 'collateral' | 'reason'> {
  readonly change: ReleaseOutcome;
}

/**
 * A value that nobody owned and that an apply changed: a default, or replicas that were scaled where nobody had declared any, of which the
 * server records no owner. Values of Secrets are masked.
 */
export interface OverwrittenField {
  readonly field: string;
  readonly oldValue: Json;
  readonly newValue: Json;
}
