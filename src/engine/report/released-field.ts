import type { Json } from '../../util/json.js';
import type { FieldChange, PlannedField } from './plan-types.js';
/** The outcome of a field that is no longer declared, in the words of plans. */
export type ReleaseOutcome = Extract<
  FieldChange | 'perhaps',
  /** The field was removed. With `owners`: it belonged to them, and was removed together with a field of this stack. */
  | 'removed'
  /** The field has no owner and still has a value: mostly the server's default, which may equal the old value. */
  | 'defaulted'
  /** Its `owners` keep it, with its value. */
  | 'kept'
  /** A whole list item or map entry was removed; `collateral` lists the fields of others in it. */
  | 'item-removed'
  /** The server does not accept the release; `reason` says why, and the object has `failed`. */
  | 'rejected'
  /** The request was answered with an error, and nothing shows whether the server carried it out; the object has `failed`. */
  | 'perhaps'
>;

/**
 * A field that a run released, and its outcome: `removed`; `defaulted` (it has a value and no owner: mostly a default); `kept` (its
 * `owners` keep it); `item-removed` (a whole list item or map entry was removed, together with `collateral` fields of others); `rejected`
 * (the server does not let it be removed, `reason` says why); `perhaps` (the request was answered with an error, and nothing shows whether it
 * was carried out). Values of Secrets are masked.
 */
export interface ReleasedField extends Pick<PlannedField, 'field' | 'oldValue' | 'newValue' | 'owners' | 'collateral' | 'reason'> {
  readonly change: ReleaseOutcome;
  /** An earlier run released it, and ended before it could report that. */
  readonly earlier?: true;
}

/** A released field whose outcome the object shows. */
export interface ProvedRelease extends ReleasedField {
  readonly change: Exclude<ReleaseOutcome, 'perhaps'>;
}

/**
 * An unowned value that an apply changed: a default, or replicas that were scaled where nobody had declared any, for which the server
 * records no owner. Values of Secrets are masked.
 */
export interface OverwrittenField {
  readonly field: string;
  /** Absent only of an earlier run, where it is not known. */
  readonly oldValue?: Json;
  /** Absent only of an earlier run, where the field does not exist any more. */
  readonly newValue?: Json;
  /** Of an earlier run only: nothing shows whether it was that run. */
  readonly perhaps?: true;
  /** An earlier run changed it, and ended before it could report that. */
  readonly earlier?: true;
}
