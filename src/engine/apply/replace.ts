import type { IntentManifest, PartialObject } from '../../assembly/types.js';
import { isTerminating, metadataOf, preconditionsOf, uidOf } from '../../fields/object.js';
import {
  ApiError,
  admissionDenialOf,
  type ClusterClient,
  contendedError,
  contentionRounds,
  isNotFound,
  type ObjectAddress,
} from '../../kubernetes/index.js';
import { additionalLostFields, forcedPassOf, managedFieldsOf, ownerText, recordedFieldsOf } from '../../ownership/index.js';
import { FieldwiseError } from '../../util/error.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { isCrd } from '../addresses/wait-for-established.js';
import { collateralLosses } from '../field-changes/report-releases.js';
import { ApplyFailure, causeOf, hasPartialResult, partialResultOf } from '../object/apply-failure.js';
import { deleteExactly } from '../object/delete-exactly.js';
import { provesOwnership } from '../object/ownership-proof.js';
import { ownsBeyondMetadata } from '../object/remove-object.js';
import { perhapsFailure } from '../object/settle.js';
import { type WaitForDeletionOptions, waitForDeletion } from '../object/wait-for-deletion.js';
import { causeText, immutableFields } from '../report/immutable.js';
import { maskSecret } from '../secrets/secret-masker.js';
import type { ApplyTask } from './apply-task.js';

/** An intent that may replace its object, and the stack's rights to it. */
export interface Replacement {
  readonly intent: Pick<IntentManifest, 'apiVersion' | 'kind' | 'lifecycle' | 'policy'>;
  /** The stack's field manager, then those it had before renames. */
  readonly managers: readonly string[];
  /** uid of the object that this stack may delete, because it created or adopted it. */
  readonly deletableUid: string | undefined;
  /** Notes what others have in the metadata of the object, before it is deleted with it. */
  readonly beforeLoss?: ApplyTask['beforeLoss'];
}

/**
 * Returns why an object with an immutable field is not deleted and created again; undefined where it may be. Nobody else may own anything
 * beyond metadata and status, by either verb: what others wrote would be lost with the object.
 */
export function replaceRefusal(live: JsonObject, { intent, managers, deletableUid }: Replacement): string | undefined {
  const { policy } = intent;
  if (intent.lifecycle !== 'own') return 'a share never replaces its object';
  if (!policy.replace) return 'its policy does not say `replace: true`';
  if (policy.retain) return 'its policy says `retain: true`';
  if (isCrd(intent) || (intent.kind === 'Namespace' && intent.apiVersion === 'v1')) return 'its contents would be deleted, too';
  if (!policy.adopt && uidOf(live) !== deletableUid) return 'this stack did not create it';
  if (!policy.adopt && !provesOwnership(live, managers)) return 'nothing in its managedFields shows that this stack applied it';
  if (recordedFieldsOf(live).length === 0) return 'the server does not record who else owns its fields';
  const others = managedFieldsOf(live).filter((entry) => !managers.includes(entry.manager) && ownsBeyondMetadata(entry));
  if (others.length > 0) return `${[...new Set(others.map(ownerText))].join(', ')} would lose the fields they own`;
  const scaled = unownedReplicas(live);
  return scaled === undefined ? undefined : `somebody scaled it to ${scaled}, which would be lost`;
}

/**
 * Returns replicas that were set through the scale subresource: where nobody owned them before, the server records no owner for them.
 * Source: observed. A new object begins with 1.
 */
function unownedReplicas(live: JsonObject): Json | undefined {
  const replicas = isJsonObject(live.spec) ? live.spec.replicas : undefined;
  if (replicas === undefined || replicas === 1) return undefined;
  const owned = managedFieldsOf(live).some(({ fields }) => fields.children.get('f:spec')?.members.has('f:replicas') === true);
  return owned ? undefined : replicas;
}

/**
 * Deletes an object whose declared field the server does not let change, and waits until it is deleted, so that it can be created again.
 * Deletes only this object, and only while nobody else owns anything of it.
 *
 * @returns the object as it was, values of Secrets masked; undefined where it was already deleted.
 * @throws FieldwiseError `field-immutable` where it may not be replaced, `deletion-pending`, `delete-contended`.
 */
