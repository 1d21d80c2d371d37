import type { Json, JsonObject } from '../../../util/json.js';
import type { CheckedExpression } from '../check/check.js';
import type { Environment } from '../check/environment.js';
import { kubernetesFunctions } from '../kubernetes-environment.js';
import { type CompileError, compile, type Program } from '../program.js';
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
  readonly program: Program | undefined;
  /** The reason why the rule does not compile. */
  readonly error: string | undefined;
  readonly message: Program | undefined;
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
    return { declared, program: undefined, error: undefined, message: undefined, messageError: undefined, usesOldSelf: false };
  const environment = environmentFor(type, declared.optionalOldSelf === true);
  const program = compileTo('bool', rule, environment, '', 'cel expression must evaluate to a bool');
  const hasProgram = !('error' in program);
  const message =
    messageExpression === '' || !hasProgram
      ? undefined
      : compileTo('string', messageExpression, environment, 'messageExpression ', 'messageExpression must evaluate to a string');
  return {
    declared,
    program: hasProgram ? program : undefined,
    error: hasProgram ? undefined : program.error,
    message: message === undefined || 'error' in message ? undefined : message,
    messageError: message !== undefined && 'error' in message ? message.error : undefined,
    usesOldSelf: program.checked !== undefined && namesOldSelf(program.checked),
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
function compileTo(kind: string, text: string, environment: Environment, prefix: string, otherwise: string): Program | CompileError {
  const program = compile(text, environment);
  if (program.checked !== undefined && formatType(program.checked.type) !== kind) return { error: otherwise };
  return 'error' in program
    ? { ...program, error: `${prefix}${program.error.replace(/^program (?=instantiation)/, prefix === '' ? 'program ' : '')}` }
    : program;
}

/** Returns true if an expression reads `oldSelf`, and not a variable of a macro that has its name. */
function namesOldSelf({ expression }: CheckedExpression): boolean {
  let found = false;
  visit(expression, (node) => {
    if (node.kind === 'identifier' && node.name === 'oldSelf') found = true;
  });
  return found;
}
