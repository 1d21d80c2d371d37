import type { Cluster } from '../../cluster/index.js';
import type { JsonObject } from '../../util/json.js';
import { addressOf } from '../address.js';
import { rewriteRemovedVersions } from '../adopt/rewrite-removed-versions.js';
import type { EventHost } from '../events.js';
import type { Step } from '../order/waves.js';
import type { Repairs } from './repairs.js';
import { droppedWarning, endAfter, endBefore, wipedWarning } from './wiped.js';

type Agreed = Repairs & { readonly endsStrangers: boolean };

/** What has to be done to the owners of an object before an intent is applied to it. Each is one patch that changes no value. */
export async function repairBefore(cluster: Cluster, step: Step, { removed, stale, wiped, endsStrangers }: Agreed): Promise<void> {
  const found = wiped.get(step);
  if (!stale.has(step) && !(endsStrangers && found?.state === 'shared')) return;
  const address = await addressOf(cluster, step.intent);
  if (stale.has(step)) {
    const uid = ((await cluster.find(address))?.metadata as JsonObject | undefined)?.uid as string | undefined;
    if (uid !== undefined) await rewriteRemovedVersions(cluster, address, removed, { uid, manager: step.stack.manager });
  }
  if (endsStrangers && found?.state === 'shared') await endBefore(cluster, address, step.stack.manager, found);
}

/**
 * What is left to do, or to say, when it is applied.
 *
 * @returns the object where its owners were changed.
 */
export async function repairAfter(cluster: Cluster, step: Step, { wiped, endsStrangers }: Agreed, host: EventHost) {
  const found = wiped.get(step);
  if (found === undefined) return undefined;
  const address = await addressOf(cluster, step.intent);
  if (!endsStrangers) host(wipedWarning(step));
  const after = endsStrangers && found.state !== 'shared' ? await endAfter(cluster, address, step, found) : undefined;
  const dropped = await droppedWarning(cluster, address, step);
  if (dropped) host(dropped);
  return after;
}
