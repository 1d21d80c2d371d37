import { removeOldValues, resolveForces, slotsIn } from '../../engine/apply/resolve-forces.js';
import type { Step } from '../../engine/graph/waves.js';
import type { OldValue, OldValues } from '../../engine/history/old-values.js';
import { isNotable, type PendingForce, pendingForceOf } from '../../engine/inventory/pending-force.js';
import type { StackState } from '../../engine/inventory/stack-state.js';
import { stackIdentityOf } from '../../engine/run/prepare-run.js';
import { isHiddenField } from '../../engine/secrets/secret-masker.js';
import type { ForcedPass } from '../../ownership/index.js';
import { jsonEqual } from '../../util/json.js';
import type { ConfirmedDeploy } from './confirm-deploy.js';

/** The notes of one stack. */
interface StackNotes {
  /** By identity key: passes that wait for the next write. */
  waiting: Map<string, { readonly pass: ForcedPass; readonly step: Step }>;
  /** Settles with the write for those that wait. */
  group: Promise<void> | undefined;
  /** Settles with the last write. */
  last: Promise<void>;
  /** The number of the Secret with the old values; undefined where there is none. */
  slot: Promise<number | undefined> | undefined;
  readonly values: OldValue[];
}

/**
 * Notes in the inventory of a stack what is about to be taken by force, before it is taken: a run after a killed one, or after a lost response,
 * then finds out by reading what became of it. All objects that wait while a note is written are noted by the next write together.
 */
export class ForceNotes {
  readonly #deploy: ConfirmedDeploy;
  readonly #stacks = new Map<StackState, StackNotes>();
  /** Passes of which this run does not know what they did. */
  readonly #unknown = new Map<StackState, Set<string>>();

  constructor(deploy: ConfirmedDeploy) {
    this.#deploy = deploy;
  }

  /** Finds out what became of the passes that earlier runs have noted; the reports say it. */
  async resolveEarlier(): Promise<void> {
    const { states, session, options, concurrency, run } = this.#deploy;
    const noted = states.map((state) => ({ ...this.#identitiesOf(state), entries: state.entries, pendingForces: state.pendingForces }));
    const context = { cluster: session.cluster, records: session.records, inventoryNamespace: options.inventoryNamespace, concurrency };
    await resolveForces(context, noted, run);
  }

  /** Resolves when a pass is noted. @throws the error with which the inventory could not be written. */
  async note(state: StackState, step: Step, pass: ForcedPass): Promise<void> {
    const notes = this.#notesOf(state);
    notes.waiting.set(step.key, { pass, step });
    notes.group ??= notes.last.then(() => this.#write(state, notes));
    notes.last = notes.group.catch(() => undefined);
    await notes.group;
  }

  /** Keeps the note of a pass for the next run: this one cannot say what it did. */
  keep(state: StackState, key: string): void {
    this.#unknown.set(state, (this.#unknown.get(state) ?? new Set()).add(key));
  }

  /** Returns true if no report says what became of the passes that were noted for an object. */
  isOpen(state: StackState, key: string): boolean {
    if (this.#unknown.get(state)?.has(key)) return true;
    return state.pendingForces.has(key) && !this.#deploy.run.hasReportedEarlier(state.stack.manager, key);
  }

  /** Removes the old values that no note refers to any more, once the final inventory is written. */
  async end(state: StackState): Promise<void> {
    if (state.writeFailure !== undefined) return;
    const { session, options } = this.#deploy;
    const notes = this.#stacks.get(state);
    const slots = new Set(slotsIn(state.pendingForces));
    const own = await notes?.slot;
    if (own !== undefined) slots.add(own);
    for (const slot of slotsIn(state.openForces)) slots.delete(slot);
    await removeOldValues({ records: session.records, inventoryNamespace: options.inventoryNamespace }, this.#identitiesOf(state), slots);
  }

  #notesOf(state: StackState): StackNotes {
    const known = this.#stacks.get(state);
    if (known) return known;
    const notes: StackNotes = { waiting: new Map(), group: undefined, last: Promise.resolve(), slot: undefined, values: [] };
    this.#stacks.set(state, notes);
    return notes;
  }

  async #write(state: StackState, notes: StackNotes): Promise<void> {
    const group = notes.waiting;
    notes.waiting = new Map();
    notes.group = undefined;
    const added = [...group.values()].flatMap(({ pass, step }) => this.#oldValuesOf(pass, step));
    const slot = added.length === 0 ? undefined : await this.#slotOf(state, notes);
    const passes = new Map<string, PendingForce>();
    for (const [key, { pass, step }] of group) {
      passes.set(key, pendingForceOf(pass, this.#oldValuesOf(pass, step).length === 0 ? undefined : slot));
    }
    await state.writePendingForces(this.#deploy.run, passes);
    if (slot === undefined) return;
    notes.values.push(...added);
    const isWritten = await (await this.#oldValues(state)).write(slot, notes.values);
    if (!isWritten) notes.slot = Promise.resolve(undefined); // mostly for lack of rights, which later groups lack, too
  }

  /** Values of Secrets are noted nowhere, nor what looks like one in another object. */
  #oldValuesOf({ uid, fields }: ForcedPass, { object }: Step): readonly OldValue[] {
    const { secrets } = this.#deploy;
    return fields.flatMap(({ field, from, operation, subresource, oldValue: value }) => {
      if (!isNotable(value) || isHiddenField(field, object) || !jsonEqual(secrets.maskJson(value), value)) return [];
      return [{ uid, field, from, operation, ...(subresource === undefined ? {} : { subresource }), value }];
    });
  }

  #slotOf(state: StackState, notes: StackNotes): Promise<number | undefined> {
    const { history } = this.#deploy.options;
    if (history === undefined) return Promise.resolve(undefined);
    notes.slot ??= this.#oldValues(state).then((values) => values.findSlot(history, slotsIn(state.pendingForces)));
    return notes.slot;
  }

  /** Loaded lazily: few deploys take anything by force. */
  async #oldValues(state: StackState): Promise<OldValues> {
    const { OldValues } = await import('../../engine/history/old-values.js');
    const { session, options } = this.#deploy;
    return new OldValues(session.records, options.inventoryNamespace, this.#identitiesOf(state).stack);
  }

  #identitiesOf({ stack }: StackState) {
    return { stack: stackIdentityOf(this.#deploy.assembly, stack), formerIdentities: stack.formerIdentities ?? [] };
  }
}
