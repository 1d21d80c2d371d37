import type { PageNode } from '../page-data.js';
import { below, isInnermost, ownersOf, stepOf, type Tables, yamlOf } from './page-tree.js';

/** One line of an object's YAML. */
export interface Row {
  readonly node: PageNode;
  readonly path: string;
  readonly depth: number;
  /** The name of the field, or the keys of the item. */
  readonly label: string;
  readonly isListItem: boolean;
  /** Undefined for containers and for fields that do not exist. */
  readonly value: string | undefined;
  readonly owners: readonly number[];
  /** Owners of fields below, which may not own the container itself. */
  readonly through: ReadonlySet<number>;
  readonly isInnermost: boolean;
}

/** Returns the rows of the fields that are shown, with the containers around them. */
export function rowsOf(nodes: readonly PageNode[], tables: Tables, isShown: (node: PageNode, path: string) => boolean): readonly Row[] {
  const rows: Row[] = [];
  const add = (node: PageNode, above: string, depth: number): { readonly shown: boolean; readonly owners: readonly number[] } => {
    const path = above + stepOf(node, tables);
    const owners = ownersOf(node, tables);
    const position = rows.length;
    if (isInnermost(node)) {
      const shown = isShown(node, path);
      if (shown) rows.push(rowOf(node, tables, { path, depth, through: new Set() }));
      return { shown, owners };
    }
    const children = below(node).map((child) => add(child, path, depth + 1));
    const through = new Set(children.flatMap((child) => child.owners));
    const shown = children.some((child) => child.shown);
    if (shown) rows.splice(position, 0, rowOf(node, tables, { path, depth, through }));
    return { shown, owners: [...through, ...owners] };
  };
  for (const node of nodes) add(node, '', 0);
  return rows;
}

function rowOf(node: PageNode, tables: Tables, place: Pick<Row, 'path' | 'depth' | 'through'>): Row {
  const step = stepOf(node, tables);
  const isListItem = step.startsWith('[');
  return {
    ...place,
    node,
    label: isListItem ? step : step.slice(1),
    isListItem,
    value: yamlOf(node),
    owners: ownersOf(node, tables),
    isInnermost: isInnermost(node),
  };
}
