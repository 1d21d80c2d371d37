import type { Brand } from './apply-configuration.js';

/** Types that generated modules are written with (docs/decisions/49). */

/**
 * A position for objects of one type: takes a literal, or a builder of the type. Both have the literal's fields for a compiler, so that it
 * suggests names, and an editor completes fields only. The fields have equal types in both: were they those of `Built`, a compiler would check
 * each object twice to tell the two apart, and 2 to the power of n times at a depth of n.
 */
export type Input<Name extends string, Shape> = Shape | (Brand<Name> & Shape);

/** An item of a list with the keys `Keys`: a literal with these keys, or a builder whose constructor took them. */
export type Item<Name extends string, Shape, Keys extends keyof Shape> = Keyed<Shape, Keys> | Built<Name, Shape>;

/**
 * A builder as lists see it that have keys. A compiler checks a literal against the literal type alone, because a builder has none of its
 * fields: it names the key that is missing. For literals with free names, `Brand` takes its place.
 */
export type Built<Name extends string, Shape> = Brand<Name> & { readonly [Field in keyof Shape]?: undefined };

/** A literal at a position keyed by `Keys`: the keys are required there, and only there. */
export type Keyed<Shape, Keys extends keyof Shape> = Shape & { readonly [Key in Keys]-?: NonNullable<Shape[Key]> };

declare const keys: unique symbol;

/** Marks a builder whose constructor took these list map keys; only for types whose keyed positions disagree. */
export interface WithKeys<Keys extends string> {
  readonly [keys]: { readonly [Key in Keys]: true };
}

/**
 * The base of a builder's interface, from which its methods inherit the doc comments of the literal's fields: `withImage` that of `image`.
 *
 * A mapped type keeps the comments only while the compiler takes `as` for a filter. It does so for `Names[Field]`, whose constraint is `any`.
 */
// biome-ignore lint/suspicious/noExplicitAny: see above
export type Documented<Shape, Names extends { readonly [Field in keyof Shape]: any } = MethodNames<Shape>> = {
  // biome-ignore lint/suspicious/noExplicitAny: a method of any type may take the place of a member
  readonly [Field in keyof Shape as Names[Field]]-?: any;
};

/** The methods of the fields of a whole object; its constructor has set apiVersion and kind. */
export type RootMethodNames<Shape> = {
  readonly [Field in keyof Shape]: Field extends 'apiVersion' | 'kind' ? never : `with${Capitalize<Field & string>}`;
};

/** The methods of a literal's fields, by field. */
export type MethodNames<Shape> = { readonly [Field in keyof Shape]: `with${Capitalize<Field & string>}` };
