import type { RootType, Schema, TypeRef } from '../schema/model.js';
import type { JsonObject } from '../util/json.js';

declare const brand: unique symbol;

/** Tells builders of different types apart: all their fields are optional, so that a compiler would take one for another. */
export interface Brand<Name extends string> {
  readonly [brand]: Name;
}

declare const shape: unique symbol;

/** A builder as positions see it that take builders of several types. Its methods are left out, so that no editor offers them in a literal. */
export interface Branded<Name extends string, Shape> extends Brand<Name> {
  readonly [shape]: Shape;
}

/** A builder of a partial object. It is immutable: each call returns a new builder. `Name` distinguishes builders of different types. */
export interface ApplyConfiguration<Name extends string, Shape> extends Branded<Name, Shape> {
  /** Declares any field by its wire name; `undefined` removes the declaration. */
  set(field: string, value: unknown): this;
  /**
   * Returns the plain partial object, checked against the schema: unknown fields, scalar types, enums, formats, patterns and bounds, list
   * map keys and duplicates. Required fields may be missing, because another owner may declare them, unless `complete` is set.
   *
   * @throws FieldwiseError `intent-invalid` with the field path, and the construct path if one is given.
   */
  build(context?: BuildContext): Shape & JsonObject;
}

/** The context in which a builder or literal is built. */
export interface BuildContext {
  /**
   * Also applies the checks for whole objects: required fields, minimum numbers of items and members, and `oneOf`, `anyOf`, `not` over the
   * fields of an object.
   * @default false
   */
  readonly complete?: boolean;
  /** Named in errors. */
  readonly construct?: string;
  /** Named in errors. */
  readonly source?: string;
}

/** The run-time description of a builder. */
export interface BuilderType {
  readonly schema: Schema;
  readonly type: TypeRef;
  /** Present on builders of whole objects. */
  readonly root?: RootType;
}

/** The symbol under which a builder holds its type; registered, so that two installed copies of Fieldwise share it. */
export const builderType: unique symbol = Symbol.for('fieldwise.builderType') as never;

/** Returns the type of a builder, or undefined for any other value. */
export function builderTypeOf(value: unknown): BuilderType | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  return (value as { readonly [builderType]?: BuilderType })[builderType];
}
