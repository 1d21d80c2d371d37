/** An objection of a rule, of a ValidatingAdmissionPolicy or of a CustomResourceDefinition to a planned change. */
export interface Judgment {
  /** The name of the rule, policy or definition. */
  readonly rule: string;
  /**
   * `deny`: the object is not deployed. `warn`: a person should look at it. `audit`: the cluster would write it to its audit log.
   * `not-evaluated`: a policy or definition reads what a plan does not know.
   */
  readonly verdict: 'deny' | 'warn' | 'audit' | 'not-evaluated';
  /** True for what is not evaluated under `--strict`: the object is blocked, although nothing denies it. */
  readonly blocks?: true;
  /** A sentence that says what is wrong. */
  readonly message: string;
  /** The field that it concerns, such as `.spec.replicas`; absent if it concerns the whole object. */
  readonly field?: string;
  /** `policy` for a ValidatingAdmissionPolicy, `definition` for a CustomResourceDefinition. @default a rule */
  readonly source?: 'policy' | 'definition';
  /** The binding of the policy; absent for a rule or definition, and if the policy itself cannot be evaluated. */
  readonly binding?: string;
}

/** Returns the judgments that block an object: its denials, or else what is not evaluated under `--strict`. */
export function blockingJudgments(judgments: readonly Judgment[]): readonly Judgment[] {
  const denials = judgments.filter(({ verdict }) => verdict === 'deny');
  return denials.length > 0 ? denials : judgments.filter(({ blocks }) => blocks === true);
}
