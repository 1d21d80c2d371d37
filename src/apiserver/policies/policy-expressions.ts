import { type Json, type JsonObject, jsonEqual } from '../../util/json.js';
import { type FieldError, invalidValue } from '../api/field-error.js';
import { boolType, stringType } from '../cel/types/cel-type.js';
import { policyModule } from './policy-module.js';

/** Finds errors in the expressions of one policy. */
export interface PolicyExpressions {
  /** True for an update that changes nothing which could make a condition invalid. */
  readonly areConditionsKept: boolean;
  condition(text: string, field: string): readonly FieldError[];
  variable(index: number, field: string): readonly FieldError[];
  validation(text: string, field: string): readonly FieldError[];
  message(text: string, field: string): readonly FieldError[];
  annotation(text: string, field: string): readonly FieldError[];
}

type Compiled = ReturnType<ReturnType<typeof policyModule.get>['compileExpression']>;

function errorsOf({ error }: Compiled, shownText: string, field: string): readonly FieldError[] {
  if (error === undefined) return [];
  return [error.isInternal ? { type: 'internal', field, detail: error.detail } : invalidValue(field, shownText, error.detail)];
}

/** Compiles a match condition of a webhook as the server does when it is written. */
export function webhookConditionErrors(text: string, field: string): readonly FieldError[] {
  return errorsOf(policyModule.get().compileWebhookCondition(text), text, field);
}

/** Compiles the expressions of a policy as the server does when it is written. */
export function policyExpressions(spec: JsonObject, before: JsonObject | undefined): PolicyExpressions {
  const { compileExpression, compileVariables, annotationTypes } = policyModule.get();
  const hasParams = spec.paramKind !== undefined;
  const declared = Array.isArray(spec.variables) ? (spec.variables as readonly JsonObject[]) : [];
  const { variables, types } = compileVariables(declared, hasParams);
  const all = { hasParams, hasAuthorizer: true, variables: declared.length > 0 ? types : undefined };
  const same = (name: string) => before !== undefined && jsonEqual((spec[name] ?? null) as Json, (before[name] ?? null) as Json);
  return {
    areConditionsKept: same('paramKind') && same('matchConditions'),
    condition: (text, field) => errorsOf(compileExpression(text, [boolType], { ...all, variables: undefined }), text, field),
    variable: (index, field) => {
      const name = String(declared[index]?.name);
      const compiled = variables.get(name) as Compiled;
      return errorsOf(compiled, compiled.text, field);
    },
    validation: (text, field) => errorsOf(compileExpression(text, [boolType], all), text, field),
    message: (text, field) => errorsOf(compileExpression(text, [stringType], { ...all, hasAuthorizer: false }), text, field),
    annotation: (text, field) => errorsOf(compileExpression(text.trim(), annotationTypes, all), text, field),
  };
}
