import type { OwnersPageData, PageNode } from '../page-data.js';

/** The tables of a page that its trees refer to. */
export type Tables = Pick<OwnersPageData, 'names' | 'sets'>;

/** Returns the fields below a node; an innermost field has none. */
export function below(node: PageNode): readonly PageNode[] {
  return typeof node[2] === 'object' && node[2] !== null ? node[2] : [];
}

export function isInnermost(node: PageNode): boolean {
  return below(node).length === 0;
}

/** Returns the value as YAML; undefined for a container, and for a field that is owned and does not exist. */
export function yamlOf(node: PageNode): string | undefined {
  return typeof node[2] === 'string' ? node[2] : undefined;
}

/** Returns the step of the path, such as `.spec` or `[port=443]`. */
export function stepOf(node: PageNode, { names }: Tables): string {
  return names[node[0]] ?? '';
}

export function ownersOf(node: PageNode, { sets }: Tables): readonly number[] {
  return sets[node[1]] ?? [];
}

/** Returns true for list items, whose steps are in brackets, and entries of maps of structs. */
export function isItem(node: PageNode, tables: Tables): boolean {
  return node[3] === 1 || stepOf(node, tables).startsWith('[');
}

/** Returns true for a field of which managedFields does not tell whether it is an entry of a map or a struct. */
export function mayBeEntry(node: PageNode): boolean {
  return node[3] === 2;
}

/** Visits the innermost fields with their paths. */
export function forEachField(nodes: readonly PageNode[], tables: Tables, visit: (node: PageNode, path: string) => void, path = ''): void {
  for (const node of nodes) {
    const here = path + stepOf(node, tables);
    if (isInnermost(node)) visit(node, here);
    else forEachField(below(node), tables, visit, here);
  }
}
