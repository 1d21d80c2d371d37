import type { InventoryEntry } from '../../engine/inventory/inventory-entry.js';
import type { Inventory, InventoryNotes, InventoryStore } from '../../engine/inventory/inventory-store.js';
import type { PendingForce } from '../../engine/inventory/pending-force.js';
import type { StackRemoval } from '../../engine/removal/stack-removal.js';
import type { Run } from '../../engine/run/run.js';
import { pendingForcesIn, withForces } from '../../engine/run/stack-state.js';
import type { NotedTarget } from './force-notes.js';

/** The inventories of a stack that is removed, which take notes until they go. */
export class RemovalNotes implements NotedTarget {
  readonly identities: NotedTarget['identities'];
  readonly entries: ReadonlyMap<string, InventoryEntry>;
  readonly pendingForces: ReadonlyMap<string, readonly PendingForce[]>;
  readonly #store: InventoryStore;
  /** By inventory as it was read: as it was written last. */
  readonly #written: Map<Inventory, Inventory>;

  constructor({ stack, inventories, entries }: StackRemoval, store: InventoryStore) {
    const formerIdentities = inventories.map((inventory) => inventory.stack).filter(({ manager }) => manager !== stack.manager);
    this.identities = { stack, formerIdentities };
    this.entries = entries;
    this.pendingForces = pendingForcesIn(entries);
    this.#store = store;
    this.#written = new Map(inventories.map((inventory) => [inventory, inventory]));
  }

  get openForces(): ReadonlyMap<string, readonly PendingForce[]> {
    return pendingForcesIn(new Map([...this.#written.values()].flatMap((inventory) => [...inventory.entries])));
  }

  async writePendingForces(_run: Run, passes: ReadonlyMap<string, PendingForce>): Promise<void> {
    const noted = new Map([...passes].map(([key, pass]) => [key, [...(this.pendingForces.get(key) ?? []), pass]]));
    for (const [read, last] of this.#written) {
      const own = new Map([...noted].filter(([key]) => last.entries.has(key)));
      if (own.size > 0) this.#written.set(read, await this.#store.write(last, withForces(last.entries, own)));
    }
  }

  /** Writes what is left of an inventory. @throws as `InventoryStore.write` */
  async write(inventory: Inventory, entries: ReadonlyMap<string, InventoryEntry>, notes: InventoryNotes): Promise<void> {
    this.#written.set(inventory, await this.#store.write(this.#written.get(inventory) ?? inventory, entries, notes));
  }
}
