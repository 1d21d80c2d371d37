import { addressOf } from '../../../engine/addresses/address.js';
import type { Step } from '../../../engine/graph/waves.js';
import { freshObject } from '../../../engine/object/fresh-object.js';
import { rewriteRemovedVersions } from '../../../engine/object/rewrite-removed-versions.js';
import {
  clearedDiagnostic,
  droppedDiagnostic,
  recordOwners,
  releaseInitialEntryAfterApply,
  releaseInitialEntryBeforeApply,
} from '../../../engine/repairs/cleared-objects.js';
import type { EventHost } from '../../../engine/report/events.js';
import type { ClusterClient } from '../../../kubernetes/index.js';
import type { JsonObject } from '../../../util/json.js';
import type { Repairs } from '../repairs.js';

/** The repairs of a deploy, after its questions. */
interface ApprovedRepairs {
  readonly repairs: Repairs;
  /** True if the fields of `before-first-apply` are released on objects whose managedFields were wiped. */
  readonly releasesInitialEntry: boolean;
}

/** Repairs the owners of an object before an intent is applied to it. Each repair is one patch that changes no value. */
export async function repairBefore(cluster: ClusterClient, step: Step, { repairs, releasesInitialEntry }: ApprovedRepairs): Promise<void> {
  const { removedVersions, removedVersionEntries, cleared } = repairs;
  const found = cleared.get(step);
  const merges = found?.state === 'unowned' && step.intent.policy.strategy === 'dynamic';
  if (!removedVersionEntries.has(step) && !merges && !(releasesInitialEntry && found?.state === 'shared')) return;
  const address = await addressOf(cluster, step.intent);
  if (removedVersionEntries.has(step)) {
    const uid = ((await cluster.tryGet(address))?.metadata as JsonObject | undefined)?.uid as string | undefined;
    if (uid !== undefined) await rewriteRemovedVersions(cluster, address, removedVersions, { uid, manager: step.stack.manager });
  }
  if (merges) await recordOwners(cluster, address, found);
  if (releasesInitialEntry && found?.state === 'shared') await releaseInitialEntryBeforeApply(cluster, address, found);
}

/**
 * Completes the repair of an object after its apply, and warns of fields that stay.
 *
 * @param applied.isWiped true if the response to the apply shows wiped owners; without an earlier question, only `yes` permits the release.
 * @param applied.isChanged true if the intent is new or has changed, and so may have dropped a field.
 * @returns the object if its owners were changed.
 */
export async function repairAfter(
  cluster: ClusterClient,
  step: Step,
  { repairs, releasesInitialEntry }: ApprovedRepairs,
  { uid, isWiped, isChanged, yes }: { readonly uid: string; readonly isWiped: boolean; readonly isChanged: boolean; readonly yes: boolean },
  host: EventHost,
): Promise<JsonObject | undefined> {
  const found = repairs.cleared.get(step);
  if (found === undefined && !isWiped) return undefined;
  const isReleased = found ? releasesInitialEntry : yes;
  const address = await addressOf(cluster, step.intent);
  const needsFresh = found !== undefined || isReleased || isChanged; // Otherwise every deploy only repeats the warning, which saves requests.
  const fresh = needsFresh ? await freshObject(cluster, address, step.object) : undefined;
  const after = isReleased ? await releaseInitialEntryAfterApply(cluster, address, step, { uid, fresh }) : undefined;
  host(clearedDiagnostic(step, found?.unreleasable ?? [], isReleased));
  if (!needsFresh) return undefined;
  const dropped = await droppedDiagnostic(cluster, address, step, fresh);
  if (dropped) host(dropped);
  return after;
}
