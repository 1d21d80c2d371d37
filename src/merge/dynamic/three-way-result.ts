import type { FieldPath, FieldSet } from '../../fields/index.js';
import type { Json, JsonObject } from '../../util/json.js';
import type { ListRules } from './list-rules.js';
/** The input of a three-way merge; it is not modified. */
export interface ThreeWayInput {
  /** The intent that this manager declared last time, as `digestSecretValues` stores it; undefined at first contact. */
  readonly base: JsonObject | undefined;
  /** The complete intent that it declares now. */
  readonly intent: JsonObject;
  readonly live: JsonObject;
  readonly rules: ListRules;
  /** Returns true if another manager owns exactly this field or list item: it is then not removed, and a change of it is contested. */
  readonly isOwnedByOthers?: ((path: FieldPath) => boolean) | undefined;
  /**
   * Returns true if the manager that introduced an existing field is on record. That manager keeps the field while it owns it; the last
   * owner to drop the field removes it.
   */
  readonly introduced?: ((path: FieldPath) => boolean) | undefined;
  /**
   * Returns true if another manager declares a list or map around a field as one value: writing its other parts ends that manager's record,
   * so it is stored here.
   */
  readonly isDeclaredAsWhole?: ((path: FieldPath) => boolean) | undefined;
  /** `preexisting` of the last merge. */
  readonly preexisting?: FieldSet | undefined;
  /** Returns true if a contested field keeps its live value. */
  readonly yields?: ((path: FieldPath) => boolean) | undefined;
}

/** A declared field that another manager set to a different value. */
export interface ContestedField {
  readonly path: FieldPath;
  /** The path as text, such as `.spec.ports[port=80].name`. */
  readonly field: string;
  readonly live: Json;
  /** The declared value; null for a declared null. */
  readonly intent: Json;
}

/** A foreign field inside a list item that is removed because this manager no longer declares the item. */
export interface CollateralValue {
  readonly path: FieldPath;
  readonly field: string;
  readonly value: Json;
}

/** A field that is no longer declared and stays nevertheless. */
export interface RetainedField {
  readonly path: FieldPath;
  readonly field: string;
  readonly live: Json;
  /** `owned`: another manager owns it; `changed`: it differs from the last applied value, so another manager wrote it. */
  readonly reason: 'owned' | 'changed';
}
