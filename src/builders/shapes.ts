/** Types that generated modules are written with. */

/** A literal at a position keyed by `Keys`: the keys are required there, and only there. */
export type Keyed<Shape, Keys extends keyof Shape> = Shape & { readonly [Key in Keys]-?: NonNullable<Shape[Key]> };

declare const keys: unique symbol;

/** Marks a builder whose constructor took these list map keys; only for types whose keyed positions disagree. */
export interface WithKeys<Keys extends string> {
  readonly [keys]: { readonly [Key in Keys]: true };
}
