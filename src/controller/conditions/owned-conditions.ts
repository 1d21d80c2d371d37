import type { ApplyConfiguration } from '../../builders/index.js';
import { rawConditionsOf } from '../../fields/object.js';
import { applyEntryOf } from '../../ownership/index.js';
import { type RootType, resolve, type TypeRef } from '../../schema/index.js';
import type { Json, JsonObject } from '../../util/json.js';
import { type AppliedBy, appliedFields, type BuilderFactory, rootOf } from '../extract.js';
import type { Condition } from './conditions.js';

/**
 * Returns the conditions of a live object that a manager has applied to its status. Set new conditions in this list, not in the whole
 * `status.conditions`: an apply of the whole list would take the conditions of other controllers, and reset them to the values that were
 * read.
 *
 * If the schema does not key the list by type (`x-kubernetes-list-type: map`), the list is atomic, and all its conditions are returned.
 * Then only an apply that is pinned to the resourceVersion that was read keeps those of others; `reconcileWithConditions` does so.
 *
 * @param make the constructor of the kind's status builder.
 */
export function ownedConditions(
  make: BuilderFactory<ApplyConfiguration<string, object>>,
  live: object,
  { manager }: Pick<AppliedBy, 'manager'>,
): readonly Condition[] {
  const root = rootOf(make);
  const object = live as JsonObject;
  if (!isKeyed(root)) return conditionsIn(object);
  return ownedIn(root, object, manager);
}

/** The types of conditions that the state of a reconcile sets or removes. Source: kstatus, "Conditions". */
const stateTypes = ['Ready', 'Reconciling', 'Stalled'];

/**
 * Returns the conditions that a controller declares again before it sets its state, in the order of the live list: those of the state,
 * because their time changes only with their status, and the controller's own other conditions.
 *
 * @param declaredConditions the controller's other conditions as it declares them now, in place of those that it has applied.
 */
export function conditionsToApply(
  root: RootType,
  live: JsonObject,
  manager: string,
  declaredConditions: Json | undefined,
): readonly Condition[] {
  const others = Array.isArray(declaredConditions) ? (declaredConditions as readonly unknown[] as readonly Condition[]) : undefined;
  const present = conditionsIn(live);
  if (!isKeyed(root)) return (others ?? []).reduce<readonly Condition[]>((all, other) => withCondition(all, other), present);
  const own = (others ?? ownedIn(root, live, manager)).filter(({ type }) => !stateTypes.includes(type));
  const known = present.flatMap((condition) =>
    stateTypes.includes(condition.type) ? [condition] : own.filter(({ type }) => type === condition.type),
  );
  return [...known, ...own.filter(({ type }) => !present.some((condition) => condition.type === type))];
}

function withCondition(conditions: readonly Condition[], condition: Condition): readonly Condition[] {
  const position = conditions.findIndex(({ type }) => type === condition.type);
  return position < 0 ? [...conditions, condition] : conditions.with(position, condition);
}

function ownedIn(root: RootType, live: JsonObject, manager: string): readonly Condition[] {
  return conditionsIn(appliedFields(root, live, applyEntryOf(live, manager, 'status')));
}

/** Returns `status.conditions`, whoever owns them. */
export function conditionsIn(object: JsonObject): readonly Condition[] {
  return rawConditionsOf(object) as readonly unknown[] as readonly Condition[];
}

/** Returns the type of a field of the kind's status, or undefined if the status has no such field. */
export function statusFieldOf({ schema, type }: RootType, field: string): TypeRef | undefined {
  const status = resolve(schema, type).map?.fields.get('status')?.type;
  return status && resolve(schema, status).map?.fields.get(field)?.type;
}

function isKeyed(root: RootType): boolean {
  const conditions = statusFieldOf(root, 'conditions');
  return conditions !== undefined && resolve(root.schema, conditions).list?.relation === 'associative';
}
