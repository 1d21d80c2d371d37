/** A question that a run asks before it continues. */
export interface Question {
  readonly text: string;
  readonly objects: readonly string[];
  /** True if `prune: true` in the configuration confirms it. */
  readonly answeredByPruneSetting: boolean;
  /** `--prune` would confirm it. */
  readonly answeredByPrune?: true;
  /**
   * The final prompt.
   *
   * @default Go on?
   */
  readonly prompt?: string;
}
