/** An objection of a rule or of a ValidatingAdmissionPolicy to a planned change. */
export interface Judgment {
  /** The name of the rule or policy. */
  readonly rule: string;
  /**
   * `deny`: the object is not deployed. `warn`: a person should look at it. `audit`: the cluster would write it to its audit log.
   * `not-evaluated`: a policy reads what a plan does not know.
   */
  readonly verdict: 'deny' | 'warn' | 'audit' | 'not-evaluated';
  /** A sentence that says what is wrong. */
  readonly message: string;
  /** The field that it concerns, such as `.spec.replicas`; absent if it concerns the whole object. */
  readonly field?: string;
  /** `policy` for a ValidatingAdmissionPolicy. @default a rule */
  readonly source?: 'policy';
  /** The binding of the policy; absent for a rule, and if the policy itself cannot be evaluated. */
  readonly binding?: string;
}
