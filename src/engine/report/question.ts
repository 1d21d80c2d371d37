/** A question that a run asks before it deletes or takes anything. */
export interface Question {
  /** One sentence. */
  readonly text: string;
  /** The objects concerned, each as `Kind namespace/name` with a reason where there is one. */
  readonly objects: readonly string[];
  /** True if `prune: true` in the configuration has confirmed it, so it is not asked. */
  readonly answeredByPruneSetting: boolean;
  /** True if the option `prune: true` (`--prune`) would confirm it, and it was not given; absent otherwise. */
  readonly answeredByPrune?: true;
  /**
   * The final prompt.
   *
   * @default Continue?
   */
  readonly prompt?: string;
}
