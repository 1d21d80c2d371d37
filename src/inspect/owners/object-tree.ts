import { identityKey, type ObjectIdentity, objectText } from '../../assembly/identity.js';
import type { Inventory } from '../../engine/inventory/inventory-store.js';
import type { OwnerNameResolver } from '../../engine/inventory/owner-name-resolver.js';
import { coOwners, deletesShared } from '../../engine/object/remove-object.js';
import type { FieldOwner } from '../../engine/report/plan-types.js';
import type { ReportedError } from '../../engine/report/run-diagnostic.js';
import { maskSecret, type SecretMasker } from '../../engine/secrets/secret-masker.js';
import { type ManagedFieldsEntry, type OwnedTreeNode, ownedTree } from '../../ownership/index.js';
import type { JsonObject } from '../../util/json.js';
import type { ObservedObject } from './read-objects.js';

/** An owner of fields of one object. */
export interface TreeOwner extends FieldOwner {
  /** The time of its last write (RFC 3339, whole seconds). */
  readonly time?: string;
  /** Its intent is stored in an annotation, because it has the strategy `dynamic`. */
  readonly isDynamic?: true;
}

/** A stack with the right to delete an object. */
export interface TreeDeleter {
  readonly manager: string;
  /** Others that apply fields to the object, so that a destroy of the stack does not delete it. */
  readonly keptBy: readonly FieldOwner[];
}

/** The fields of one object as a tree, with their owners. */
export interface ObjectTree {
  readonly identity: ObjectIdentity;
  /** `Kind namespace/name`. */
  readonly object: string;
  /** Masked in Secrets. */
  readonly fields: readonly OwnedTreeNode[];
  readonly owners: ReadonlyMap<ManagedFieldsEntry, TreeOwner>;
  /** Stacks with the right to delete the object, and those that keep it: their destroy releases it. */
  readonly deleters: readonly TreeDeleter[];
  /** True if the object does not exist. */
  readonly absent: boolean;
  readonly error?: ReportedError;
}

export interface TreeContext {
  readonly names: OwnerNameResolver;
  readonly inventories: readonly Inventory[];
  /** Knows the values that are masked. */
  readonly secrets: SecretMasker;
}

/** Returns the tree of an object that was read. */
export function objectTree(
  identity: ObjectIdentity,
  { live, error }: ObservedObject,
  { names, inventories, secrets }: TreeContext,
): ObjectTree {
  const key = identityKey(identity);
  const deleters = inventories.flatMap(({ stack: { manager }, entries }): readonly TreeDeleter[] => {
    const entry = entries.get(key);
    if (entry?.lifecycle !== 'own' || !entry.deletable) return [];
    const keepers = live === undefined || deletesShared(entry, {}) ? [] : coOwners(live, [manager]);
    return [{ manager, keptBy: keepers.map((keeper) => names.resolve({ manager: keeper, operation: 'Apply' })) }];
  });
  const common = { identity, object: objectText(identity), deleters };
  if (!live)
    return { ...common, fields: [], owners: new Map(), absent: error === undefined, ...(error ? { error: secrets.maskError(error) } : {}) };
  const fields = maskedNodes(ownedTree(maskSecret(live) as JsonObject), secrets);
  const owners = new Map(ownersIn(fields).map((entry) => [entry, ownerOf(entry, names)]));
  return { ...common, fields, owners, absent: false };
}

function maskedNodes(nodes: readonly OwnedTreeNode[], secrets: SecretMasker): readonly OwnedTreeNode[] {
  return nodes.map((node) => ({
    ...node,
    ...(node.value === undefined ? {} : { value: secrets.maskJson(node.value) }),
    below: maskedNodes(node.below, secrets),
  }));
}

function ownersIn(nodes: readonly OwnedTreeNode[]): readonly ManagedFieldsEntry[] {
  return nodes.flatMap((node) => [...node.owners, ...ownersIn(node.below)]);
}

function ownerOf(entry: ManagedFieldsEntry, names: OwnerNameResolver): TreeOwner {
  return {
    ...names.resolve(entry),
    ...(entry.time === undefined ? {} : { time: entry.time }),
    ...(entry.applied === undefined ? {} : { isDynamic: true }),
  };
}
