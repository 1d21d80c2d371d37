import { groupOf, objectText } from '../../assembly/identity.js';
import type { InventoryEntry } from '../inventory/entry.js';
import type { StackIdentity } from '../inventory/store.js';
import { isCrd } from '../order/established.js';
import { kindRank } from '../order/kind-order.js';
import { inPool } from '../pool.js';
import type { Run } from '../run.js';
import { reportOf } from './retire.js';

/** What ends: an object of an inventory. */
export interface Going {
  readonly stack: StackIdentity;
  readonly key: string;
  readonly entry: InventoryEntry;
}

/**
 * Ends objects, shares first, so that no share of this run keeps an owned object, and each in reverse order of their apply: what needs
 * others goes before what they need. An owned object that would not go holds back what it may need: owned objects of its stack that were
 * applied before it, and whichever Namespace or CustomResourceDefinition it lives in. A share that would not end holds back its object:
 * the owner would take it for one that others still want, release it, and then nobody would delete it.
 *
 * @param end says whether the inventory may forget the object.
 */
export async function endInReverse<T extends Going>(
  run: Run,
  items: readonly T[],
  concurrency: number,
  end: (item: T) => Promise<boolean>,
): Promise<void> {
  const stuck: T[] = [];
  const unreleased = new Map<string, T>();
  const [shares, owned] = (['share', 'own'] as const).map((lifecycle) => items.filter(({ entry }) => entry.lifecycle === lifecycle));
  for (const group of [...reverseGroups(shares ?? []), ...reverseGroups(owned ?? [])]) {
    const left: T[] = [];
    await inPool(group, concurrency, async (item) => {
      const reason = run.stopped === undefined && deletes(item) ? heldBack(item, stuck, unreleased.get(item.key)) : undefined;
      if (reason !== undefined) run.report({ ...reportOf(item.stack, item.entry), result: 'skipped', reason });
      else if (await end(item)) return;
      if (deletes(item)) left.push(item);
      else unreleased.set(item.key, item);
    });
    stuck.push(...left);
  }
}

/**
 * Groups in which objects end. By the waves of their apply, where all entries know theirs; those of different stacks may be from different
 * versions of the program, so what lives in a Namespace or belongs to a CustomResourceDefinition goes before it in any case. Else by kind.
 */
export function reverseGroups<T extends Pick<Going, 'entry'>>(items: readonly T[]): T[][] {
  const byWave = items.every(({ entry }) => entry.wave !== undefined);
  const containers = new Map<string, number>();
  for (const { entry } of byWave ? items : []) {
    for (const container of containersOf(entry)) {
      containers.set(container, Math.min(containers.get(container) ?? Number.POSITIVE_INFINITY, entry.wave as number));
    }
  }
  const rankOf = ({ entry }: T): readonly [wave: number, kind: number] => {
    const earliest = containers.get(asContainer(entry) ?? '') ?? Number.POSITIVE_INFINITY;
    return [byWave ? Math.min(entry.wave as number, earliest - 1) : 0, kindRank(entry)];
  };
  const groups = new Map<string, { readonly rank: readonly [number, number]; readonly members: T[] }>();
  for (const item of items) {
    const rank = rankOf(item);
    const group = groups.get(rank.join());
    if (group) group.members.push(item);
    else groups.set(rank.join(), { rank, members: [item] });
  }
  return [...groups.values()]
    .sort(({ rank: left }, { rank: right }) => right[0] - left[0] || right[1] - left[1])
    .map(({ members }) => members);
}

/** Why an object does not end yet, if so. */
function heldBack(item: Going, stuck: readonly Going[], share: Going | undefined): string | undefined {
  if (share) return `stack ${share.stack.stack} has not released its part of it yet; run again when it has`;
  const holder = stuck.find((other) => mayNeed(other, item));
  return holder && `${objectText(holder.entry)} is not gone yet and may need it; run again when it is`;
}

function mayNeed(stuck: Going, item: Going): boolean {
  return stuck.stack.manager === item.stack.manager || containersOf(stuck.entry).includes(asContainer(item.entry) ?? '');
}

function deletes({ entry }: Going): boolean {
  return entry.lifecycle === 'own' && !entry.retain;
}

/** What an object lives in; of its kind's definition only the group is known. */
function containersOf({ apiVersion, namespace }: InventoryEntry): readonly string[] {
  return [...(namespace === undefined ? [] : [`Namespace ${namespace}`]), `group ${groupOf(apiVersion)}`];
}

function asContainer(entry: InventoryEntry): string | undefined {
  if (entry.kind === 'Namespace' && entry.apiVersion === 'v1') return `Namespace ${entry.name}`;
  return isCrd(entry) ? `group ${entry.name.slice(entry.name.indexOf('.') + 1)}` : undefined;
}
