import type { IntentManifest, StackManifest } from '../../assembly/types.js';
import { declaredDependencies } from '../graph/declared-dependencies.js';
import type { ProgramWaves, Step } from '../graph/waves.js';
import { rememberedRelease } from '../release/release-policy.js';
import type { LatestResourceVersions } from '../run/latest-resource-versions.js';
import type { Run } from '../run/run.js';
import type { StackInventories } from './former-inventories.js';
import type { InventoryEntry } from './inventory-entry.js';
import type { Inventory, InventoryStore } from './inventory-store.js';

/** The state of one stack's inventory during a deploy. */
export class StackState {
  readonly stack: StackManifest;
  readonly steps: readonly Step[];
  /** As read at the start, with the entries under former names. */
  readonly before: Inventory;
  /** The entries after this run, by identity key. */
  readonly entries: Map<string, InventoryEntry>;
  /** The reason why nothing of this stack may be applied, if so. */
  writeFailure: string | undefined;
  /** Keys of the steps that succeeded: their entries under former names are removed. */
  readonly succeededKeys = new Set<string>();
  readonly #former: readonly Inventory[];
  readonly #store: InventoryStore;
  readonly #waves: ProgramWaves;
  #written: Inventory;

  constructor(stack: StackManifest, steps: readonly Step[], found: StackInventories, store: InventoryStore, waves: ProgramWaves) {
    this.stack = stack;
    this.steps = steps;
    this.before = found.whole;
    this.entries = new Map(found.whole.entries);
    this.#former = found.former;
    this.#store = store;
    this.#waves = waves;
    this.#written = found.current;
  }

  /**
   * Writes everything that may exist after this run before the first apply, pending where it is new.
   *
   * @param pendingOf returns what else is to be recorded about a change before it is made.
   */
  async writePendingInventory(run: Run, pendingOf: (step: Step) => Pick<InventoryEntry, 'pendingReleases'>): Promise<void> {
    for (const step of this.steps) {
      const { key, intent, digest } = step;
      const dynamic: Pick<InventoryEntry, 'strategy'> = intent.policy.strategy === 'dynamic' ? { strategy: 'dynamic' } : {};
      const found = this.entries.get(key);
      if (found) {
        const changesStrategy = dynamic.strategy !== undefined && found.strategy === undefined;
        if (found.intent === digest && !changesStrategy) continue;
        const { items: _, pendingReleases: __, ...others } = found; // a killed run may leave other items than recorded here
        this.entries.set(key, { ...others, ...pendingOf(step), ...dynamic, intent: digest });
        continue;
      }
      const { apiVersion, kind, namespace, name, lifecycle, policy } = intent;
      const deletable = lifecycle === 'own' && policy.adopt;
      const identity = { apiVersion, kind, ...(namespace === undefined ? {} : { namespace }), name };
      const { pendingReleases } = pendingOf(step);
      const change = pendingReleases === undefined ? {} : { pendingReleases, intent: digest };
      this.entries.set(key, { ...identity, lifecycle, deletable, ...policyToRemember(intent), ...dynamic, ...change });
    }
    await this.#write(run);
  }

  /**
   * Writes the entries as they are now.
   *
   * @param lastSeen the resourceVersions after this run's last applies: an equal one next time proves that nothing was written since.
   */
  async writeAppliedInventory(run: Run, lastSeen: LatestResourceVersions): Promise<void> {
    if (this.writeFailure !== undefined) return;
    for (const [key, entry] of this.entries) {
      const resourceVersion = entry.uid === undefined ? undefined : lastSeen.get(entry.uid);
      if (resourceVersion !== undefined && resourceVersion !== entry.resourceVersion) this.entries.set(key, { ...entry, resourceVersion });
    }
    await this.#write(run);
  }

  /** Writes the final entries, and removes those under former names. `lastSeen` as in `writeAppliedInventory`. */
  async writeFinalInventory(run: Run, lastSeen: LatestResourceVersions): Promise<void> {
    await this.writeAppliedInventory(run, lastSeen);
    if (this.writeFailure === undefined) await this.#pruneFormerInventories(run);
  }

  /** Keeps in the inventories under former names only what this run did not reach. */
  async #pruneFormerInventories(run: Run): Promise<void> {
    for (const inventory of this.#former) {
      const left = [...inventory.entries].filter(([key]) => this.entries.has(key) && !this.succeededKeys.has(key));
      try {
        await this.#store.write(inventory, new Map(left));
      } catch (error) {
        run.fail(error);
      }
    }
  }

  async #write(run: Run): Promise<void> {
    for (const step of this.steps) {
      const entry = this.entries.get(step.key);
      const wave = this.#waves(step);
      if (!entry) continue;
      const needs = declaredDependencies(step.stack, step.intent);
      if (entry.wave === (wave ?? entry.wave) && sameTexts(entry.dependencies, needs)) continue;
      const { dependencies: _, ...others } = entry;
      this.entries.set(step.key, { ...others, ...(wave === undefined ? {} : { wave }), ...(needs ? { dependencies: needs } : {}) });
    }
    const isEmptied = this.entries.size === 0 && this.#written.shards.length > 0;
    if (sameMembers(this.#written.entries, this.entries) && !isEmptied) return;
    try {
      this.#written = await this.#store.write(this.#written, new Map(this.entries));
    } catch (error) {
      this.writeFailure = run.fail(error).message;
    }
  }
}

function sameTexts(one: readonly string[] | undefined, other: readonly string[] | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return one.length === other.length && one.every((text, index) => text === other[index]);
}

/** Compares entries by identity: they are replaced, never changed. */
function sameMembers(one: ReadonlyMap<string, InventoryEntry>, other: ReadonlyMap<string, InventoryEntry>): boolean {
  if (one.size !== other.size) return false;
  for (const [key, entry] of other) if (one.get(key) !== entry) return false;
  return true;
}

/** Returns the part of an intent's policy that the inventory records: how its object is removed, and which conflicts it does not force. */
export function policyToRemember({
  policy,
}: Pick<IntentManifest, 'policy'>): Pick<InventoryEntry, 'deletePropagation' | 'retain' | 'releases' | 'conflicts'> {
  const { deletePropagation, retain, conflicts, fields } = policy;
  const forcesAll = conflicts === 'force' && Object.values(fields).every((field) => (field.conflicts ?? 'force') === 'force');
  const kept = { deletePropagation, ...(retain ? { retain: true as const } : {}), ...rememberedRelease(policy) };
  return { ...kept, ...(forcesAll ? {} : { conflicts: { conflicts, fields } }) };
}
