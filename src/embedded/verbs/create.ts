import { updateRequest } from '../../ownership/index.js';
import type { JsonObject } from '../../util/json.js';
import { admit, isCurrent } from '../admission/admit.js';
import { badRequest } from '../api/failure.js';
import { type ApiRequest, type ApiResponse, answer } from '../api/request.js';
import { traitsOf } from '../built-in/traits.js';
import { storeName } from '../resources/resource.js';
import { StaleRead } from '../store/stale-read.js';
import type { Backend, NamedTarget, Target } from './backend.js';
import { objectBody } from './body.js';
import { checkNamespace } from './names.js';
import { writeOptions } from './options.js';
import { withEachOwnerOnce } from './owners.js';
import { scopeOf } from './scope.js';
import { decodingWarnings, strictProblems } from './validation.js';
import { checkNumber, createObject, metadataOf } from './write.js';

/** POST to a collection. */
export async function createVerb(backend: Backend, target: Target, request: ApiRequest): Promise<ApiResponse> {
  const options = writeOptions(request, 'CreateOptions');
  const { resource, version } = target;
  const { object: body, repeated } = await objectBody(request, target);
  checkKind(target, body);
  const decoded = resource.form.decode(body, version.apiVersion);
  target.warnings.push(...decodingWarnings(target, options, strictProblems(decoded.unknown, repeated)));
  const object = withEachOwnerOnce(target, decoded.object, 'body');
  // What only a deletion sets is forgotten before anybody could own it. Source: observed.
  const { deletionTimestamp: _, deletionGracePeriodSeconds: __, ...metadata } = metadataOf(object);
  checkNamespace(target.namespace, metadata.namespace as string | undefined);
  const name = (metadata.name as string | undefined) || generatedName(backend, metadata.generateName as string | undefined);
  const named = { ...object, metadata: { ...metadata, ...(name === undefined ? {} : { name }) } };
  const owned = updateRequest({ ...scopeOf(backend, target, options.manager), live: undefined, object: named });
  const place = { ...target, name: name ?? '' };
  const admitted = await admit(backend, place, request, { operation: 'CREATE', object: owned, before: null, dryRun: options.dryRun });
  const created = createObject(backend, place, admitted, options.dryRun);
  return answer(201, created.object, created.warnings);
}

/** Creates what an apply or a PUT addresses, and is not there. @throws Failure */
export async function createInPlace(
  backend: Backend,
  target: NamedTarget,
  request: ApiRequest,
  object: JsonObject,
  dryRun: boolean,
): Promise<ApiResponse> {
  const { resourceVersion, ...metadata } = metadataOf(object);
  checkNumber(resourceVersion);
  const wanted = dryRun ? object : { ...object, metadata };
  const admitted = await admit(backend, target, request, { operation: 'CREATE', object: wanted, before: null, dryRun });
  if (!isCurrent(backend, target, undefined)) throw new StaleRead();
  const created = createObject(backend, target, admitted, dryRun);
  return answer(201, created.object, created.warnings);
}

/** Whether an apply or a PUT to an absent object, or to its status, may create it. */
export function createsOnUpdate({ resource }: Target): boolean {
  return !resource.form.custom && traitsOf(storeName(resource)).createOnUpdate === true;
}

/** @throws Failure 400 */
export function checkKind(target: Target, body: JsonObject): void {
  const { resource, version } = target;
  const given = body as { apiVersion?: string; kind?: string };
  // What a body of a built-in kind leaves empty is taken from the path, like what it leaves out.
  const apiVersion = resource.form.custom ? (given.apiVersion ?? version.apiVersion) : given.apiVersion || version.apiVersion;
  const kind = resource.form.custom ? (given.kind ?? resource.kind) : given.kind || resource.kind;
  // A custom object of another kind is refused later, with whatever else is wrong with it.
  if (apiVersion === version.apiVersion && (kind === resource.kind || (resource.form.custom && kind !== ''))) return;
  if (resource.form.custom && kind === '')
    throw badRequest(`the object provided is unrecognized (must be of type ${resource.kind}): Object 'Kind' is missing`);
  const slash = apiVersion.indexOf('/');
  const found = `${slash < 0 ? '' : apiVersion.slice(0, slash)}/${apiVersion.slice(slash + 1)}, Kind=${kind}`;
  const wanted = `${resource.group}/${version.name}, Kind=${resource.kind}`;
  if (kind === resource.kind && !resource.form.custom && !resource.versions.has(apiVersion)) {
    const reason = `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`;
    throw badRequest(`${resource.kind} in version ${JSON.stringify(apiVersion)} cannot be handled as a ${resource.kind}: ${reason}`);
  }
  if (kind === resource.kind || resource.form.custom) {
    throw badRequest(`the API version in the data (${apiVersion}) does not match the expected API version (${version.apiVersion})`);
  }
  throw badRequest(
    `${resource.kind} in version "${version.name}" cannot be handled as a ${resource.kind}: converting (${found}) to (${wanted}): unknown conversion`,
  );
}

function generatedName(backend: Backend, prefix: string | undefined): string | undefined {
  if (!prefix) return undefined;
  const letters = 'bcdfghjklmnpqrstvwxz2456789';
  const seed = backend.newUid().replaceAll('-', '');
  const suffix = [0, 1, 2, 3, 4]
    .map((index) => letters[Number.parseInt(seed.slice(index * 2, index * 2 + 2), 16) % letters.length])
    .join('');
  return prefix.slice(0, 58) + suffix;
}
