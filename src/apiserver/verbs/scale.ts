import { type FieldPath, formatPath, valueAt } from '../../fields/index.js';
import { metadataOf } from '../../fields/object.js';
import { versionedKind } from '../../merge/index.js';
import {
  applyRequest,
  mainEntries,
  type RequestScope,
  type ScaleMapping,
  scaleEntries,
  scaleRoot,
  updateRequest,
} from '../../ownership/index.js';
import { stringifyExactJson } from '../../util/exact-json.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { Admission } from '../admission/admission.js';
import { invalidValue, shown } from '../api/field-error.js';
import { type ApiRequest, type ApiResponse, apiResponse } from '../api/request.js';
import { badRequest, invalid, notFound, unexpectedError } from '../api/status-error.js';
import { readStored, requestScopeOf } from '../conversion/request-scope.js';
import { objectBody, patchBody } from '../http/body.js';
import { type Backend, type ObjectTarget, targetKey } from '../registry/backend.js';
import { checkNames } from '../registry/check-names.js';
import type { ScalePaths } from '../registry/resource.js';
import { writeOptions } from '../registry/write-options.js';
import { updateObject } from '../write/write.js';
import { appliedOrThrow, applyBody, checkAppliedType } from './apply.js';
import { applyPatch, patchMediaType, patchTypes } from './patch.js';
import { refuseExport } from './read.js';

const scaleKind = versionedKind(scaleRoot());
const unsetReplicas = -(2 ** 31);
const zeroScale: JsonObject = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: {}, spec: {}, status: { replicas: 0 } };

/** Handles the scale subresource. Source: Kubernetes API reference, Scale; "CustomResourceDefinitions", "Scale subresource". */
export async function scaleVerb(backend: Backend, target: ObjectTarget, request: ApiRequest): Promise<ApiResponse> {
  const { resource, version } = target;
  const scale = version.scale as ScalePaths;
  if (request.method === 'GET') refuseExport(request.query);
  const type = request.method === 'PATCH' ? patchMediaType(target, request) : undefined;
  const isApply = type === patchTypes.apply;
  const options =
    request.method === 'GET' ? undefined : writeOptions(request, type === undefined ? 'UpdateOptions' : 'PatchOptions', isApply);
  const requestBody = request.method === 'PUT' ? (await objectBody(request, target)).object : undefined;
  if (requestBody !== undefined) {
    checkReplicas(target, requestBody, false);
    checkNames(target, requestBody);
  }
  const stored = backend.store.get(targetKey(target));
  if (stored === undefined) throw notFound(resource, target.name);
  const live = await readStored(backend, target, stored, { fresh: options === undefined });
  const mapping: ScaleMapping = {
    replicas: new Map([...resource.versions.values()].flatMap((each) => (each.scale ? [[each.apiVersion, each.scale.replicas]] : []))),
    apiVersion: version.apiVersion,
  };
  const unset = resource.strategy.custom && valueAt(live, scale.replicas) === undefined;
  const shownScale = scaleOf(live, scale, scaleEntries(live, mapping));
  // Unset replicas of a custom resource are an impossible number for a patch, which must replace it. Source: observed.
  const before = unset && request.method === 'PATCH' ? { ...shownScale, spec: { replicas: unsetReplicas } } : shownScale;
  if (options === undefined) {
    if (unset) throw unexpectedError(`the spec replicas field ${shown(replicasText(scale))} does not exist`);
    return apiResponse(200, scaleOf(live, scale, []));
  }
  const wanted = await wantedScale(request, {
    type,
    body: requestBody,
    before,
    scope: scopeFor(backend, target, options.manager),
    force: options.force,
  });
  if (requestBody === undefined) checkNames(target, wanted);
  const replicas = wantedReplicas(target, wanted);
  const { managedFields: _, resourceVersion, ...metadata } = metadataOf(live);
  const entries = mainEntries(live, wanted, mapping);
  const wantedVersion = metadataOf(wanted).resourceVersion ?? resourceVersion;
  const main = withValue(
    {
      ...live,
      metadata: { ...metadata, resourceVersion: wantedVersion, ...(entries.length > 0 ? { managedFields: entries as Json } : {}) },
    },
    scale.replicas,
    replicas,
  );
  const { dryRun } = options;
  const validate = new Admission(backend, target, request).ofUpdate(scaleOf(live, scale, []), dryRun);
  const updateValidation = (changed: JsonObject) => validate(scaleOf(changed, scale, []));
  const settings = { dryRun, subresource: 'scale', updateValidation };
  const updated = await updateObject(backend, target, stored, live, { object: main, explicitEmpty: [] }, settings);
  return apiResponse(200, scaleOf(updated.object, scale, []), updated.warnings);
}

interface ScaleWrite {
  /** Media type of a patch; undefined for a PUT. */
  readonly type: string | undefined;
  /** Body of a PUT. */
  readonly body: JsonObject | undefined;
  /** The Scale before the write. */
  readonly before: JsonObject;
  readonly scope: RequestScope;
  readonly force: boolean;
}

