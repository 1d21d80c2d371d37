import { metadataOf } from '../../fields/object.js';
import { applyRequest } from '../../ownership/index.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { YamlTextError } from '../../util/yaml-text-error.js';
import { Admission } from '../admission/admission.js';
import { goTypeOf, JsonTextError } from '../api/json-text.js';
import { type ApiRequest, type ApiResponse, apiResponse } from '../api/request.js';
import { badRequest, conflictOn, internalError, notFound, StatusError } from '../api/status-error.js';
import { withConversions } from '../conversion/conversions.js';
import { readStored, requestScopeOf } from '../conversion/request-scope.js';
import { bodyText } from '../http/body.js';
import { readBodyText } from '../http/body-reader.js';
import { withPlainVersion } from '../http/check-kind.js';
import type { ParsedBody } from '../http/parse-body.js';
import { letOthersGoOn } from '../http/turns.js';
import { mayHaveOtherEscapes } from '../http/yaml-document.js';
import { type Backend, type ObjectTarget, targetKey } from '../registry/backend.js';
import { checkNames } from '../registry/check-names.js';
import { type WriteOptions, writeOptions } from '../registry/write-options.js';
import { updateObject } from '../write/write.js';
import { allowsCreateOnUpdate, createOnUpdate } from './create.js';

/** Handles PATCH with `application/apply-patch+yaml`. Source: Kubernetes documentation "Server-Side Apply"; order of checks as observed. */
export async function applyVerb(backend: Backend, ofRequest: ObjectTarget, request: ApiRequest): Promise<ApiResponse> {
  const target = { ...ofRequest, needsManagedFields: true };
  const options = writeOptions(request, 'PatchOptions', true);
  const { resource, version, subresource } = target;
  const current = () => backend.store.get(targetKey(target));
  const refuseAbsent = () => {
    if (current() === undefined && subresource !== undefined && !allowsCreateOnUpdate(target)) throw notFound(resource, target.name);
  };
  refuseAbsent();
  const intent = await applyBody(request);
  const sent = resource.strategy.custom ? intent.object : withPlainVersion(intent.object);
  checkAppliedType(sent, version.apiVersion, resource.kind);
  await letOthersGoOn(request);
  // Others may have written while the body was read.
  refuseAbsent();
  const stored = current();
  const live = stored && (await readStored(backend, target, stored));
  const merged = await withConversions(backend, target, () => computeAppliedObject(backend, target, options, live, sent));
  await letOthersGoOn(request);
  if (options.fieldValidation === 'Strict' && intent.duplicateFields.length > 0) {
    const lines = intent.duplicateFields.map((line) => `\n  ${line}`).join('');
    throw badRequest(`error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:${lines}`);
  }
  if (options.fieldValidation === 'Warn') for (const text of intent.duplicateFields) target.warnings.push(text);
  const { object, explicitEmpty } = resource.strategy.default(merged, version.apiVersion, sent);
  await letOthersGoOn(request);
  if (stored === undefined || live === undefined) {
    const { uid } = metadataOf(object);
    if (uid !== undefined && uid !== '') {
      throw conflictOn(
        resource,
        target.name,
        `uid mismatch: the provided object specified uid ${String(uid)}, and no existing object was found`,
      );
    }
    checkNames(target, object);
    return createOnUpdate(backend, target, request, { object, explicitEmpty }, options.dryRun);
  }
  checkNames(target, object);
  const { dryRun } = options;
  await letOthersGoOn(request);
  const admission = new Admission(backend, target, request);
  const admitted = await admission.mutate({ operation: 'UPDATE', object, explicitEmpty, oldObject: live, dryRun });
  const updated = await updateObject(backend, target, stored, live, admitted, {
    dryRun,
    subresource,
    updateValidation: admission.ofUpdate(live, dryRun),
  });
  return apiResponse(200, updated.object, updated.warnings);
}

/** Checks apiVersion and kind of an intent. @throws StatusError 400 */
export function checkAppliedType(intent: JsonObject, apiVersion: string, kind: string): void {
  if (intent.apiVersion === apiVersion && intent.kind === kind) return;
  const version = typeof intent.apiVersion === 'string' ? intent.apiVersion : '';
  const shownKind = typeof intent.kind === 'string' ? intent.kind : '';
  throw badRequest(`invalid object type: ${version.includes('/') ? version : `/${version}`}, Kind=${shownKind}`);
}

function computeAppliedObject(
  backend: Backend,
  target: ObjectTarget,
  options: WriteOptions,
  live: JsonObject | undefined,
  intent: JsonObject,
): JsonObject {
  const outcome = applyRequest({
    ...requestScopeOf(backend, target, options.manager),
    live,
    intent,
    force: options.force,
    prunedContainers: backend.prunedContainers,
  });
  return appliedOrThrow(outcome);
}

/** Returns the object of a successful apply. @throws StatusError for a conflict or error */
export function appliedOrThrow(outcome: ReturnType<typeof applyRequest>): JsonObject {
  if (outcome.outcome === 'applied') return outcome.object;
  if (outcome.outcome === 'conflict') {
    throw new StatusError(409, 'Conflict', outcome.message, { causes: outcome.causes as unknown as Json });
  }
  throw outcome.code === 400 ? badRequest(outcome.message) : internalError(outcome.message);
}

export interface ApplyBody {
  readonly object: JsonObject;
  readonly duplicateFields: readonly string[];
}

/** Reads the body of an apply. It is YAML, but most bodies are JSON, which is read without the YAML library. @throws StatusError 400 */
export async function applyBody(request: ApiRequest): Promise<ApplyBody> {
  const text = bodyText(request);
  const { value, duplicateFields } = (await jsonIntent(text, request)) ?? (await yamlIntent(text, request));
  if (value === null) return { object: {}, duplicateFields };
  if (isJsonObject(value)) return { object: value, duplicateFields };
  throw badRequest(
    `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${goTypeOf(value)} into Go value of type map[string]interface {}`,
  );
}

/** Reads a body that is JSON without duplicates and such escapes, for which YAML reads the same. */
async function jsonIntent(text: string, { inOneGo }: ApiRequest): Promise<ParsedBody | undefined> {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    const parsed = await readBodyText(text, 'json', inOneGo);
    return parsed.duplicateFields.length > 0 || mayHaveOtherEscapes(text) ? undefined : parsed;
  } catch (error) {
    if (error instanceof JsonTextError) return undefined;
    throw error;
  }
}

async function yamlIntent(text: string, { inOneGo }: ApiRequest): Promise<ParsedBody> {
  try {
    return await readBodyText(text, 'yaml', inOneGo);
  } catch (error) {
    if (!(error instanceof YamlTextError)) throw error;
    throw badRequest(`error decoding YAML: error converting YAML to JSON: ${error.message}`);
  }
}
