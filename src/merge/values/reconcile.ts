import { emptyFieldSet, type FieldSet } from '../../fields/index.js';
import { deducedName, type MapType, type Schema, type Type, type TypeRef } from '../../schema/index.js';
import { memberType, typeAt } from './position.js';

/**
 * Adapts an owner's set to a changed schema. A position that became atomic is owned at its root; one that became granular stays owned at
 * its root only. Content without a declared type is unchanged. Of a type with several parts, the map alone counts. Source: Kubernetes
 * documentation "Server-Side Apply", "Compatibility across topology changes"; structured-merge-diff.
 */
export function reconcile(schema: Schema, ref: TypeRef, set: FieldSet): FieldSet {
  const type = typeAt(schema, ref);
  if (set.children.size === 0 || isFree(type)) return set;
  let members: Set<string> | undefined;
  let children: Map<string, FieldSet> | undefined;
  for (const [element, child] of set.children) {
    const below = refBelow(type, element);
    if (below === undefined) continue;
    const result = isAtomic(typeAt(schema, below)) ? emptyFieldSet : reconcile(schema, below, child);
    if (result === child) continue;
    children ??= new Map(set.children);
    if (result === emptyFieldSet) {
      children.delete(element);
      members ??= new Set(set.members);
      members.add(element);
    } else {
      children.set(element, result);
    }
  }
  return children === undefined ? set : { members: members ?? set.members, children };
}

// An item of a list that could be a map has the type of the map's undeclared members here, as on a server.
function refBelow({ map, list }: Type, element: string): TypeRef | undefined {
  if (map !== undefined) return element.startsWith('f:') ? memberType(map, element.slice(2)) : map.element;
  return element.startsWith('k:') ? list?.element : undefined;
}

function isAtomic(type: Type): boolean {
  const { scalar, list, map } = type;
  if (map !== undefined) return map.relation === 'atomic' && !isFree(type);
  return scalar === undefined && list?.relation === 'atomic';
}

/** Returns true for a map of free keys to values without a schema, of which a server never changes the owners. */
function isFree({ map }: Type): boolean {
  return map !== undefined && map.fields.size === 0 && isUntyped(map);
}

function isUntyped({ element }: MapType): boolean {
  if (element === undefined) return false;
  return 'name' in element ? element.name === deducedName : element.inline.scalar?.kind === 'untyped';
}
