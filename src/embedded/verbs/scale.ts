import { type FieldPath, valueAt } from '../../fields/index.js';
import { kindOf } from '../../merge/index.js';
import {
  applyRequest,
  mainEntries,
  type RequestScope,
  type ScaleMapping,
  scaleEntries,
  scaleRoot,
  updateRequest,
} from '../../ownership/index.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { badRequest, invalid, methodNotAllowed, notFound } from '../api/failure.js';
import { invalidValue } from '../api/field-error.js';
import { type ApiRequest, type ApiResponse, answer } from '../api/request.js';
import type { ScalePaths } from '../resources/resource.js';
import { appliedOrThrow, applyBody } from './apply.js';
import { type Backend, keyOf, type NamedTarget } from './backend.js';
import { objectBody, patchBody } from './body.js';
import { checkNames } from './names.js';
import { writeOptions } from './options.js';
import { acceptedType, applyPatch, patchTypes } from './patch.js';
import { readFor, scopeOf } from './scope.js';
import { metadataOf, updateObject } from './write.js';

const scaleKind = kindOf(scaleRoot());
const blank: JsonObject = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: {}, spec: {}, status: { replicas: 0 } };

/** The scale subresource. Source: Kubernetes API reference, Scale; "CustomResourceDefinitions", "Scale subresource". */
export async function scaleVerb(backend: Backend, target: NamedTarget, request: ApiRequest): Promise<ApiResponse> {
  const { resource, version } = target;
  const scale = version.scale as ScalePaths;
  const stored = backend.store.get(keyOf(target));
  if (stored === undefined) throw notFound(resource, target.name);
  const live = readFor(target, stored);
  const mapping: ScaleMapping = {
    replicas: new Map([...resource.versions.values()].map((each) => [each.apiVersion, each.scale?.replicas ?? scale.replicas])),
    apiVersion: version.apiVersion,
  };
  const before = scaleOf(live, scale, scaleEntries(live, mapping));
  if (request.method === 'GET') return answer(200, scaleOf(live, scale, []));
  if (request.method !== 'PUT' && request.method !== 'PATCH') throw methodNotAllowed();
  const type = request.method === 'PUT' ? undefined : acceptedType(target, request);
  const isApply = type === patchTypes.apply;
  const options = writeOptions(request, request.method === 'PUT' ? 'UpdateOptions' : 'PatchOptions', isApply);
  const scope = scopeFor(backend, target, options.manager);
  let wanted: JsonObject;
  if (isApply) {
    const intent = (await applyBody(request, options)).object;
    const { apiVersion = '', kind = '' } = intent as { apiVersion?: string; kind?: string };
    if (apiVersion !== 'autoscaling/v1' || kind !== 'Scale') {
      throw badRequest(`invalid object type: ${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`);
    }
    wanted = appliedOrThrow(applyRequest({ ...scope, live: before, intent, force: options.force }));
  } else {
    const body =
      type === undefined
        ? (await objectBody(request, target)).object
        : applyPatch(before, type, patchBody(request), (patch) => applyPatch(before, patchTypes.merge, patch, () => undefined));
    if (!isJsonObject(body)) throw badRequest('the body is no object');
    wanted = updateRequest({ ...scope, live: before, object: body });
  }
  checkNames(target, wanted);
  const replicas = isJsonObject(wanted.spec) && typeof wanted.spec.replicas === 'number' ? wanted.spec.replicas : 0;
  if (replicas < 0) {
    throw invalid('Scale', 'autoscaling', target.name, [invalidValue('spec.replicas', replicas, 'must be greater than or equal to 0')]);
  }
  const { managedFields: _, resourceVersion, ...metadata } = metadataOf(live);
  const entries = mainEntries(live, wanted, mapping);
  const given = metadataOf(wanted).resourceVersion ?? resourceVersion;
  const main = withValue(
    { ...live, metadata: { ...metadata, resourceVersion: given, ...(entries.length > 0 ? { managedFields: entries as Json } : {}) } },
    scale.replicas,
    replicas,
  );
  const updated = updateObject(backend, target, stored, live, main, { dryRun: options.dryRun, subresource: 'scale' });
  return answer(200, scaleOf(updated.object, scale, []), updated.warnings);
}

function scopeFor(backend: Backend, target: NamedTarget, manager: string): RequestScope {
  const { kind: _, ignored: __, blank: ___, ...rest } = scopeOf(backend, target, manager);
  const { unreadableScale } = target.resource.form;
  return {
    ...rest,
    kind: scaleKind,
    apiVersion: 'autoscaling/v1',
    blank,
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
