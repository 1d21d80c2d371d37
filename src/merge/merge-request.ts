import type { FieldSet } from '../fields/index.js';
import type { Converted } from './converted.js';
import type { Managers, VersionedSet } from './managers.js';
import { reconcile } from './values/reconcile.js';
import type { VersionedKind } from './versioned-kind.js';

/** The common input of apply and update. */
export interface MergeRequest {
  readonly kind: VersionedKind;
  /** The apiVersion of the request. */
  readonly apiVersion: string;
  /** Identity of the requester. */
  readonly requester: string;
  /** Returns the fields that the request cannot set in a version: the request neither owns them nor conflicts over them. */
  readonly ignored?: (apiVersion: string) => FieldSet | undefined;
}

/** Returns every owner's set, reconciled with the current schema. Sets of removed versions are unchanged. */
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
