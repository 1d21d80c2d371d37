import type { RootType } from '../src/schema/index.js';

/**
 * Returns the module of a root type. Types that Kubernetes itself defines are named `io.k8s.….GROUP.VERSION.Name` and belong to
 * `GROUP/VERSION`, the group without its domain (`apps/v1`, `rbac/v1`); all others belong to the full group (`edge.example.com/v1`).
 */
export function moduleOfRoot(root: RootType): string {
  const module = 'name' in root.type ? moduleOfType(root.type.name) : undefined;
  return module ?? (root.apiVersion.includes('/') ? root.apiVersion : `core/${root.apiVersion}`);
}

/**
 * Returns the module of a type by its name in an OpenAPI document or in a table of the built-in API (`apps/v1.Deployment`); undefined for
 * names that Kubernetes does not use: groups of CRDs have a dot.
 */
export function moduleOfType(name: string): string | undefined {
  const ofTable = /^([\w-]+\/v\d[\w-]*)\.\w+$/.exec(name)?.[1];
  if (ofTable !== undefined) return ofTable;
  if (!/^io\.k8s\.[\w.-]+$/.test(name)) return undefined;
  const [group, version] = name.split('.').slice(-3);
  return /^[\w-]+$/.test(group ?? '') && /^v\d[\w-]*$/.test(version ?? '') ? `${group}/${version}` : undefined;
}

/** Returns the name of a type without its package. */
export function lastName(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}
