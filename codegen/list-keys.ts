import type { Type, TypeRef } from '../src/schema/index.js';
import type { ModulePlan } from './module-plan.js';

/** The list map keys of a type at its positions. */
export interface KeyedPositions {
  /** Distinct key tuples of the lists that hold the type, sorted. */
  readonly tuples: readonly (readonly string[])[];
}

/** Returns the keys of a type's own constructor: those of its positions if all agree, else none. */
export function agreedKeys(positions: KeyedPositions | undefined): readonly string[] {
  return positions?.tuples.length === 1 ? (positions.tuples[0] as readonly string[]) : [];
}

/** Finds the keyed lists that each type is an item of. Keys belong to the position, not to the type. */
export function keyedPositions(plan: ModulePlan): ReadonlyMap<string, KeyedPositions> {
  const tuples = new Map<string, Map<string, readonly string[]>>();
  const visit = (ref: TypeRef | undefined): void => {
    if (ref !== undefined && 'inline' in ref) visitType(ref.inline);
  };
  const visitType = ({ list, map }: Type): void => {
    if (list !== undefined) {
      if (list.keys.length > 0 && 'name' in list.element) {
        const known = tuples.get(list.element.name) ?? new Map<string, readonly string[]>();
        tuples.set(list.element.name, known.set(JSON.stringify(list.keys), list.keys));
      }
      visit(list.element);
    }
    for (const field of map?.fields.values() ?? []) visit(field.type);
    visit(map?.element);
  };
  for (const { type, external } of plan.types.values()) if (!external) visitType(type);
  return new Map(
    [...tuples].map(([id, known]) => [id, { tuples: [...known.keys()].sort().map((key) => known.get(key) as readonly string[]) }]),
  );
}

/** Returns the keys that must be given: those that the schema requires. A key with a default may be omitted. */
export function requiredKeys(type: Type, keys: readonly string[]): readonly string[] {
  return keys.filter((key) => type.map?.required.includes(key));
}
