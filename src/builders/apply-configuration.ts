import type { RootType, Schema, TypeRef } from '../schema/model.js';
import type { JsonObject } from '../util/json.js';

declare const brand: unique symbol;

/** A builder of a partial object: immutable, each call returns a new one. `Name` tells builders of different types apart. */
export interface ApplyConfiguration<Name extends string, Shape> {
  readonly [brand]: readonly [Name, Shape];
  /** Declares any field by its wire name; `undefined` takes the declaration back. */
  set(field: string, value: unknown): this;
  /**
   * The plain partial object, checked against the schema: unknown fields, scalar types, enums, formats, patterns and bounds,
   * list map keys and duplicates. Fields that the schema requires may be left out, for another owner may declare them, unless
   * `complete` is asked for.
   *
   * @throws FieldwiseError `intent-invalid` with the field path, and the construct path where one is given.
   */
  build(context?: BuildContext): Shape & JsonObject;
}

export interface BuildContext {
  /**
   * Also checks what only a whole object can be asked for: required fields, least numbers of items and members, and `oneOf`,
   * `anyOf`, `not` over the fields of an object.
   */
  readonly complete?: boolean;
  /** Named in errors. */
  readonly construct?: string;
  /** Named in errors. */
  readonly source?: string;
}

/** What the run time knows of a builder. */
export interface BuilderType {
  readonly schema: Schema;
  readonly type: TypeRef;
  /** Present on builders of whole objects. */
  readonly root?: RootType;
}

/** Every builder carries its type under this symbol; registered, so that two installed copies of Fieldwise agree. */
export const builderType: unique symbol = Symbol.for('fieldwise.builderType') as never;

/** The type of a builder, or undefined for anything else. */
export function builderTypeOf(value: unknown): BuilderType | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  return (value as { readonly [builderType]?: BuilderType })[builderType];
}
