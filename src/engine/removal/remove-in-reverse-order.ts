import { objectText } from '../../assembly/identity.js';
import type { JsonObject } from '../../util/json.js';
import type { Machine } from '../../util/machine.js';
import { kindRank } from '../graph/kind-order.js';
import { deletionBlockers } from '../object/deletion-blockers.js';
import { forEachConcurrent } from '../run/for-each-concurrent.js';
import type { Run } from '../run/run.js';
import type { RemovalCandidate } from './may-need.js';
import { asContainer, containersOf, type EntryIndex, indexOf, mayNeed, type PendingDeletion } from './may-need.js';
import { reportOf } from './remove-entry.js';

/** Removes one object and returns whether the inventory may forget it; calls `onHeld` when its deletion has begun and it still exists. */
export type Remover<T extends RemovalCandidate> = (item: T, onHeld: (live: JsonObject) => void) => Promise<boolean>;

/** An object of an earlier group whose removal is still in progress. */
interface PendingRemoval {
  readonly deletion: PendingDeletion;
  /** Never rejects. */
  readonly finished: Promise<void>;
}

/** Milliseconds for which all others wait for an object that is being deleted: most finalizers take no longer. */
const deletionGraceMs = 5_000;

/**
 * Removes objects, shares first, so that no share of this run keeps an owned object, and each in reverse order of their apply: dependents
 * are removed before what they need. An owned object that is not deleted yet holds back the objects that it may need (`mayNeed`); objects
 * that do not depend on it are removed while the run waits for it, those of other stacks when it is given up. A share that could not be
 * released holds back its object: the owner would assume that others still want it and release it, and then nobody would delete it.
 */
export async function removeInReverseOrder<T extends RemovalCandidate>(
  run: Run,
  items: readonly T[],
  { concurrency, machine }: { readonly concurrency: number; readonly machine: Machine },
  remove: Remover<T>,
): Promise<void> {
  const entries = indexOf(items);
  const blocked: (PendingDeletion & { readonly group: number })[] = [];
  const unreleased = new Map<string, T>();
  const removeOne = async (item: T, group: number, onHeld: (live: JsonObject) => void): Promise<void> => {
    const before = blocked.filter((deletion) => deletion.group < group);
    const reason = run.stopped === undefined && deletes(item) ? blockedReason(item, before, unreleased.get(item.key), entries) : undefined;
    let live: JsonObject | undefined;
    const note = (object: JsonObject) => {
      live = object;
      onHeld(object);
    };
    if (reason !== undefined) run.report({ ...reportOf(item.stack, item.entry), result: 'skipped', reason });
    else if (await remove(item, note)) return;
    if (deletes(item)) blocked.push({ candidate: item, live, refused: reason === undefined && live === undefined, group });
    else unreleased.set(item.key, item);
  };
  const [shares, owned] = (['share', 'own'] as const).map((lifecycle) => items.filter(({ entry }) => entry.lifecycle === lifecycle));
  let pending: readonly PendingRemoval[] = [];
  for (const [index, group] of [...reverseGroups(shares ?? []), ...reverseGroups(owned ?? [])].entries()) {
    const slow: PendingRemoval[] = [];
    await forEachConcurrent(group, concurrency, async (item) => {
      const first = pending.filter(({ deletion }) => mustWait(deletion, item, entries)).map(({ finished }) => finished);
      const open = await startRemoval(machine, first, (onHeld) => removeOne(item, index, onHeld));
      if (open) slow.push({ deletion: { candidate: item, live: open.live, refused: false }, finished: open.ended });
    });
    pending = [...pending, ...slow];
  }
  await Promise.all(pending.map(({ finished }) => finished));
}

/** Begins a task after others; returns when it has ended, or before that where it may take long. */
async function startRemoval(
  machine: Machine,
  first: readonly Promise<void>[],
  task: (onHeld: (live: JsonObject) => void) => Promise<void>,
): Promise<{ readonly live: JsonObject | undefined; readonly ended: Promise<void> } | undefined> {
  if (first.length > 0) return { live: undefined, ended: Promise.all(first).then(() => task(() => undefined)) };
  let begin: (live: JsonObject) => void = () => undefined;
  const held = new Promise<JsonObject>((resolve) => {
    begin = resolve;
  });
  let cancel = () => {};
  const ended = task((live) => {
    cancel = machine.after(deletionGraceMs, () => begin(live));
  });
  const live = await Promise.race([ended.then(() => undefined), held]);
  cancel();
  return live && { live, ended };
}

/** Returns true if an object must wait for another one of an earlier group. The order between stacks may stand for a dependency. */
function mustWait(deletion: PendingDeletion, item: RemovalCandidate, entries: EntryIndex): boolean {
  if (!deletes(item)) return false;
  return deletion.live === undefined || deletion.candidate.stack.manager !== item.stack.manager || mayNeed(deletion, item, entries);
}

/**
 * Groups objects for removal. By the waves of their apply, where all entries record theirs; waves of different stacks may be from different
 * versions of the program, so the contents of a Namespace or a CustomResourceDefinition always come before it. Otherwise by kind.
 */
export function reverseGroups<T extends Pick<RemovalCandidate, 'entry'>>(items: readonly T[]): T[][] {
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

/** Returns the reason why an object cannot be removed yet, if so. */
function blockedReason(
  item: RemovalCandidate,
  blocked: readonly PendingDeletion[],
  share: RemovalCandidate | undefined,
  entries: EntryIndex,
): string | undefined {
  if (share) return `stack ${share.stack.stack} has not released its part in it yet; run again when that stack has`;
  const deletion = blocked.find((other) => mayNeed(other, item, entries));
  if (!deletion) return undefined;
  const name = objectText(deletion.candidate.entry);
  if (deletion.refused) return `${name} may need it and was not removed; run again when its error is fixed`;
  const blockers = deletion.live === undefined ? [] : deletionBlockers(deletion.live);
  const by = blockers.length > 0 ? ` (held by ${blockers.join('; ')})` : '';
  return `${name}${by} still exists and may need it; run again when it is deleted`;
}

function deletes({ entry }: RemovalCandidate): boolean {
  return entry.lifecycle === 'own' && !entry.retain;
}
