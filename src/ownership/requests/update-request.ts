import { difference, isEmpty, union } from '../../fields/index.js';
import { metadataOf } from '../../fields/object.js';
import {
  ConversionError,
  type ExplicitEmptyLists,
  formatValidationErrors,
  updateManagers,
  type VersionedSet,
  validate,
} from '../../merge/index.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { capUpdates } from '../managed-fields/cap.js';
import { noOwnership, type Ownership, readEntries, writeEntries } from '../managed-fields/entries.js';
import { ownerIdentity } from '../managed-fields/identity.js';
import { withManagedFields, withoutManagedFields } from '../object.js';
import { neverOwned } from '../owners/never-owned.js';
import type { OwnershipCache } from './cache.js';
import { type RequestScope, rootOf, typedObjectText, zeroValueOf } from './request-scope.js';

/** A write by any verb other than apply: create, update (PUT), and patches other than apply. */
export interface UpdateRequest extends RequestScope {
  /** The stored object with its managedFields; undefined if the request creates one. */
  readonly live: JsonObject | undefined;
  /** The requested object after defaulting and pruning, before the server fills in or resets fields. */
  readonly object: JsonObject;
  /** Lists of `object` that count as changed although they are equal as JSON: see `ExplicitEmptyLists`. */
  readonly explicitEmptyLists?: ExplicitEmptyLists | undefined;
}

/**
 * Returns the object with its managedFields after the write: the writer owns exactly what it changed.
 *
 * ManagedFields in the request count on the main resource only: readable, non-empty ones replace the live ones, `[{}]` and `[]` clear them,
 * anything else keeps the live ones. (A server drops an empty list when it decodes a custom resource, so `[]` only clears those of built-in
 * kinds.) A write never fails because of them. Source: Kubernetes documentation "Server-Side Apply", "Clearing managedFields"; KEP-555.
 */
export function updateRequest(request: UpdateRequest): JsonObject {
  const ownership = ownershipBefore(request);
  const object = withoutManagedFields(request.object);
  // An untracked object stays untracked until the first apply; a new one is tracked from the start.
  if (ownership.managers.size === 0 && request.live !== undefined) return object;
  const live = request.live === undefined ? zeroValueOf(request) : withoutManagedFields(request.live);
  try {
    const after = ownershipAfter({ ...request, live, object }, ownership);
    return withManagedFields(object, writeEntries(after, request.cache));
  } catch (error) {
    // If ownership cannot be computed, the server leaves it out rather than write a wrong one.
    if (error instanceof ConversionError) return object;
    throw error;
  }
}

/** Returns the ownership after a write of `object` over `live`, both without managedFields. */
export function ownershipAfter(change: UpdateRequest & { readonly live: JsonObject }, before: Ownership): Ownership {
  const { live, object, explicitEmptyLists, kind, apiVersion, subresource, manager, ignored, cache } = change;
  const { schema, type } = rootOf(change);
  const checks = { allowDuplicates: true, known: cache?.valid };
  // Also the live object may not be one of its schema, which has changed since.
  for (const [which, value] of [
    ['new', object],
    ['live', live],
  ] as const) {
    const errors = validate(schema, type, value, checks);
    if (errors.length === 0) continue;
    const text = `failed to convert ${which} object ${typedObjectText(value)} to smd typed: ${formatValidationErrors(errors)}`;
    throw new ConversionError(`failed to create manager for existing fields: ${text}`);
  }
  const { managers, acquired } = updateManagers({
    kind,
    live,
    object,
    explicitEmptyLists,
    apiVersion,
    managers: before.managers,
    // As in an apply: a status write never takes ownership of fields it cannot write, whatever API version owns them. Source: observed.
    ignored: (version) => ignored?.get(subresource === undefined ? version : apiVersion),
  });
  const set = difference(acquired, neverOwned());
  if (isEmpty(set)) return capUpdates({ managers, times: before.times });
  const requester = ownerIdentity({ manager, operation: 'Update', apiVersion, ...(subresource === undefined ? {} : { subresource }) });
  const own: VersionedSet = { set: union(set, managers.get(requester)?.set ?? set), apiVersion, applied: false };
  return capUpdates({ managers: new Map(managers).set(requester, own), times: new Map(before.times).set(requester, change.now) });
}

function ownershipBefore({ live, object, subresource, cache }: UpdateRequest): Ownership {
  const stored = live === undefined ? undefined : metadataOf(live).managedFields;
  const sent = metadataOf(object).managedFields;
  if (subresource) return readable(stored, cache) ?? noOwnership;
  if (isReset(sent)) return noOwnership;
  const requested = readable(sent, cache);
  return requested !== undefined && requested.managers.size > 0 ? requested : (readable(stored, cache) ?? noOwnership);
}

const entryMembers = ['manager', 'operation', 'apiVersion', 'time', 'fieldsType', 'fieldsV1', 'subresource'];

// One empty entry, as the documentation recommends, or an empty list. Members that no entry has are ignored.
function isReset(entries: Json | undefined): boolean {
  if (!Array.isArray(entries) || entries.length > 1) return false;
  const [entry = null] = entries as readonly Json[];
  return entry === null || (isJsonObject(entry) && entryMembers.every((name) => (entry[name] ?? '') === ''));
}

function readable(entries: Json | undefined, cache: OwnershipCache | undefined): Ownership | undefined {
  try {
    return readEntries(entries, cache);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
