import { applyRequest } from '../../ownership/index.js';
import { parseExactJson } from '../../util/exact-json.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { admit } from '../admission/admit.js';
import { badRequest, conflictOn, Failure, internalError, notFound } from '../api/failure.js';
import { type ApiRequest, type ApiResponse, answer } from '../api/request.js';
import { repeatedKeys } from '../http/body.js';
import { type Backend, keyOf, type NamedTarget } from '../registry/backend.js';
import { checkNames } from '../registry/names.js';
import { type WriteOptions, writeOptions } from '../registry/options.js';
import { readFor, scopeOf } from '../registry/scope.js';
import { metadataOf, updateObject } from '../registry/write.js';
import { createInPlace, createsOnUpdate } from './create.js';

/** PATCH with `application/apply-patch+yaml`. Source: Kubernetes documentation "Server-Side Apply"; order of checks as observed. */
export async function applyVerb(backend: Backend, target: NamedTarget, request: ApiRequest): Promise<ApiResponse> {
  const options = writeOptions(request, 'PatchOptions', true);
  const { resource, version, subresource } = target;
  const stored = backend.store.get(keyOf(target));
  if (stored === undefined && subresource !== undefined && !createsOnUpdate(target)) throw notFound(resource, target.name);
  const intent = await applyBody(request, options);
  const { apiVersion = '', kind = '' } = intent.object as { apiVersion?: string; kind?: string };
  if (apiVersion !== version.apiVersion || kind !== resource.kind) {
    throw badRequest(`invalid object type: ${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`);
  }
  const live = stored && readFor(target, stored);
  const merged = mergedObject(backend, target, options, live, intent.object);
  if (options.fieldValidation === 'Strict' && intent.repeated.length > 0) {
    const lines = intent.repeated.map((line) => `\n  ${line}`).join('');
    throw badRequest(`error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:${lines}`);
  }
  if (options.fieldValidation === 'Warn') target.warnings.push(...intent.repeated);
  const object = resource.form.complete(merged, version.apiVersion, intent.object);
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
    return createInPlace(backend, target, request, object, options.dryRun);
  }
  checkNames(target, object);
  const admitted = await admit(backend, target, request, { operation: 'UPDATE', object, before: live, dryRun: options.dryRun });
  const updated = updateObject(backend, target, stored, live, admitted, { dryRun: options.dryRun, subresource });
  return answer(200, updated.object, updated.warnings);
}

function mergedObject(
  backend: Backend,
  target: NamedTarget,
  options: WriteOptions,
  live: JsonObject | undefined,
  intent: JsonObject,
): JsonObject {
  const outcome = applyRequest({
    ...scopeOf(backend, target, options.manager),
    live,
    intent,
    force: options.force,
    emptied: backend.emptied,
  });
  return appliedOrThrow(outcome);
}

/** The object of an apply that went well. @throws Failure otherwise */
export function appliedOrThrow(outcome: ReturnType<typeof applyRequest>): JsonObject {
  if (outcome.outcome === 'applied') return outcome.object;
  if (outcome.outcome === 'conflict') {
    throw new Failure(409, 'Conflict', outcome.message, { causes: outcome.causes as unknown as Json });
  }
  throw outcome.code === 400 ? badRequest(outcome.message) : internalError(outcome.message);
}

export interface ApplyBody {
  readonly object: JsonObject;
  readonly repeated: readonly string[];
}

/** An apply is YAML; most are JSON, which is read without the YAML library. */
export async function applyBody(request: ApiRequest, _options: WriteOptions): Promise<ApplyBody> {
  const text = request.body ?? '';
  let value: Json | undefined;
  let repeated: readonly string[] = [];
  if (/^\s*\{/.test(text)) {
    try {
      value = parseExactJson(text);
      repeated = repeatedKeys(text, value).length > 0 ? await yamlRepeats(text) : [];
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  if (value === undefined) {
    const { readYaml } = await import('../http/yaml-body.js');
    ({ value, repeated } = readYaml(text));
  }
  if (value === null) return { object: {}, repeated };
  if (isJsonObject(value)) return { object: value, repeated };
  const found = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  throw badRequest(
    `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${found} into Go value of type map[string]interface {}`,
  );
}

async function yamlRepeats(text: string): Promise<readonly string[]> {
  const { readYaml } = await import('../http/yaml-body.js');
  return readYaml(text).repeated;
}
