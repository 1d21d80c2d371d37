/** An objection of a rule to a planned change. */
export interface Judgment {
  /** The name of the rule. */
  readonly rule: string;
  /** `deny`: the object is not deployed. `warn`: a person should look at it. */
  readonly verdict: 'deny' | 'warn';
  /** A sentence that says what is wrong. */
  readonly message: string;
  /** The field that it concerns, such as `.spec.replicas`; absent if it concerns the whole object. */
  readonly field?: string;
}
