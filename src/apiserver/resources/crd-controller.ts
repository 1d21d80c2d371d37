import { quote } from '../../fields/index.js';
import { finalizersOf, isTerminating, metadataOf, nameOf, rawConditionsOf } from '../../fields/object.js';
import { updateRequest } from '../../ownership/index.js';
import { FieldwiseError } from '../../util/error.js';
import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../../util/json.js';
import { valuesOf } from '../api/json-access.js';
import { approvalOf, approvalState, caBundleProblem, isProtectedGroup } from '../built-in/validation/crd-conversion-rules.js';
import { requestScopeOf } from '../conversion/request-scope.js';
import { acceptNames, namesOf } from '../custom/accept-names.js';
import { awaitsCleanup, cleanupFinalizer, deletionStates, withCondition } from '../custom/terminating-definition.js';
import { type Backend, targetOf } from '../registry/backend.js';
import { terminating } from '../registry/graceful-deletion.js';
import { timestamp } from '../storage/clock.js';
import { serverManager } from './bootstrap-objects.js';

/** Name of the CustomResourceDefinitions in the store. */
export const crdResource = 'apiextensions.k8s.io/customresourcedefinitions';

/** Establishes a CustomResourceDefinition after it was written; other resources have no hook. */
export function postWriteHook(backend: Backend, resource: string, object: JsonObject): void {
  if (resource === crdResource && !backend.effectsElsewhere) establishCrd(backend, object);
}

/** Removes the objects of a CustomResourceDefinition and its resource after it was deleted; its deletion may wait for an object. */
export function postDeleteHook(backend: Backend, resource: string, object: JsonObject): void {
  if (backend.effectsElsewhere) return;
  if (resource === crdResource) removeCrd(backend, object);
  else if (backend.catalog.byName(resource)?.terminating === true) {
    const [group = '', plural = ''] = resource.split('/');
    finalizeCrd(backend, `${plural}.${group}`);
  }
}

/** Serves a kind as before, after a change of its definition was undone. */
export function followUndoneDefinitions({ store, catalog }: Backend): void {
  store.subscribe(({ undone, type, key, object }) => {
    if (!undone || key.resource !== crdResource) return;
    const { group, names } = object.spec as { group: string; names: JsonObject };
    if (type !== 'DELETED' && isEstablished(object)) catalog.define(object);
    else catalog.undefine(`${group}/${String(names.plural)}`);
  });
}

