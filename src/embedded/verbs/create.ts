import { updateRequest } from '../../ownership/index.js';
import type { JsonObject } from '../../util/json.js';
import { badRequest } from '../api/failure.js';
import { type ApiRequest, type ApiResponse, answer } from '../api/request.js';
import type { Backend, Target } from './backend.js';
import { objectBody } from './body.js';
import { checkNamespace } from './names.js';
import { writeOptions } from './options.js';
import { scopeOf } from './scope.js';
import { decodingWarnings, strictProblems } from './validation.js';
import { createObject, metadataOf } from './write.js';

/** POST to a collection. */
export async function createVerb(backend: Backend, target: Target, request: ApiRequest): Promise<ApiResponse> {
  const options = writeOptions(request, 'CreateOptions');
  const { resource, version } = target;
  const { object: body, repeated } = await objectBody(request, target);
  checkKind(target, body);
  const decoded = resource.form.decode(body, version.apiVersion);
  const warnings = decodingWarnings(target, options, strictProblems(decoded.unknown, repeated));
  const metadata = metadataOf(decoded.object);
  if (metadata.resourceVersion !== undefined && metadata.resourceVersion !== '' && metadata.resourceVersion !== '0') {
    throw badRequest('resourceVersion should not be set on objects to be created');
  }
  checkNamespace(target.namespace, metadata.namespace as string | undefined);
  const name = (metadata.name as string | undefined) || generatedName(backend, metadata.generateName as string | undefined);
  const { resourceVersion: _, ...kept } = metadata;
  const named = { ...decoded.object, metadata: { ...kept, ...(name === undefined ? {} : { name }) } };
  const owned = updateRequest({ ...scopeOf(backend, target, options.manager), live: undefined, object: named });
  const created = createObject(backend, { ...target, name: name ?? '' }, owned, options.dryRun);
  return answer(201, created.object, [...warnings, ...created.warnings]);
}

/** @throws Failure 400 */
export function checkKind(target: Target, body: JsonObject): void {
  const { resource, version } = target;
  const { apiVersion = version.apiVersion, kind = resource.kind } = body as { apiVersion?: string; kind?: string };
  if (apiVersion === version.apiVersion && kind === resource.kind) return;
  const slash = apiVersion.indexOf('/');
  const found = `${slash < 0 ? '' : apiVersion.slice(0, slash)}/${apiVersion.slice(slash + 1)}, Kind=${kind}`;
  const wanted = `${resource.group}/${version.name}, Kind=${resource.kind}`;
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
