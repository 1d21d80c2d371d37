import type { JsonObject } from '../../util/json.js';
import type { ApiRequest } from '../api/request.js';
import type { Backend, RequestTarget } from '../registry/backend.js';
import { storeName } from '../registry/resource.js';
import { requiredPolicyModule } from './policy-module.js';

const group = 'admissionregistration.k8s.io';

/** Names of the resources of policies and their bindings in the store. */
export const policyStores = { policies: `${group}/validatingadmissionpolicies`, bindings: `${group}/validatingadmissionpolicybindings` };

/** The attributes of a request that policies decide by. */
export interface PolicyAttributes {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  /** As it would be stored; null for a deletion. */
  readonly object: JsonObject | null;
  /** As it is stored now; null for a creation. */
  readonly oldObject: JsonObject | null;
  readonly dryRun: boolean;
  /** The options of a deletion; others are in the query. */
  readonly options?: JsonObject;
}

/** Returns true if policies can decide on requests, whatever they match. */
export function hasPolicies({ store }: Backend): boolean {
  return store.list(policyStores.bindings).length > 0;
}

/** Resources of the server itself that no policy decides on. Source: observed; policies could prevent everybody from repairing them. */
function isExempt({ resource }: RequestTarget): boolean {
  return resource.group === group && /admissionpolic(ies|ybindings)$/.test(storeName(resource));
}

/**
 * Lets ValidatingAdmissionPolicies decide on a request that is valid otherwise. Warnings are added to those of the request.
 * Source: Kubernetes documentation "Validating Admission Policy".
 *
 * @throws StatusError with the reason of the policy
 */
export function admitByPolicies(backend: Backend, target: RequestTarget, request: ApiRequest, attributes: PolicyAttributes): void {
  if (isExempt(target) || !hasPolicies(backend)) return;
  requiredPolicyModule().dispatchPolicies(backend, target, request, attributes);
}
