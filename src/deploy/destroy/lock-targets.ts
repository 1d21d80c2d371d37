import { identityKey } from '../../assembly/identity.js';
import type { StackManifest } from '../../assembly/types.js';
import { editedWarnings } from '../../engine/inventory/edited-inventory.js';
import type { Inventory, InventoryStore, StackIdentity } from '../../engine/inventory/inventory-store.js';
import { defaultInventoryNamespace } from '../../engine/inventory/namespace.js';
import { requireSameProgram, unknownProgramWarning, unusedTakeOverWarning } from '../../engine/inventory/program-id.js';
import { leasedAmong } from '../../engine/lock/stack-lock.js';
import { inventoriesIn } from '../../engine/prepare/prepare-run.js';
import { formerNameError, homesOf } from '../../engine/prepare/undeclared-stacks.js';
import { removedIdentities, type StackRemoval, stackEntryRemovalsOf, stackRemovalOf } from '../../engine/removal/stack-removal.js';
import type { Cleanup } from '../../engine/run/cleanup.js';
import { beginSession, type Session, withRetryEvents } from '../../engine/run/session.js';
import { type EntryRemoval, findOtherStacks, newOwnersOutside, type OtherStacksByEntry } from '../../engine/transfer/other-stacks.js';
import { FieldwiseError } from '../../util/error.js';
import { fieldManagerOf } from '../../util/field-manager.js';
import type { OpenDestroy } from './open-destroy.js';

/** A destroy that holds its locks. */
export interface LockedDestroy extends OpenDestroy {
  readonly session: Session;
  /** The stacks that the run has locked. */
  readonly lockedStacks: readonly StackIdentity[];
}

/** The stacks to destroy, by their inventories, and all inventories of the cluster. */
export interface DestroyTargets {
  readonly targets: readonly StackRemoval[];
  readonly all: readonly Inventory[];
}

/** The removals of stacks, with the other stacks of the same objects. */
export interface TargetRemovals {
  readonly entryRemovals: readonly EntryRemoval[];
  readonly otherStacks: OtherStacksByEntry;
}

/**
 * Finds the stacks to destroy and locks them, and the stacks that are the new owners of their objects.
 *
 * @param cleanup receives the locks that are held.
 * @returns undefined if there is no stack to lock.
 * @throws FieldwiseError `stack-unknown` (usage), and the errors of locks and inventories.
 */
export async function lockTargets(opened: OpenDestroy, cleanup: Cleanup): Promise<LockedDestroy | undefined> {
  const { cluster, options, host, onWarning, start } = opened;
  const watched = withRetryEvents(cluster, host).withContext({ signal: options.signal });
  const { targets, all } = await readTargets(opened, inventoriesIn(watched, options, onWarning));
  start.found(targets);
  const newOwners = newOwnersOutside((await findTargetRemovals(opened, targets, all)).otherStacks);
  const namespace = options.inventoryNamespace ?? defaultInventoryNamespace;
  const others = await leasedAmong(watched, namespace, unrecordedStacks(opened, targets));
  const lockedStacks = [...removedIdentities(targets), ...newOwners, ...others];
  if (lockedStacks.length === 0) return undefined;
  const session = await beginSession(cluster, lockedStacks, options, host, onWarning);
  cleanup.add(() => session.end());
  return Object.freeze({ ...opened, session, lockedStacks });
}

