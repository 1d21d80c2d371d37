import { containsSet, difference, type FieldSet, intersection, isEmpty, union } from '../../fields/index.js';
import type { JsonObject } from '../../util/json.js';
import { onceFor } from '../../util/once-for.js';
import type { Managers, VersionedSet } from '../managers.js';
import { ConversionError, inVersion, type Versioned, type VersionedKind } from '../versioned-kind.js';
import { fieldSetOf } from './field-set-of.js';
import { withNamedFields } from './named-fields.js';
import { type PrunedContainers, remove } from './remove.js';
import { formatValidationErrors, validate } from './validate.js';

/**
 * Removes what the applier declared last time and no longer declares, unless somebody else owns it. List items and structs that contain
 * owned fields stay; fields that nobody declared stay too, except inside a removed item. Source: Kubernetes documentation "Server-Side
 * Apply", "Field management"; KEP-555; the steps were measured on a server.
 *
 * @param merged the live object merged with the intent, in the version of the request
 * @param managers all owners, with the applier's new set
 * @param last the fields that the applier declared last time
 * @param prunedContainers the treatment of containers that lose their last member
 */
export function prune(
  kind: VersionedKind,
  merged: JsonObject,
  managers: Managers,
  requester: string,
  last: VersionedSet | undefined,
  prunedContainers: PrunedContainers,
): JsonObject {
  if (last === undefined || isEmpty(last.set)) return merged;
  const own = managers.get(requester) as VersionedSet;
  // Fields that are declared again cannot be lost if all owners use one version.
  const again = last.apiVersion === own.apiVersion && oneVersion(managers, own.apiVersion) && containsSet(own.set, last.set);
  if (again && !(prunedContainers === 'null' && knownBareItem(last.set))) return merged;
  const start = inVersion(kind, merged, last.apiVersion);
  if (start === undefined) return merged;
  const lastNamed = withNamedFields(start.schema, start.type, last.set);
  let pruned = removed(start, lastNamed, prunedContainers);
  if (pruned === start.value) return merged;
  for (const [apiVersion, ownedSet] of ownedByVersion(managers, last.apiVersion)) {
    pruned = addBackOwned(kind, start, pruned, { apiVersion, ownedSet: ownedSet, prunedContainers: prunedContainers });
  }
  const dangling = 'failed add back dangling items: failed to convert pruned object to last applied version';
  const atLast = typedVersion(kind, pruned, last.apiVersion, dangling) ?? start;
  const removedFields = difference(namedFieldsOf(start), namedFieldsOf(atLast));
  const result = removed(start, intersection(removedFields, lastNamed), prunedContainers);
  return result === start.value ? merged : (inVersion(kind, result, own.apiVersion)?.value ?? merged);
}

/** Owners keep their sets for as long as they declare the same fields. */
const knownBareItem = onceFor(hasBareItem);

/**
 * Returns true if a list item is declared without its keys, by their defaults alone. Nobody owns these defaults, so pruning empties the
 * item for a moment, and a null item has no identity that would keep it.
 */
function hasBareItem(set: FieldSet): boolean {
  for (const element of set.members) if (element.startsWith('k:') && !set.children.has(element)) return true;
  for (const child of set.children.values()) if (hasBareItem(child)) return true;
  return false;
}

function oneVersion(managers: Managers, apiVersion: string): boolean {
  for (const owned of managers.values()) if (owned.apiVersion !== apiVersion) return false;
  return true;
}

// The version of the last intent comes first: a later conversion may need the fields that it restores.
function ownedByVersion(managers: Managers, first: string): Map<string, FieldSet> {
  const result = new Map<string, FieldSet>();
  for (const { apiVersion, set } of managers.values()) {
    const known = result.get(apiVersion);
    result.set(apiVersion, known === undefined ? set : union(known, set));
  }
  const own = result.get(first);
  return own === undefined ? result : new Map([[first, own], ...result]);
}

/** Returns the object in another version. @throws ConversionError if it does not fit the schema. */
function typedVersion(kind: VersionedKind, object: JsonObject, apiVersion: string, failing: string): Versioned | undefined {
  const at = inVersion(kind, object, apiVersion);
  if (at === undefined || object.apiVersion === apiVersion) return at;
  const errors = validate(at.schema, at.type, at.value, { allowDuplicates: true });
  if (errors.length === 0) return at;
  throw new ConversionError(`failed to prune fields: ${failing}: ${formatValidationErrors(errors)}`);
}

/** Restores the fields that owners of a version hold. */
function addBackOwned(
  kind: VersionedKind,
  merged: Versioned,
  pruned: JsonObject,
  {
    apiVersion,
    ownedSet,
    prunedContainers,
  }: { readonly apiVersion: string; readonly ownedSet: FieldSet; readonly prunedContainers: PrunedContainers },
): JsonObject {
  const from = inVersion(kind, merged.value, apiVersion);
  const owned = `failed add back owned items: failed to convert pruned object at version ${apiVersion}`;
  const to = from && typedVersion(kind, pruned, apiVersion, owned);
  if (from === undefined || to === undefined) return pruned;
  const kept = union(namedFieldsOf(to), withNamedFields(from.schema, from.type, ownedSet));
  return removed(from, difference(namedFieldsOf(from), kept), prunedContainers);
}

function namedFieldsOf({ schema, type, value }: Versioned): FieldSet {
  return withNamedFields(schema, type, fieldSetOf(schema, type, value));
}

// An object that loses everything stays an object; this requires an intent that owned even its name.
function removed({ schema, type, value }: Versioned, set: FieldSet, prunedContainers: PrunedContainers): JsonObject {
  return (remove(schema, type, value, set, prunedContainers) ?? {}) as JsonObject;
}
