import { removeOldValues, resolveForces, slotsIn } from '../../engine/apply/resolve-forces.js';
import type { OldValue, OldValues } from '../../engine/history/old-values.js';
import type { InventoryEntry } from '../../engine/inventory/inventory-entry.js';
import type { StackIdentity } from '../../engine/inventory/inventory-store.js';
import { isNotable, type PendingForce, pendingForceOf } from '../../engine/inventory/pending-force.js';
import type { HistoryOptions } from '../../engine/run/history-options.js';
import type { Run } from '../../engine/run/run.js';
import { isHiddenField, type SecretMasker } from '../../engine/secrets/secret-masker.js';
import type { ClusterClient } from '../../kubernetes/index.js';
import type { ForcedPass } from '../../ownership/index.js';
import type { Json } from '../../util/json.js';
import { jsonEqual } from '../../util/json.js';

/** A stack whose inventory takes notes. */
export interface NotedTarget {
  /** The stack, with its identities before renames. */
  readonly identities: { readonly stack: StackIdentity; readonly formerIdentities: readonly StackIdentity[] };
  readonly entries: ReadonlyMap<string, InventoryEntry>;
  /** The passes that earlier runs have noted, by identity key. */
  readonly pendingForces: ReadonlyMap<string, readonly PendingForce[]>;
  /** The passes that the inventory still names. */
  readonly openForces: ReadonlyMap<string, readonly PendingForce[]>;
  /** Notes passes, and creations by their keys. @throws the error with which the inventory could not be written. */
  writePendingForces(run: Run, passes: ReadonlyMap<string, PendingForce>, created: ReadonlySet<string>): Promise<void>;
}

/** The context of the notes of a run. */
export interface NotesContext {
  /** For the objects. */
  readonly cluster: ClusterClient;
  /** For the histories. */
  readonly records: ClusterClient;
  readonly inventoryNamespace: string | undefined;
  readonly history: HistoryOptions | undefined;
  readonly secrets: SecretMasker;
  readonly concurrency: number;
  readonly run: Run;
}

/** An object of which something is about to change. */
interface NotedObject {
  readonly key: string;
  readonly entry: Pick<InventoryEntry, 'apiVersion' | 'kind'>;
}

/** The notes of one stack. */
interface StackNotes {
  /** By identity key: passes that wait for the next write. */
  waiting: Map<string, { readonly pass: ForcedPass; readonly object: Json }>;
  /** Identity keys of creations that wait, too. */
  created: Set<string>;
  /** Settles with the write for those that wait. */
  group: Promise<void> | undefined;
  /** Settles with the last write. */
  last: Promise<void>;
  /** The number of the Secret with the old values; undefined where there is none. */
  slot: Promise<number | undefined> | undefined;
  readonly values: OldValue[];
}

/**
 * Notes in the inventory of a stack what is about to be taken by force, released, removed or overwritten, before that is done: a run after a killed
 * one, or after a lost response, then finds out by reading what became of it. All objects that wait while a note is written are noted by the next
 * write together.
 */
export class ForceNotes {
  readonly #context: NotesContext;
  readonly #targets = new Map<NotedTarget, StackNotes>();
  /** Passes of which this run does not know what they did. */
  readonly #unknown = new Map<NotedTarget, Set<string>>();

  constructor(context: NotesContext) {
    this.#context = context;
  }

