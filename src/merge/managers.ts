import type { FieldSet } from '../fields/index.js';

/** Fields that one owner holds, in the terms of one version of the API. */
export interface VersionedSet {
  readonly set: FieldSet;
  readonly apiVersion: string;
  /** Declared by an apply; false for fields that another verb wrote. */
  readonly applied: boolean;
}

/** Owners by identity. An identity is an opaque text; `ownership` says what it is made of. */
export type Managers = ReadonlyMap<string, VersionedSet>;

/** A field that an apply would change although somebody else owns it. */
export interface Conflict {
  readonly manager: string;
  /** Exactly the contested fields of that manager. */
  readonly fields: VersionedSet;
}
