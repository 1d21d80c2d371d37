import type { Type, TypeRef } from '../src/schema/index.js';
import { resolve } from '../src/schema/index.js';
import type { ModulePlan } from './module-plan.js';

/** Returns the ids of the types that stand inside atomic lists and maps only: their fields have the owner of the whole value. */
export function insideAtomic(plan: ModulePlan): ReadonlySet<string> {
  const shared = new Set<string>();
  const visit = (ref: TypeRef): void => {
    if ('name' in ref) {
      if (shared.has(ref.name) || ref.mapRelation === 'atomic') return;
      shared.add(ref.name);
      if (plan.types.get(ref.name)?.external !== false) return; // a type of another package, or any value
    }
    visitContent(resolve(plan.schema, ref));
  };
  const visitContent = ({ list, map }: Type): void => {
    if (list !== undefined && list.relation !== 'atomic') visit(list.element);
    if (map === undefined || map.relation === 'atomic') return;
    for (const field of map.fields.values()) visit(field.type);
    if (map.element !== undefined) visit(map.element);
  };
  for (const { roots } of plan.modules) for (const { typeId } of roots) visit({ name: typeId });
  return new Set([...plan.types.keys()].filter((id) => !shared.has(id)));
}
