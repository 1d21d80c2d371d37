import { goValue } from '../../merge/index.js';
import { updateRequest } from '../../ownership/index.js';
import { stringifyExactJson } from '../../util/exact-json.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { Admission } from '../admission/admission.js';
import { invalidValue } from '../api/field-error.js';
import { goTypeOf } from '../api/json-text.js';
import { type ApiRequest, type ApiResponse, apiResponse } from '../api/request.js';
import { badRequest, invalid, notFound, StatusError, unsupportedMediaType } from '../api/status-error.js';
import { withConversions } from '../conversion/conversions.js';
import { readStored, requestScopeOf } from '../conversion/request-scope.js';
import { mediaType, patchBody } from '../http/body.js';
import { maxJsonErrors, strictDecodingErrors } from '../http/strict-decoding.js';
import { letOthersGoOn } from '../http/turns.js';
import { jsonPatch, PatchError } from '../patch/json-patch.js';
import { mergePatch } from '../patch/merge-patch.js';
import { patchedText, sorted } from '../patch/patched-text.js';
import { strategicMerge } from '../patch/strategic-merge.js';
import { type Backend, type ObjectTarget, type RequestTarget, targetKey } from '../registry/backend.js';
import { checkNames } from '../registry/check-names.js';
import { dedupOwnerReferences } from '../registry/dedup-owner-references.js';
import type { DecodedRequest } from '../registry/resource.js';
import { type WriteOptions, writeOptions } from '../registry/write-options.js';
import { updateObject } from '../write/write.js';
import { applyVerb } from './apply.js';
import { jsonPatchStrictErrors } from './json-patch-strictness.js';

export const patchTypes = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  apply: 'application/apply-patch+yaml',
  strategic: 'application/strategic-merge-patch+json',
} as const;

/** Handles PATCH of any type. @throws StatusError */
export async function patchVerb(backend: Backend, target: ObjectTarget, request: ApiRequest): Promise<ApiResponse> {
  const type = patchMediaType(target, request);
  if (type === patchTypes.apply) return applyVerb(backend, target, request);
  const options = writeOptions(request, 'PatchOptions');
  const { resource, subresource } = target;
  const current = () => backend.store.get(targetKey(target));
  if (current() === undefined) throw notFound(resource, target.name);
  const { value: patch, duplicateFields } = await patchBody(request);
  await letOthersGoOn(request);
  // Others may have written while the body was read.
  const stored = current();
  if (stored === undefined) throw notFound(resource, target.name);
  const live = await readStored(backend, target, stored);
  const patched = patchedObject(target, live, type, patch, options);
  if (resource.strategy.custom) refuseUnnamed(target, patched);
  await letOthersGoOn(request);
  const decoded = decodePatched(target, patched, type, patch);
  const unknownFields = decoded.unknownFields.toSorted();
  const isText = type !== patchTypes.strategic && !resource.strategy.custom;
  const isJsonPatch = type === patchTypes.json;
  const strictErrors = [
    ...(isJsonPatch ? jsonPatchStrictErrors(patch, duplicateFields) : []),
    // The patched text has its members in order.
    ...strictDecodingErrors(isText ? unknownFields.slice(0, maxJsonErrors) : unknownFields, isJsonPatch ? [] : duplicateFields),
  ];
  if (options.fieldValidation === 'Warn') for (const text of strictErrors) target.warnings.push(text);
  refuseStrict(options, strictErrors, () => (type === patchTypes.strategic ? goValue(patch) : patchedText(live, patched)));
  checkNames(target, decoded.object);
  const { object, explicitEmpty, explicitEmptyLists } = decoded;
  await letOthersGoOn(request);
  const scope = requestScopeOf(backend, target, options.manager);
  const owned = await withConversions(backend, target, () => updateRequest({ ...scope, live, object, explicitEmptyLists }));
  await letOthersGoOn(request);
  const { dryRun } = options;
  const admission = new Admission(backend, target, request);
  const admitted = await admission.mutate({ operation: 'UPDATE', object: owned, explicitEmpty, oldObject: live, dryRun });
  const wanted = { ...admitted, object: dedupOwnerReferences(target, admitted.object, 'patch') };
  const updated = await updateObject(backend, target, stored, live, wanted, {
    dryRun,
    subresource,
    updateValidation: admission.ofUpdate(live, dryRun),
  });
  return apiResponse(200, updated.object, updated.warnings);
}

/** Returns the media type of a patch. @throws StatusError 415 */
export function patchMediaType(target: RequestTarget, request: ApiRequest): string {
  const type = mediaType(request);
  const { json, merge, apply, strategic } = patchTypes;
  const accepted: readonly string[] = target.resource.strategy.custom ? [json, merge, apply] : [json, merge, strategic, apply];
  if (accepted.includes(type)) return type;
  // A built-in resource is refused before its handler. Source: observed.
  if (!target.resource.strategy.custom) throw new StatusError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
  throw unsupportedMediaType([...accepted]);
}

