import type { Type, TypeRef } from '../src/schema/index.js';
import type { ModulePlan } from './module-plan.js';

/** List map keys of a type by its positions. */
export interface KeyedPositions {
  /** Distinct key tuples of the lists that hold the type, sorted. */
  readonly tuples: readonly (readonly string[])[];
}

/** Keys of a type's own constructor: those of its positions where all agree, else none. */
export function agreedKeys(positions: KeyedPositions | undefined): readonly string[] {
  return positions?.tuples.length === 1 ? (positions.tuples[0] as readonly string[]) : [];
}

/** Finds, for each type, the keyed lists it is an item of. Key-ness belongs to the position, not to the type. */
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

/** Keys that must be given: those that the schema requires. A key with a default may be left out. */
export function requiredKeys(type: Type, keys: readonly string[]): readonly string[] {
  return keys.filter((key) => type.map?.required.includes(key));
}
