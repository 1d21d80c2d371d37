import { entriesPerShard, type StackIdentity, shardName } from '../inventory/store.js';

/** Rights in the namespace of the inventories. */
export interface RecordRight {
  readonly group: string;
  readonly resource: 'configmaps' | 'leases';
  readonly verbs: readonly string[];
  /** Absent where the right cannot be limited: a POST names no object that could be checked, nor does a list by label. */
  readonly name?: string;
}

/** What a plan needs. */
export const readRecords: readonly RecordRight[] = [{ group: '', resource: 'configmaps', verbs: ['list'] }];

/**
 * What a deploy of a stack needs for its inventory and its lock.
 *
 * @param objects how many objects the inventory may come to hold.
 */
export function recordRights(stack: StackIdentity, objects: number): readonly RecordRight[] {
  const shards = Array.from({ length: Math.floor(objects / entriesPerShard) + 1 }, (_, index) => shardName(stack, index));
  const configMaps = { group: '', resource: 'configmaps' } as const;
  const leases = { group: 'coordination.k8s.io', resource: 'leases' } as const;
  return [
    { ...configMaps, verbs: ['list', 'create'] },
    ...shards.map((name) => ({ ...configMaps, verbs: ['get', 'update', 'delete'], name })),
    { ...leases, verbs: ['create'] },
    { ...leases, verbs: ['get', 'update', 'delete'], name: shardName(stack, 0) },
  ];
}
