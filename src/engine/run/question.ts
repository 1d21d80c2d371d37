export interface Question {
  readonly text: string;
  readonly objects: readonly string[];
  /** Whether `prune: true` in the configuration answers it. */
  readonly answeredByPruneSetting: boolean;
  /** `--prune` would answer it. */
  readonly answeredByPrune?: true;
  /** What a person is asked at last; `Continue?` where it is absent. */
  readonly prompt?: string;
}
