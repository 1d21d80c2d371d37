import type { JsonObject } from '../../util/json.js';
import type { Backend } from '../registry/backend.js';

export const admissionGroup = 'admissionregistration.k8s.io';

/** Names of the resources of policies and their bindings in the store. */
export const policyStores = {
  policies: `${admissionGroup}/validatingadmissionpolicies`,
  bindings: `${admissionGroup}/validatingadmissionpolicybindings`,
};

/** Names of the resources of webhooks in the store. */
export const webhookStores = {
  mutating: `${admissionGroup}/mutatingwebhookconfigurations`,
  validating: `${admissionGroup}/validatingwebhookconfigurations`,
};

/** Returns true if policies can decide on requests, whatever they match. */
export function hasPolicies({ store }: Backend): boolean {
  return store.list(policyStores.bindings).length > 0;
}

/** The attributes of a request that policies decide by. */
export interface PolicyAttributes {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  /** As it would be stored; null for a deletion. */
  readonly object: JsonObject | null;
  /** As it is stored now; null for a creation. */
  readonly oldObject: JsonObject | null;
  readonly dryRun: boolean;
  /** The options of a deletion, or null for a connection; others are in the query. */
  readonly options?: JsonObject | null;
}
