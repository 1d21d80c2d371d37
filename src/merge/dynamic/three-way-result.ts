import type { FieldPath, FieldSet } from '../../fields/index.js';
import type { Json, JsonObject } from '../../util/json.js';
import type { ListRules } from './list-rules.js';
/** What is merged; nothing of it is changed. */
export interface ThreeWayInput {
  /** What this manager declared last time, as `rememberedIntent` keeps it; undefined at first contact. */
  readonly base: JsonObject | undefined;
  /** What it declares now: fully specified. */
  readonly intent: JsonObject;
  readonly live: JsonObject;
  readonly rules: ListRules;
  /** Whether somebody else holds exactly this field or list item: then it does not go, and a change of it is contested. */
  readonly isOwnedByOthers?: ((path: FieldPath) => boolean) | undefined;
  /** Whether it is on record who brought a field that is there: it is his as long as he holds it, and whoever drops it last takes it away. */
  readonly introduced?: ((path: FieldPath) => boolean) | undefined;
  /**
   * Whether somebody else declares a list or map around a field as one value: a write of its other parts ends his record, so he is
   * remembered.
   */
  readonly isDeclaredAsWhole?: ((path: FieldPath) => boolean) | undefined;
  /** `joined` of the last merge. */
  readonly preexisting?: FieldSet | undefined;
  /** Whether a contested field is left as it is live. */
  readonly yields?: ((path: FieldPath) => boolean) | undefined;
}

/** A declared field that somebody else gave another value. */
export interface ContestedField {
  readonly path: FieldPath;
  /** The same as text, such as `.spec.ports[port=80].name`. */
  readonly field: string;
  readonly live: Json;
  /** What is declared; null for a declared null. */
  readonly intent: Json;
}

/** A foreign field inside a list item that goes because we no longer declare the item. */
export interface CollateralValue {
  readonly path: FieldPath;
  readonly field: string;
  readonly value: Json;
}

/** A field that is no longer declared and stays all the same. */
export interface RetainedField {
  readonly path: FieldPath;
  readonly field: string;
  readonly live: Json;
  /** `owned`: somebody else holds it; `changed`: it is not what we last applied, so somebody else wrote it. */
  readonly reason: 'owned' | 'changed';
}
