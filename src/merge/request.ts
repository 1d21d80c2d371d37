import type { FieldSet } from '../fields/index.js';
import type { Converted } from './converted.js';
import type { Kind } from './kind.js';
import type { Managers, VersionedSet } from './managers.js';
import { reconcile } from './reconcile.js';

/** What apply and update have in common. */
export interface Request {
  readonly kind: Kind;
  /** The version in which the request speaks. */
  readonly apiVersion: string;
  /** Identity of whoever asks. */
  readonly me: string;
  /** Fields that the request cannot set in a version: no one comes to own them by it, and no conflict arises from them. */
  readonly ignored?: (apiVersion: string) => FieldSet | undefined;
}

/** Every owner's set, fitted to the schema of today. Versions that are gone are left alone. */
export function reconciled(kind: Kind, live: Converted, managers: Managers): Map<string, VersionedSet> {
  const result = new Map<string, VersionedSet>();
  for (const [manager, held] of managers) {
    const at = live.at(held.apiVersion);
    const set = at === undefined || kind.fitting?.get(held.set) === at.type ? held.set : reconcile(at.schema, at.type, held.set);
    if (at !== undefined && set === held.set) kind.fitting?.set(set, at.type);
    result.set(manager, set === held.set ? held : { ...held, set });
  }
  return result;
}
