import type { RunDiagnostic } from '../engine/report/run-diagnostic.js';
import { nameOf } from '../fields/object.js';
import { isJsonObject, type JsonObject } from '../util/json.js';

/** A binding whose policy is not known. */
export interface LooseBinding {
  readonly binding: string;
  readonly policy: string;
}

/** Policies and bindings of documents that enforce nothing. */
export interface UnenforcedPolicies {
  readonly looseBindings: readonly LooseBinding[];
  /** A warning for each binding without its policy, and for each policy without a binding. */
  readonly warnings: readonly RunDiagnostic[];
}

/**
 * Finds the policies and bindings that decide on nothing, because the other half is not among them.
 *
 * @param written policies and bindings of documents.
 * @param others those of a snapshot.
 */
export function unenforcedPolicies(written: readonly JsonObject[], others: readonly JsonObject[]): UnenforcedPolicies {
  const all = [...written, ...others];
  const policies = new Set(all.filter(isPolicy).map(nameOf));
  const bound = new Set(all.filter(isBinding).map(policyNameOf));
  const unbound = written.filter((object) => isPolicy(object) && !bound.has(nameOf(object)));
  const looseBindings = written
    .filter((object) => isBinding(object) && !policies.has(policyNameOf(object)))
    .map((object) => ({ binding: nameOf(object), policy: policyNameOf(object) }));
  return { looseBindings, warnings: [...looseBindings.map(looseWarning), ...unbound.map(unboundWarning)] };
}

function looseWarning({ binding, policy }: LooseBinding): RunDiagnostic {
  return {
    event: 'warning',
    code: 'bound-policy-missing',
    message: `The binding ${binding} names the admission policy ${policy}, which is not among the policies: nothing is enforced by it`,
    next: 'Correct its `policyName`, or add the policy (docs/policies.md).',
  };
}

function unboundWarning(policy: JsonObject): RunDiagnostic {
  return {
    event: 'warning',
    code: 'policy-not-bound',
    message: `The admission policy ${nameOf(policy)} has no binding: nothing is enforced by it`,
    next: 'Add a ValidatingAdmissionPolicyBinding with its name as `policyName` (docs/policies.md).',
  };
}

function isPolicy({ kind }: JsonObject): boolean {
  return kind === 'ValidatingAdmissionPolicy';
}

function isBinding({ kind }: JsonObject): boolean {
  return kind === 'ValidatingAdmissionPolicyBinding';
}

function policyNameOf({ spec }: JsonObject): string {
  return isJsonObject(spec) && typeof spec.policyName === 'string' ? spec.policyName : '';
}
