import { metadataOf } from '../../fields/object.js';
import { readEntries } from '../../ownership/index.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import type { ApiRequest } from '../api/request.js';
import { badRequest, unexpectedError } from '../api/status-error.js';
import { administrator } from '../api/user.js';
import { userInfo } from '../authentication/subject-reviews.js';
import { withConversions } from '../conversion/conversions.js';
import { jsonPatch, PatchError } from '../patch/json-patch.js';
import type { Backend, ObjectTarget } from '../registry/backend.js';
import { dedupOwnerReferences } from '../registry/dedup-owner-references.js';
import { apiVersionOf, type DecodedObject } from '../registry/resource.js';
import { admissionReview, isOwnVersion, type VersionedRequest } from './admission-review.js';
import { callWebhook } from './call-webhook.js';
import { dispatchModule } from './dispatch-module.js';
import { policyRequestOf, versionedIn } from './policy-request.js';
import { type AdmissionAttributes, type Admitted, configuredWebhooks, hasConditions, matchedResource, type Webhook } from './webhook.js';
import { denial } from './webhook-answer.js';

/**
 * Calls each webhook that matches a request: the mutating ones, of which each sees what those before it have made, then the validating ones.
 *
 * @throws StatusError if one denies the request, or fails with `failurePolicy: Fail`
 */
export async function dispatchWebhooks(
  backend: Backend,
  target: ObjectTarget,
  request: ApiRequest,
  admission: AdmissionAttributes,
): Promise<Admitted> {
  let { object, explicitEmpty = [] } = admission;
  for (const webhook of configuredWebhooks(backend, target, 'mutating')) {
    const matched = await match(backend, target, request, { ...admission, object }, webhook);
    const patched = matched && (await review(backend, target, request, matched, webhook));
    if (patched !== undefined) ({ object, explicitEmpty } = patched);
  }
  if (object !== null && object !== admission.object)
    object = dedupOwnerReferences(target, withReadableOwners(target, object, admission.object ?? {}), 'patch');
  const changed = { ...admission, object };
  const validating: (() => Promise<unknown>)[] = [];
  for (const webhook of configuredWebhooks(backend, target, 'validating')) {
    const matched = await match(backend, target, request, changed, webhook);
    if (matched !== undefined) validating.push(() => review(backend, target, request, matched, webhook));
  }
  for (const each of validating) await each();
  return { object, explicitEmpty };
}

/**
 * Returns a request in the version that a webhook matches; undefined if it does not match.
 *
 * @throws StatusError if its match conditions cannot be evaluated, with `failurePolicy: Fail`, or the objects cannot be converted
 */
async function match(
  backend: Backend,
  target: ObjectTarget,
  sent: ApiRequest,
  admission: AdmissionAttributes,
  webhook: Webhook,
): Promise<VersionedRequest | undefined> {
  const request = policyRequestOf(backend, target, sent, admission);
  const resource = matchedResource(backend, webhook, request);
  if (resource === undefined) return undefined;
  if (hasConditions(webhook)) {
    await dispatchModule.load();
    const { meetsConditions } = dispatchModule.get();
    if (!(await withConversions(backend, target, () => meetsConditions(backend, target, sent, request, resource, webhook))))
      return undefined;
  }
  const inVersion = versionedIn(target);
  const versioned = (object: JsonObject | null) => (object === null ? null : inVersion(object, resource));
  return withConversions(backend, target, () => ({
    ...{ request, resource },
    object: versioned(request.object),
    oldObject: versioned(request.oldObject),
  }));
}

/** Lets a webhook review a request; returns the object that it has changed. @throws StatusError */
async function review(
  backend: Backend,
  target: ObjectTarget,
  sent: ApiRequest,
  matched: VersionedRequest,
  webhook: Webhook,
): Promise<DecodedObject | undefined> {
  if (matched.request.dryRun && !webhook.hasNoSideEffects)
    throw badRequest(`admission webhook ${JSON.stringify(webhook.name)} does not support dry run`);
  const uid = backend.newUid();
  let response: JsonObject;
  let patched: DecodedObject | undefined;
  try {
    const user = userInfo(sent.user ?? administrator);
    response = await callWebhook(backend, webhook, admissionReview(uid, webhook.reviewVersion, matched, user), uid);
    patched = response.allowed === true ? applyAdmissionPatch(webhook, target, matched, response) : undefined;
  } catch (error) {
    if (webhook.failurePolicy === 'Ignore') return undefined;
    const text = `failed calling webhook ${JSON.stringify(webhook.name)}: ${error instanceof Error ? error.message : String(error)}`;
    throw unexpectedError(text);
  }
  if (Array.isArray(response.warnings)) target.warnings.push(...(response.warnings as string[]));
  if (response.allowed !== true) throw denial(webhook.name, response);
  if (patched === undefined || isOwnVersion(matched.resource, matched.request.resource)) return patched;
  const { object } = patched;
  const own = await withConversions(backend, target, () => versionedIn(target)(object, matched.request.resource));
  return { object: own, explicitEmpty: [] };
}

/** Takes back what webhooks did to managedFields if the entries have become invalid; what is in `fieldsV1` is not looked at. Source: observed. */
function withReadableOwners(target: ObjectTarget, object: JsonObject, before: JsonObject): JsonObject {
  const metadata = metadataOf(object);
  const entries = Array.isArray(metadata.managedFields) ? (metadata.managedFields as readonly Json[]) : [];
  try {
    readEntries(entries.map((entry) => (isJsonObject(entry) ? { ...entry, fieldsV1: {} } : entry)) as Json);
    return object;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    target.warnings.push(
      `.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: ${error.message}`,
    );
    return { ...object, metadata: { ...metadata, managedFields: metadataOf(before).managedFields } };
  }
}

/** Returns the patched object in the version that the webhook matches, or undefined if the webhook changes nothing. @throws Error if the patch cannot be applied */
function applyAdmissionPatch(
  webhook: Webhook,
  target: ObjectTarget,
  { object, resource: { group, version } }: VersionedRequest,
  { patch, patchType }: JsonObject,
): DecodedObject | undefined {
  if (!webhook.mutating || object === null || typeof patch !== 'string' || patch === '') return undefined;
  if (patchType !== 'JSONPatch') throw new Error(`unknown patch type ${JSON.stringify(patchType ?? '')}`);
  let result: Json;
  try {
    result = jsonPatch(object, JSON.parse(Buffer.from(patch, 'base64').toString('utf8')) as readonly JsonObject[]);
  } catch (error) {
    if (error instanceof PatchError || error instanceof SyntaxError) throw new Error(`the patch does not apply: ${error.message}`);
    throw error;
  }
  if (!isJsonObject(result) || !isJsonObject(result.metadata)) throw new Error('the patch leaves no object');
  return target.resource.strategy.decodeRequest(result, apiVersionOf(group, version));
}