/** Returns the Scale that a PUT, patch or apply asks for, with its owners. @throws StatusError */
async function wantedScale(request: ApiRequest, { type, body, before, scope, force }: ScaleWrite): Promise<JsonObject> {
  if (type === patchTypes.apply) {
    const intent = (await applyBody(request)).object;
    checkAppliedType(intent, 'autoscaling/v1', 'Scale');
    return appliedOrThrow(applyRequest({ ...scope, live: before, intent, force }));
  }
  const merged = (patch: Json) => applyPatch(before, patchTypes.merge, patch, () => undefined);
  const object = type === undefined ? body : applyPatch(before, type, (await patchBody(request)).value, merged);
  if (!isJsonObject(object)) throw badRequest('the body is not an object');
  return updateRequest({ ...scope, live: before, object: withoutZero(object) });
}

/** Returns the replicas of a Scale; 0 if it has none. @throws StatusError if they are not a valid number */
function wantedReplicas(target: ObjectTarget, wanted: JsonObject): number {
  const { resource, version } = target;
  if (isJsonObject(wanted.spec) && wanted.spec.replicas === unsetReplicas)
    throw badRequest(`the spec replicas field ${shown(replicasText(version.scale as ScalePaths))} cannot be empty`);
  checkReplicas(target, wanted, true);
  const replicas = isJsonObject(wanted.spec) && typeof wanted.spec.replicas === 'number' ? wanted.spec.replicas : 0;
  // The schema of a custom resource validates its own replicas.
  if (replicas < 0 && !resource.strategy.custom) {
    throw invalid('Scale', 'autoscaling', target.name, [invalidValue('spec.replicas', replicas, 'must be greater than or equal to 0')]);
  }
  return replicas;
}

/** Removes zero replicas from a Scale: its Go struct omits them, so nobody owns them. */
function withoutZero(body: JsonObject): JsonObject {
  if (!isJsonObject(body.spec) || (body.spec.replicas !== 0 && body.spec.replicas !== null)) return body;
  const { replicas: _, ...spec } = body.spec;
  return { ...body, spec };
}

function replicasText({ replicas }: ScalePaths): string {
  return formatPath(replicas);
}

/** Checks that the replicas are an integer. @throws StatusError 400 for a PUT, 422 for a PATCH */
function checkReplicas({ resource }: ObjectTarget, wanted: JsonObject, isPatch: boolean): void {
  const replicas = isJsonObject(wanted.spec) ? wanted.spec.replicas : undefined;
  if (replicas === undefined || replicas === null || Number.isInteger(replicas)) return;
  const found = typeof replicas === 'number' ? `number ${replicas}` : Array.isArray(replicas) ? 'array' : typeof replicas;
  const text = `json: cannot unmarshal ${found} into Go struct field ScaleSpec.spec.replicas of type int32`;
  // For a custom resource the server reports an unrelated error. Source: observed.
  if (!isPatch && resource.strategy.custom)
    throw badRequest('no kind is registered for the type v1.Scale in scheme "pkg/runtime/scheme.go:111"');
  if (!isPatch) throw badRequest(`Scale in version "v1" cannot be handled as a Scale: ${text}`);
  throw invalid('', '', '', [invalidValue('patch', stringifyExactJson(wanted), text)]);
}

function scopeFor(backend: Backend, target: ObjectTarget, manager: string): RequestScope {
  const { kind: _, ignored: __, zeroValue: ___, ...rest } = requestScopeOf(backend, target, manager);
  const { unreadableScale } = target.resource.strategy;
  return {
    ...rest,
    kind: scaleKind,
    apiVersion: 'autoscaling/v1',
    zeroValue: zeroScale,
    ...(unreadableScale === undefined ? {} : { unreadable: unreadableScale }),
  };
}

function scaleOf(main: JsonObject, paths: ScalePaths, entries: readonly JsonObject[]): JsonObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadataOf(main);
  const replicas = valueAt(main, paths.replicas);
  const statusReplicas = valueAt(main, paths.statusReplicas);
  const selector = selectorText(main, paths);
  const metadata = {
    name,
    namespace,
    uid,
    resourceVersion,
    creationTimestamp,
    ...(entries.length > 0 ? { managedFields: entries as Json } : {}),
  };
  return {
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== undefined)) as JsonObject,
    spec: typeof replicas === 'number' && replicas !== 0 ? { replicas } : {},
    status: { replicas: typeof statusReplicas === 'number' ? statusReplicas : 0, ...(selector === undefined ? {} : { selector }) },
  };
}

function selectorText(main: JsonObject, paths: ScalePaths): string | undefined {
  if (paths.selector !== undefined) {
    const text = valueAt(main, paths.selector);
    return typeof text === 'string' && text !== '' ? text : undefined;
  }
  const selector = isJsonObject(main.spec) && isJsonObject(main.spec.selector) ? main.spec.selector : undefined;
  const labels = isJsonObject(selector?.matchLabels)
    ? selector.matchLabels
    : selector?.matchLabels === undefined && main.kind === 'ReplicationController'
      ? selector
      : undefined;
  if (!isJsonObject(labels)) return undefined;
  return Object.entries(labels)
    .map(([name, value]) => `${name}=${String(value)}`)
    .toSorted()
    .join(',');
}

function withValue(object: JsonObject, [step, ...rest]: FieldPath, value: Json): JsonObject {
  if (step?.kind !== 'field') return object;
  const inner = object[step.name];
  return { ...object, [step.name]: rest.length === 0 ? value : withValue(isJsonObject(inner) ? inner : {}, rest, value) };
}
