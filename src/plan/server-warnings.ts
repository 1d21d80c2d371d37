import type { PlannedObject } from '../engine/report/plan-types.js';

/** How an API server words that an expression of a policy is false and its binding warns. Source: observed. */
const policyWarning = /^Validation failed for ValidatingAdmissionPolicy '([^']+)' with binding '([^']+)': (.*)$/s;

/** Returns the warnings of an answer to a dry run: those of ValidatingAdmissionPolicies as judgments, others as they are. */
export function serverWarnings(texts: readonly string[]): Pick<PlannedObject, 'judgments' | 'warnings'> {
  const warnings = texts.filter((text) => !policyWarning.test(text));
  const judgments = texts.flatMap((text) => {
    const [, rule, binding, message] = policyWarning.exec(text) ?? [];
    if (rule === undefined || binding === undefined || message === undefined) return [];
    return [{ rule, binding, verdict: 'warn' as const, message, source: 'policy' as const }];
  });
  return { ...(judgments.length > 0 ? { judgments } : {}), ...(warnings.length > 0 ? { warnings } : {}) };
}
