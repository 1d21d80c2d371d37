import type { JsonObject } from '../../util/json.js';
import { onceFor } from '../../util/once-for.js';
import { boolType, type CelType, dynType, nullType, stringType } from '../cel/types/cel-type.js';
import { type CompiledExpression, compileExpression } from './compile-expression.js';
import { variableType } from './environment.js';
import { memberText, objectOf, objectsOf } from './members.js';

/** A validation of a policy. */
export interface CompiledValidation {
  readonly expression: CompiledExpression;
  readonly message: string;
  readonly messageExpression: CompiledExpression | undefined;
  readonly reason: string | undefined;
}

/** A ValidatingAdmissionPolicy whose expressions are ready to be evaluated. */
export interface CompiledPolicy {
  readonly name: string;
  readonly spec: JsonObject;
  /** True if errors of an evaluation count as a denial. */
  readonly failsOnError: boolean;
  readonly variables: ReadonlyMap<string, CompiledExpression>;
  readonly matchConditions: readonly CompiledExpression[];
  readonly validations: readonly CompiledValidation[];
  readonly auditAnnotations: readonly { readonly key: string; readonly value: CompiledExpression }[];
}

/** Returns the compiled policy; the same object is compiled once. */
export const compilePolicy: (policy: JsonObject) => CompiledPolicy = onceFor(compileNew);

/** The types that an annotation may have. */
export const annotationTypes: readonly CelType[] = [stringType, nullType];

function compileNew(policy: JsonObject): CompiledPolicy {
  const spec = objectOf(policy.spec);
  const hasParams = spec.paramKind !== undefined;
  const { variables, types } = compileVariables(objectsOf(spec.variables), hasParams);
  const all = { hasParams, hasAuthorizer: true, variables: types };
  const message = { ...all, hasAuthorizer: false };
  return {
    name: memberText(objectOf(policy.metadata).name),
    spec,
    failsOnError: spec.failurePolicy !== 'Ignore',
    variables,
    matchConditions: objectsOf(spec.matchConditions).map(({ expression }) => compileExpression(memberText(expression), [boolType], all)),
    validations: objectsOf(spec.validations).map((each) => ({
      expression: compileExpression(memberText(each.expression), [boolType], all),
      message: memberText(each.message),
      messageExpression:
        memberText(each.messageExpression) === ''
          ? undefined
          : compileExpression(memberText(each.messageExpression), [stringType], message),
      reason: typeof each.reason === 'string' ? each.reason : undefined,
    })),
    auditAnnotations: objectsOf(spec.auditAnnotations).map(({ key, valueExpression }) => ({
      key: memberText(key),
      value: compileExpression(memberText(valueExpression), annotationTypes, all),
    })),
  };
}

/** Compiles the variables of a policy in their order: each can name those before it. */
export function compileVariables(
  declared: readonly JsonObject[],
  hasParams: boolean,
): { readonly variables: ReadonlyMap<string, CompiledExpression>; readonly types: ReadonlyMap<string, CelType> } {
  const variables = new Map<string, CompiledExpression>();
  const types = new Map<string, CelType>();
  for (const { name, expression } of declared) {
    const variable = compileExpression(memberText(expression), [], { hasParams, hasAuthorizer: true, variables: types });
    variables.set(memberText(name), variable);
    types.set(memberText(name), variable.evaluator === undefined ? dynType : variableType(variable.evaluator.checked.type));
  }
  return { variables, types };
}
