import type { JsonObject } from '../../util/json.js';
import type { ApiRequest } from '../api/request.js';
import { forbidden, StatusError } from '../api/status-error.js';
import { administrator } from '../api/user.js';
import { userInfo } from '../authentication/subject-reviews.js';
import { decide as authorize } from '../authorization/authorize.js';
import {
  AuthorizerValue,
  boundPolicies,
  decide,
  denialText,
  type ParamStore,
  type PolicyFinding,
  type PolicyRequest,
  type PolicySurroundings,
  warningText,
} from '../policies/index.js';
import type { Backend, RequestTarget } from '../registry/backend.js';
import { type Resource, storeName } from '../registry/resource.js';
import { type PolicyAttributes, policyStores } from './policy-attributes.js';
import { policyRequestOf, versionedIn } from './policy-request.js';

/** Lets all policies decide. @throws StatusError for the first denial */
export function dispatchPolicies(backend: Backend, target: RequestTarget, request: ApiRequest, attributes: PolicyAttributes): void {
  const policyRequest = policyRequestOf(backend, target, request, attributes);
  const { findings } = decide(boundPoliciesOf(backend), policyRequest, surroundingsOf(backend, target, request));
  for (const finding of findings) if (finding.action === 'Warn') target.warnings.push(warningText(finding));
  const denial = findings.find(({ action }) => action === 'Deny');
  if (denial !== undefined) throw refusal(target, policyRequest, denial);
}

/** Returns the stored policies that have bindings. */
export function boundPoliciesOf({ store }: Backend): ReturnType<typeof boundPolicies> {
  return boundPolicies(store.list(policyStores.policies), store.list(policyStores.bindings));
}

/** Codes of the reasons that a validation may give. Source: Kubernetes API reference, Validation, "reason". */
const codes: Readonly<Record<string, number>> = { Forbidden: 403, Unauthorized: 401, RequestEntityTooLarge: 413 };

function refusal({ resource }: RequestTarget, { name }: PolicyRequest, denial: PolicyFinding): StatusError {
  const text = denialText(denial);
  const { message, status } = forbidden(resource, name || 'Unknown', text);
  const details = { ...(status.details as JsonObject), causes: [{ message: text }] };
  return new StatusError(codes[denial.reason] ?? 422, denial.reason, message, details);
}

/** Returns the surroundings of a request, of which the server knows all. */
export function surroundingsOf(backend: Backend, target: RequestTarget, request: ApiRequest): PolicySurroundings {
  const user = request.user ?? administrator;
  return {
    inVersion: versionedIn(target),
    namespace: (name) => backend.store.get({ resource: '/namespaces', namespace: '', name }),
    params: (kind) => paramStoreOf(backend, kind),
    user: () => userInfo(user),
    authorizer: () => new AuthorizerValue(user, (who, attributes) => authorize(backend, who, attributes)),
  };
}

/** Returns the objects of a kind; undefined if the server does not serve it. */
export function paramStoreOf(
  { store, catalog }: Backend,
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
): ParamStore | undefined {
  const resource = catalog.all().find((each) => each.kind === kind && servesVersion(each, apiVersion));
  if (resource === undefined) return undefined;
  const decoded = (stored: JsonObject) => resource.strategy.decode(stored, apiVersion);
  return {
    namespaced: resource.namespaced,
    isComplete: () => true,
    get: (namespace, name) => {
      const stored = store.get({ resource: storeName(resource), namespace, name });
      return stored && decoded(stored);
    },
    list: (namespace) => store.list(storeName(resource), namespace === '' ? undefined : namespace).map(decoded),
  };
}

function servesVersion({ versions }: Resource, apiVersion: string): boolean {
  return [...versions.values()].some((version) => version.apiVersion === apiVersion);
}