function establishCrd(backend: Backend, crd: JsonObject): void {
  if (isTerminating(crd)) {
    if (isEstablished(crd)) backend.catalog.define(crd);
    finalizeCrd(backend, nameOf(crd));
    return;
  }
  const { names, conflict } = acceptNames(crd, backend.store.list(crdResource));
  const before = isJsonObject(crd.status) ? crd.status : {};
  const conditions = rawConditionsOf(crd) as readonly CrdCondition[];
  const bundleProblem = caBundleProblem((crd.spec as JsonObject).conversion);
  const established = isEstablished(crd) || (conflict === undefined && bundleProblem === undefined);
  try {
    if (established || conflict === undefined) backend.catalog.define(crd, established);
  } catch (error) {
    if (error instanceof FieldwiseError) return;
    throw error;
  }
  const { spec } = crd as { spec: JsonObject };
  const stored = (spec.versions as readonly JsonObject[]).find((version) => version.storage === true)?.name as Json;
  const storedBefore = valuesOf(before.storedVersions);
  const status = {
    conditions: mergeConditions(conditions, timestamp(backend.clock), [
      conflict === undefined
        ? { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' }
        : { type: 'NamesAccepted', status: 'False', ...conflict },
      established
        ? { type: 'Established', status: 'True', reason: 'InitialNamesAccepted', message: 'the initial names have been accepted' }
        : { type: 'Established', status: 'False', ...(conflict === undefined ? invalidBundle : notAccepted) },
      ...(isProtectedGroup(crd) ? [approvalCondition(crd)] : []),
    ]),
    acceptedNames: names,
    storedVersions: storedBefore.includes(stored) ? storedBefore : [...storedBefore, stored],
  };
  if (JSON.stringify(status) === JSON.stringify(crd.status)) return;
  const { singular, listKind } = namesOf(crd);
  const key = { resource: crdResource, namespace: '', name: nameOf(crd) };
  const named = { ...crd, spec: { ...spec, names: { ...(spec.names as JsonObject), listKind, singular } } };
  backend.store.put(
    key,
    withStatus(backend, { ...named, status: { conditions: [], ...before, storedVersions: status.storedVersions } }, status),
  );
}

/** Returns a definition with a status of the server, which owns it; nobody owns `storedVersions`. Source: observed. */
function withStatus(backend: Backend, live: JsonObject, status: JsonObject): JsonObject {
  const target = targetOf(backend, { resource: crdResource, namespace: '', name: nameOf(live) }, 'status');
  if (target === undefined) throw new Error('The server does not serve CustomResourceDefinitions.');
  return updateRequest({ ...requestScopeOf(backend, target, serverManager), live, object: { ...live, status } });
}

const notAccepted = { reason: 'NotAccepted', message: 'not all names are accepted' };
const invalidBundle = { reason: 'InvalidCABundle', message: 'The conversion webhook CABundle is invalid' };

/** Returns the condition of a definition in a group of the Kubernetes community. Any other annotation is refused. Source: observed. */
function approvalCondition(crd: JsonObject): CrdCondition {
  const type = 'KubernetesAPIApprovalPolicyConformant';
  const text = approvalOf(crd);
  return approvalState(crd) === 'approved'
    ? { type, status: 'True', reason: 'ApprovedAnnotation', message: `approved in ${text}` }
    : { type, status: 'False', reason: 'UnapprovedAnnotation', message: `not approved: ${quote(text)}` };
}

function isEstablished(crd: JsonObject): boolean {
  return (rawConditionsOf(crd) as readonly CrdCondition[]).some(({ type, status }) => type === 'Established' && status === 'True');
}

interface CrdCondition extends JsonObject {
  readonly type: string;
  readonly status: string;
}

/** Returns the new conditions. A condition keeps its transition time as long as its status is the same. */
function mergeConditions(before: readonly CrdCondition[], now: string, wanted: readonly CrdCondition[]): readonly CrdCondition[] {
  return wanted.map((condition) => {
    const known = before.find(({ type }) => type === condition.type);
    if (known?.status === condition.status && known.reason === condition.reason && known.message === condition.message) return known;
    const { type, status, reason, message } = condition;
    const lastTransitionTime = known?.status === status ? (known.lastTransitionTime ?? now) : now;
    return { type, status, lastTransitionTime, reason, message };
  });
}

/**
 * Deletes the objects of a definition that is being deleted, as far as their finalizers allow, and then the definition. Source: Kubernetes
 * documentation "CustomResourceDefinitions", "Delete a CustomResourceDefinition"; "Finalizers".
 */
function finalizeCrd(backend: Backend, name: string): void {
  const { store, clock, catalog } = backend;
  const key = { resource: crdResource, namespace: '', name };
  const crd = store.get(key);
  if (crd === undefined || !awaitsCleanup(crd)) return;
  const { group, names } = crd.spec as { group: string; names: JsonObject };
  const resource = `${group}/${String(names.plural)}`;
  const isOwn = isEstablished(crd) && !catalog.isBuiltIn(resource);
  if (isOwn) {
    const begun = withCondition(clock, crd, deletionStates.inProgress);
    if (!jsonEqual(begun, crd)) store.put(key, begun);
    catalog.define(begun);
    for (const object of store.list(resource)) deleteInstance(backend, resource, object);
    if (store.list(resource).length > 0) return;
  }
  const end = isOwn ? 'completed' : catalog.isBuiltIn(resource) ? 'overlapping' : 'neverEstablished';
  const finalizers = finalizersOf(crd).filter((each) => each !== cleanupFinalizer);
  const { finalizers: _, ...metadata } = metadataOf(crd);
  const kept = finalizers.length === 0 ? metadata : { ...metadata, finalizers: finalizers as Json };
  const done = withCondition(clock, { ...crd, metadata: kept }, deletionStates[end]);
  if (finalizers.length > 0) {
    store.put(key, done);
    if (isOwn) catalog.define(done);
  } else removeCrd(backend, store.remove(key) ?? done);
}

function deleteInstance({ store, clock }: Backend, resource: string, object: JsonObject): void {
  const { namespace = '', name = '' } = metadataOf(object);
  const key = { resource, namespace, name };
  if (finalizersOf(object).length === 0) store.remove(key);
  else if (!isTerminating(object)) store.put(key, terminating(clock, object, finalizersOf(object), 0));
}

function removeCrd(backend: Backend, crd: JsonObject): void {
  const { group, names } = crd.spec as { group: string; names: JsonObject };
  const name = `${group}/${String(names.plural)}`;
  for (const object of backend.catalog.isBuiltIn(name) ? [] : backend.store.list(name)) {
    const { namespace = '', name: own = '' } = metadataOf(object);
    backend.store.remove({ resource: name, namespace, name: own });
  }
  backend.catalog.undefine(name);
  // A released name may now be accepted for another definition.
  for (const other of backend.store.list(crdResource)) if ((other.spec as JsonObject).group === group) establishCrd(backend, other);
}
