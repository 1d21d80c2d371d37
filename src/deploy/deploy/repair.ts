import type { Step } from '../../engine/graph/waves.js';
import { freshObject } from '../../engine/repairs/fresh-object.js';
import { rewriteRemovedVersions } from '../../engine/repairs/rewrite-removed-versions.js';
import { droppedWarning, endAfter, endBefore, recordOwners, wipedWarning } from '../../engine/repairs/wiped.js';
import type { EventHost } from '../../engine/run/events.js';
import { addressOf } from '../../engine/target/address.js';
import type { Cluster } from '../../kubernetes/index.js';
import type { JsonObject } from '../../util/json.js';
import type { Repairs } from './repairs.js';

type Agreed = Repairs & { readonly endsStrangers: boolean };

/** What has to be done to the owners of an object before an intent is applied to it. Each is one patch that changes no value. */
export async function repairBefore(cluster: Cluster, step: Step, { removed, stale, wiped, endsStrangers }: Agreed): Promise<void> {
  const found = wiped.get(step);
  const merges = found?.state === 'unowned' && step.intent.policy.strategy === 'dynamic';
  if (!stale.has(step) && !merges && !(endsStrangers && found?.state === 'shared')) return;
  const address = await addressOf(cluster, step.intent);
  if (stale.has(step)) {
    const uid = ((await cluster.find(address))?.metadata as JsonObject | undefined)?.uid as string | undefined;
    if (uid !== undefined) await rewriteRemovedVersions(cluster, address, removed, { uid, manager: step.stack.manager });
  }
  if (merges) await recordOwners(cluster, address, found);
  if (endsStrangers && found?.state === 'shared') await endBefore(cluster, address, found);
}

/**
 * What is left to do, or to say, when it is applied.
 *
 * @param applied.isWiped whether the answer to the apply shows wiped owners; where nobody could be asked before, only `yes` ends them.
 * @param applied.isChanged whether the intent is new or has changed, and so may have dropped a field.
 * @returns the object where its owners were changed.
 */
export async function repairAfter(
  cluster: Cluster,
  step: Step,
  { wiped, endsStrangers }: Agreed,
  { uid, isWiped, isChanged, yes }: { readonly uid: string; readonly isWiped: boolean; readonly isChanged: boolean; readonly yes: boolean },
  host: EventHost,
): Promise<JsonObject | undefined> {
  const found = wiped.get(step);
  if (found === undefined && !isWiped) return undefined;
  const ends = found ? endsStrangers : yes;
  const address = await addressOf(cluster, step.intent);
  const isAsked = found !== undefined || ends || isChanged; // else each deploy says it again: that is some requests less for each object
  const fresh = isAsked ? await freshObject(cluster, address, step.object) : undefined;
  const after = ends ? await endAfter(cluster, address, step, { uid, fresh }) : undefined;
  host(wipedWarning(step, found?.stuck ?? [], ends));
  if (!isAsked) return undefined;
  const dropped = await droppedWarning(cluster, address, step, fresh);
  if (dropped) host(dropped);
  return after;
}
