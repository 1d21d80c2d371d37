import { digestKeyName } from '../../engine/inventory/digest-key.js';
import { targetShardBytes } from '../../engine/inventory/split-into-shards.js';
import { type StackIdentity, shardName } from '../../engine/inventory/stack-identity.js';

/** Rights in the namespace of the inventories. */
export interface RecordRight {
  readonly group: string;
  readonly resource: 'configmaps' | 'leases' | 'secrets';
  readonly verbs: readonly string[];
  /** Absent where the right cannot be limited: a POST names no object that could be checked, nor does a list by label. */
  readonly name?: string;
}

/** What a plan needs. */
export const readRecords: readonly RecordRight[] = [{ group: '', resource: 'configmaps', verbs: ['list'] }];

/**
 * What a deploy of a stack needs for its inventory and its lock.
 *
 * @param bytes how much the inventory may come to hold.
 * @param known names of the shards that it has.
 */
export function recordRights(stack: StackIdentity, bytes: number, known: readonly string[] = []): readonly RecordRight[] {
  const wanted = Array.from({ length: Math.ceil((bytes * slack) / targetShardBytes) }, (_, index) => shardName(stack, index));
  const configMaps = { group: '', resource: 'configmaps' } as const;
  const leases = { group: 'coordination.k8s.io', resource: 'leases' } as const;
  return [
    { ...configMaps, verbs: ['list', 'create'] },
    ...[...new Set([shardName(stack, 0), ...wanted, ...known])].map((name) => ({
      ...configMaps,
      verbs: ['get', 'update', 'delete'],
      name,
    })),
    { ...leases, verbs: ['create'] },
    { ...leases, verbs: ['get', 'update', 'delete'], name: shardName(stack, 0) },
  ];
}

/** Shards are not always full. */
const slack = 1.5;

/** What a stack needs that has a Secret under the strategy `dynamic`: the key by which its values are remembered. */
export function digestKeyRights(manager: string, readOnly: boolean): readonly RecordRight[] {
  const one = { group: '', resource: 'secrets', name: digestKeyName(manager) } as const;
  if (readOnly) return [{ ...one, verbs: ['get'] }];
  return [
    { group: '', resource: 'secrets', verbs: ['create'] },
    { ...one, verbs: ['get', 'delete'] },
  ];
}
