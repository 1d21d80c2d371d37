import { deferredCode } from '../../util/deferred-code.js';

type RuleModule = typeof import('./rule-validator.js') & typeof import('./crd-rule-errors.js');

/**
 * The code that compiles and evaluates rules. It is loaded with the first definition that has rules, because most programs have none;
 * validation itself does not wait.
 */
export const ruleModule = deferredCode(
  'the code for rules',
  async (): Promise<RuleModule> => ({ ...(await import('./rule-validator.js')), ...(await import('./crd-rule-errors.js')) }),
);

/** Returns true if a schema, or anything else in JSON, has rules. */
export function mentionsRules(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, member]) => name === 'x-kubernetes-validations' || mentionsRules(member));
}