export async function removeForReplacement(
  cluster: ClusterClient,
  address: ObjectAddress,
  refused: ApiError,
  replacement: Replacement,
  wait: WaitForDeletionOptions,
): Promise<JsonObject | undefined> {
  let last: JsonObject | undefined;
  for (let round = 0; round < contentionRounds; round++) {
    const live = await cluster.tryGet(address);
    if (!live) return last && replacedObject(last); // perhaps by a request that was answered as if the object had been written since
    last = live;
    const reason = replaceRefusal(live, replacement);
    if (reason !== undefined) throw notReplacedError(refused, reason);
    const { uid, resourceVersion } = preconditionsOf(live);
    try {
      if (!isTerminating(live)) await noteMetadataOfOthers(live, replacement);
      const propagationPolicy = replacement.intent.policy.deletePropagation;
      const { left } = isTerminating(live)
        ? { left: live }
        : await deleteExactly(cluster, address, { uid, resourceVersion, propagationPolicy });
      const replaced = replacedObject(live);
      if (left) await reportingReplaced(replaced, () => waitForDeletion(cluster, address, left, wait));
      return replaced;
    } catch (error) {
      if (hasPartialResult(error)) throw perhapsFailure(error, { replaced: replacedObject(live) });
      if (isNotFound(error)) return replacedObject(live);
      if (!(error instanceof ApiError) || error.code !== 409) throw error; // written since it was read: read it again
    }
  }
  throw contendedError('delete-contended', {}, 'It was not replaced. Run again.');
}

/** Has noted what others lose with an object: a run after a killed one tells it. */
async function noteMetadataOfOthers(live: JsonObject, { managers, beforeLoss }: Replacement): Promise<void> {
  const lost = additionalLostFields([], live, {}, managers).filter(({ field }) => field.startsWith('.metadata.'));
  if (lost.length > 0) await beforeLoss?.(forcedPassOf(live, [], managers, collateralLosses(lost)));
}

/**
 * Tries the creation of a replacement under another name, by a dry run, before its object is deleted. Returns the denial of a policy or webhook;
 * undefined if it is permitted, or if such a dry run cannot tell, because the name or the object as it is stands against it.
 */
export async function creationDenial(
  cluster: ClusterClient,
  address: ObjectAddress,
  object: PartialObject,
  manager: string,
): Promise<ApiError | undefined> {
  const name = `${/^[a-z0-9]{0,40}/.exec(address.name)?.[0] || 'replacement'}-${Buffer.from(cluster.machine.randomBytes(4)).toString('hex')}`;
  const tried = { ...object, metadata: { ...object.metadata, name } };
  try {
    await cluster.apply({ ...address, name }, tried, { manager, force: false, dryRun: true });
  } catch (error) {
    if (error instanceof ApiError && admissionDenialOf(error) !== undefined) return error;
  }
  return undefined;
}

/** Does what follows the deletion of a replaced object; an error contains the object, because no later run can read it. */
export async function reportingReplaced<Result>(replaced: JsonObject | undefined, next: () => Promise<Result>): Promise<Result> {
  try {
    return await next();
  } catch (error) {
    const cause = causeOf(error);
    if (replaced === undefined || !(cause instanceof Error)) throw error;
    throw new ApplyFailure(cause, { partialResult: { ...partialResultOf(error), replaced } });
  }
}

function notReplacedError(refused: ApiError, reason: string): FieldwiseError {
  const fields = immutableFields(refused).map(causeText);
  return new FieldwiseError(
    'field-immutable',
    'resource',
    `The server does not let these fields change: ${fields.join('; ')}. The object is not created again: ${reason}`,
    { next: 'Keep the old value, or make the object replaceable.', cause: refused },
  );
}

/** Returns the object without managedFields, values of Secrets masked. */
function replacedObject(live: JsonObject): JsonObject {
  const { managedFields: _, ...metadata } = metadataOf(live);
  return maskSecret({ ...live, metadata } as Json) as JsonObject;
}
