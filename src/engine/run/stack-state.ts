import { inputKey, type ProgramInput } from '../../assembly/program-input.js';
import type { IntentManifest, StackManifest } from '../../assembly/types.js';
import { rememberedRelease } from '../field-changes/release-policy.js';
import { declaredDependencies } from '../graph/declared-dependencies.js';
import type { ProgramWaves, Step } from '../graph/waves.js';
import type { StackInventories } from '../inventory/former-inventories.js';
import type { HistoryVouch } from '../inventory/history-vouch.js';
import type { InventoryEntry } from '../inventory/inventory-entry.js';
import type { Inventory, InventoryStore, StackIdentity } from '../inventory/inventory-store.js';
import { foundUidIn, type PendingForce } from '../inventory/pending-force.js';
import { pendingMark } from '../inventory/pending-proof.js';
import type { LatestResourceVersions } from './latest-resource-versions.js';
import type { Run } from './run.js';

/** The context of the stacks of a deploy. */
export interface StackStateContext {
  readonly store: InventoryStore;
  readonly waves: ProgramWaves;
  /** The inputs that the program has read; absent: the inventory keeps what it has, or is of an unknown program. */
  readonly inputs?: readonly ProgramInput[] | undefined;
  /** The id of the program; absent: the inventory keeps what it has. */
  readonly id?: string | undefined;
}

/** The state of one stack's inventory during a deploy. */
export class StackState {
  readonly stack: StackManifest;
  /** The stack, with its identities before renames. */
  readonly identities: { readonly stack: StackIdentity; readonly formerIdentities: readonly StackIdentity[] };
  readonly steps: readonly Step[];
  /** As read at the start, with the entries under former names. */
  readonly before: Inventory;
  /** The entries after this run, by identity key. */
  readonly entries: Map<string, InventoryEntry>;
  /** The reason why nothing of this stack may be applied, if so. */
  writeFailure: string | undefined;
  /** Keys of the steps that succeeded: their entries under former names are removed. */
  readonly succeededKeys = new Set<string>();
  /** The passes that earlier runs have noted, by identity key; `before` and `entries` do not have them. */
  readonly pendingForces: ReadonlyMap<string, readonly PendingForce[]>;
  /** Those that the inventory has to name: of earlier runs and of this one. */
  readonly #forces: Map<string, readonly PendingForce[]>;
  readonly #former: readonly Inventory[];
  readonly #formerWritten: Inventory[] = [];
  /** The former managers that are those of another program by now. */
  readonly #taken: ReadonlySet<string>;
  readonly #store: InventoryStore;
  readonly #waves: ProgramWaves;
  readonly #inputs: readonly ProgramInput[] | undefined;
  readonly #id: string | undefined;
  #written: Inventory;

  constructor(stack: StackManifest, steps: readonly Step[], found: StackInventories, { store, waves, inputs, id }: StackStateContext) {
    this.stack = stack;
    this.identities = { stack: found.current.stack, formerIdentities: stack.formerIdentities ?? [] };
    this.steps = steps;
    this.pendingForces = pendingForcesIn(found.whole.entries);
    this.#forces = new Map(this.pendingForces);
    this.before = this.pendingForces.size === 0 ? found.whole : withoutNotes(found.whole);
    this.entries = new Map(this.before.entries);
    this.#former = found.former;
    this.#taken = new Set(found.taken.map((inventory) => inventory.stack.manager));
    this.#store = store;
    this.#waves = waves;
    // A program that reads nothing leaves no trace where there was none.
    this.#inputs = inputs?.length === 0 && found.whole.inputs === undefined ? undefined : (inputs ?? found.whole.inputs);
    this.#id = id ?? found.current.id;
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
        const { items: _, applied: __, pendingReleases: ___, ...others } = found; // a killed run may leave other items than recorded here
        this.entries.set(key, { ...others, ...pendingOf(step), ...dynamic, intent: digest });
        continue;
      }
      const { pendingReleases } = pendingOf(step);
      const change = pendingReleases === undefined ? {} : { pendingReleases, intent: digest };
      this.entries.set(key, { ...pendingEntry(step), ...dynamic, ...change });
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

  /** The passes that the inventory still names. */
  get openForces(): ReadonlyMap<string, readonly PendingForce[]> {
    return this.#forces;
  }

