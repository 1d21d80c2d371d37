import type { JsonObject } from '../../util/json.js';
import { ConfigurationError, collectParams } from './collect-params.js';
import { type CompiledPolicy, compilePolicy } from './compile-policy.js';
import { evaluatePolicy, type PolicyOutcome } from './evaluate-policy.js';
import { matchResources } from './match.js';
import { memberText, objectOf, textsOf } from './members.js';
import { NotKnownError, type ParamStore, type PolicyRequest, type PolicySurroundings, type VersionedResource } from './request.js';

/** The effect of a binding on an objection. Source: Kubernetes API reference, ValidatingAdmissionPolicyBindingSpec. */
export type ValidationAction = 'Deny' | 'Warn' | 'Audit';

/** An objection of a policy to a request. */
export interface PolicyFinding {
  readonly policy: string;
  /** Undefined if the policy itself cannot be evaluated. */
  readonly binding: string | undefined;
  readonly action: ValidationAction;
  readonly message: string;
  /** The reason of the Status that refuses the request. */
  readonly reason: string;
}

/** The decision of all policies on a request. */
export interface PolicyDecision {
  readonly findings: readonly PolicyFinding[];
  /** Values of audit annotations, by the name of the policy and the key. */
  readonly annotations: ReadonlyMap<string, string>;
  /** Policies that read what nobody knows. */
  readonly notEvaluated: readonly { readonly policy: string; readonly binding: string | undefined; readonly reads: string }[];
}

/** A policy and its bindings, as the server stores them. */
export interface BoundPolicy {
  readonly policy: JsonObject;
  readonly bindings: readonly JsonObject[];
}

/** Returns policies with the bindings that name them, each in the order of the names. Without a binding, a policy decides nothing. */
export function boundPolicies(policies: readonly JsonObject[], bindings: readonly JsonObject[]): readonly BoundPolicy[] {
  const byPolicy = new Map<string, JsonObject[]>();
  for (const binding of bindings) {
    const name = memberText(objectOf(binding.spec).policyName);
    const named = byPolicy.get(name);
    if (named === undefined) byPolicy.set(name, [binding]);
    else named.push(binding);
  }
  return policies.flatMap((policy) => {
    const named = byPolicy.get(nameOf(policy));
    return named === undefined ? [] : [{ policy, bindings: named }];
  });
}

function nameOf({ metadata }: JsonObject): string {
  return memberText(objectOf(metadata).name);
}

/** Decides on a request by all policies. Source: Kubernetes documentation "Validating Admission Policy". */
export function decide(policies: readonly BoundPolicy[], request: PolicyRequest, surroundings: PolicySurroundings): PolicyDecision {
  const decider = new Decider(request, surroundings);
  for (const { policy, bindings } of policies) decider.decide(policy, bindings);
  return decider;
}

class Decider implements PolicyDecision {
  readonly findings: PolicyFinding[] = [];
  readonly annotations = new Map<string, string>();
  readonly notEvaluated: { readonly policy: string; readonly binding: string | undefined; readonly reads: string }[] = [];
  readonly #request: PolicyRequest;
  readonly #surroundings: PolicySurroundings;

  constructor(request: PolicyRequest, surroundings: PolicySurroundings) {
    this.#request = request;
    this.#surroundings = surroundings;
  }

  decide(policy: JsonObject, bindings: readonly JsonObject[]): void {
    const compiled = compilePolicy(policy);
    this.#guarded(compiled, undefined, () => {
      const resource = matchResources(objectOf(compiled.spec.matchConstraints), this.#request, this.#surroundings);
      if (resource === undefined) return;
      const store = this.#paramStore(compiled);
      for (const binding of bindings) this.#guarded(compiled, binding, () => this.#bind(compiled, binding, resource, store));
    });
  }

  /** Keeps errors of the configuration as findings, and names what is not known. */
  #guarded(compiled: CompiledPolicy, binding: JsonObject | undefined, run: () => void): void {
    const named = { policy: compiled.name, binding: binding && nameOf(binding) };
    try {
      run();
    } catch (error) {
      if (error instanceof NotKnownError) this.notEvaluated.push({ ...named, reads: error.reads });
      else if (!(error instanceof ConfigurationError)) throw error;
      else if (compiled.failsOnError) {
        const message = `failed to configure ${binding === undefined ? 'policy' : 'binding'}: ${error.message}`;
        this.findings.push({ ...named, action: 'Deny', message, reason: 'Invalid' });
      }
    }
  }

  #paramStore({ spec }: CompiledPolicy): ParamStore | undefined {
    if (spec.paramKind === undefined) return undefined;
    const { apiVersion, kind } = objectOf(spec.paramKind);
    const store = this.#surroundings.params({ apiVersion: memberText(apiVersion), kind: memberText(kind) });
    if (store !== undefined) return store;
    const groupVersion = memberText(apiVersion).includes('/') ? memberText(apiVersion) : `/${memberText(apiVersion)}`;
    throw new ConfigurationError(`failed to find resource referenced by paramKind: '${groupVersion}, Kind=${memberText(kind)}'`);
  }

  #bind(compiled: CompiledPolicy, binding: JsonObject, resource: VersionedResource, store: ParamStore | undefined): void {
    const { matchResources: declared, validationActions } = objectOf(binding.spec);
    const request = this.#request;
    const surroundings = this.#surroundings;
    if (declared !== undefined && matchResources(objectOf(declared), request, surroundings) === undefined) return;
    const versioned = (object: JsonObject | null) => (object === null ? null : surroundings.inVersion(object, resource));
    for (const params of collectParams(store, binding, request.namespace)) {
      const [object, oldObject] = [versioned(request.object), versioned(request.oldObject)];
      const outcome = evaluatePolicy({ policy: compiled, request, surroundings, resource, object, oldObject, params });
      this.#keep(compiled.name, nameOf(binding), textsOf(validationActions) as readonly ValidationAction[], outcome);
    }
  }

  #keep(policy: string, binding: string, actions: readonly ValidationAction[], outcome: PolicyOutcome): void {
    if (outcome.notKnown !== undefined) this.notEvaluated.push({ policy, binding, reads: outcome.notKnown });
    for (const { message, reason = 'Invalid' } of outcome.objections)
      for (const action of actions) this.findings.push({ policy, binding, action, message, reason });
    for (const message of outcome.annotationErrors) this.findings.push({ policy, binding, action: 'Deny', message, reason: 'Invalid' });
    for (const [key, value] of outcome.annotations) this.#annotate(`${policy}/${key}`, value);
  }

  /** Several bindings and parameters may give one annotation several values. */
  #annotate(name: string, value: string): void {
    const before = this.annotations.get(name);
    if (before === undefined) this.annotations.set(name, value);
    else if (!before.split(', ').includes(value)) this.annotations.set(name, `${before}, ${value}`);
  }
}

/** Returns the words by which the server warns of a finding. Source: observed. */
export function warningText({ policy, binding, message }: PolicyFinding): string {
  return `Validation failed for ValidatingAdmissionPolicy '${policy}' with binding '${binding}': ${message}`;
}

/** Returns the words by which the server refuses a request for a finding. Source: observed. */
export function denialText({ policy, binding, message }: PolicyFinding): string {
  return `ValidatingAdmissionPolicy '${policy}'${binding === undefined ? '' : ` with binding '${binding}'`} denied request: ${message}`;
}
