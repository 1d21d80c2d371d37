import { compareUtf8, difference, type FieldPath, fieldSetOfPaths, has, isEmpty } from '../../fields/index.js';
import { metadataOf } from '../../fields/object.js';
import type { VersionedSet } from '../../merge/index.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { readEntries, writeEntries } from '../managed-fields/entries.js';

/** The mapping between the replicas of an object and its scale subresource. */
export interface ScaleMapping {
  /** The path of the replicas in the main resource, by apiVersion: `.spec.replicas` for a Deployment of `apps/v1`. */
  readonly replicas: ReadonlyMap<string, FieldPath>;
  /** The apiVersion with which the request addressed the main resource. */
  readonly apiVersion: string;
}

const scaleVersion = 'autoscaling/v1';
const scaleReplicas: FieldPath = [
  { kind: 'field', name: 'spec' },
  { kind: 'field', name: 'replicas' },
];

/**
 * Returns the managedFields of a Scale: every owner of the replicas of the main resource owns `.spec.replicas` of the Scale. Source:
 * KEP-555; observed.
 */
export function scaleEntries(main: JsonObject, mapping: ScaleMapping): readonly JsonObject[] {
  const { managers, times } = readEntries(metadataOf(main).managedFields);
  const set = fieldSetOfPaths([scaleReplicas]);
  const projected = new Map<string, VersionedSet>();
  for (const [identity, owned] of managers) {
    const path = mapping.replicas.get(owned.apiVersion);
    if (path !== undefined && has(owned.set, path)) projected.set(identity, { set, apiVersion: scaleVersion, applied: owned.applied });
  }
  return writeEntries({ managers: projected, times });
}

/**
 * Returns the managedFields of the main resource after a write to its Scale: owners that lost the replicas there lose them here.
 *
 * An Update entry has another version on the Scale, and the server does not recognize it when it maps the entry back: its replicas move to
 * a separate entry without a time, whether or not the write changed anything.
 */
export function mainEntries(main: JsonObject, scale: JsonObject, mapping: ScaleMapping): readonly JsonObject[] {
  const before = readEntries(metadataOf(main).managedFields);
  const onScale = readEntries(metadataOf(scale).managedFields);
  const managers = new Map<string, VersionedSet>();
  for (const [identity, owned] of before.managers) {
    const path = mapping.replicas.get(owned.apiVersion);
    if (path === undefined || !has(owned.set, path) || onScale.managers.has(identity)) {
      managers.set(identity, owned);
      continue;
    }
    const set = difference(owned.set, fieldSetOfPaths([path]));
    if (!isEmpty(set)) managers.set(identity, { ...owned, set });
  }
  const path = mapping.replicas.get(mapping.apiVersion);
  for (const [identity, owned] of onScale.managers) {
    if (path === undefined || !has(owned.set, scaleReplicas) || managers.has(identity)) continue;
    managers.set(identity, { set: fieldSetOfPaths([path]), apiVersion: mapping.apiVersion, applied: owned.applied });
  }
  return writeEntries({ managers, times: before.times }).map(({ fieldsV1, ...entry }) => ({ ...entry, fieldsV1: inTextOrder(fieldsV1) }));
}

// Other requests write elements in the order of their values (`80` before `443`). A built-in object keeps the text, so that the next
// request finds a difference to write.
function inTextOrder(fields: Json | undefined): Json {
  if (!isJsonObject(fields)) return fields ?? null;
  const sorted = Object.entries(fields).toSorted(([left], [right]) => compareUtf8(left, right));
  return Object.fromEntries(sorted.map(([element, below]) => [element, inTextOrder(below)]));
}
