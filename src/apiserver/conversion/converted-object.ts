import { goType } from '../../merge/index.js';
import { stringifyExactJson } from '../../util/exact-json.js';
import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../../util/json.js';
import { fieldErrorText } from '../api/field-error.js';
import { goTypeOf } from '../api/json-text.js';
import { sorted } from '../patch/patched-text.js';
import { annotationSizeErrors, mapErrors } from '../registry/metadata-rules.js';

/** The members of the metadata that a webhook may change. Source: Kubernetes documentation "Versions in CustomResourceDefinitions", "Response". */
const convertible = ['labels', 'annotations'] as const;

/**
 * Returns the object as a webhook converted it, with the metadata of the original except for its labels and annotations. Source: observed.
 *
 * @param converter the webhook as errors name it
 * @throws Error with the message of the server, if the webhook returned another object
 */
export function checkedObject(converter: string, original: JsonObject, converted: Json, apiVersion: string): JsonObject {
  if (converted === null) throw new Error('unexpected end of JSON input');
  if (!isJsonObject(converted))
    throw new Error(`json: cannot unmarshal ${goTypeOf(converted)} into Go value of type map[string]interface {}`);
  if (typeof converted.kind !== 'string' || converted.kind === '')
    throw new Error(`Object 'Kind' is missing in '${stringifyExactJson(sorted(converted))}'`);
  const wrong = (what: string, expected: Json | undefined, received: Json | undefined) =>
    new Error(
      `${converter} returned invalid object at index 0: invalid ${what} (expected ${String(expected)}, received ${memberText(received)})`,
    );
  if (converted.apiVersion !== apiVersion) throw wrong('groupVersion', apiVersion, converted.apiVersion);
  if (converted.kind !== original.kind) throw wrong('kind', original.kind, converted.kind);
  checkIdentity(converter, original, converted);
  return { ...converted, metadata: restoredMetadata(converter, original, converted.metadata as JsonObject) };
}

function checkIdentity(converter: string, original: JsonObject, converted: JsonObject): void {
  const [before, after] = [original, converted].map(({ metadata }) => (isJsonObject(metadata) ? metadata : {})) as [JsonObject, JsonObject];
  const names = { name: 'name', namespace: 'namespace', uid: 'UID' };
  for (const [member, shown] of Object.entries(names)) {
    const [wanted, found] = [memberText(before[member]), memberText(after[member])];
    if (wanted !== found) throw new Error(`${converter} returned invalid object: must have the same ${shown}: ${wanted} != ${found}`);
  }
}

function restoredMetadata(converter: string, original: JsonObject, received: JsonObject): JsonObject {
  const { labels: _, annotations: __, ...kept } = (original.metadata ?? {}) as JsonObject;
  const result: Record<string, Json> = { ...(kept as Record<string, Json>) };
  for (const member of convertible) {
    const value = received[member];
    if (value === undefined || value === null) continue;
    const problem = mapProblem(member, value, (original.metadata as JsonObject | undefined)?.[member]);
    if (problem !== undefined) throw new Error(`${converter} returned invalid metadata: ${problem}`);
    result[member] = value;
  }
  return result;
}

function mapProblem(member: (typeof convertible)[number], value: Json, before: Json | undefined): string | undefined {
  if (!isJsonObject(value)) return `invalid metadata.${member} of type ${goType(value)} in converted object`;
  for (const [key, text] of Object.entries(value)) {
    if (typeof text !== 'string') return `metadata.${member}[${key}] must be a string, but is ${goType(text)} in converted object`;
  }
  if (before !== undefined && jsonEqual(value, before)) return undefined;
  // The server names the annotations so.
  const field = member === 'labels' ? 'metadata.labels' : 'metadata.annotation';
  const errors = [...mapErrors(field, value, member === 'labels'), ...(member === 'labels' ? [] : annotationSizeErrors(value, field))];
  const texts = [...new Set(errors.map(fieldErrorText))];
  return texts.length < 2 ? texts[0] : `[${texts.join(', ')}]`;
}

/** Returns a text; empty if the value is another one. */
function memberText(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
