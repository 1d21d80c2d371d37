import { metadataOf } from '../../fields/object.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import { structOf } from '../api/json-access.js';
import { simulateAnnotation, unknownSimulation } from '../api/simulate-annotation.js';

/** Returns warnings about the annotation that says how Pods fail: a value that is not known, and a place where nothing reads it. */
export function simulationWarnings(object: JsonObject): readonly string[] {
  const own = metadataOf(object).annotations?.[simulateAnnotation];
  const field = `metadata.annotations[${simulateAnnotation}]`;
  if (object.kind === 'Pod') return warningsAt(field, own);
  const { template } = structOf(object.spec);
  if (!isJsonObject(template)) return [];
  return [
    ...(own === undefined ? [] : [`${field}: has no effect here, because the simulation reads it from the Pod template`]),
    ...warningsAt(`spec.template.${field}`, metadataOf(template).annotations?.[simulateAnnotation]),
  ];
}

function warningsAt(field: string, value: string | undefined): readonly string[] {
  const problem = unknownSimulation(value);
  return problem === undefined ? [] : [`${field}: ${problem}`];
}
