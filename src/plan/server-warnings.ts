import type { Judgment } from '../engine/report/judgment.js';
import type { PlannedObject } from '../engine/report/plan-types.js';

/** How an API server words that an expression of a policy is false and its binding warns. Source: observed. */
const policyWarning = /^Validation failed for ValidatingAdmissionPolicy '([^']+)' with binding '([^']+)': (.*)$/s;

/** Returns the warnings of an answer to a dry run: those of ValidatingAdmissionPolicies as judgments, others as they are. */
export function serverWarnings(texts: readonly string[]): Pick<PlannedObject, 'judgments' | 'warnings'> {
  const judgments: Judgment[] = [];
  const warnings: string[] = [];
  for (const text of texts) {
    const [, rule, binding, message] = policyWarning.exec(text) ?? [];
    if (rule === undefined || binding === undefined || message === undefined) warnings.push(text);
    else judgments.push({ rule, binding, verdict: 'warn', message, source: 'policy' });
  }
  return { ...(judgments.length > 0 ? { judgments } : {}), ...(warnings.length > 0 ? { warnings } : {}) };
}
