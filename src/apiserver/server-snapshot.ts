import { isJsonObject } from '../util/json.js';

/** Brands what `snapshot` returns, whose content is not public. Two installed copies of the package share it. */
export const snapshotBrand: unique symbol = Symbol.for('fieldwise.ServerSnapshot');

/** The state of a server at one moment: its objects and kinds. */
export interface ServerSnapshot {
  readonly [snapshotBrand]: true;
}

/** Names what a snapshot holds, out of the reach of its receiver's hands: no loop, copy or matcher finds it. */
const heldState = Symbol.for('fieldwise.ServerState');

/** Returns a snapshot that holds the state of a server. */
export function snapshotOf(state: object): ServerSnapshot {
  const snapshot = Object.defineProperty({ [snapshotBrand]: true } as const, heldState, { value: () => state });
  return Object.freeze(snapshot);
}

/** Returns what a snapshot holds; its parts are never changed. */
export function stateOf(snapshot: ServerSnapshot): object {
  return (snapshot as unknown as Readonly<Record<typeof heldState, () => object>>)[heldState]();
}

/** Returns true for a snapshot that a server has returned. */
export function isServerSnapshot(value: unknown): boolean {
  return isJsonObject(value) && snapshotBrand in value && heldState in value;
}
