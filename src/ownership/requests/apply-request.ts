import { difference, equalSets, isEmpty } from '../../fields/index.js';
import { metadataOf } from '../../fields/object.js';
import { type Conflict, ConversionError, computeApply, formatValidationErrors, type VersionedSet, validate } from '../../merge/index.js';
import type { JsonObject } from '../../util/json.js';
import { noOwnership, type Ownership, readEntries, writeEntries } from '../managed-fields/entries.js';
import { ownerIdentity } from '../managed-fields/identity.js';
import { kubectlManager, lastAppliedFields, withLastApplied } from '../managed-fields/last-applied.js';
import { withManagedFields, withoutManagedFields } from '../object.js';
import { type ConflictStatus, conflictStatus } from '../owners/conflict-status.js';
import { neverOwned } from '../owners/never-owned.js';
import { type RequestScope, rootOf, typedObjectText, zeroValueOf } from './request-scope.js';
import { ownershipAfter } from './update-request.js';

/** A server-side apply. */
export interface ApplyRequest extends RequestScope {
  /** The stored object with its managedFields; undefined if it does not exist. */
  readonly live: JsonObject | undefined;
  /** The partial object as sent. */
  readonly intent: JsonObject;
  readonly force?: boolean;
}

/**
 * The result of an apply: the object, the conflicts, or an error that the server would answer with (`code` is that of HTTP, `message` the
 * server's).
 */
export type ApplyOutcome =
  | {
      readonly outcome: 'applied';
      /** The whole object with its managedFields, before defaulting, validation and server-set fields. */
      readonly object: JsonObject;
      /** False if the intent changes at most ownership. */
      readonly changed: boolean;
    }
  | ({ readonly outcome: 'conflict' } & ConflictStatus)
  | { readonly outcome: 'error'; readonly code: 400 | 500; readonly message: string };

/**
 * Applies an intent to the stored object, or creates one.
 *
 * The manager's entry gets the time of the request only if the object's content changes. An object without managedFields first gets an
 * entry `before-first-apply` for its existing fields. Source: Kubernetes documentation "Server-Side Apply"; KEP-555; the order of checks
 * was observed.
 */
export function applyRequest(request: ApplyRequest): ApplyOutcome {
  const { intent } = request;
  try {
    const root = rootOf(request);
    const live = withoutManagedFields(request.live ?? zeroValueOf(request));
    const stored = readEntries(request.live && metadataOf(request.live).managedFields, request.cache);
    if (request.unreadable !== undefined && stored.managers.size === 0) return unreadableBefore(request);
    const before = stored.managers.size > 0 ? stored : ownershipBeforeFirstApply(request, live);
    const sent = metadataOf(intent).managedFields;
    if (sent !== undefined && sent !== null) return failure(400, 'metadata.managedFields must be nil');
    const errors = validate(root.schema, root.type, intent);
    if (errors.length > 0)
      return failure(500, `failed to create typed patch object ${typedObjectText(intent)}: ${formatValidationErrors(errors)}`);
    const liveErrors = validLive(request, live);
    if (liveErrors !== '') return failure(500, `failed to create typed live object ${typedObjectText(live)}: ${liveErrors}`);
    return applyTo(request, live, before, request.force === true);
  } catch (error) {
    if (error instanceof ConversionError) return failure(500, error.message);
    if (error instanceof SyntaxError) return failure(500, `failed to decode managed fields: ${error.message}`);
    throw error;
  }
}

function applyTo(request: ApplyRequest, live: JsonObject, before: Ownership, force: boolean): ApplyOutcome {
  const { kind, intent, apiVersion, manager, subresource, ignored, prunedContainers } = request;
  const requester = ownerIdentity({ manager, operation: 'Apply', ...(subresource === undefined ? {} : { subresource }) });
  const result = computeApply({
    kind,
    live,
    intent,
    apiVersion,
    managers: before.managers,
    requester: requester,
    force,
    prunedContainers: prunedContainers,
    // A status apply never takes ownership of fields it cannot write, whatever API version owns them. Source: observed.
    ignored: (version) => ignored?.get(subresource === undefined ? version : apiVersion),
  });
  if ('conflicts' in result)
    return manager === kubectlManager ? retryOverLastApplied(request, live, before, result.conflicts) : conflict(result.conflicts);
  const changed = result.object !== live;
  if (changed && request.unreadable !== undefined) {
    return failure(500, `failed to convert new object ${typedObjectText(intent)} to proper version: ${request.unreadable}`);
  }
  const managers = new Map(result.managers);
  const own = ownableSet(managers.get(requester), before.managers.get(requester));
  if (own === undefined) managers.delete(requester);
  else managers.set(requester, own);
  const times = changed ? new Map(before.times).set(requester, request.now) : before.times;
  const object = manager === kubectlManager ? withLastApplied(result.object, intent) : result.object;
  return { outcome: 'applied', object: withManagedFields(object, writeEntries({ managers, times }, request.cache)), changed };
}

/** Returns the fields that an applier acquires; `last` itself if they are unchanged. */
function ownableSet(declared: VersionedSet | undefined, last: VersionedSet | undefined): VersionedSet | undefined {
  const set = declared && difference(declared.set, neverOwned());
  if (declared === undefined || set === undefined || isEmpty(set)) return undefined;
  return last?.apiVersion === declared.apiVersion && equalSets(last.set, set) ? last : { ...declared, set };
}

/** Retries with force if all conflicts are over fields that client-side apply wrote: the manager that replaced it may take them. */
function retryOverLastApplied(request: ApplyRequest, live: JsonObject, before: Ownership, conflicts: readonly Conflict[]): ApplyOutcome {
  const allowed = lastAppliedFields(rootOf(request), live);
  if (allowed === undefined) return conflict(conflicts);
  const remaining = conflicts
    .map(({ manager, fields }) => ({ manager, fields: { ...fields, set: difference(fields.set, allowed) } }))
    .filter(({ fields }) => !isEmpty(fields.set));
  return remaining.length > 0 ? conflict(remaining) : applyTo(request, live, before, true);
}

/** Assigns the fields of an untracked object to the owner `before-first-apply`. */
function ownershipBeforeFirstApply(request: ApplyRequest, live: JsonObject): Ownership {
  const change = { ...request, manager: 'before-first-apply', live: zeroValueOf(request), object: live };
  return ownershipAfter(change, noOwnership);
}

function unreadableBefore(request: ApplyRequest): ApplyOutcome {
  const empty = typedObjectText({ apiVersion: request.apiVersion, kind: rootOf(request).kind });
  const reason = `failed to convert live object ${empty} to proper version: ${request.unreadable}`;
  return failure(500, `failed to create manager for existing fields: ${reason}`);
}

function validLive(request: ApplyRequest, live: JsonObject): string {
  const root = rootOf(request);
  const errors = validate(root.schema, root.type, live, { allowDuplicates: true, known: request.cache?.valid });
  return errors.length > 0 ? formatValidationErrors(errors) : '';
}

function conflict(conflicts: readonly Conflict[]): ApplyOutcome {
  return { outcome: 'conflict', ...conflictStatus(conflicts) };
}

function failure(code: 400 | 500, message: string): ApplyOutcome {
  return { outcome: 'error', code, message };
}
