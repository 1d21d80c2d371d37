import { type ObjectReference, objectReference } from '../engine/addresses/object-reference.js';
import type { Step } from '../engine/graph/waves.js';
import type { InventoryEntry } from '../engine/inventory/inventory-entry.js';
import type { PlannedObject } from '../engine/report/plan-types.js';
import { parseExactJson, stringifyExactJson } from '../util/exact-json.js';
import type { JsonObject } from '../util/json.js';

/**
 * Planned objects, by their step or inventory entry. Of an object that stays as it is, only the text of what its step does not tell is kept: plans
 * of tens of thousands of objects, most of them unchanged, are large.
 */
export class PlannedRows {
  readonly #rows = new Map<Step | InventoryEntry, PlannedObject | string>();

  addStep(step: Step, row: PlannedObject): void {
    this.#rows.set(step, staysAsIs(row) ? stringifyExactJson({ ...row, ...toldByStep } as unknown as JsonObject) : row);
  }

  addRemoval(entry: InventoryEntry, row: PlannedObject): void {
    this.#rows.set(entry, row);
  }

  ofStep(step: Step): PlannedObject {
    const row = this.#rows.get(step);
    if (typeof row !== 'string') return row as PlannedObject;
    return { ...rowOf(step), ...(parseExactJson(row) as unknown as Omit<PlannedObject, ToldByStep>) };
  }

  /** Returns the planned object; undefined if it stays as it is. */
  ofChangingStep(step: Step): PlannedObject | undefined {
    const row = this.#rows.get(step);
    return typeof row === 'string' ? undefined : row;
  }

  ofRemoval(entry: InventoryEntry): PlannedObject {
    return this.#rows.get(entry) as PlannedObject;
  }
}

type ToldByStep = 'event' | 'declaredBy' | keyof ObjectReference;

/** Returns the members of a planned object that its step tells. */
export function rowOf({ stack, intent }: Step): Pick<PlannedObject, ToldByStep> {
  return { event: 'plan', ...objectReference(stack.name, stack.manager, intent), declaredBy: intent.declaredBy };
}

/** Members that JSON leaves out. */
const toldByStep: Readonly<Record<ToldByStep, undefined>> = {
  event: undefined,
  stack: undefined,
  manager: undefined,
  object: undefined,
  apiVersion: undefined,
  kind: undefined,
  namespace: undefined,
  name: undefined,
  lifecycle: undefined,
  declaredBy: undefined,
};

/** Returns true if nothing of an object changes, not even an owner of a field. */
function staysAsIs({ action, fields, adopts }: PlannedObject): boolean {
  return action === 'unchanged' && adopts === undefined && fields.every(({ change }) => change === 'same' || change === 'co-own');
}
