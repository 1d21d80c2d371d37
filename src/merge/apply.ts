import { isEmpty } from '../fields/index.js';
import type { JsonObject } from '../util/json.js';
import { Converted, filtered } from './converted.js';
import type { Conflict, Managers, VersionedSet } from './managers.js';
import { type MergeRequest, reconciledManagers } from './merge-request.js';
import { resolveOwnership } from './resolve-ownership.js';
import { fieldSetOf } from './values/field-set-of.js';
import { merge } from './values/merge.js';
import { prune } from './values/prune.js';
import type { PrunedContainers } from './values/remove.js';
import { inVersion } from './versioned-kind.js';

export interface ApplyInput extends MergeRequest {
  /** The live object in the version of the request, without managedFields. */
  readonly live: JsonObject;
  readonly intent: JsonObject;
  readonly managers: Managers;
  readonly force: boolean;
  /**
   * See `PrunedContainers`.
   * @default 'keep-empty'
   */
  readonly prunedContainers?: PrunedContainers | undefined;
}

export type ApplyResult =
  | {
      /** `live` itself if the intent changes only ownership. */
      readonly object: JsonObject;
      readonly managers: Managers;
    }
  | { readonly conflicts: readonly Conflict[] };

/**
 * Applies an intent: merges it into the live object, removes what the applier no longer declares, and resolves ownership. Source:
 * Kubernetes documentation "Server-Side Apply"; KEP-555.
 *
 * @throws ConversionError if an owner's version cannot be converted.
 */
export function computeApply(input: ApplyInput): ApplyResult {
  const { kind, live, intent, apiVersion, requester } = input;
  const before = new Converted(kind, live);
  const managers = reconciledManagers(kind, before, input.managers);
  const at = inVersion(kind, live, apiVersion);
  if (at === undefined) throw new Error(`The kind has no schema for ${apiVersion}.`);
  const merged = merge(at.schema, at.type, live, intent) as JsonObject;
  const last = managers.get(requester);
  const set = filtered(fieldSetOf(at.schema, at.type, intent), input.ignored?.(apiVersion));
  managers.set(requester, { set, apiVersion, applied: true });
  const object = prune(kind, merged, managers, requester, last, input.prunedContainers ?? 'keep-empty');
  const resolved = resolveOwnership(input, { before, after: object, managers, force: input.force });
  return 'conflicts' in resolved ? resolved : { object, managers: withoutEmptySets(resolved.managers) };
}

/** Removes owners without fields from the map, and returns it. */
export function withoutEmptySets(managers: Map<string, VersionedSet>): Managers {
  for (const [manager, { set }] of managers) if (isEmpty(set)) managers.delete(manager);
  return managers;
}
