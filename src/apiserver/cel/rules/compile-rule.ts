import type { Json, JsonObject } from '../../../util/json.js';
import type { CheckedExpression } from '../check/check.js';
import type { Environment } from '../check/environment.js';
import { type CompileError, compile, type Evaluator } from '../compile.js';
import { kubernetesFunctions } from '../kubernetes-environment.js';
import type { SchemaType } from '../schema/schema-type.js';
import { visit } from '../syntax/visit.js';
import { type CelType, formatType, optionalOf } from '../types/cel-type.js';

/** A rule of `x-kubernetes-validations`. Source: Kubernetes API reference, ValidationRule. */
export interface ValidationRule {
  readonly rule: string;
  readonly message: string;
  readonly messageExpression: string;
  readonly reason: string | undefined;
  readonly fieldPath: string;
  readonly optionalOldSelf: boolean | undefined;
}

export interface CompiledRule {
  readonly declared: ValidationRule;
  /** Undefined for a rule that does not compile, or that is empty. */
  readonly evaluator: Evaluator | undefined;
  /** The reason why the rule does not compile. */
  readonly error: string | undefined;
  readonly message: Evaluator | undefined;
  readonly messageError: string | undefined;
  /** True for a transition rule, which compares with the value before the change. */
  readonly usesOldSelf: boolean;
}

/** Reads the rules of a node of a schema. */
export function rulesOf(schema: JsonObject): readonly ValidationRule[] {
  const { 'x-kubernetes-validations': rules } = schema;
  return Array.isArray(rules) ? (rules as readonly JsonObject[]).map(ruleOf) : [];
}

function ruleOf({ rule, message, messageExpression, reason, fieldPath, optionalOldSelf }: JsonObject): ValidationRule {
  const text = (value: Json | undefined) => (typeof value === 'string' ? value : '');
  return {
    rule: text(rule),
    message: text(message),
    messageExpression: text(messageExpression),
    reason: typeof reason === 'string' ? reason : undefined,
    fieldPath: text(fieldPath),
    optionalOldSelf: typeof optionalOldSelf === 'boolean' ? optionalOldSelf : undefined,
  };
}

/** Compiles a rule about values of a type. */
export function compileRule(declared: ValidationRule, { type }: SchemaType): CompiledRule {
  const { rule, messageExpression } = declared;
  if (rule.trim() === '')
    return { declared, evaluator: undefined, error: undefined, message: undefined, messageError: undefined, usesOldSelf: false };
  const environment = environmentFor(type, declared.optionalOldSelf === true);
  const evaluator = compileTo('bool', rule, environment, '', 'cel expression must evaluate to a bool');
  const isCompiled = !('error' in evaluator);
  const message =
    messageExpression === '' || !isCompiled
      ? undefined
      : compileTo('string', messageExpression, environment, 'messageExpression ', 'messageExpression must evaluate to a string');
  return {
    declared,
    evaluator: isCompiled ? evaluator : undefined,
    error: isCompiled ? undefined : evaluator.error,
    message: message === undefined || 'error' in message ? undefined : message,
    messageError: message !== undefined && 'error' in message ? message.error : undefined,
    usesOldSelf: evaluator.checked !== undefined && namesOldSelf(evaluator.checked),
  };
}

function environmentFor(type: CelType, optionalOldSelf: boolean): Environment {
  const oldSelf = optionalOldSelf ? optionalOf(type) : type;
  return {
    functions: kubernetesFunctions(),
    variables: new Map([
      ['self', type],
      ['oldSelf', oldSelf],
    ]),
  };
}

/** Compiles an expression of a certain type; returns the problem of another one. */
function compileTo(kind: string, text: string, environment: Environment, prefix: string, otherwise: string): Evaluator | CompileError {
  const evaluator = compile(text, environment);
  if (evaluator.checked !== undefined && formatType(evaluator.checked.type) !== kind) return { error: otherwise };
  return 'error' in evaluator
    ? { ...evaluator, error: `${prefix}${evaluator.error.replace(/^program (?=instantiation)/, prefix === '' ? 'program ' : '')}` }
    : evaluator;
}

/** Returns true if an expression reads `oldSelf`, and not a variable of a macro that has its name. */
function namesOldSelf({ expression }: CheckedExpression): boolean {
  let found = false;
  visit(expression, (node) => {
    if (node.kind === 'identifier' && node.name === 'oldSelf') found = true;
  });
  return found;
}
