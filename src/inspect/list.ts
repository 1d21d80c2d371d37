import { editedWarnings } from '../engine/inventory/edited-inventory.js';
import { type Inventory, InventoryStore } from '../engine/inventory/inventory-store.js';
import type { RunDiagnostic } from '../engine/report/run-diagnostic.js';
import type { ClusterClient } from '../kubernetes/index.js';
import type { FieldwiseError } from '../util/error.js';

/** A stack, by its inventory. */
export interface ListedStack {
  /** The name of its app. */
  readonly app: string;
  /** The name of the instance of the app. */
  readonly instance: string;
  /** The name of the stack. */
  readonly stack: string;
  /** The field manager of the stack. */
  readonly manager: string;
  /** The namespaces of its objects, sorted. */
  readonly namespaces: readonly string[];
  /** The number of objects that it owns. */
  readonly owned: number;
  /** The number of objects that it shares. */
  readonly shared: number;
  /** The number of entries written before an apply whose response was never recorded. */
  readonly pending: number;
  /** The damage of its inventory; the numbers then leave out a part. */
  readonly damaged?: string;
  /** The reason why this version of Fieldwise cannot work on it, if a later version deployed it; the numbers may leave out a part. */
  readonly laterVersion?: string;
}

/**
 * Returns the stacks that have objects in the cluster, by their inventories, whichever program declares them.
 *
 * @param onDamaged receives the error `inventory-damaged` of each stack whose inventory is damaged.
 */
export async function listStacks(
  cluster: ClusterClient,
  inventoryNamespace?: string,
  onDamaged: (error: FieldwiseError) => void = () => undefined,
): Promise<readonly ListedStack[]> {
  return (await readStacks(cluster, inventoryNamespace, onDamaged)).map(({ listed }) => listed);
}

/** A stack with its inventory. */
export interface StackWithInventory {
  readonly listed: ListedStack;
  readonly inventory: Inventory;
}

/**
 * Reads the inventories of the stacks that have objects in the cluster; see `listStacks`.
 *
 * @param onForeign receives a warning for each ConfigMap that has the label of an inventory and is ignored, or that others have edited.
 */
export async function readStacks(
  cluster: ClusterClient,
  inventoryNamespace: string | undefined,
  onDamaged: (error: FieldwiseError) => void,
  onForeign?: (warning: RunDiagnostic) => void,
): Promise<readonly StackWithInventory[]> {
  const inventories = await new InventoryStore(cluster, inventoryNamespace, onForeign).read();
  for (const warning of editedWarnings(inventories)) onForeign?.(warning);
  return inventories.flatMap((inventory) => {
    const { stack, entries, readError } = inventory;
    const all = [...entries.values()];
    if (all.length === 0 && !readError) return []; // Of this stack there is only a history.
    const isLater = readError?.code === 'records-of-later-version';
    if (readError && !isLater) onDamaged(readError);
    const listed: ListedStack = {
      ...stack,
      namespaces: [...new Set(all.flatMap(({ namespace = [] }) => namespace))].sort(),
      owned: all.filter((entry) => entry.lifecycle === 'own').length,
      shared: all.filter((entry) => entry.lifecycle === 'share').length,
      pending: all.filter((entry) => entry.uid === undefined).length,
      ...(readError ? { [isLater ? 'laterVersion' : 'damaged']: readError.message } : {}),
    };
    return [{ listed, inventory }];
  });
}
