import { checkOptionsBy, type OptionRule, type OptionRules } from '../util/check-options.js';

/** A list of texts. */
export const texts: OptionRule = {
  expected: 'a list of strings',
  isValid: (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
};

/**
 * Checks the options of a rule, of which a misspelt one would let changes pass.
 *
 * @throws FieldwiseError `option-invalid`.
 */
export function checkRuleOptions<Options extends object>(rules: OptionRules<Options>, options: Options): void {
  checkOptionsBy(rules, options, 'docs/rules.md');
}
