import { compile, type Evaluator } from '../cel/compile.js';
import { type CelType, formatResultType, sameType } from '../cel/types/cel-type.js';
import { type Declarations, policyEnvironment } from './environment.js';

/** An expression of a policy. One that does not compile fails when it is evaluated. */
export interface CompiledExpression {
  readonly text: string;
  readonly evaluator: Evaluator | undefined;
  /** The reason why it does not compile, in the words of the real server. */
  readonly error: { readonly isInternal: boolean; readonly detail: string } | undefined;
}

/**
 * Compiles an expression of a policy.
 *
 * @param types the types that its value may have; any, if there are none.
 */
export function compileExpression(text: string, types: readonly CelType[], declarations: Declarations): CompiledExpression {
  const evaluator = compile(text, policyEnvironment(declarations));
  if ('error' in evaluator) {
    const { error: detail } = evaluator;
    return { text, evaluator: undefined, error: { isInternal: detail.startsWith('program instantiation failed'), detail } };
  }
  const { type } = evaluator.checked;
  if (types.length === 0 || types.some((each) => sameType(each, type))) return { text, evaluator, error: undefined };
  const [first] = types as readonly [CelType];
  const wanted = types.length === 1 ? formatResultType(first) : `one of [${types.map(formatResultType).join(' ')}]`;
  const detail = `must evaluate to ${wanted} but got ${formatResultType(type)}`;
  return { text, evaluator: undefined, error: { isInternal: false, detail } };
}
