import type { FieldPath } from '../../fields/index.js';
import { type RootType, resolve, type TypeRef } from '../../schema/index.js';

/**
 * Returns true if the schema says that a path leads to a map whose members have their own owners. An entry that names such a map alone owns
 * none of them: it is the marker that is left of an owner that lost the rest. False where the schema does not say.
 */
export function hasOwnedMembers(root: RootType | undefined, path: FieldPath): boolean {
  if (root === undefined) return false;
  let ref: TypeRef | undefined = root.type;
  for (const element of path) {
    const { map, list } = resolve(root.schema, ref);
    ref = element.kind === 'field' ? (map?.fields.get(element.name)?.type ?? map?.element) : list?.element;
    if (ref === undefined) return false;
  }
  const { map } = resolve(root.schema, ref);
  return map !== undefined && map.relation !== 'atomic';
}
