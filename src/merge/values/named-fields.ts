import type { FieldSet } from '../../fields/index.js';
import type { Schema, TypeRef } from '../../schema/index.js';
import { memberType, typeAt } from './position.js';

/**
 * Returns the set with every declared struct field that has descendants as a member itself. Pruning needs this: a struct that loses its
 * last field is removed with it.
 */
export function withNamedFields(schema: Schema, ref: TypeRef | undefined, set: FieldSet): FieldSet {
  if (set.children.size === 0) return set;
  const type = ref === undefined ? undefined : typeAt(schema, ref);
  let members: ReadonlySet<string> = set.members;
  let children: ReadonlyMap<string, FieldSet> = set.children;
  for (const [element, child] of set.children) {
    let below: TypeRef | undefined;
    if (element.startsWith('f:') && type?.map) {
      const name = element.slice(2);
      below = memberType(type.map, name);
      if (type.map.fields.has(name) && !members.has(element)) {
        if (members === set.members) members = new Set(members);
        (members as Set<string>).add(element);
      }
    } else if (element.startsWith('k:')) {
      below = type?.list?.element;
    }
    const result = withNamedFields(schema, below, child);
    if (result === child) continue;
    if (children === set.children) children = new Map(children);
    (children as Map<string, FieldSet>).set(element, result);
  }
  return members === set.members && children === set.children ? set : { members, children };
}
