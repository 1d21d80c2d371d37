import { metadataOf } from '../../kubernetes/object.js';
import { readEntries } from '../../ownership/index.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import type { ApiRequest } from '../api/request.js';
import { badRequest, StatusError, unexpectedError } from '../api/status-error.js';
import { userInfo } from '../authentication/subject-reviews.js';
import { administrator } from '../authentication/user.js';
import { withConversions } from '../conversion/conversions.js';
import { jsonPatch, PatchError } from '../patch/json-patch.js';
import type { Backend, ObjectTarget } from '../registry/backend.js';
import { dedupOwnerReferences } from '../registry/dedup-owner-references.js';
import type { DecodedObject } from '../registry/resource.js';
import { callWebhook } from './call-webhook.js';
import { loadPolicyModule, requiredPolicyModule } from './policy-module.js';
import { policyRequestOf } from './policy-request.js';
import { type AdmissionAttributes, type Admitted, configuredWebhooks, hasConditions, matchedResource, type Webhook } from './webhook.js';

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
    const current = { ...admission, object };
    if (!(await isMatch(backend, target, request, current, webhook))) continue;
    const patched = await review(backend, target, request, current, webhook);
    if (patched !== undefined) ({ object, explicitEmpty } = patched);
  }
  if (object !== null && object !== admission.object)
    object = dedupOwnerReferences(target, withReadableOwners(target, object, admission.object ?? {}), 'patch');
  const changed = { ...admission, object };
  const validating: Webhook[] = [];
  for (const webhook of configuredWebhooks(backend, target, 'validating'))
    if (await isMatch(backend, target, request, changed, webhook)) validating.push(webhook);
  for (const webhook of validating) await review(backend, target, request, changed, webhook);
  return { object, explicitEmpty };
}

/** Returns true if a webhook matches a request. @throws StatusError if its match conditions cannot be evaluated, with `failurePolicy: Fail` */
async function isMatch(
  backend: Backend,
  target: ObjectTarget,
  request: ApiRequest,
  admission: AdmissionAttributes,
  webhook: Webhook,
): Promise<boolean> {
  const reviewed = policyRequestOf(backend, target, request, admission);
  const resource = matchedResource(backend, webhook, reviewed);
  if (resource === undefined || !hasConditions(webhook)) return resource !== undefined;
  await loadPolicyModule();
  const { meetsConditions } = requiredPolicyModule();
  return withConversions(backend, target, () => meetsConditions(backend, target, request, reviewed, resource, webhook));
}

/** Lets a webhook review a request; returns the object that it has changed. @throws StatusError */
async function review(
  backend: Backend,
  target: ObjectTarget,
  request: ApiRequest,
  admission: AdmissionAttributes,
  webhook: Webhook,
): Promise<DecodedObject | undefined> {
  if (admission.dryRun && !webhook.hasNoSideEffects)
    throw badRequest(`admission webhook ${JSON.stringify(webhook.name)} does not support dry run`);
  const uid = backend.newUid();
  let response: JsonObject;
  let patched: DecodedObject | undefined;
  try {
    response = await callWebhook(backend, webhook, admissionReview(uid, webhook, target, request, admission), uid);
    patched = response.allowed === true ? applyAdmissionPatch(webhook, target, admission.object, response) : undefined;
  } catch (error) {
    if (webhook.failurePolicy === 'Ignore') return undefined;
    const text = `failed calling webhook ${JSON.stringify(webhook.name)}: ${error instanceof Error ? error.message : String(error)}`;
    throw unexpectedError(text);
  }
  if (Array.isArray(response.warnings)) target.warnings.push(...(response.warnings as string[]));
  if (response.allowed !== true) throw denial(webhook, response);
  return patched;
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

function admissionReview(
  uid: string,
  { reviewVersion }: Webhook,
  target: ObjectTarget,
  request: ApiRequest,
  admission: AdmissionAttributes,
): JsonObject {
  const { resource, version, namespace, name, subresource } = target;
  const kind = { group: resource.group, version: version.name, kind: resource.kind };
  const plural = { group: resource.group, version: version.name, resource: resource.plural };
  const part = subresource === undefined ? {} : { subResource: subresource, requestSubResource: subresource };
  return {
    apiVersion: `admission.k8s.io/${reviewVersion}`,
    kind: 'AdmissionReview',
    request: {
      uid,
      kind,
      resource: plural,
      requestKind: kind,
      requestResource: plural,
      ...part,
      name,
      ...(namespace === undefined ? {} : { namespace }),
      operation: admission.operation,
      userInfo: userInfo(request.user ?? administrator),
      object: admission.object,
      oldObject: admission.oldObject,
      dryRun: admission.dryRun,
      options: null,
    },
  };
}

/** Returns the patched object, or undefined if the webhook changes nothing. @throws Error if the patch cannot be applied */
function applyAdmissionPatch(
  webhook: Webhook,
  target: ObjectTarget,
  object: JsonObject | null,
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
  return target.resource.strategy.decodeRequest(result, target.version.apiVersion);
}

function denial({ name }: Webhook, response: JsonObject): StatusError {
  const { code, message, reason } = (isJsonObject(response.status) ? response.status : {}) as {
    code?: number;
    message?: string;
    reason?: string;
  };
  const deniedBy = `admission webhook ${JSON.stringify(name)} denied the request`;
  const why = message || reason;
  return new StatusError(Math.max(code ?? 400, 400), reason, why ? `${deniedBy}: ${why}` : `${deniedBy} without explanation`);
}
