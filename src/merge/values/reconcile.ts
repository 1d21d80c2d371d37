import { emptyFieldSet, type FieldSet } from '../../fields/index.js';
import type { Schema, Type, TypeRef } from '../../schema/index.js';
import { memberType, typeAt } from './position.js';

/**
 * Adapts an owner's set to a changed schema. A position that became atomic is owned at its root; one that became granular stays owned at
 * its root only. Content without a declared type is unchanged. Source: Kubernetes documentation "Server-Side Apply", "Compatibility across
 * topology changes".
 */
export function reconcile(schema: Schema, ref: TypeRef, set: FieldSet): FieldSet {
  const type = typeAt(schema, ref);
  if (set.children.size === 0 || isOpen(type)) return set;
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

function refBelow(type: Type, element: string): TypeRef | undefined {
  if (element.startsWith('f:')) return type.map === undefined ? undefined : memberType(type.map, element.slice(2));
  return element.startsWith('k:') ? type.list?.element : undefined;
}

// A type with several parts depends on the value, so the schema alone cannot prove a change.
function isOpen(type: Type): boolean {
  return type.map !== undefined && (type.scalar !== undefined || type.list !== undefined);
}

function isAtomic(type: Type): boolean {
  return type.map?.relation === 'atomic' || (type.map === undefined && type.list?.relation === 'atomic');
}
