import { difference, isEmpty, union } from '../fields/index.js';
import { metadataOf } from '../kubernetes/object.js';
import { ConversionError, formatValidationErrors, updateManagers, type VersionedSet, validate } from '../merge/index.js';
import { isJsonObject, type Json, type JsonObject } from '../util/json.js';
import type { OwnershipCache } from './cache.js';
import { capUpdates } from './cap.js';
import { noOwnership, type Ownership, readEntries, writeEntries } from './entries.js';
import { identityOf } from './identity.js';
import { neverOwned } from './never-owned.js';
import { withManagedFields, withoutManagedFields } from './object.js';
import { type RequestScope, rootOf, typedObjectText, zeroValueOf } from './request-scope.js';

/** A write by any verb other than apply: create, update (PUT), and patches other than apply. */
export interface UpdateRequest extends RequestScope {
  /** The stored object with its managedFields; undefined where the request creates one. */
  readonly live: JsonObject | undefined;
  /** The object as the request wants it, after defaulting and pruning, before the server fills in or resets anything. */
  readonly object: JsonObject;
}

/**
 * The object with the managedFields that it has after the write: whoever writes owns what changed, and nothing else.
 *
 * ManagedFields in the request count on the main resource only: those that can be read and are not empty are taken, `[{}]` and `[]`
 * reset them to nothing, anything else leaves the live ones. (A server drops an empty list when it decodes a custom resource, so
 * that `[]` only resets built-in kinds.) A write never fails for them.
 * Source: Kubernetes documentation "Server-Side Apply", "Clearing managedFields"; KEP-555.
 */
export function updateRequest(request: UpdateRequest): JsonObject {
  const ownership = ownershipBefore(request);
  const object = withoutManagedFields(request.object);
  // An object that nobody tracks stays so until the first apply; a new one is tracked from the start.
  if (ownership.managers.size === 0 && request.live !== undefined) return object;
  const live = request.live === undefined ? zeroValueOf(request) : withoutManagedFields(request.live);
  try {
    const after = ownershipAfter(request, live, object, ownership);
    return withManagedFields(object, writeEntries(after, request.cache));
  } catch (error) {
    // Where ownership cannot be worked out, the server would rather have none than a wrong one.
    if (error instanceof ConversionError) return object;
    throw error;
  }
}

/** Ownership after a write of `object` over `live`, both without managedFields. */
export function ownershipAfter(scope: RequestScope, live: JsonObject, object: JsonObject, before: Ownership): Ownership {
  const { kind, apiVersion, subresource, manager, ignored, cache } = scope;
  const { schema, type } = rootOf(scope);
  const checks = { allowDuplicates: true, known: cache?.valid };
  const errors = validate(schema, type, object, checks);
  if (errors.length > 0)
    throw new ConversionError(
      `failed to create manager for existing fields: failed to convert new object ${typedObjectText(object)} to smd typed: ${formatValidationErrors(errors)}`,
    );
  if (validate(schema, type, live, checks).length > 0) return before;
  const { managers, acquired } = updateManagers({
    kind,
    live,
    object,
    apiVersion,
    managers: before.managers,
    // As in an apply: what a status cannot set it takes from nobody, in whatever version they wrote it. Source: observed.
    ignored: (version) => ignored?.get(subresource === undefined ? version : apiVersion),
  });
  const set = difference(acquired, neverOwned());
  if (isEmpty(set)) return capUpdates({ managers, times: before.times });
  const requester = identityOf({ manager, operation: 'Update', apiVersion, ...(subresource === undefined ? {} : { subresource }) });
  const own: VersionedSet = { set: union(set, managers.get(requester)?.set ?? set), apiVersion, applied: false };
  return capUpdates({ managers: new Map(managers).set(requester, own), times: new Map(before.times).set(requester, scope.now) });
}

function ownershipBefore({ live, object, subresource, cache }: UpdateRequest): Ownership {
  const stored = live === undefined ? undefined : metadataOf(live).managedFields;
  const sent = metadataOf(object).managedFields;
  if (subresource) return readable(stored, cache) ?? noOwnership;
  if (isReset(sent)) return noOwnership;
  const requested = readable(sent, cache);
  return requested !== undefined && requested.managers.size > 0 ? requested : (readable(stored, cache) ?? noOwnership);
}

// One empty entry, as the documentation tells users to send it, or an empty list.
function isReset(entries: Json | undefined): boolean {
  if (!Array.isArray(entries)) return false;
  return entries.length === 0 || (entries.length === 1 && isJsonObject(entries[0]) && Object.keys(entries[0]).length === 0);
}

function readable(entries: Json | undefined, cache: OwnershipCache | undefined): Ownership | undefined {
  try {
    return readEntries(entries, cache);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
