import type { Json, JsonObject } from '../../util/json.js';
import { Budget } from '../cel/evaluate/budget.js';
import { ResourceCheck } from '../cel/functions/authorizer.js';
import { dynamicValue } from '../cel/schema/json-value.js';
import { CelMap, type CelValue, CostExceededError, EvaluationError } from '../cel/values/value.js';
import type { CompiledExpression } from './compile-expression.js';
import { requestResource } from './environment.js';
import { NotKnownError, type PolicyRequest, type PolicySurroundings, type VersionedResource } from './request.js';

/** The most that one expression may cost. Source: observed. */
const maxExpressionCost = 1_000_000;

/** The words of the real server, in its spelling. */
const costLimitExceeded = ['operation cancel', 'led: actual cost limit exceeded'].join('');

/** The evaluation of a list of expressions ran out of its budget: none of them has a result. */
export class BudgetExceededError extends Error {}

/** The value of an expression, or the reason why it has none. */
export type ExpressionResult = { readonly value: CelValue } | { readonly error: string };

/** The request that expressions are evaluated for, as they see it. */
export interface EvaluatedRequest {
  readonly request: PolicyRequest;
  readonly surroundings: PolicySurroundings;
  /** The version that the policy or webhook matches, in which expressions see the request. */
  readonly resource: VersionedResource;
  readonly object: JsonObject | null;
  readonly oldObject: JsonObject | null;
}

/** The values that the expressions of one list can read. */
export interface ActivationParts extends EvaluatedRequest {
  /** @default null */
  readonly params?: JsonObject | null;
  readonly variables: ReadonlyMap<string, CompiledExpression>;
  /** The value of `request.resource`. @default `resource` */
  readonly shownResource?: VersionedResource;
  readonly hasNamespace: boolean;
  readonly hasAuthorizer: boolean;
}

/** The values of names, which expressions of one list share: each variable is evaluated at most once. */
export class Activation {
  /** The rest of the budget of the list. */
  remaining: number;
  readonly #names: ReadonlyMap<string, CelValue>;
  #variableCost = 0;

  constructor(parts: ActivationParts, budget: number) {
    this.remaining = budget;
    this.#names = new Names(parts, (variable, name) => this.#variable(variable, name));
  }

  /** Evaluates an expression, as `evaluate` does; returns the error of one that reads what nobody knows. */
  tryToEvaluate(expression: CompiledExpression): ExpressionResult | NotKnownError {
    try {
      return this.evaluate(expression);
    } catch (error) {
      if (error instanceof NotKnownError) return error;
      throw error;
    }
  }

  /** Evaluates an expression. @throws BudgetExceededError @throws NotKnownError */
  evaluate({ text, evaluator, error }: CompiledExpression): ExpressionResult {
    if (evaluator === undefined) return { error: `compilation error: ${error?.detail}` };
    const budget = new Budget(maxExpressionCost);
    let result: ExpressionResult;
    try {
      result = { value: evaluator.evaluate(this.#names, budget) };
    } catch (thrown) {
      result = { error: `expression '${text}' resulted in error: ${reasonOf(thrown)}` };
    }
    this.#charge(this.#variableCost);
    this.#variableCost = 0;
    this.#charge(budget.used);
    return result;
  }

  #charge(cost: number): void {
    if (cost > this.remaining)
      throw new BudgetExceededError('validation failed due to running out of cost budget, no further validation rules will be run');
    this.remaining -= cost;
  }

  #variable({ evaluator, error }: CompiledExpression, name: string): CelValue {
    const named = `composited variable ${JSON.stringify(name)}`;
    if (evaluator === undefined) throw new EvaluationError(`${named} fails to compile: ${error?.detail}`);
    const budget = new Budget(maxExpressionCost);
    try {
      return evaluator.evaluate(this.#names, budget);
    } catch (thrown) {
      throw new EvaluationError(`${named} fails to evaluate: ${reasonOf(thrown)}`);
    } finally {
      this.#variableCost += budget.used;
    }
  }
}

/** Returns the words of an error of an evaluation; throws any other one. */
function reasonOf(thrown: unknown): string {
  if (thrown instanceof CostExceededError) return costLimitExceeded;
  if (thrown instanceof EvaluationError) return thrown.message;
  throw thrown;
}

/** The names of an activation. A value is made when an expression first reads it. */
class Names extends Map<string, CelValue> {
  readonly #values: Readonly<Record<string, (() => CelValue) | undefined>>;

