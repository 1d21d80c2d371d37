import type { ObjectIdentity } from '../../assembly/identity.js';
import { groupOf, managersOf, objectText } from '../../assembly/identity.js';
import type { Step } from '../graph/waves.js';
import type { InventoryEntry } from '../inventory/inventory-entry.js';
import type { Inventory, StackIdentity } from '../inventory/inventory-store.js';
import type { FieldOwner } from '../report/plan-types.js';

/** A stack's part in an object that a run removes. */
export interface EntryRemoval {
  readonly stack: StackIdentity;
  /** Field managers that the stack had before renames. */
  readonly formerManagers: readonly string[];
  readonly key: string;
  readonly entry: InventoryEntry;
}

/** The stack of the same app and instance that keeps owning an object, and to which the right to delete it moves. */
export interface NewOwner {
  readonly stack: StackIdentity;
  /** The stack's inventory, where the run leaves the stack out. */
  readonly inventory?: Inventory;
}

/** Other stacks that are involved with an object in which a stack's part is removed. */
export interface OtherStacks {
  readonly newOwner?: NewOwner;
  /** Field managers of other stacks whose part in it is removed in the same run: they do not keep it. */
  readonly removedManagers: readonly string[];
  /** Names of stacks of the program that declare it as their own and that the run leaves out, where they have not applied it. */
  readonly declarers: readonly string[];
  /** Names of stacks that share it in the same way, and would wait for it. */
  readonly waitingStacks: readonly string[];
  /** Field managers of stacks of the run that declare it and do not become its owner: they keep it. */
  readonly sharers: readonly string[];
  /** Field managers of stacks of other apps or instances that have the object in their inventories. */
  readonly foreignManagers: readonly string[];
}

/** Other stacks by inventory entry. */
export type OtherStacksByEntry = ReadonlyMap<InventoryEntry, OtherStacks>;

/** The program and the inventories in which other stacks are looked up. */
export interface OtherStacksContext {
  readonly app: string;
  readonly instance: string;
  /** The steps that the run declares. */
  readonly steps: readonly Step[];
  /** The other steps of the program. */
  readonly others: readonly Step[];
  /** Reads all inventories; called where an object is to be deleted, and at most once. */
  readonly inventories: () => Promise<readonly Inventory[]>;
}

/**
 * Finds the new owners of owned objects in which a stack's part is removed: a stack of the run that declares the object as its own, or one
 * outside that has applied it as its own (same uid), gets the right to delete it. Objects that no other stack of the app and instance knows
 * are not in the result.
 */
export async function findOtherStacks(entryRemovals: readonly EntryRemoval[], context: OtherStacksContext): Promise<OtherStacksByEntry> {
  const owned = entryRemovals.filter((part) => part.entry.lifecycle === 'own' && releasesFields(part));
  const partsOf = byKey(entryRemovals);
  const stepsOf = byKey(context.steps);
  const found = new Map<InventoryEntry, OtherStacks>();
  let read: Promise<readonly Inventory[]> | undefined;
  for (const part of owned) {
    const same = partsOf.get(part.key) ?? [];
    // A run that was killed may have left a pending entry of the stack to which the object was to move.
    const isSame = ({ entry: { uid } }: EntryRemoval) => uid === undefined || uid === part.entry.uid;
    const removedManagers = same.filter((other) => other !== part && releasesFields(other) && isSame(other));
    const inRun = stepsOf.get(part.key)?.find((step) => becomesNewOwner(part, step));
    let newOwner: NewOwner | undefined = inRun && { stack: neighborIdentity(context, inRun) };
    let foreignManagers: readonly string[] = [];
    if (newOwner === undefined && part.entry.deletable) {
      read ??= context.inventories();
      newOwner = newOwnerAmong(await read, { same, steps: stepsOf.get(part.key) ?? [] }, part, context);
      if (newOwner === undefined) foreignManagers = foreignManagersAmong(await read, part, context);
    }
    const sharers = newOwner === undefined ? sharersAmong(stepsOf.get(part.key) ?? [], part) : [];
    const left = newOwner === undefined ? context.others.filter((step) => declares(step, part.entry)) : [];
    const [declarers, waiters] = (['own', 'share'] as const).map((lifecycle) =>
      namesOf(left.filter(({ intent }) => intent.lifecycle === lifecycle)),
    ) as [readonly string[], readonly string[]];
    if (newOwner === undefined && removedManagers.length + left.length + sharers.length + foreignManagers.length === 0) continue;
    const managers = removedManagers.flatMap(({ stack, formerManagers }) => [stack.manager, ...formerManagers]);
    found.set(part.entry, {
      ...(newOwner ? { newOwner } : {}),
      removedManagers: managers,
      declarers,
      waitingStacks: waiters,
      sharers,
      foreignManagers,
    });
  }
  return found;
}

/** A stack of a run, what it has applied before, and its steps. */
export interface StackBefore {
  readonly stack: StackIdentity;
  readonly formerManagers: readonly string[];
  readonly entries: ReadonlyMap<string, InventoryEntry>;
  readonly steps: readonly Step[];
}

