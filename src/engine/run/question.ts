/** A question that a run asks before it deletes or takes anything. */
export interface Question {
  /** One sentence. */
  readonly text: string;
  /** The objects concerned, each as `Kind namespace/name` with a reason where there is one. */
  readonly objects: readonly string[];
  /** Whether `prune: true` in the configuration answers it. */
  readonly answeredByPruneSetting: boolean;
  /** `--prune` would answer it. */
  readonly answeredByPrune?: true;
  /** What a person is asked at last; `Go on?` where it is absent. */
  readonly prompt?: string;
}