/** Decodes a patched object. @throws StatusError 422 */
function decodePatched({ resource, version }: ObjectTarget, patched: JsonObject, type: string, patch: Json): DecodedRequest {
  const { strategy } = resource;
  try {
    return strategy.decodeRequest(patched, version.apiVersion);
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 400) throw error;
    if (type !== patchTypes.strategic) {
      const reason = error.message.replace(/^.* cannot be handled as an? \w+: /, '');
      throw invalid('', '', '', [invalidValue('patch', stringifyExactJson(sorted(patched)), reason)]);
    }
  }
  // The result of a strategic merge patch is not decoded from text, but converted like the result of an apply.
  try {
    return { ...strategy.default(patched, version.apiVersion), unknownFields: [] };
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 500) throw error;
    const converted = error.message.split('unable to convert unstructured object to ').at(-1) as string;
    const reason = converted.replace(/^[^=]*Kind=\w+: /, '');
    throw invalid('', '', '', [invalidValue('patch', goValue(patch), reason)]);
  }
}

function patchedObject(target: ObjectTarget, live: JsonObject, type: string, patch: Json, options: WriteOptions): JsonObject {
  if (type === patchTypes.merge && options.fieldValidation === 'Ignore') refuseUnread(patch);
  const { types } = target.resource;
  const root = types.versions.get(target.version.apiVersion);
  const patched = applyPatch(live, type, patch, (value) =>
    strategicMerge((root as NonNullable<typeof root>).schema, root?.type, live, value),
  );
  if (!isJsonObject(patched)) throw badRequest(`cannot unmarshal ${JSON.stringify(patched)} into an object`);
  return patched;
}

/** Applies a patch other than an apply. @throws StatusError 400, 422 */
export function applyPatch(
  live: JsonObject,
  type: string,
  patch: Json,
  strategic: (patch: JsonObject) => Json | undefined,
): Json | undefined {
  if (type === patchTypes.json) {
    try {
      return jsonPatch(live, jsonPatchOperations(patch));
    } catch (error) {
      if (error instanceof PatchError)
        throw new StatusError(422, 'Invalid', 'the server rejected our request due to an error in our request', {});
      throw error;
    }
  }
  if (!isJsonObject(patch))
    throw badRequest(
      `error decoding patch: json: cannot unmarshal ${Array.isArray(patch) ? 'array' : typeof patch} into Go value of type map[string]interface {}`,
    );
  return type === patchTypes.strategic ? strategic(patch) : mergePatch(live, patch);
}

/** The number of operations of a JSON patch. Source: observed. */
const maxOperations = 10_000;

/** Returns the operations of a JSON patch. @throws StatusError 400, 413 */
function jsonPatchOperations(patch: Json): readonly JsonObject[] {
  const refuse = (value: Json, into: string) =>
    badRequest(`error decoding patch: json: cannot unmarshal ${goTypeOf(value)} into Go ${into}`);
  if (patch === null) return [];
  if (!Array.isArray(patch)) throw refuse(patch, 'value of type []handlers.jsonPatchOp');
  for (const operation of patch as readonly Json[]) {
    if (operation === null) continue;
    if (!isJsonObject(operation)) throw refuse(operation, 'value of type handlers.jsonPatchOp');
    for (const member of ['op', 'path', 'from'] as const) {
      const value = operation[member] ?? '';
      if (typeof value !== 'string') throw refuse(value, `struct field jsonPatchOp.${member} of type string`);
    }
  }
  if (patch.length > maxOperations) {
    const text = `The allowed maximum operations in a JSON patch is ${maxOperations}, got ${patch.length}`;
    throw new StatusError(413, 'RequestEntityTooLarge', `Request entity too large: ${text}`);
  }
  return (patch as readonly (JsonObject | null)[]).map((operation) => operation ?? {});
}

/** Checks that a patched custom object has its apiVersion and kind. @throws StatusError 422 */
function refuseUnnamed({ version, name }: ObjectTarget, patched: JsonObject): void {
  const { apiVersion, kind } = patched;
  const text = stringifyExactJson(sorted(patched));
  if (!kind) throw invalid('', '', '', [invalidValue('patch', text, `Object 'Kind' is missing in '${text}'`)]);
  if (apiVersion === version.apiVersion) return;
  throw invalid(String(kind), '', name, [invalidValue('apiVersion', apiVersion ?? '', `must be ${version.apiVersion}`)]);
}

/**
 * Refuses a merge patch that is not an object, with the message for `fieldValidation=Ignore`.
 * Source: observed.
 *
 * @throws StatusError 400, 422
 */
function refuseUnread(patch: Json): void {
  if (isJsonObject(patch)) return;
  if (!Array.isArray(patch)) throw badRequest('Invalid JSON Patch');
  const type = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
  const reason = `couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type ${type}`;
  throw invalid('', '', '', [invalidValue('patch', stringifyExactJson(patch), reason)]);
}

function refuseStrict(options: WriteOptions, strictErrors: readonly string[], text: () => string): void {
  if (options.fieldValidation !== 'Strict' || strictErrors.length === 0) return;
  throw invalid('', '', '', [invalidValue('patch', text(), `strict decoding error: ${strictErrors.join(', ')}`)]);
}
