import { type FieldPath, formatPath, has, type Member, membersOf, serializeElement, valueAt } from '../fields/index.js';
import type { Json } from '../util/json.js';
import { isApplyEntryOf, type ManagedFieldsEntry, managedFieldsOf } from './managed-fields.js';

/** A field of somebody else that goes because the list item or map entry around it goes. */
export interface VanishingField {
  /** Path text of the field. */
  readonly field: string;
  readonly owner: ManagedFieldsEntry;
  readonly oldValue: Json | undefined;
}

/**
 * What an apply of `intent` takes along that others own: an item of a map list, or an entry of a map of structs, that one of `managers`
 * applied and no longer declares goes whole where nobody else owns the item itself. Whoever applied a field in it does own it; whoever
 * only updated one does not. Source: observed, Kubernetes 1.36 (`d-updater-inside-*`).
 */
export function vanishingFields(live: Json, intent: Json, managers: readonly string[]): readonly VanishingField[] {
  const entries = managedFieldsOf(live);
  const isOurs = (entry: ManagedFieldsEntry) => managers.some((manager) => isApplyEntryOf(entry, manager));
  const others = entries.filter((entry) => !isOurs(entry));
  const dropped = entries
    .filter(isOurs)
    .flatMap((entry) => [...membersOf(entry.fields)].filter(isItem))
    .filter(({ path }) => valueAt(intent, path) === undefined && !others.some((entry) => has(entry.fields, path)));
  const found = new Map<string, VanishingField>();
  for (const { path } of dropped) {
    for (const owner of others) {
      for (const inside of leavesBelow(owner, path)) {
        const field = formatPath(inside);
        found.set(`${field} ${owner.manager} ${owner.operation} ${owner.subresource}`, { field, owner, oldValue: valueAt(live, inside) });
      }
    }
  }
  return [...found.values()];
}

/** The items that a manager applied, as path texts: what may go with what others keep in it once it is no longer declared. */
export function itemsOf(object: Json, manager: string): readonly string[] {
  const entry = managedFieldsOf(object).find((candidate) => isApplyEntryOf(candidate, manager));
  return entry === undefined ? [] : [...membersOf(entry.fields)].filter(isItem).map(({ path }) => formatPath(path));
}

/** Applied sets name structs only by what is in them, so a member with others below it is an item or an entry. */
function isItem({ path, leaf }: Member): boolean {
  return !leaf || path.at(-1)?.kind === 'key';
}

function leavesBelow(owner: ManagedFieldsEntry, path: FieldPath): FieldPath[] {
  let node = owner.fields;
  for (const element of path) {
    const below = node.children.get(serializeElement(element));
    if (below === undefined) return [];
    node = below;
  }
  return [...membersOf(node)].filter(({ leaf }) => leaf).map((member) => [...path, ...member.path]);
}
