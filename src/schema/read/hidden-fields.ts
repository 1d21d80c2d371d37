import type { RootType } from '../model.js';
import { resolve } from '../resolve.js';

const nothing: ReadonlyMap<string, string> = new Map();

/** Returns the fields of the type that belong to another root, each with the reason and the alternative. */
export function hiddenFields(root: RootType): ReadonlyMap<string, string> {
  const map = resolve(root.schema, root.type).map;
  if (root.subresource !== undefined) {
    const kept = new Set(['apiVersion', 'kind', 'metadata', root.subresource]);
    const others = [...(map?.fields.keys() ?? [])].filter((name) => !kept.has(name));
    return new Map(others.map((name) => [name, `an apply of the ${root.subresource} subresource ignores it`]));
  }
  if (!root.subresources?.includes('status') || !map?.fields.has('status')) return nothing;
  return new Map([
    ['status', 'the API server ignores status here; it is written through the status subresource, by the builder of its own'],
  ]);
}
