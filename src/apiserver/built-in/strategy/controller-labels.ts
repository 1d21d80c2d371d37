import { metadataOf } from '../../../fields/object.js';
import { isJsonObject, type JsonObject } from '../../../util/json.js';

/** Gives a ReplicationController what it does not have of the labels of its template. Source: Kubernetes API reference. */
export function withControllerLabels(object: JsonObject): JsonObject {
  if (object.kind !== 'ReplicationController' || object.apiVersion !== 'v1' || !isJsonObject(object.spec)) return object;
  const { spec } = object;
  const labels = labelsOf(isJsonObject(spec.template) ? spec.template : {});
  if (Object.keys(labels).length === 0) return object;
  return {
    ...object,
    ...(Object.keys(labelsOf(object)).length > 0 ? {} : { metadata: { ...metadataOf(object), labels } }),
    ...(isJsonObject(spec.selector) ? {} : { spec: { ...spec, selector: labels } }),
  };
}

function labelsOf(object: JsonObject): JsonObject {
  const { labels } = metadataOf(object);
  return isJsonObject(labels) ? labels : {};
}