/** Objects that their stacks only share from now on, and that other stacks of the run own: the right to delete moves. */
export interface TurnedIntoShares {
  readonly parts: readonly EntryRemoval[];
  readonly newOwners: OtherStacksByEntry;
}

/** Finds the objects that stacks of a run turn from owned into shared ones, while another stack of the run owns them. */
export function findTurnedIntoShares(
  stacks: readonly StackBefore[],
  context: Pick<OtherStacksContext, 'app' | 'instance'>,
): TurnedIntoShares {
  const parts: EntryRemoval[] = [];
  const newOwners = new Map<InventoryEntry, OtherStacks>();
  const stepsOf = byKey(stacks.flatMap(({ steps }) => steps));
  for (const { stack, formerManagers, entries, steps } of stacks) {
    for (const { key } of steps.filter(({ intent }) => intent.lifecycle === 'share')) {
      const entry = entries.get(key);
      if (entry?.lifecycle !== 'own' || !entry.deletable || entry.uid === undefined) continue;
      const part = { stack, formerManagers, key, entry };
      const owner = stepsOf.get(key)?.find((step) => becomesNewOwner(part, step));
      if (owner === undefined) continue;
      parts.push(part);
      const none = { removedManagers: [], declarers: [], waitingStacks: [], sharers: [], foreignManagers: [] };
      newOwners.set(entry, { newOwner: { stack: neighborIdentity(context, owner) }, ...none });
    }
  }
  return { parts, newOwners };
}

/** Returns the stacks outside the run that get the right to delete something: the run writes their inventories, too. */
export function newOwnersOutside(otherStacks: OtherStacksByEntry): readonly StackIdentity[] {
  const outside = [...otherStacks.values()].flatMap(({ newOwner }) => (newOwner?.inventory ? [newOwner.stack] : []));
  return [...new Map(outside.map((stack) => [stack.manager, stack])).values()];
}

/**
 * Returns the stack from which an object moves to a step of the run together with the right to delete it, if one does.
 *
 * @param uid of the object: one that somebody has made since is not the object that the other stack had.
 */
export type MovedFrom = (step: Step, uid?: string) => string | undefined;

/** Resolves which objects move to steps of the run together with the right to delete them. */
export function movedFromResolver(entryRemovals: readonly EntryRemoval[], otherStacks: OtherStacksByEntry): MovedFrom {
  const moving = byKey(entryRemovals.filter(({ entry }) => entry.deletable && otherStacks.get(entry)?.newOwner !== undefined));
  return ({ key, stack }, uid) => {
    const isSame = (entry: InventoryEntry) => uid === undefined || entry.uid === undefined || entry.uid === uid;
    return moving.get(key)?.find(({ entry }) => isSame(entry) && otherStacks.get(entry)?.newOwner?.stack.manager === stack.manager)?.stack
      .stack;
  };
}

/** Returns the text of a report and a plan about an object with a new owner. */
export function newOwnerText({ newOwner }: OtherStacks, { deletable }: InventoryEntry): string | undefined {
  return newOwner && `stack ${newOwner.stack.stack} owns it now${deletable ? ', with the right to delete it' : ''}`;
}

/** An object that would be deleted, and the stacks that declare it. */
export interface RemovedBeforeTransfer extends Pick<OtherStacks, 'declarers' | 'waitingStacks'> {
  readonly object: ObjectIdentity;
}

/** Returns the text of a question and a plan about objects that are deleted although stacks that the run leaves out declare them. */
export function removedBeforeTransferText(previousOwner: string, removed: readonly RemovedBeforeTransfer[]): string | undefined {
  const texts = [recreatedText(previousOwner, removed), waitedForText(removed)].filter((text) => text !== undefined);
  return texts.length === 0 ? undefined : texts.join('; ');
}

function waitedForText(all: readonly RemovedBeforeTransfer[]): string | undefined {
  const removed = all.filter(({ waitingStacks }) => waitingStacks.length > 0);
  const stacks = [...new Set(removed.flatMap(({ waitingStacks }) => waitingStacks))];
  if (stacks.length === 0) return undefined;
  const objects = removed.map(({ object }) => objectText(object)).join(', ');
  const [names, share] =
    stacks.length > 1 ? [`stacks ${stacks.join(', ')}, which are`, 'share'] : [`stack ${stacks[0]}, which is`, 'shares'];
  return `${names} not deployed here, ${share} ${objects} and would not find it; to keep it, declare it with \`own\` there and deploy both`;
}

function recreatedText(previousOwner: string, all: readonly RemovedBeforeTransfer[]): string | undefined {
  const removed = all.filter(({ declarers }) => declarers.length > 0);
  const stacks = [...new Set(removed.flatMap(({ declarers }) => declarers))];
  if (stacks.length === 0) return undefined;
  const objects = removed.map(({ object }) => objectText(object)).join(', ');
  const names = stacks.length > 1 ? `stacks ${stacks.join(', ')}, which are` : `stack ${stacks[0]}, which is`;
  return `${names} not deployed here, would create ${objects} again as a new object; to keep it, deploy both, or run \`fieldwise adopt ${stacks[0]} --from stack:${previousOwner}\` first`;
}

