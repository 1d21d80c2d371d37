import type { Step } from '../graph/waves.js';
import type { InventoryEntry } from './inventory-entry.js';
import type { Inventory } from './inventory-store.js';

/** Returns the entries of a stack's inventory that its program no longer declares. */
export function undeclaredEntries(
  inventory: Inventory,
  steps: readonly Step[],
): readonly (readonly [key: string, entry: InventoryEntry])[] {
  const declared = new Set(steps.map((step) => step.key));
  return [...inventory.entries].filter(([key]) => !declared.has(key));
}
