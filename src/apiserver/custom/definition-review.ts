/** The validation of a write by the definition of its kind. */
export interface DefinitionReview {
  /** Undefined for a kind that no definition describes. */
  readonly definition: string | undefined;
  readonly errors: readonly { readonly text: string; readonly field: string }[];
  /** Rules that are broken by values which the write does not change. */
  readonly warnings: readonly string[];
}
