import type { PlannedField } from '../engine/report/plan-types.js';
import { type OptionRules, text } from '../util/check-options.js';
import type { Change } from './change.js';
import { checkRuleOptions } from './check-rule-options.js';

/** An objection to one field, or to the whole object if it names no field. */
export interface Objection {
  /** A sentence that says what is wrong. */
  readonly message: string;
  /** Path such as `.spec.replicas`. */
  readonly field?: string;
}

/**
 * The answer of a rule to a change. The rule objects if it is `true`, a sentence, or a list that is not empty: fields of the change, or
 * objections with sentences of their own. It does not object if it is `false`, `null`, or an empty text or list. Any other answer is an error, and
 * so is `undefined`, which a function without `return` answers, too.
 */
export type Answer = boolean | string | null | readonly (PlannedField | Objection)[];

/** A rule over the changes of a plan. */
export interface Rule {
  /** `deny`: a change to which the rule objects is not deployed. `warn`: it is shown to people. */
  readonly verdict: 'deny' | 'warn';
  /** The name of the rule; absent: its position in the list. */
  readonly name?: string;
  /** A sentence for answers without one. */
  readonly message?: string;
  /** Judges one change. It must not change it. */
  readonly check: (change: Change) => Answer;
}

/** The texts of a rule. */
export interface RuleTexts {
  /** The name of the rule, which reports show. @default its position in the list */
  readonly name?: string;
  /** A sentence that says what is wrong, and what to do. @default the source text of the function */
  readonly message?: string;
}

const textRules: OptionRules<RuleTexts> = { name: text, message: text };

/**
 * Returns a rule that refuses the changes to which `check` objects.
 *
 * @throws FieldwiseError `option-invalid`.
 */
export function deny(check: (change: Change) => Answer, texts: RuleTexts = {}): Rule {
  checkRuleOptions(textRules, texts);
  return { ...texts, verdict: 'deny', check };
}

/**
 * Returns a rule that warns of the changes to which `check` objects.
 *
 * @throws FieldwiseError `option-invalid`.
 */
export function warn(check: (change: Change) => Answer, texts: RuleTexts = {}): Rule {
  checkRuleOptions(textRules, texts);
  return { ...texts, verdict: 'warn', check };
}
