import { listNames, slotCount, slotName } from '../../engine/history/history-secrets.js';
import type { HistoryLimits } from '../../engine/history/revision.js';
import { digestKeyName } from '../../engine/inventory/digest-key.js';
import { targetShardBytes } from '../../engine/inventory/split-into-shards.js';
import { type StackIdentity, shardName } from '../../engine/inventory/stack-identity.js';

/** A right in the namespace of the inventories. */
export interface RecordRight {
  readonly group: string;
  readonly resource: 'configmaps' | 'leases' | 'secrets';
  readonly verbs: readonly string[];
  /** Absent if the right cannot be limited to a name: a LIST by label names no object. */
  readonly name?: string;
}

/** The rights that a plan needs. */
export const readRecords: readonly RecordRight[] = [{ group: '', resource: 'configmaps', verbs: ['list'] }];

/** Estimates the size of an inventory entry from the text of the intent: the path of a field is not longer than the field in the intent. */
export function entryBytes(text: string): number {
  return 1000 + Buffer.byteLength(text);
}

/**
 * Returns the rights that a deploy of a stack needs for its inventory and its lock.
 *
 * @param bytes the size that the inventory may grow to.
 * @param known the names of its existing shards.
 */
export function recordRights(stack: StackIdentity, bytes: number, known: readonly string[] = []): readonly RecordRight[] {
  const wanted = Array.from({ length: Math.ceil((bytes * slack) / targetShardBytes) }, (_, index) => shardName(stack, index));
  const configMaps = { group: '', resource: 'configmaps' } as const;
  const leases = { group: 'coordination.k8s.io', resource: 'leases' } as const;
  return [
    { ...configMaps, verbs: ['list'] },
    ...[...new Set([shardName(stack, 0), ...wanted, ...known])].map((name) => ({
      ...configMaps,
      verbs: recordVerbs,
      name,
    })),
    { ...leases, verbs: recordVerbs, name: shardName(stack, 0) },
  ];
}

/** Records are created by an apply, which needs `patch` and `create`, and written by `update`. */
const recordVerbs = ['get', 'create', 'update', 'patch', 'delete'];

/** Shards are not always full. */
const slack = 1.5;

/** Returns the rights for the history of a stack, whose Secrets are found by their names. */
export function historyRights(manager: string, limits: HistoryLimits, readOnly: boolean): readonly RecordRight[] {
  const secrets = { group: '', resource: 'secrets' } as const;
  const slots = Array.from({ length: slotCount(limits) }, (_, slot) => slot);
  const names = listNames(manager).flatMap((list) => [list, ...slots.map((slot) => slotName(list, slot))]);
  return names.map((name) => ({ ...secrets, verbs: readOnly ? ['get'] : recordVerbs, name }));
}

/** Returns the rights for the digest key that a stack needs if it has a Secret under the strategy `dynamic`. */
export function digestKeyRights(manager: string, readOnly: boolean): readonly RecordRight[] {
  const key = { group: '', resource: 'secrets', name: digestKeyName(manager) } as const;
  return [{ ...key, verbs: readOnly ? ['get'] : ['get', 'create', 'patch', 'delete'] }];
}
