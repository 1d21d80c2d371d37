import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import type { Backend, ObjectTarget } from '../registry/backend.js';
import { selectorMatcher } from '../registry/selectors.js';
import { type Reviewer, reviewerAddress } from '../webhooks/call-reviewer.js';

/** One webhook of a MutatingWebhookConfiguration or ValidatingWebhookConfiguration, with the server's defaults. */
export interface Webhook extends Reviewer {
  readonly name: string;
  readonly mutating: boolean;
  readonly failurePolicy: 'Fail' | 'Ignore';
  readonly hasNoSideEffects: boolean;
  /** The version of AdmissionReview that it is sent. */
  readonly reviewVersion: string;
}

const group = 'admissionregistration.k8s.io';
const kinds = { mutating: `${group}/mutatingwebhookconfigurations`, validating: `${group}/validatingwebhookconfigurations` };

/** Returns true if webhooks are configured, whatever they match. */
export function hasWebhooks({ store, webhooks }: Backend): boolean {
  return webhooks && Object.values(kinds).some((kind) => store.list(kind).length > 0);
}

/** Returns the webhooks that match a write: mutating ones first, in the order of their configurations' names. */
export function matchingWebhooks(backend: Backend, target: ObjectTarget, admission: AdmissionAttributes): readonly Webhook[] {
  // A broken webhook could prevent everybody from repairing its own configuration.
  if (target.resource.group === group) return [];
  return [true, false].flatMap((mutating) => {
    return backend.store.list(mutating ? kinds.mutating : kinds.validating).flatMap((configuration) => {
      return objects(configuration.webhooks)
        .filter((webhook) => shouldCallHook(backend, target, admission, webhook))
        .map((webhook) => webhookOf(webhook, mutating));
    });
  });
}

function webhookOf(webhook: JsonObject, mutating: boolean): Webhook {
  return {
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

function shouldCallHook(backend: Backend, target: ObjectTarget, admission: AdmissionAttributes, webhook: JsonObject): boolean {
  const object = admission.object ?? admission.oldObject;
  return (
    objects(webhook.rules).some((rule) => ruleMatches(target, admission, rule, webhook.matchPolicy !== 'Exact')) &&
    namespaceMatches(backend, target, object, webhook.namespaceSelector) &&
    [admission.object, admission.oldObject].some((each) => each !== null && selectorMatcher(webhook.objectSelector)(each))
  );
}

/**
 * Returns true if a rule matches a request.
 * Source: Kubernetes documentation "Dynamic Admission Control", "Matching requests: rules", "matchPolicy".
 */
function ruleMatches(target: ObjectTarget, { operation }: AdmissionAttributes, rule: JsonObject, equivalent: boolean): boolean {
  const { resource, version, subresource, namespace } = target;
  const has = (list: Json | undefined, wanted: string) => strings(list).includes('*') || strings(list).includes(wanted);
  const versions = equivalent ? [...resource.versions.keys()] : [version.name];
  const { scope = '*' } = rule;
  const resources = strings(rule.resources);
  const { plural } = resource;
  // A `*` after the slash matches any subresource, and also none. Source: observed.
  const own = subresource === undefined ? ['*', plural] : [`${plural}/${subresource}`, `*/${subresource}`];
  const matchesResource = [...own, `${plural}/*`, '*/*'].some((each) => resources.includes(each));
  return (
    has(rule.operations, operation) &&
    has(rule.apiGroups, resource.group) &&
    versions.some((each) => has(rule.apiVersions, each)) &&
    matchesResource &&
    (scope === '*' || (scope === 'Namespaced') === (namespace !== undefined))
  );
}

/** Returns true if the namespace selector matches: every cluster-scoped object does, except a Namespace, which is matched by its labels. */
function namespaceMatches(backend: Backend, target: ObjectTarget, object: JsonObject | null, selector: Json | undefined): boolean {
  const matches = selectorMatcher(selector);
  if (target.namespace !== undefined) {
    const namespace = backend.store.get({ resource: '/namespaces', namespace: '', name: target.namespace });
    return namespace === undefined || matches(namespace);
  }
  return object?.kind !== 'Namespace' || matches(object);
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
}