  constructor(parts: ActivationParts, evaluate: (variable: CompiledExpression, name: string) => CelValue) {
    super();
    const json = (value: Json) => () => dynamicValue(value);
    const authorizer = () => parts.surroundings.authorizer();
    this.#values = {
      object: json(parts.object),
      oldObject: json(parts.oldObject),
      params: json(parts.params ?? null),
      request: () => requestValue(parts),
      namespaceObject: () => dynamicValue(namespaceOf(parts)),
      variables: () => new Variables(parts.variables, evaluate),
      ...(parts.hasAuthorizer
        ? { authorizer, [requestResource]: () => new ResourceCheck(authorizer(), checkedResource(parts.request)) }
        : {}),
    };
  }

  override get(name: string): CelValue | undefined {
    if (super.has(name)) return super.get(name);
    const value = this.#values[name]?.();
    if (value !== undefined) this.set(name, value);
    return value;
  }

  override has(name: string): boolean {
    return super.has(name) || this.#values[name] !== undefined;
  }
}

function checkedResource({ resource: { group, resource }, subresource, namespace, name }: PolicyRequest) {
  return { group, resource, subresource, namespace, name };
}

function namespaceOf({ request, surroundings, hasNamespace }: ActivationParts): Json {
  const isNamespace = request.kind.group === '' && request.kind.kind === 'Namespace';
  if (!hasNamespace || isNamespace || request.namespace === '') return null;
  const { metadata, spec, status } = surroundings.namespace(request.namespace) ?? {};
  const { managedFields: _, ownerReferences: __, ...shown } = (metadata ?? {}) as JsonObject;
  return { metadata: shown, spec: spec ?? {}, status: status ?? {} };
}

/** The variables of a policy, evaluated when an expression first reads them. */
class Variables extends CelMap {
  readonly objectName = 'kubernetes.variables';
  readonly #declared: ReadonlyMap<string, CompiledExpression>;
  readonly #evaluate: (variable: CompiledExpression, name: string) => CelValue;
  readonly #results = new Map<string, CelValue | EvaluationError>();

  constructor(declared: ReadonlyMap<string, CompiledExpression>, evaluate: (variable: CompiledExpression, name: string) => CelValue) {
    super();
    this.#declared = declared;
    this.#evaluate = evaluate;
  }

  get size(): number {
    return this.#declared.size;
  }

  keys(): readonly string[] {
    return [...this.#declared.keys()];
  }

  get(key: CelValue): CelValue | undefined {
    const variable = this.#declared.get(String(key));
    if (variable === undefined) return undefined;
    const name = String(key);
    let result = this.#results.get(name);
    if (result === undefined) {
      result = this.#attempt(variable, name);
      this.#results.set(name, result);
    }
    if (result instanceof EvaluationError) throw result;
    return result;
  }

  #attempt(variable: CompiledExpression, name: string): CelValue | EvaluationError {
    try {
      return this.#evaluate(variable, name);
    } catch (error) {
      if (error instanceof EvaluationError) return error;
      throw error;
    }
  }
}

/** The variable `request`. The user is asked for only when an expression reads it. */
function requestValue({ request, surroundings, resource, shownResource = resource }: ActivationParts): CelValue {
  const { group, version, kind } = isSame(resource, request.resource) ? request.kind : resource;
  const { subresource, name, namespace, operation, dryRun, options } = request;
  const own = { group: request.resource.group, version: request.resource.version, resource: request.resource.resource };
  const json: JsonObject = {
    uid: '',
    kind: { group, version, kind },
    resource: { group: shownResource.group, version: shownResource.version, resource: shownResource.resource },
    ...(subresource === '' ? {} : { subResource: subresource, requestSubResource: subresource }),
    requestKind: request.kind,
    requestResource: own,
    ...(name === '' ? {} : { name }),
    ...(namespace === '' ? {} : { namespace }),
    operation,
    object: null,
    oldObject: null,
    dryRun,
    options,
  };
  return new RequestMap(json, () => dynamicValue(surroundings.user()));
}

function isSame(left: VersionedResource, right: VersionedResource): boolean {
  return left.group === right.group && left.version === right.version && left.resource === right.resource;
}

class RequestMap extends CelMap {
  readonly objectName = 'kubernetes.AdmissionRequest';
  readonly #json: JsonObject;
  readonly #userInfo: () => CelValue;

  constructor(json: JsonObject, userInfo: () => CelValue) {
    super();
    this.#json = json;
    this.#userInfo = userInfo;
  }

  get size(): number {
    return this.keys().length;
  }

  keys(): readonly string[] {
    return [...Object.keys(this.#json), 'userInfo'];
  }

  get(key: CelValue): CelValue | undefined {
    if (key === 'userInfo') return this.#userInfo();
    const value = Object.hasOwn(this.#json, String(key)) ? this.#json[String(key)] : undefined;
    return value === undefined ? undefined : dynamicValue(value);
  }

  override has(key: CelValue): boolean {
    return key === 'userInfo' || Object.hasOwn(this.#json, String(key));
  }
}
