import { metadataOf } from '../../fields/object.js';
import type { JsonObject } from '../../util/json.js';
import { badRequest } from '../api/status-error.js';
import type { ObjectTarget } from './backend.js';

/** Checks that the name and namespace of a body are those of the URL. @throws StatusError 400 */
export function checkNames(target: ObjectTarget, object: JsonObject): void {
  const { name, namespace } = metadataOf(object);
  checkNamespace(target.namespace, namespace);
  if (name === undefined || name === '')
    throw badRequest(`the name of the object (${target.name} based on URL) was undeterminable: name must be provided`);
  if (name !== target.name)
    throw badRequest(`the name of the object (${String(name)}) does not match the name on the URL (${target.name})`);
}

export function checkNamespace(requested: string | undefined, bodyNamespace: string | undefined): void {
  // A cluster-scoped object has no namespace; one in its body is ignored.
  if (requested !== undefined && bodyNamespace !== undefined && bodyNamespace !== '' && bodyNamespace !== requested) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
}
