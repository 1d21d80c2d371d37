import type { JsonObject } from '../../util/json.js';
import { matchesObject } from './match.js';
import { memberText, objectOf } from './members.js';
import { NotKnownError, type ParamStore } from './request.js';

/** A policy or binding cannot be evaluated as it is configured. */
export class ConfigurationError extends Error {}

/**
 * Returns the parameters of a binding, each of which the policy is evaluated with; `null` stands for none.
 * Source: Kubernetes API reference, ParamRef; messages as observed.
 *
 * @param store the objects of the kind of the parameters; undefined if the policy has no `paramKind`
 * @throws ConfigurationError
 * @throws NotKnownError if nothing is found where not everything is known
 */
export function collectParams(
  store: ParamStore | undefined,
  binding: JsonObject,
  requestNamespace: string,
): readonly (JsonObject | null)[] {
  const { paramRef } = objectOf(binding.spec);
  if (store === undefined || paramRef === undefined) return [null];
  const { name, namespace, selector, parameterNotFoundAction } = objectOf(paramRef);
  const wanted = memberText(namespace);
  if (!store.namespaced && wanted !== '')
    throw new ConfigurationError('paramRef.namespace must not be provided for a cluster-scoped `paramKind`');
  const inNamespace = store.namespaced ? wanted || requestNamespace : '';
  if (store.namespaced && inNamespace === '')
    throw new ConfigurationError('cannot use namespaced paramRef in policy binding that matches cluster-scoped resources');
  const params = memberText(name) === '' ? selected(store, inNamespace, objectOf(selector)) : [store.get(inNamespace, memberText(name))];
  const found = params.filter((each) => each !== undefined);
  const isComplete = store.isComplete(memberText(objectOf(binding.metadata).name), inNamespace);
  const isPartial = isComplete === false && memberText(name) === '';
  if ((found.length === 0 && isComplete !== true) || isPartial) throw new NotKnownError(`params ${memberText(name) || 'by a selector'}`);
  if (found.length === 0 && parameterNotFoundAction === 'Deny')
    throw new ConfigurationError('no params found for policy binding with `Deny` parameterNotFoundAction');
  return found;
}

function selected(store: ParamStore, namespace: string, selector: JsonObject): readonly JsonObject[] {
  return store.list(namespace).filter((each) => matchesObject(selector, each));
}
