/** The lightest plan that fails a job. A diff without a plan always fails it. */
export const failOnValues = ['blocked', 'risky', 'changes', 'never'] as const;

export type FailOn = (typeof failOnValues)[number];
