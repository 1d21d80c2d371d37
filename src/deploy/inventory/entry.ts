import type { DeletePropagation, Lifecycle } from '../../assembly/types.js';
import { FieldwiseError } from '../../util/error.js';
import { isJsonObject, type Json } from '../../util/json.js';

/** What a stack remembers of one object it has applied, or is about to apply. */
export interface InventoryEntry {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly lifecycle: Lifecycle;
  /** Absent while pending: written before the first apply, whose answer gives the uid. */
  readonly uid?: string;
  /** `own` only: this stack created the object, or was told to adopt it; else it is released, never deleted. */
  readonly deletable: boolean;
  readonly deletePropagation: DeletePropagation;
  /** resourceVersion after our last apply: an equal one later proves that nothing was written since. */
  readonly resourceVersion?: string;
  /** `time` of our managedFields entry after our last apply; another one later proves that our apply changed something. */
  readonly appliedAt?: string;
}

/** Reads one line of an inventory. */
export function readEntry(line: string, where: string): InventoryEntry {
  let value: Json;
  try {
    value = JSON.parse(line) as Json;
  } catch (cause) {
    throw damaged(where, cause);
  }
  if (!isJsonObject(value)) throw damaged(where);
  const { apiVersion, kind, namespace, name, lifecycle, uid, deletable, deletePropagation, resourceVersion, appliedAt } = value;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || typeof name !== 'string') throw damaged(where);
  if (lifecycle !== 'own' && lifecycle !== 'share') throw damaged(where);
  return {
    apiVersion,
    kind,
    name,
    lifecycle,
    deletable: deletable === true,
    deletePropagation: deletePropagation === 'Foreground' || deletePropagation === 'Orphan' ? deletePropagation : 'Background',
    ...(typeof namespace === 'string' ? { namespace } : {}),
    ...(typeof uid === 'string' ? { uid } : {}),
    ...(typeof resourceVersion === 'string' ? { resourceVersion } : {}),
    ...(typeof appliedAt === 'string' ? { appliedAt } : {}),
  };
}

function damaged(where: string, cause?: unknown): FieldwiseError {
  return new FieldwiseError('inventory-damaged', 'resource', 'The inventory holds an entry that cannot be read', {
    place: { object: where },
    next: 'Nothing was changed. Repair the entry or restore the ConfigMap from a backup.',
    cause,
  });
}
