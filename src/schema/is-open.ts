import type { MapType, TypeRef } from './model.js';

/** Returns true if a server keeps the undeclared members of a map: it neither rejects nor prunes them. */
export function isOpen(map: MapType): map is MapType & { readonly element: TypeRef } {
  return map.element !== undefined && !map.pruned;
}
