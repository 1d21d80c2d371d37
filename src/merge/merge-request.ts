import type { FieldSet } from '../fields/index.js';
import type { Converted } from './converted.js';
import type { Managers, VersionedSet } from './managers.js';
import { reconcile } from './reconcile.js';
import type { VersionedKind } from './versioned-kind.js';

/** What apply and update have in common. */
export interface MergeRequest {
  readonly kind: VersionedKind;
  /** The version in which the request speaks. */
  readonly apiVersion: string;
  /** Identity of whoever asks. */
  readonly requester: string;
  /** Fields that the request cannot set in a version: no one comes to own them by it, and no conflict arises from them. */
  readonly ignored?: (apiVersion: string) => FieldSet | undefined;
}

/** Every owner's set, fitted to the schema of today. Versions that are gone are left alone. */
export function reconciledManagers(kind: VersionedKind, live: Converted, managers: Managers): Map<string, VersionedSet> {
  const result = new Map<string, VersionedSet>();
  for (const [manager, owned] of managers) {
    const at = live.at(owned.apiVersion);
    const set = at === undefined || kind.matchedTypes?.get(owned.set) === at.type ? owned.set : reconcile(at.schema, at.type, owned.set);
    if (at !== undefined && set === owned.set) kind.matchedTypes?.set(set, at.type);
    result.set(manager, set === owned.set ? owned : { ...owned, set });
  }
  return result;
}
