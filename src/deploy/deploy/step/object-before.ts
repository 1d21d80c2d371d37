import type { InventoryEntry } from '../../../engine/inventory/inventory-entry.js';
import type { Applied } from '../../../engine/object/applied.js';
import { uidOf } from '../../../fields/object.js';
import { applyEntryOf } from '../../../ownership/index.js';
import type { JsonObject } from '../../../util/json.js';

/** The facts known of an object before an intent is applied to it. */
export interface ObjectBefore {
  readonly uid: string;
  readonly resourceVersion: string | undefined;
  readonly appliedAt: string | undefined;
  readonly generation: number | undefined;
}

/** Returns what the inventory knows of the object. */
export function knownBefore(known: InventoryEntry | undefined): ObjectBefore | undefined {
  if (known?.uid === undefined) return undefined;
  const { uid, resourceVersion, appliedAt, generation } = known;
  return { uid, resourceVersion, appliedAt, generation };
}

/** Returns what the inventory knows, as of this run where the object was read. */
export function knownOrRead(known: InventoryEntry | undefined, live: JsonObject | undefined, manager: string): ObjectBefore | undefined {
  const before = knownBefore(known);
  return before && live && before.uid === uidOf(live) ? beforeOf(live, manager) : before;
}

/** Returns what a live object shows. */
export function beforeOf(live: JsonObject, manager: string): ObjectBefore {
  const resourceVersion = (live.metadata as JsonObject).resourceVersion as string;
  return { uid: uidOf(live), resourceVersion, appliedAt: applyEntryOf(live, manager)?.time, generation: generationOf(live) };
}

/** Returns false where the generation is the one known from before: the apply gave the object's controller nothing to do. */
export function isAffected(before: ObjectBefore | undefined, applied: Applied): boolean {
  const generation = generationOf(applied.response.object);
  return generation === undefined || before?.uid !== uidOf(applied.response.object) || before.generation !== generation;
}

export function generationOf(object: JsonObject): number | undefined {
  const { generation } = object.metadata as JsonObject;
  return typeof generation === 'number' ? generation : undefined;
}
