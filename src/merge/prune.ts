import { containsSet, difference, type FieldSet, intersection, isEmpty, union } from '../fields/index.js';
import type { JsonObject } from '../util/json.js';
import { fieldSetOf } from './field-set-of.js';
import { inVersion, type Kind, type Versioned } from './kind.js';
import type { Managers, VersionedSet } from './managers.js';
import { withNamedFields } from './named-fields.js';
import { type Emptied, remove } from './remove.js';

/**
 * Takes away what the applier declared last time and does not now, unless somebody holds it. List items and structs in which
 * somebody holds something stay; what nobody ever declared stays too, except inside an item that goes.
 * Source: Kubernetes documentation "Server-Side Apply", "Field management"; KEP-555; the steps were measured on a server.
 *
 * @param merged the live object with the intent laid over it, in the version of the request
 * @param managers all owners, the applier's new set included
 * @param last what the applier declared last time
 * @param emptied what becomes of containers that lose their last member
 */
export function prune(
  kind: Kind,
  merged: JsonObject,
  managers: Managers,
  me: string,
  last: VersionedSet | undefined,
  emptied: Emptied,
): JsonObject {
  if (last === undefined || isEmpty(last.set)) return merged;
  const mine = managers.get(me) as VersionedSet;
  // What is declared again cannot be lost, as long as all owners speak of one version.
  if (last.apiVersion === mine.apiVersion && oneVersion(managers, mine.apiVersion) && containsSet(mine.set, last.set)) return merged;
  const start = inVersion(kind, merged, last.apiVersion);
  if (start === undefined) return merged;
  const lastNamed = withNamedFields(start.schema, start.type, last.set);
  let pruned = removed(start, lastNamed, emptied);
  if (pruned === start.value) return merged;
  for (const [apiVersion, held] of heldByVersion(managers, last.apiVersion)) {
    pruned = keepHeld(kind, start, pruned, { apiVersion, held, emptied });
  }
  const atLast = inVersion(kind, pruned, last.apiVersion) ?? start;
  const gone = difference(namedFieldsOf(start), namedFieldsOf(atLast));
  const result = removed(start, intersection(gone, lastNamed), emptied);
  return result === start.value ? merged : (inVersion(kind, result, mine.apiVersion)?.value ?? merged);
}

function oneVersion(managers: Managers, apiVersion: string): boolean {
  for (const held of managers.values()) if (held.apiVersion !== apiVersion) return false;
  return true;
}

// The version of the last intent comes first: a later conversion may need what it brings back.
function heldByVersion(managers: Managers, first: string): Map<string, FieldSet> {
  const result = new Map<string, FieldSet>();
  for (const { apiVersion, set } of managers.values()) {
    const known = result.get(apiVersion);
    result.set(apiVersion, known === undefined ? set : union(known, set));
  }
  const own = result.get(first);
  return own === undefined ? result : new Map([[first, own], ...result]);
}

/** Brings back what owners of a version hold. */
function keepHeld(
  kind: Kind,
  merged: Versioned,
  pruned: JsonObject,
  { apiVersion, held, emptied }: { readonly apiVersion: string; readonly held: FieldSet; readonly emptied: Emptied },
): JsonObject {
  const from = inVersion(kind, merged.value, apiVersion);
  const to = from && inVersion(kind, pruned, apiVersion);
  if (from === undefined || to === undefined) return pruned;
  const kept = union(namedFieldsOf(to), withNamedFields(from.schema, from.type, held));
  return removed(from, difference(namedFieldsOf(from), kept), emptied);
}

function namedFieldsOf({ schema, type, value }: Versioned): FieldSet {
  return withNamedFields(schema, type, fieldSetOf(schema, type, value));
}

// An object that loses everything keeps being an object; that takes an intent that owned even its name.
function removed({ schema, type, value }: Versioned, set: FieldSet, emptied: Emptied): JsonObject {
  return (remove(schema, type, value, set, emptied) ?? {}) as JsonObject;
}