  /**
   * Notes passes that are about to be sent, and changes nothing else of what is written.
   *
   * @param passes by identity key; they replace those of this run that were noted before.
   * @param created the keys of objects that are about to be created in place of those that the entries name: they are pending from now on.
   * @throws the error with which the inventory could not be written.
   */
  async writePendingForces(run: Run, passes: ReadonlyMap<string, PendingForce>, created: ReadonlySet<string>): Promise<void> {
    const entries = new Map(this.#written.entries);
    for (const step of this.steps) {
      const found = this.entries.get(step.key);
      if (found === undefined || !created.has(step.key)) continue;
      const { strategy, wave, dependencies } = found;
      const kept = {
        ...(strategy ? { strategy } : {}),
        ...(wave === undefined ? {} : { wave }),
        ...(dependencies ? { dependencies } : {}),
      };
      const pending = { ...pendingEntry(step), ...kept };
      for (const each of [this.entries, entries]) each.set(step.key, pending);
    }
    for (const [key, pass] of passes) this.#forces.set(key, [...(this.pendingForces.get(key) ?? []), pass]);
    const noted = new Map([...passes.keys()].map((key) => [key, this.#forces.get(key) ?? []]));
    try {
      this.#written = await this.#store.write(this.#written, withForces(entries, noted));
    } catch (error) {
      this.writeFailure = run.fail(error).message;
      throw error;
    }
  }

  /**
   * Writes the final entries, and removes those under former names. `lastSeen` as in `writeAppliedInventory`.
   *
   * @param isOpen returns true for an object of which no report says what became of the passes that were noted for it.
   */
  async writeFinalInventory(run: Run, lastSeen: LatestResourceVersions, isOpen: (key: string) => boolean): Promise<void> {
    for (const [key, passes] of this.#forces) {
      if (isOpen(key)) continue;
      this.#forces.delete(key);
      const entry = this.entries.get(key);
      if (entry !== undefined) this.entries.set(key, withFoundUid(entry, passes));
    }
    await this.writeAppliedInventory(run, lastSeen);
    if (this.writeFailure === undefined) await this.#pruneFormerInventories(run);
  }

  /** Returns what the inventory under a name of the stack, as it was read at the start, knows of its history. */
  vouchOf({ manager }: StackIdentity): HistoryVouch | undefined {
    return [this.before, ...this.#former].find(({ stack }) => stack.manager === manager)?.history;
  }

  /** Records that the stack may delete an object, once the final entries are written. */
  async writeDeletable(key: string): Promise<void> {
    const entries = new Map(this.#written.entries);
    for (const each of [this.entries, entries]) {
      const entry = each.get(key);
      if (entry) each.set(key, { ...entry, deletable: true });
    }
    this.#written = await this.#store.write(this.#written, entries);
  }

  /**
   * Notes the history that is about to be written, after everything else.
   *
   * @throws the error with which the inventory could not be written.
   */
  async writeVouch(history: HistoryVouch): Promise<void> {
    this.#written = await this.#store.write(this.#written, this.#written.entries, { ...this.#written, history });
  }

  /** Returns what the inventories know of the histories under former names that are still to be moved or removed. */
  get formerHistories(): readonly StackIdentity[] {
    return (this.stack.formerIdentities ?? []).filter(({ manager }) => !this.#taken.has(manager));
  }

  /** Inventories under former names were there at the start. */
  get hasFormerInventories(): boolean {
    return this.#former.length > 0;
  }

  /** Removes what is left of the inventories under former names, once the history has moved. */
  async endFormerInventories(): Promise<void> {
    for (const inventory of this.#formerWritten) if (inventory.entries.size === 0) await this.#store.write(inventory, new Map(), {});
  }

  /** Keeps in the inventories under former names only what this run did not reach, and the note of a history. */
  async #pruneFormerInventories(run: Run): Promise<void> {
    for (const inventory of this.#former) {
      const left = [...inventory.entries].filter(([key]) => this.entries.has(key) && !this.succeededKeys.has(key));
      try {
        // A note of a history stays until the revisions have moved.
        this.#formerWritten.push(await this.#store.write(inventory, new Map(left)));
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
    const entries = withForces(this.entries, this.#forces);
    const isEmptied = entries.size === 0 && this.#written.shards.length > 0;
    const isSame = sameInputs(this.#written.inputs, this.#inputs) && this.#written.id === this.#id;
    if (isSame && sameMembers(this.#written.entries, entries) && !isEmptied) return;
    try {
      this.#written = await this.#store.write(this.#written, entries, {
        inputs: this.#inputs,
        history: this.#written.history,
        id: this.#id,
      });
    } catch (error) {
      this.writeFailure = run.fail(error).message;
    }
  }
}

/** Returns the entry of an object that a run is about to create. */
function pendingEntry({ intent, object }: Step): InventoryEntry {
  const { apiVersion, kind, namespace, name, lifecycle, policy } = intent;
  const deletable = lifecycle === 'own' && policy.adopt;
  const identity = { apiVersion, kind, ...(namespace === undefined ? {} : { namespace }), name };
  return { ...identity, lifecycle, deletable, ...policyToRemember(intent), pendingMark: pendingMark(object) };
}

/** Returns the noted passes of entries, by their keys. */
export function pendingForcesIn(entries: ReadonlyMap<string, InventoryEntry>): ReadonlyMap<string, readonly PendingForce[]> {
  return new Map([...entries].flatMap(([key, { pendingForces = [] }]) => (pendingForces.length === 0 ? [] : [[key, pendingForces]])));
}

/** Returns an entry without the passes that it names. A pending one keeps what they prove: that an object was there before. */
export function withoutForces({ pendingForces, ...entry }: InventoryEntry): InventoryEntry {
  return withFoundUid(entry, pendingForces ?? []);
}

function withFoundUid(entry: InventoryEntry, passes: readonly PendingForce[]): InventoryEntry {
  const foundUid = entry.uid === undefined ? foundUidIn(passes) : undefined;
  return foundUid === undefined ? entry : { ...entry, foundUid };
}

function withoutNotes(inventory: Inventory): Inventory {
  return { ...inventory, entries: new Map([...inventory.entries].map(([key, entry]) => [key, withoutForces(entry)])) };
}

/** Returns entries with the passes that are noted for them. Entries that are removed by now need no note. */
export function withForces(
  entries: ReadonlyMap<string, InventoryEntry>,
  forces: ReadonlyMap<string, readonly PendingForce[]>,
): Map<string, InventoryEntry> {
  const noted = new Map(entries);
  for (const [key, pendingForces] of forces) {
    const entry = entries.get(key);
    if (entry !== undefined) noted.set(key, { ...entry, pendingForces });
  }
  return noted;
}

function sameTexts(one: readonly string[] | undefined, other: readonly string[] | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return one.length === other.length && one.every((text, index) => text === other[index]);
}

/** Compares what two programs have read, without values. */
export function sameInputs(one: readonly ProgramInput[] | undefined, other: readonly ProgramInput[] | undefined): boolean {
  return sameTexts(one?.map(inputKey), other?.map(inputKey));
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
