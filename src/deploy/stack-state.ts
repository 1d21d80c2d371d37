import type { StackManifest } from '../assembly/types.js';
import type { InventoryEntry } from './inventory/entry.js';
import type { Inventory, InventoryStore } from './inventory/store.js';
import type { Run } from './run.js';
import type { Step } from './waves.js';

/** What a deploy knows and learns of one stack's inventory. */
export class StackState {
  readonly stack: StackManifest;
  readonly steps: readonly Step[];
  /** As read at the start. */
  readonly before: Inventory;
  /** As it is to be in the end, by identity key. */
  readonly entries: Map<string, InventoryEntry>;
  /** Why nothing of this stack may be applied, if so. */
  broken: string | undefined;
  readonly #store: InventoryStore;
  #written: Inventory;

  constructor(stack: StackManifest, steps: readonly Step[], before: Inventory, store: InventoryStore) {
    this.stack = stack;
    this.steps = steps;
    this.before = before;
    this.entries = new Map(before.entries);
    this.#store = store;
    this.#written = before;
  }

  /** Everything that may exist after this run is in the inventory before the first apply, pending where it is new. */
  async recordSuperset(run: Run): Promise<void> {
    for (const { key, intent } of this.steps) {
      if (this.entries.has(key)) continue;
      const { apiVersion, kind, namespace, name, lifecycle, policy } = intent;
      const deletable = lifecycle === 'own' && policy.adopt;
      const place = { apiVersion, kind, ...(namespace === undefined ? {} : { namespace }), name };
      this.entries.set(key, { ...place, lifecycle, deletable, deletePropagation: policy.deletePropagation });
    }
    await this.#write(run);
  }

  /**
   * What was learned and what is gone.
   *
   * @param lastSeen resourceVersion by uid after the last apply of this run, by whichever stack: where it is still the same next time,
   *   nothing was written since.
   */
  async recordEnd(run: Run, lastSeen: ReadonlyMap<string, string>): Promise<void> {
    if (this.broken !== undefined) return;
    for (const [key, entry] of this.entries) {
      const resourceVersion = entry.uid === undefined ? undefined : lastSeen.get(entry.uid);
      if (resourceVersion !== undefined) this.entries.set(key, { ...entry, resourceVersion });
    }
    await this.#write(run);
  }

  async #write(run: Run): Promise<void> {
    try {
      this.#written = await this.#store.write(this.#written, this.entries);
    } catch (error) {
      this.broken = run.fail(error).message;
    }
  }
}
