import { isJsonObject } from '../util/json.js';

/** Brands what `snapshot` returns, whose content is not public. Two installed copies of the package share it. */
export const snapshotBrand: unique symbol = Symbol.for('fieldwise.ServerSnapshot');

/** The state of a server at one moment: its objects and kinds. */
export interface ServerSnapshot {
  readonly [snapshotBrand]: true;
}

/** Returns true for a snapshot that a server has returned. */
export function isServerSnapshot(value: unknown): boolean {
  return isJsonObject(value) && snapshotBrand in value;
}
