import type { FieldPath } from '../../fields/index.js';
import { typeAtPath } from '../../merge/index.js';
import type { RootType } from '../../schema/index.js';
import { isJsonObject, type Json } from '../../util/json.js';

/**
 * Returns true if a path leads to a map whose members have their own owners, according to the schema. An entry that names such a map alone
 * owns none of them: it is the marker that is left of an owner that lost the rest. False where the schema does not say.
 *
 * @param value the live value at the path. Without a schema of its own, a position may hold a map or a list, and the server takes such a
 *   list for one value: its owner owns all of its items.
 */
export function hasOwnedMembers(root: RootType | undefined, path: FieldPath, value: Json | undefined): boolean {
  if (root === undefined || !isJsonObject(value)) return false;
  const map = typeAtPath(root, path)?.map;
  return map !== undefined && map.relation !== 'atomic';
}
