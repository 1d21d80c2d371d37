import type { ApiRequest } from '../api/request.js';
import type { Backend, RequestTarget } from '../registry/backend.js';
import { storeName } from '../registry/resource.js';
import { dispatchModule } from './dispatch-module.js';
import { admissionGroup, hasPolicies, type PolicyAttributes } from './policy-attributes.js';

/** Resources of the server itself that no policy decides on. Source: observed; policies could prevent everybody from repairing them. */
function isExempt({ resource }: RequestTarget): boolean {
  return resource.group === admissionGroup && /admissionpolic(ies|ybindings)$/.test(storeName(resource));
}

/**
 * Lets ValidatingAdmissionPolicies decide on a request that is valid otherwise. Warnings are added to those of the request.
 * Source: Kubernetes documentation "Validating Admission Policy".
 *
 * @throws StatusError with the reason of the policy
 */
export function admitByPolicies(backend: Backend, target: RequestTarget, request: ApiRequest, attributes: PolicyAttributes): void {
  if (isExempt(target) || !hasPolicies(backend)) return;
  dispatchModule.get().dispatchPolicies(backend, target, request, attributes);
}
