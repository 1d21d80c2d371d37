import type { FieldSet } from '../fields/index.js';

/** The fields of one owner, as paths of one version of the API. */
export interface VersionedSet {
  readonly set: FieldSet;
  readonly apiVersion: string;
  /** True if an apply declared the fields; false if another verb wrote them. */
  readonly applied: boolean;
}

/** Owners by identity, an opaque text; `identityOf` in `ownership` defines it. */
export type Managers = ReadonlyMap<string, VersionedSet>;

/** A field that an apply would change although somebody else owns it. */
export interface Conflict {
  readonly manager: string;
  /** Exactly the contested fields of that manager. */
  readonly fields: VersionedSet;
}
