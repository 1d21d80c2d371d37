import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { matchResources } from '../policies/match.js';
import type { PolicyRequest, VersionedResource } from '../policies/request.js';
import type { Backend, RequestTarget } from '../registry/backend.js';
import { type Reviewer, reviewerAddress } from '../webhooks/call-reviewer.js';
import { admissionGroup, webhookStores } from './policy-attributes.js';

/** One webhook of a MutatingWebhookConfiguration or ValidatingWebhookConfiguration, with the server's defaults. */
export interface Webhook extends Reviewer {
  /** As it is configured. */
  readonly declared: JsonObject;
  readonly name: string;
  readonly mutating: boolean;
  readonly failurePolicy: 'Fail' | 'Ignore';
  readonly hasNoSideEffects: boolean;
  /** The version of AdmissionReview that it is sent. */
  readonly reviewVersion: string;
}

/** Returns true if webhooks are configured, whatever they match. */
export function hasWebhooks({ store, webhooks }: Backend): boolean {
  return webhooks && Object.values(webhookStores).some((name) => store.list(name).length > 0);
}

/** Returns the configured webhooks of a kind in the order of their configurations' names. */
export function configuredWebhooks({ store }: Backend, { resource }: RequestTarget, kind: keyof typeof webhookStores): readonly Webhook[] {
  // A broken webhook could prevent everybody from repairing its own configuration.
  if (resource.group === admissionGroup) return [];
  return store.list(webhookStores[kind]).flatMap((configuration) => {
    return objects(configuration.webhooks).map((declared) => webhookOf(declared, kind === 'mutating'));
  });
}

/** Returns true for a webhook whose match conditions must hold. */
export function hasConditions({ declared }: Webhook): boolean {
  return objects(declared.matchConditions).length > 0;
}

/** Returns the resource in the version that the rules and selectors of a webhook match; undefined if they do not match the request. */
export function matchedResource({ store }: Backend, { declared }: Webhook, request: PolicyRequest): VersionedResource | undefined {
  const { rules, ...selectors } = declared;
  if (objects(rules).length === 0) return undefined;
  const namespace = (name: string) => store.get({ resource: '/namespaces', namespace: '', name });
  return matchResources({ ...selectors, resourceRules: rules ?? [] }, request, { namespace });
}

function webhookOf(webhook: JsonObject, mutating: boolean): Webhook {
  return {
    declared: webhook,
    name: String(webhook.name),
    mutating,
    address: reviewerAddress(webhook.clientConfig),
    failurePolicy: webhook.failurePolicy === 'Ignore' ? 'Ignore' : 'Fail',
    timeoutSeconds: typeof webhook.timeoutSeconds === 'number' ? webhook.timeoutSeconds : 10,
    // A configuration without a known version is refused when it is written.
    reviewVersion: strings(webhook.admissionReviewVersions).find((each) => each === 'v1' || each === 'v1beta1') ?? 'v1',
    hasNoSideEffects: webhook.sideEffects === 'None' || webhook.sideEffects === 'NoneOnDryRun',
  };
}

function objects(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? (value as readonly Json[]).filter(isJsonObject) : [];
}

function strings(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? (value as readonly string[]) : [];
}

/** An object as admission leaves it. */
export interface Admitted<Content extends JsonObject | null = JsonObject | null> {
  readonly object: Content;
  /** See `DecodedObject`. */
  readonly explicitEmpty: readonly string[];
}

/** The attributes of a write that admission decides by. */
export interface AdmissionAttributes {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  /** As it would be stored; null for a deletion. */
  readonly object: JsonObject | null;
  /** As it is stored now; null for a creation. */
  readonly oldObject: JsonObject | null;
  /** Of `object`, see `DecodedObject`. Only an update needs them. */
  readonly explicitEmpty?: readonly string[];
  readonly dryRun: boolean;
  /** The options of a deletion; others are in the query. */
  readonly options?: JsonObject;
}
