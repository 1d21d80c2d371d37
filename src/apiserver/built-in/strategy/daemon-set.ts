import { metadataOf } from '../../../fields/object.js';
import { type JsonObject, jsonEqual } from '../../../util/json.js';
import { structOf } from '../../api/json-access.js';

const annotation = 'deprecated.daemonset.template.generation';

/** Returns a DaemonSet with the annotation that every one has: the generation of its template, 0 unless it says another. Source: observed. */
export function withTemplateGeneration(object: JsonObject): JsonObject {
  return isDaemonSet(object) && generationOf(object) === undefined ? withAnnotation(object, '0') : object;
}

/** Sets the generation of the template: 1 for a new DaemonSet, one more for a changed template. Source: observed. */
export function prepareDaemonSet(object: JsonObject, live: JsonObject | undefined): JsonObject {
  if (!isDaemonSet(object)) return object;
  if (live === undefined) return withAnnotation(object, '1');
  const before = Number(generationOf(live) ?? 0);
  const isChanged = !jsonEqual(structOf(structOf(object.spec).template), structOf(structOf(live.spec).template));
  return withAnnotation(object, String(isChanged ? before + 1 : before));
}

function isDaemonSet({ kind, apiVersion }: JsonObject): boolean {
  return kind === 'DaemonSet' && apiVersion === 'apps/v1';
}

function generationOf(object: JsonObject): string | undefined {
  return metadataOf(object).annotations?.[annotation];
}

function withAnnotation(object: JsonObject, value: string): JsonObject {
  const metadata = metadataOf(object);
  return { ...object, metadata: { ...metadata, annotations: { ...metadata.annotations, [annotation]: value } } };
}