  /** Finds out what became of the passes that earlier runs have noted; the reports say it. */
  async resolveEarlier(targets: readonly NotedTarget[]): Promise<void> {
    const noted = targets.map(({ identities, entries, pendingForces }) => ({ ...identities, entries, pendingForces }));
    await resolveForces(this.#context, noted, this.#context.run);
  }

  /** Resolves when a pass is noted. @throws the error with which the inventory could not be written. */
  async note(target: NotedTarget, { key, entry: { apiVersion, kind } }: NotedObject, pass: ForcedPass): Promise<void> {
    const notes = this.#notesOf(target);
    notes.waiting.set(key, { pass, object: { apiVersion, kind } });
    await this.#writeSoon(target, notes);
  }

  /**
   * Resolves when it is noted that the object of a recorded entry is about to be created again: a run after a killed one would take the new object for somebody else's.
   *
   * @throws the error with which the inventory could not be written.
   */
  async noteCreation(target: NotedTarget, key: string): Promise<void> {
    const notes = this.#notesOf(target);
    notes.created.add(key);
    await this.#writeSoon(target, notes);
  }

  /** Keeps the note of a pass for the next run: this one cannot say what it did. */
  keep(target: NotedTarget, key: string): void {
    this.#unknown.set(target, (this.#unknown.get(target) ?? new Set()).add(key));
  }

  /** Returns true if no report says what became of the passes that were noted for an object. */
  isOpen(target: NotedTarget, key: string): boolean {
    if (this.#unknown.get(target)?.has(key)) return true;
    return target.pendingForces.has(key) && !this.#context.run.hasReportedEarlier(target.identities.stack.manager, key);
  }

  /** Removes the old values that no note refers to any more, once the final inventory is written. */
  async end(target: NotedTarget): Promise<void> {
    const slots = new Set(slotsIn(target.pendingForces));
    const own = await this.#targets.get(target)?.slot;
    if (own !== undefined) slots.add(own);
    for (const slot of slotsIn(target.openForces)) slots.delete(slot);
    await removeOldValues(this.#context, target.identities, slots);
  }

  #notesOf(target: NotedTarget): StackNotes {
    const known = this.#targets.get(target);
    if (known) return known;
    const notes: StackNotes = {
      waiting: new Map(),
      created: new Set(),
      group: undefined,
      last: Promise.resolve(),
      slot: undefined,
      values: [],
    };
    this.#targets.set(target, notes);
    return notes;
  }

  #writeSoon(target: NotedTarget, notes: StackNotes): Promise<void> {
    const group = notes.group ?? notes.last.then(() => this.#write(target, notes));
    notes.group = group;
    notes.last = group.catch(() => undefined);
    return group;
  }

  async #write(target: NotedTarget, notes: StackNotes): Promise<void> {
    const { waiting: group, created } = notes;
    notes.waiting = new Map();
    notes.created = new Set();
    notes.group = undefined;
    const values = new Map([...group].map(([key, { pass, object }]) => [key, this.#oldValuesOf(pass, object)]));
    const added = [...values.values()].flat();
    const slot = added.length === 0 ? undefined : await this.#slotOf(target, notes);
    const passes = new Map<string, PendingForce>();
    for (const [key, { pass }] of group) passes.set(key, pendingForceOf(pass, values.get(key)?.length ? slot : undefined));
    await target.writePendingForces(this.#context.run, passes, created);
    if (slot === undefined) return;
    notes.values.push(...added);
    const isWritten = await (await this.#oldValues(target)).write(slot, notes.values);
    if (!isWritten) notes.slot = Promise.resolve(undefined); // mostly for lack of rights, which later groups lack, too
  }

  /** Values of Secrets are noted nowhere, nor what looks like one in another object. */
  #oldValuesOf({ uid, fields, losses = [] }: ForcedPass, object: Json): readonly OldValue[] {
    const { secrets } = this.#context;
    return [...fields, ...losses].flatMap(({ field, from, operation, subresource, oldValue: value }) => {
      if (!isNotable(value) || isHiddenField(field, object) || !jsonEqual(secrets.maskJson(value), value)) return [];
      return [{ uid, field, from, operation, ...(subresource === undefined ? {} : { subresource }), value }];
    });
  }

  #slotOf(target: NotedTarget, notes: StackNotes): Promise<number | undefined> {
    const { history } = this.#context;
    if (history === undefined) return Promise.resolve(undefined);
    notes.slot ??= this.#oldValues(target).then((values) => values.findSlot(history, slotsIn(target.pendingForces)));
    return notes.slot;
  }

  /** Loaded lazily: few runs take or release anything. */
  async #oldValues({ identities }: NotedTarget): Promise<OldValues> {
    const { OldValues } = await import('../../engine/history/old-values.js');
    const { records, inventoryNamespace } = this.#context;
    return new OldValues(records, inventoryNamespace, identities.stack);
  }
}
