import type { JsonObject } from '../../util/json.js';
import { Activation, type ActivationParts, BudgetExceededError, type EvaluatedRequest } from './activation.js';
import type { CompiledExpression } from './compile-expression.js';
import type { CompiledPolicy, CompiledValidation } from './compile-policy.js';
import { evaluateMatchConditions } from './match-conditions.js';
import { NotKnownError } from './request.js';

/** The most that the expressions of a list may cost together. Source: Kubernetes documentation "Validating Admission Policy"; observed. */
const maxListCost = 10_000_000;

/** A policy with one of its parameters, and the request that it is evaluated for. */
export interface Evaluation extends EvaluatedRequest {
  readonly policy: CompiledPolicy;
  readonly params: JsonObject | null;
}

/** An objection of a validation, or the error of one that could not be evaluated. */
export interface Objection {
  /** Index of the validation; 0 for an error of the policy as a whole. */
  readonly index: number;
  readonly message: string;
  readonly reason: string | undefined;
}

/** The outcome of a policy with one parameter. */
export interface PolicyOutcome {
  readonly objections: readonly Objection[];
  /** Values of the audit annotations by key. */
  readonly annotations: readonly (readonly [key: string, value: string])[];
  /** Errors of audit annotations, which deny a request whatever the binding says. */
  readonly annotationErrors: readonly string[];
  /** The names of what the policy reads and nobody knows, such as `request.userInfo and authorizer`. @default nothing */
  readonly notKnown?: string;
}

const nothing: PolicyOutcome = { objections: [], annotations: [], annotationErrors: [] };

/** Evaluates a policy for a request that it matches. Source: Kubernetes documentation "Validating Admission Policy". */
export function evaluatePolicy(evaluation: Evaluation): PolicyOutcome {
  try {
    return evaluateConditions(evaluation) ?? evaluateMatched(evaluation);
  } catch (error) {
    if (error instanceof NotKnownError) return { ...nothing, notKnown: error.reads };
    if (error instanceof BudgetExceededError) return failed(evaluation.policy, error.message);
    throw error;
  }
}

/** Returns true if a policy has nothing to say of a request, whether its conditions are met or not. */
function isContent(evaluation: Evaluation): boolean {
  try {
    return Object.values(evaluateMatched(evaluation)).every((found: readonly unknown[]) => found.length === 0);
  } catch (error) {
    if (error instanceof NotKnownError || error instanceof BudgetExceededError) return false;
    throw error;
  }
}

function failed({ failsOnError }: CompiledPolicy, message: string): PolicyOutcome {
  return failsOnError ? { ...nothing, objections: [{ index: 0, message, reason: undefined }] } : nothing;
}

/** Returns the outcome of a policy whose conditions are not met, or not known to be; undefined if they are met. */
function evaluateConditions(evaluation: Evaluation): PolicyOutcome | undefined {
  const { policy } = evaluation;
  try {
    const result = evaluateMatchConditions(policy.matchConditions, { ...evaluation, variables: policy.variables });
    if (result === 'met') return undefined;
    return result === 'unmet' ? nothing : failed(policy, result.error);
  } catch (error) {
    if (error instanceof NotKnownError) return isContent(evaluation) ? nothing : { ...nothing, notKnown: error.reads };
    throw error;
  }
}

function evaluateMatched(evaluation: Evaluation): PolicyOutcome {
  const { policy } = evaluation;
  const parts: ActivationParts = { ...evaluation, variables: policy.variables, hasNamespace: true, hasAuthorizer: true };
  const activation = new Activation(parts, maxListCost);
  // A validation that cannot be decided leaves the others as they are: one of them may deny.
  const results = policy.validations.map(({ expression }) => activation.tryToEvaluate(expression));
  const messages = evaluateMessages(policy.validations, { ...parts, hasAuthorizer: false }, activation.remaining);
  const objections = policy.validations.flatMap((validation, index): readonly Objection[] => {
    const result = results[index] as ReturnType<Activation['tryToEvaluate']>;
    if (result instanceof NotKnownError) return [];
    const error = 'error' in result ? result.error : 'exhausted' in messages ? messages.exhausted : undefined;
    if (error !== undefined) return policy.failsOnError ? [{ index, message: error, reason: undefined }] : [];
    if ('value' in result && result.value === true) return [];
    const message = 'texts' in messages ? messages.texts[index] : undefined;
    return [{ index, message: messageOf(validation, message ?? ''), reason: validation.reason ?? 'Invalid' }];
  });
  const { annotations, annotationErrors, unknown } = evaluateAnnotations(policy, { ...parts, hasAuthorizer: false });
  const reads = new Set([...results, ...unknown].flatMap((result) => (result instanceof NotKnownError ? [result.reads] : [])));
  return { annotations, annotationErrors, objections, ...(reads.size > 0 ? { notKnown: [...reads].join(' and ') } : {}) };
}

type Messages = { readonly texts: readonly (string | undefined)[] } | { readonly exhausted: string };

/** Evaluates all expressions of messages, as the real server does, so that they use the same budget. */
function evaluateMessages(validations: readonly CompiledValidation[], parts: ActivationParts, budget: number): Messages {
  if (validations.every(({ messageExpression }) => messageExpression === undefined)) return { texts: [] };
  const activation = new Activation(parts, budget);
  const textFor = ({ messageExpression }: CompiledValidation): string | undefined => {
    const result = messageExpression === undefined ? undefined : attempt(activation, messageExpression);
    return result !== undefined && 'value' in result && typeof result.value === 'string' ? result.value : undefined;
  };
  try {
    return { texts: validations.map(textFor) };
  } catch (error) {
    if (error instanceof BudgetExceededError) return { exhausted: `failed messageExpression: ${error.message}` };
    throw error;
  }
}

/** A message that cannot be known does not change the decision. */
function attempt(activation: Activation, expression: CompiledExpression): ReturnType<Activation['evaluate']> | undefined {
  const result = activation.tryToEvaluate(expression);
  return result instanceof NotKnownError ? undefined : result;
}

/** A longer message of an expression is not shown. Source: observed. */
const maxMessageBytes = 5 * 1024;

function messageOf({ message, expression }: CompiledValidation, evaluated: string): string {
  const text = evaluated.trim();
  if (text !== '' && !text.includes('\n') && Buffer.byteLength(text) <= maxMessageBytes) return text;
  return message.trim() || `failed expression: ${expression.text.trim()}`;
}

function evaluateAnnotations({ auditAnnotations, failsOnError }: CompiledPolicy, parts: ActivationParts) {
  const annotations: (readonly [string, string])[] = [];
  const annotationErrors: string[] = [];
  const unknown: NotKnownError[] = [];
  const activation = new Activation(parts, maxListCost);
  for (const { key, value } of auditAnnotations) {
    const result = activation.tryToEvaluate(value);
    if (result instanceof NotKnownError) unknown.push(result);
    else if ('error' in result) {
      if (failsOnError) annotationErrors.push(result.error);
    } else if (typeof result.value === 'string' && result.value.trim() !== '') annotations.push([key, result.value.trim()]);
  }
  return { annotations, annotationErrors, unknown };
}
