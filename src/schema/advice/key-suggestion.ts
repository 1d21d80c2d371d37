/** Advice on the list map keys of a list whose schema declares none. */
export interface KeySuggestion {
  /** The suggested keys; empty with the confidence `none`. */
  readonly keys: readonly string[];
  /**
   * - `high`: the built-in API has these keys for the same items, or a required field identifies items by its name
   * - `low`: a guess; look at what the list means
   * - `none`: the list should stay atomic, or no field is suitable
   */
  readonly confidence: 'high' | 'low' | 'none';
  /** Why, as a clause without a full stop. */
  readonly reason: string;
}