/** @throws FieldwiseError `stack-unknown` if a name is neither in the program nor in the cluster; `stack-of-another-program`. */
export async function readTargets({ manifest, options, cluster, onWarning }: OpenDestroy, store: InventoryStore): Promise<DestroyTargets> {
  const { app, instance } = manifest;
  const all = await store.read(undefined, namedStacks({ manifest, options }));
  const known = all.filter(({ stack }) => stack.app === app && stack.instance === instance);
  const unknown = options.stacks?.find(
    (name) => !known.some(({ stack }) => stack.stack === name) && !manifest.stacks.some((stack) => stack.name === name),
  );
  if (unknown !== undefined) {
    const former = all.find(
      ({ stack: one }) => one.stack === unknown && homesOf(manifest).some((home) => home.app === one.app && home.instance === one.instance),
    );
    if (former) throw formerNameError(former.stack);
    throw new FieldwiseError(
      'stack-unknown',
      'usage',
      `There is no stack ${unknown} of ${app} (${instance}), neither in the program nor in the cluster`,
      {
        location: { server: cluster.server },
        next: `Stacks in the cluster: ${known.map(({ stack }) => stack.stack).join(', ') || 'none'}.`,
      },
    );
  }
  const targets = chosenNames({ manifest, options }).flatMap((name) => {
    const declared = manifest.stacks.find((stack) => stack.name === name);
    const manager = declared?.manager ?? known.find(({ stack }) => stack.stack === name)?.stack.manager ?? '';
    const removal = stackRemovalOf({ app, instance, stack: name, manager }, all, declared, options.takeOver);
    return removal === undefined ? [] : withDeclaredPolicies(removal, declared, cluster.defaultNamespace);
  });
  const current = targets.map(({ stack }) => all.find((inventory) => inventory.stack.manager === stack.manager));
  const recorded = current.filter((inventory) => inventory !== undefined);
  for (const { stack, inventories } of targets) requireSameProgram(stack, inventories, manifest, options.takeOver);
  const found = targets.flatMap(({ inventories }) => inventories);
  for (const warning of [unknownProgramWarning(recorded, manifest), unusedTakeOverWarning(found, manifest, options.takeOver)])
    if (warning) onWarning(warning);
  for (const warning of editedWarnings(found)) onWarning(warning);
  return { targets, all };
}

/** Returns a removal that knows which objects the program declares with `deleteShared: true`: it is reviewed there, so no inventory decides it. */
function withDeclaredPolicies(removal: StackRemoval, declared: StackManifest | undefined, defaultNamespace: string): StackRemoval {
  const intents = (declared?.intents ?? []).filter(({ lifecycle, policy }) => lifecycle === 'own' && policy.deleteShared);
  if (intents.length === 0) return removal;
  // An intent without a namespace is of a kind without, or in the default one.
  const keys = new Set(intents.flatMap((intent) => [identityKey(intent), identityKey({ namespace: defaultNamespace, ...intent })]));
  const entries = [...removal.entries].map(
    ([key, entry]) => [key, keys.has(identityKey(entry)) ? { ...entry, deleteShared: true as const } : entry] as const,
  );
  return { ...removal, entries: new Map(entries) };
}

export async function findTargetRemovals(
  { manifest: { app, instance } }: OpenDestroy,
  targets: readonly StackRemoval[],
  all: readonly Inventory[],
): Promise<TargetRemovals> {
  const entryRemovals = targets.flatMap(stackEntryRemovalsOf);
  const otherStacks = await findOtherStacks(entryRemovals, { app, instance, steps: [], others: [], inventories: async () => all });
  return { entryRemovals, otherStacks };
}

function chosenNames({ manifest, options }: Pick<OpenDestroy, 'manifest' | 'options'>): readonly string[] {
  return options.stacks && options.stacks.length > 0 ? options.stacks : manifest.stacks.map((stack) => stack.name);
}

/** Returns the chosen stacks, declared or not, and under the former names of declared ones. */
function namedStacks({ manifest, options }: Pick<OpenDestroy, 'manifest' | 'options'>): readonly StackIdentity[] {
  const { app, instance } = manifest;
  return chosenNames({ manifest, options }).flatMap((stack) => {
    const { manager = fieldManagerOf({ app, instance, stack }), formerIdentities = [] } =
      manifest.stacks.find(({ name }) => name === stack) ?? {};
    return [{ app, instance, stack, manager }, ...formerIdentities];
  });
}

/**
 * Returns stacks without an inventory: a run that has not written its inventory yet, or died after removing it, may hold a lock.
 */
function unrecordedStacks(opened: Pick<OpenDestroy, 'manifest' | 'options'>, targets: readonly StackRemoval[]): readonly StackIdentity[] {
  const recorded = new Set(removedIdentities(targets).map((stack) => stack.manager));
  return namedStacks(opened).filter((stack) => !recorded.has(stack.manager));
}
