import { difference, type FieldSet } from '../../fields/index.js';
import { metadataOf } from '../../fields/object.js';
import { compare, fieldSetOf, validate } from '../../merge/index.js';
import type { RootType } from '../../schema/index.js';
import { parseExactJson, stringifyExactJson } from '../../util/exact-json.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { annotationOf } from '../object.js';
import type { ManagedFieldsEntry } from './managed-fields.js';

/** The annotation in which client-side `kubectl apply` stores the last applied object. */
export const lastAppliedAnnotation = 'kubectl.kubernetes.io/last-applied-configuration';

/** The manager for which the server allows client-side and server-side apply to alternate without conflicts. */
export const kubectlManager = 'kubectl';

/** The field manager of `kubectl apply` without `--server-side`, unless `--field-manager` names another. */
export const clientSideApplyManager = 'kubectl-client-side-apply';

/**
 * Returns true for an entry that applies the annotation from files, which brings it back. `kubectl apply --server-side` applies only one that exists,
 * under a manager of its own. Source: kubectl 1.36, "kubectl-last-applied".
 */
export function appliesLastApplied({ manager, operation }: Pick<ManagedFieldsEntry, 'manager' | 'operation'>): boolean {
  return operation === 'Apply' && manager !== 'kubectl-last-applied';
}

/** Returns true for an Update entry of kubectl without server-side apply, and for entries that the server names itself. */
export function isOfClientSideKubectl({ manager, operation }: Pick<ManagedFieldsEntry, 'manager' | 'operation'>): boolean {
  return operation === 'Update' && /^(kubectl|kubectl-[a-z-]+|before-first-apply|ancient-changes)$/.test(manager);
}

// The server drops an annotation that exceeds the limit of etcd.
const sizeLimit = 262_144;

/**
 * Returns fields that client-side apply wrote and that are unchanged since: conflicts over these do not stop the manager `kubectl`. Source:
 * Kubernetes documentation "Server-Side Apply", "Upgrading from client-side apply to server-side apply".
 *
 * @returns undefined if the annotation is missing or unusable, for example if the live object has duplicate items (observed).
 */
export function lastAppliedFields(root: RootType, live: JsonObject): FieldSet | undefined {
  const annotation = annotationOf(live, lastAppliedAnnotation);
  if (!annotation) return undefined;
  const applied = readLastApplied(annotation);
  if (applied === undefined || applied.apiVersion !== root.apiVersion) return undefined;
  if ([applied, live].some((object) => validate(root.schema, root.type, object).length > 0)) return undefined;
  const { modified, added, removed } = compare(root.schema, root.type, applied, live);
  return difference(difference(difference(fieldSetOf(root.schema, root.type, applied), modified), added), removed);
}

/** Reads the text of the annotation; returns undefined where it is not a JSON object: client-side apply fails then, and deletes nothing. */
export function readLastApplied(text: string): JsonObject | undefined {
  try {
    const value = parseExactJson(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the object with its last-applied annotation, if it has one, updated to the intent that `kubectl` applied server-side. */
export function withLastApplied(object: JsonObject, intent: JsonObject): JsonObject {
  if (!annotationOf(object, lastAppliedAnnotation)) return object;
  const metadata = metadataOf(object);
  const others = otherAnnotations(metadata.annotations as JsonObject);
  const text = `${stringifyExactJson(sorted(withoutAnnotation(intent)))}\n`;
  const annotations = sizeOf(others) + text.length > sizeLimit ? others : { ...others, [lastAppliedAnnotation]: text };
  return { ...object, metadata: { ...metadata, annotations } };
}

function sizeOf(annotations: JsonObject): number {
  return Object.entries(annotations).reduce((size, [name, value]) => size + name.length + String(value).length, 0);
}

function withoutAnnotation(intent: JsonObject): JsonObject {
  const metadata = metadataOf(intent);
  if (!isJsonObject(metadata.annotations)) return intent;
  return { ...intent, metadata: { ...metadata, annotations: otherAnnotations(metadata.annotations) } };
}

/** Returns all other annotations; `kubectl` treats their values as text, and null as empty text. Source: observed. */
function otherAnnotations(annotations: JsonObject): JsonObject {
  const others = Object.entries(annotations).filter(([name]) => name !== lastAppliedAnnotation);
  return Object.fromEntries(others.map(([name, value]) => [name, value ?? '']));
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  const names = Object.keys(value).filter((name) => value[name] !== undefined);
  return Object.fromEntries(names.sort().map((name) => [name, sorted(value[name] as Json)]));
}
