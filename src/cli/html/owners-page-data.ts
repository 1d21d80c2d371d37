import type { ObjectTree, TreeOwner } from '../../inspect/owners/object-tree.js';
import type { ManagedFieldsEntry, OwnedTreeNode } from '../../ownership/index.js';
import { ownersText } from '../render/field-text.js';
import { printable } from '../render/printable.js';
import { NumberedRows } from './numbered-rows.js';
import type { OwnersPageData, PageDeleter, PageNode, PageObject, PageOwner } from './page-data.js';
import { valueYaml } from './value-text.js';

interface Tables {
  readonly names: NumberedRows<string>;
  readonly owners: NumberedRows<PageOwner>;
  readonly sets: NumberedRows<readonly number[]>;
}

/** Returns the data of a page about the owners of objects. All texts in it are printable. */
export function ownersPageData(trees: readonly ObjectTree[], of: Pick<OwnersPageData, 'made' | 'subject'>): OwnersPageData {
  const tables: Tables = { names: new NumberedRows(), owners: new NumberedRows(), sets: new NumberedRows() };
  const objects = trees.map((tree) => objectOf(tree, tables));
  return { ...of, names: tables.names.rows, owners: tables.owners.rows, sets: tables.sets.rows, objects };
}

function objectOf({ identity, object, fields, owners, deleters, absent, error }: ObjectTree, tables: Tables): PageObject {
  const positions = new Map([...owners].map(([entry, owner]) => [entry, ownerPosition(owner, tables)]));
  const managed = [...owners].flatMap(([entry, { isDynamic }]) => (isDynamic ? [positions.get(entry) as number] : []));
  const appliers = new Map(
    [...owners].filter(([, { operation }]) => operation === 'Apply').map(([entry, owner]) => [owner.manager, entry]),
  );
  const deleting = deleters.flatMap(({ manager, keptBy }): readonly PageDeleter[] => {
    const entry = appliers.get(manager);
    return entry === undefined ? [] : [[positions.get(entry) as number, printable(ownersText(keptBy))]];
  });
  const problem = error ? printable(error.message) : absent ? 'does not exist' : undefined;
  return {
    object: printable(object),
    apiVersion: printable(identity.apiVersion),
    ...(problem === undefined ? {} : { problem }),
    times: timesOf(owners, positions),
    ...(deleting.length > 0 ? { deleters: deleting } : {}),
    ...(managed.length > 0 ? { dynamic: [...new Set(managed)] } : {}),
    fields: fields.map((node) => nodeOf(node, positions, tables)),
  };
}

/** A manager may have an entry per version; the latest write counts. */
function timesOf(
  owners: ReadonlyMap<ManagedFieldsEntry, TreeOwner>,
  positions: ReadonlyMap<ManagedFieldsEntry, number>,
): PageObject['times'] {
  const times = new Map<number, string>();
  for (const [entry, { time = '' }] of owners) {
    const position = positions.get(entry) as number;
    const known = times.get(position);
    if (known === undefined || known < time) times.set(position, printable(time));
  }
  return [...times].sort(([one], [other]) => one - other);
}

function nodeOf(node: OwnedTreeNode, positions: ReadonlyMap<ManagedFieldsEntry, number>, tables: Tables): PageNode {
  const name = printable(node.text);
  const namePosition = tables.names.position(name, () => name);
  const owners = [...new Set(node.owners.map((entry) => positions.get(entry) as number))].sort((one, other) => one - other);
  const set = tables.sets.position(owners.join(), () => owners);
  const below = node.below.map((child) => nodeOf(child, positions, tables));
  const content = below.length > 0 ? below : node.value === undefined ? undefined : valueYaml(node.value);
  if (node.entry !== undefined) return [namePosition, set, content ?? null, node.entry === 'yes' ? 1 : 2];
  return content === undefined ? [namePosition, set] : [namePosition, set, content];
}

function ownerPosition(owner: TreeOwner, { owners }: Tables): number {
  const { manager, operation, subresource, stack } = owner;
  return owners.position(JSON.stringify([manager, operation, subresource ?? '']), () => ({
    text: printable(ownersText([owner])),
    manager: printable(manager),
    isStack: stack !== undefined,
    canRelease: operation === 'Apply' && subresource === undefined,
  }));
}
