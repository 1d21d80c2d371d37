import { nameOf } from '../../../../fields/object.js';
import { isJsonObject, type Json, type JsonObject } from '../../../../util/json.js';
import { limitsNames, matchesRule, mayMatchRule, rulesOf } from './admission-rules.js';
import type { KindScope, Observer } from './observer.js';

/**
 * Returns the bindings of admission policies, each with the limits of its policy. A policy without a binding has no effect. Conditions,
 * parameters and actions are not evaluated: each policy is taken to be evaluated for whatever its resources and selectors match.
 *
 * @param kind the kind of the policies, which items of a list lack.
 */
export function policyObservers(policies: readonly JsonObject[], bindings: readonly JsonObject[], kind: string): readonly Observer[] {
  return bindings.flatMap(({ spec: binding }) => {
    const { policyName, matchResources } = isJsonObject(binding) ? binding : {};
    return policies
      .filter((policy) => policyName === undefined || policyName === nameOf(policy))
      .map((policy) => {
        const constraints = isJsonObject(policy.spec) ? policy.spec.matchConstraints : undefined;
        return observerOf(`${kind} ${nameOf(policy)}`, [constraints, matchResources]);
      });
  });
}

/** @param limits MatchResources that all must match. Source: Kubernetes API reference, MatchResources v1 admissionregistration.k8s.io. */
function observerOf(source: string, limits: readonly (Json | undefined)[]): Observer {
  const given = limits.filter(isJsonObject);
  return {
    source,
    observes: (place, name) => given.every((limit) => mayMatch(limit, place, name)),
    limitsNames: given.some((limit) => resourceRulesOf(limit).some(limitsNames)),
    namespaceSelectors: given.map(({ namespaceSelector }) => namespaceSelector ?? null),
    objectSelectors: given.map(({ objectSelector }) => objectSelector ?? null),
  };
}

function mayMatch(limit: JsonObject, place: KindScope, name: string | undefined): boolean {
  if (rulesOf(limit, 'excludeResourceRules')?.some((rule) => matchesRule(rule, place))) return false;
  const rules = resourceRulesOf(limit);
  return rules.length === 0 || rules.some((rule) => mayMatchRule(rule, place, limit.matchPolicy, name));
}

/** Returns the rules of which one must match; where there are none, every resource matches. */
function resourceRulesOf(limit: JsonObject): readonly JsonObject[] {
  return rulesOf(limit, 'resourceRules') ?? [];
}
