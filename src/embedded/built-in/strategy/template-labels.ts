import { metadataOf, uidOf } from '../../../kubernetes/object.js';
import { isJsonObject, type JsonObject, jsonEqual } from '../../../util/json.js';
import { invalidValue } from '../../api/field-error.js';
import { invalid } from '../../api/status-error.js';

function isOneOf({ apiVersion, kind }: JsonObject, ...kinds: readonly string[]): boolean {
  return kinds.includes(`${String(apiVersion)} ${String(kind)}`);
}

function labelsOf(object: JsonObject): JsonObject {
  const { labels } = metadataOf(object);
  return isJsonObject(labels) ? labels : {};
}

function templateOf({ spec }: JsonObject): JsonObject {
  return isJsonObject(spec) && isJsonObject(spec.template) ? spec.template : {};
}

/** Gives a Job or ReplicationController what it does not have of the labels of its template. Source: Kubernetes API reference. */
export function withTemplateLabels(object: JsonObject): JsonObject {
  const isController = isOneOf(object, 'v1 ReplicationController');
  if (!isController && !isOneOf(object, 'batch/v1 Job')) return object;
  const labels = labelsOf(templateOf(object));
  if (Object.keys(labels).length === 0) return object;
  const spec = object.spec as JsonObject;
  return {
    ...object,
    ...(Object.keys(labelsOf(object)).length > 0 ? {} : { metadata: { ...metadataOf(object), labels } }),
    ...(isController && !isJsonObject(spec.selector) ? { spec: { ...spec, selector: labels } } : {}),
  };
}

/**
 * Gives a new Job the selector and the labels of its Pods, unless the author says that it has its own.
 * Source: Kubernetes documentation "Jobs", "Specifying your own Pod selector".
 */
export function prepareJob(object: JsonObject): JsonObject {
  if (!isOneOf(object, 'batch/v1 Job') || !isJsonObject(object.spec) || object.spec.manualSelector === true) return object;
  const uid = uidOf(object) as string;
  const name = String(metadataOf(object).name);
  const template = templateOf(object);
  const labels = {
    ...labelsOf(template),
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    'job-name': name,
  };
  const selector = { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } };
  if (isJsonObject(object.spec.selector) && !jsonEqual(object.spec.selector, {}))
    throw selectorRefused(name, object.spec.selector, selector);
  const spec = {
    ...object.spec,
    selector,
    template: { ...template, metadata: { ...metadataOf(template), labels } },
  };
  // A Job that has its labels from its template has all of them.
  const isOwn = !jsonEqual(labelsOf(object), labelsOf(template));
  return { ...object, spec, ...(isOwn ? {} : { metadata: { ...metadataOf(object), labels } }) };
}

function selectorRefused(name: string, declared: JsonObject, generated: JsonObject): Error {
  const matchLabels = { ...(declared.matchLabels as JsonObject | undefined), ...(generated.matchLabels as JsonObject) };
  return invalid('Job', 'batch', name, [invalidValue('spec.selector', { ...declared, matchLabels }, '`selector` not auto-generated')]);
}
