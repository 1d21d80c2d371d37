import { isJsonObject, type Json, type JsonObject } from '../../../util/json.js';

const lastFinalizer = 'kubernetes';

/**
 * What the server decides of a Namespace: a finalizer of its own is in the spec of every new one, and no update changes the spec.
 * Source: Kubernetes documentation "Namespaces"; answers of a server.
 */
export function prepareNamespace(object: JsonObject, live: JsonObject | undefined): JsonObject {
  if (object.kind !== 'Namespace' || object.apiVersion !== 'v1') return object;
  if (live !== undefined) return { ...object, spec: live.spec };
  const spec = isJsonObject(object.spec) ? object.spec : {};
  const declared = Array.isArray(spec.finalizers) ? (spec.finalizers as readonly Json[]) : [];
  const finalizers = declared.includes(lastFinalizer) ? declared : [...declared, lastFinalizer];
  return { ...object, spec: { ...spec, finalizers: finalizers as Json } };
}
