import { explain } from '../engine/report/explain.js';
import type { Judgment } from '../engine/report/judgment.js';
import type { PlannedObject } from '../engine/report/plan-types.js';
import { FieldwiseError } from '../util/error.js';

/** Adds what rules say against a planned object. A denial blocks it, as a denial of the server does. */
export function withJudgments(planned: PlannedObject, judgments: readonly Judgment[]): PlannedObject {
  if (judgments.length === 0) return planned;
  const denials = judgments.filter(({ verdict }) => verdict === 'deny');
  if (denials.length === 0 || planned.action === 'blocked') return { ...planned, judgments };
  const isPolicies = denials.every(({ source }) => source === 'policy');
  const error = isPolicies ? admissionDenied(denials, planned) : ruleDenied(denials, planned);
  return { ...planned, judgments, action: 'blocked', error: explain(error) };
}

function ruleDenied(denials: readonly Judgment[], { action }: PlannedObject): FieldwiseError {
  const texts = denials.map(({ rule, message }) => `${rule}: ${message}`);
  const [rules, refuse] = denials.length === 1 ? ['A rule', 'refuses'] : [`${denials.length} rules`, 'refuse'];
  return new FieldwiseError('rule-denied', 'resource', `${rules} ${refuse} this ${actionTexts[action] ?? 'change'}: ${texts.join('; ')}`, {
    next: 'Change the program, or have the rule changed by those who keep it (docs/rules.md).',
  });
}

function admissionDenied(denials: readonly Judgment[], { action }: PlannedObject): FieldwiseError {
  const texts = denials.map(({ rule, message }) => `${rule}: ${message}`);
  const [policies, deny] = denials.length === 1 ? ['An admission policy', 'denies'] : [`${denials.length} admission policies`, 'deny'];
  const what = `${policies} ${deny} this ${actionTexts[action] ?? 'change'}: ${texts.join('; ')}`;
  return new FieldwiseError('admission-denied', 'resource', what, {
    next: 'Change the program, or have the policy changed by those who keep it (docs/policies.md).',
  });
}

const actionTexts: Readonly<Partial<Record<PlannedObject['action'], string>>> = {
  create: 'creation',
  delete: 'deletion',
  recreate: 'deletion and new creation',
  release: 'release',
  unchanged: 'object',
};