/**
 * Returns the text of a plan about an own object that stacks of other apps or instances apply to: declaring it does not move the right to
 * delete it.
 */
export function foreignOwnerText(stack: string, owners: readonly FieldOwner[]): string | undefined {
  const isForeign = (owner: FieldOwner) =>
    owner.operation === 'Apply' && owner.manager.startsWith('fieldwise/') && (owner.stack === undefined || owner.stack.includes('/'));
  const previousOwner = owners.find(isForeign)?.manager;
  if (previousOwner === undefined) return undefined;
  return `${previousOwner} of another app or instance applies it, too: \`transferFrom: { from: '${previousOwner}' }\` or \`fieldwise adopt ${stack} --from manager:${previousOwner}\` moves its fields and, if it has that, the right to delete it`;
}

/** Returns the field managers of the stacks whose part in the object of a step the run removes, together with their fields. */
export function leavingManagersAmong(entryRemovals: readonly EntryRemoval[]): (step: Step) => readonly string[] {
  const leaving = byKey(entryRemovals.filter(releasesFields));
  return ({ key, stack }) =>
    (leaving.get(key) ?? []).flatMap((removal) =>
      removal.stack.manager === stack.manager ? [] : [removal.stack.manager, ...removal.formerManagers],
    );
}

/** Returns true if the removal of an entry releases fields: a retained object keeps them. */
function releasesFields({ entry }: EntryRemoval): boolean {
  return entry.lifecycle === 'share' || entry.retain !== true;
}

/** Groups items by their identity key. */
export function byKey<Item extends { readonly key: string }>(items: readonly Item[]): ReadonlyMap<string, readonly Item[]> {
  const found = new Map<string, Item[]>();
  for (const item of items) {
    const same = found.get(item.key);
    if (same) same.push(item);
    else found.set(item.key, [item]);
  }
  return found;
}

/**
 * Returns true if a step becomes the new owner of an object.
 *
 * @param step a step of the same object.
 */
function becomesNewOwner({ stack, formerManagers }: EntryRemoval, step: Step): boolean {
  const { manager } = step.stack;
  return step.intent.lifecycle === 'own' && manager !== stack.manager && !formerManagers.includes(manager);
}

function sharersAmong(steps: readonly Step[], { stack }: EntryRemoval): readonly string[] {
  return [...new Set(steps.map((step) => step.stack.manager))].filter((manager) => manager !== stack.manager);
}

/**
 * Returns the new owner that the run leaves out. A stack of the run does not become one by its inventory: it removes its part (`same`), or
 * declares the object (`steps`), and then its declaration decides.
 */
function newOwnerAmong(
  inventories: readonly Inventory[],
  { same, steps }: { readonly same: readonly EntryRemoval[]; readonly steps: readonly Step[] },
  part: EntryRemoval,
  { app, instance }: OtherStacksContext,
): NewOwner | undefined {
  const inRun = new Set([
    ...same.flatMap(({ stack, formerManagers }) => [stack.manager, ...formerManagers]),
    ...steps.flatMap(({ stack }) => managersOf(stack)),
  ]);
  const inventory = inventories.find(({ stack, entries }) => {
    if (stack.app !== app || stack.instance !== instance || inRun.has(stack.manager)) return false;
    const entry = entries.get(part.key);
    return entry?.lifecycle === 'own' && entry.uid !== undefined && entry.uid === part.entry.uid;
  });
  return inventory && { stack: inventory.stack, inventory };
}

function foreignManagersAmong(inventories: readonly Inventory[], part: EntryRemoval, { app, instance }: OtherStacksContext) {
  const { key, entry } = part;
  const own = [part.stack.manager, ...part.formerManagers]; // also under a former name of the app
  return inventories.flatMap(({ stack, entries }) => {
    if ((stack.app === app && stack.instance === instance) || own.includes(stack.manager)) return [];
    const known = entries.get(key);
    return known !== undefined && (known.uid === undefined || known.uid === entry.uid) ? [stack.manager] : [];
  });
}

/**
 * Returns true if a step outside the run declares an entry's object. Only the server knows whether its kind has a namespace: a missing one
 * counts as the same.
 */
function declares({ intent }: Step, entry: InventoryEntry): boolean {
  const sameKind = intent.kind === entry.kind && groupOf(intent.apiVersion) === groupOf(entry.apiVersion);
  const sameNamespace = intent.namespace === undefined || entry.namespace === undefined || intent.namespace === entry.namespace;
  return sameKind && sameNamespace && intent.name === entry.name;
}

function namesOf(steps: readonly Step[]): readonly string[] {
  return [...new Set(steps.map(({ stack }) => stack.name))];
}

function neighborIdentity(
  { app, instance }: Pick<OtherStacksContext, 'app' | 'instance'>,
  { stack: { name, manager } }: Step,
): StackIdentity {
  return { app, instance, stack: name, manager };
}
