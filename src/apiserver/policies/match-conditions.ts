import type { JsonObject } from '../../util/json.js';
import { onceFor } from '../../util/once-for.js';
import { boolType } from '../cel/types/cel-type.js';
import { Activation, type ActivationParts, BudgetExceededError } from './activation.js';
import { type CompiledExpression, compileExpression } from './compile-expression.js';
import { memberText, objectsOf } from './members.js';
import { NotKnownError } from './request.js';

/** The most that the match conditions of a policy or webhook may cost together. Source: observed. */
const maxConditionsCost = 2_500_000;

/** The result of match conditions: all hold, one does not, or none is false and some cannot be evaluated. */
export type ConditionsResult = 'met' | 'unmet' | { readonly error: string };

/**
 * Evaluates the match conditions of a policy or webhook. Source: Kubernetes documentation "Dynamic Admission Control", "Matching requests:
 * matchConditions"; errors as observed.
 *
 * @throws NotKnownError where none is known to be false
 */
export function evaluateMatchConditions(
  conditions: readonly CompiledExpression[],
  evaluated: Omit<ActivationParts, 'hasNamespace' | 'hasAuthorizer'>,
): ConditionsResult {
  if (conditions.length === 0) return 'met';
  const parts = { ...evaluated, shownResource: evaluated.request.resource, hasNamespace: false, hasAuthorizer: true };
  const activation = new Activation(parts, maxConditionsCost);
  const errors = new Set<string>();
  let isFalse = false;
  let notKnown: NotKnownError | undefined;
  try {
    for (const condition of conditions) {
      const result = activation.tryToEvaluate(condition);
      if (result instanceof NotKnownError) notKnown ??= result;
      else if ('error' in result) errors.add(result.error);
      else if (result.value === false) isFalse = true;
    }
  } catch (error) {
    if (error instanceof BudgetExceededError) return { error: error.message };
    throw error;
  }
  if (isFalse) return 'unmet';
  if (notKnown !== undefined) throw notKnown;
  if (errors.size === 0) return 'met';
  return { error: errors.size === 1 ? ([...errors][0] as string) : `[${[...errors].join(', ')}]` };
}

/** Returns the compiled match conditions of a webhook; those of the same object are compiled once. */
export const webhookConditions = onceFor((webhook: JsonObject): readonly CompiledExpression[] =>
  objectsOf(webhook.matchConditions).map(({ expression }) => compileWebhookCondition(memberText(expression))),
);

/** Compiles a match condition of a webhook, which has neither parameters nor variables. */
export function compileWebhookCondition(text: string): CompiledExpression {
  return compileExpression(text, [boolType], { hasParams: false, hasAuthorizer: true, variables: undefined });
}
