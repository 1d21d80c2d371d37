import fc from 'fast-check';
import { type VersionedKind, versionedKind } from '../../../src/merge/index.js';
import { applyRequest, type OwnershipCache, updateRequest } from '../../../src/ownership/index.js';
import type { JsonObject } from '../../../src/util/json.js';
import { frozen, kioskOf, ownable } from '../merge/arbitrary.js';
import { kiosk } from '../merge/kiosk.js';

export const kind: VersionedKind = versionedKind(kiosk);
export const at = (second: number) => new Date(Date.UTC(2030, 0, 1) + second * 1000).toISOString().replace('.000Z', 'Z');
export const manager = fc.constantFrom('m1', 'm2', 'm3');
export const step = fc.record({ manager, value: ownable, apply: fc.boolean() });

/** Runs writes one after the other, every apply forced, and looks at each. */
export function history(
  steps: readonly { manager: string; value: JsonObject; apply: boolean }[],
  each: (before: JsonObject | undefined, after: JsonObject, index: number) => void,
  memory: { readonly kind: VersionedKind; readonly cache?: OwnershipCache } = { kind },
) {
  let live: JsonObject | undefined;
  for (const [index, { manager, value, apply }] of steps.entries()) {
    const scope = { ...memory, apiVersion: 'example.com/v1', manager, now: at(index), live };
    const object = frozen(kioskOf(value));
    const outcome = apply ? applyRequest({ ...scope, intent: object, force: true }) : undefined;
    if (outcome && outcome.outcome !== 'applied') throw new Error(outcome.message);
    const sent = live === undefined ? object : { ...object, metadata: { ...(live.metadata as JsonObject), managedFields: undefined } };
    const after = frozen(outcome ? outcome.object : updateRequest({ ...scope, object: { ...sent } }));
    each(live, after, index);
    live = { ...after, metadata: { uid: 'u', ...(after.metadata as JsonObject) } };
  }
  return live;
}
