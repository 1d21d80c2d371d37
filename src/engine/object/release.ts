import { metadataOf, uidOf } from '../../fields/object.js';
import { ApiError, type ClusterClient, contendedError, contentionRounds, type ObjectAddress } from '../../kubernetes/index.js';
import { appliedIntentOf, applyEntryOf, type FieldConflict, type ForcedPass, forcedPassOf } from '../../ownership/index.js';
import { type ErrorLocation, FieldwiseError } from '../../util/error.js';
import type { JsonObject } from '../../util/json.js';
import type { Outcome } from '../../util/outcome.js';
import type { RemovedVersions } from '../addresses/removed-versions.js';
import {
  collateralLosses,
  mayRelease,
  perhapsReleasedIn,
  rejectedIn,
  releasedIn,
  releasedLosses,
} from '../field-changes/report-releases.js';
import type { OwnerNameResolver } from '../inventory/owner-name-resolver.js';
import { causeText } from '../report/immutable.js';
import type { ReleasedField } from '../report/released-field.js';
import { type ApprovedFields, requireApprovedCollateral } from './collateral.js';
import { rewriteRemovedVersions } from './rewrite-removed-versions.js';
import { carriedOutText, isOutcomeUnknown, outcomeUnknown, perhapsFailure, perhapsText, readAfterRefusal, settle } from './settle.js';

/**
 * Releases every field that some managers applied to an object, one manager after the other; the release of the first is always sent, those
 * of the others only where they own anything.
 */
export async function releaseAll(
  cluster: ClusterClient,
  address: ObjectAddress,
  uid: string,
  managers: readonly [string, ...string[]],
  options: ReleaseOptions,
): Promise<ReleaseResult> {
  const [first, ...others] = managers;
  const { beforeLoss, ...later } = options;
  const live = await withServedVersions(cluster, address, uid, first, options);
  let last = await releaseOptimistically(cluster, address, uid, first, { ...later, managers, live, beforeLoss });
  const { before } = last;
  const collateral = [...(last.collateral ?? [])];
  const warnings = [...(last.warnings ?? [])];
  for (const manager of others) {
    if (!last.object || !applyEntryOf(last.object, manager)) continue;
    last = await releaseOptimistically(cluster, address, uid, manager, { ...later, managers, live: last.object });
    collateral.push(...(last.collateral ?? []));
    warnings.push(...(last.warnings ?? []));
  }
  const { result, object, reason } = last;
  if (result === 'absent')
    return { result, ...(last.released ? { released: last.released } : {}), ...(reason === undefined ? {} : { reason }) };
  if (!object || !before) return { result };
  const released = releasedIn({ live: before, after: object, managers, contested: [], names: options.names });
  return {
    result,
    object,
    ...(collateral.length > 0 ? { collateral } : {}),
    ...(released.length > 0 ? { released } : {}),
    ...(warnings.length > 0 ? { warnings } : {}),
  };
}

/** Returns the object to release. The server refuses the release of an object whose managedFields names a removed version. */
async function withServedVersions(
  cluster: ClusterClient,
  address: ObjectAddress,
  uid: string,
  manager: string,
  { live: known, removedVersions }: ReleaseOptions,
): Promise<JsonObject | undefined> {
  if (removedVersions === undefined) return known;
  const live = uidOf(known) === uid ? known : await cluster.tryGet(address);
  if (live === undefined || (await removedVersions.removedFrom(live, address)).size === 0) return live;
  await rewriteRemovedVersions(cluster, address, removedVersions, { uid, manager });
  return cluster.tryGet(address);
}

/** Options of the release of an object. */
export interface ReleaseOptions {
  /** The object as the run read it, if it did. */
  readonly live: JsonObject | undefined;
  /** The fields of others that may be removed with it; undefined where none can. */
  readonly approvedCollateral: ApprovedFields | undefined;
  /** It was applied, or may have been, under the strategy `dynamic`. */
  readonly dynamic: boolean;
  readonly names: OwnerNameResolver;
  /** Present where entries of removed versions may be rewritten first. */
  readonly removedVersions?: RemovedVersions | undefined;
  /** Name of the stack whose part is removed. */
  readonly stack: string;
  /** Called before fields are released; the request is sent once the promise is fulfilled. */
  readonly beforeLoss?: ((pass: ForcedPass) => Promise<void>) | undefined;
}

/** Options of the release of one manager's fields. */
export interface ReleaseObjectOptions {
  /** Releases the object only at this version. */
  readonly resourceVersion?: string;
  /** It was applied, or may have been, under the strategy `dynamic`. */
  readonly dynamic?: boolean;
  /** Requests the whole object, not only its metadata. */
  readonly whole?: boolean;
  /** Name of the stack whose part is removed, if one is: a refusal says how to remove it without the release. */
  readonly stack?: string;
}

/** The result of a release. */
export interface ReleaseResult {
  readonly result: Extract<Outcome, 'released' | 'absent'>;
  /** The object after it, or its metadata. */
  readonly object?: JsonObject;
  /** Fields of others that were removed with list items and map entries. */
  readonly collateral?: readonly FieldConflict[];
  readonly released?: readonly ReleasedField[];
  /** The reason why it does not exist. */
  readonly reason?: string;
  /** That it was released although the server answered with an error. */
  readonly warnings?: readonly string[];
}

/** The reason for an object whose name belongs to another one now. */
export const replacedReason = 'it was deleted, and another object has its name now';

/** The manager that releases an object; the name of its stack where the stack's part is removed with it. */
export interface ReleasingOwner {
  readonly manager: string;
  readonly stack?: string | undefined;
}

/** A refusal of a release: the server does not accept the object without the fields of a stack. */
export class ReleaseRejectedError extends FieldwiseError {
  /** By code: the brand of `FieldwiseError` tells no class from another. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof FieldwiseError && value.code === releaseRejectedCode;
  }

  /** The fields that the refusal does not release; empty where they are not known. */
  readonly rejected: readonly ReleasedField[];

  constructor(what: string, options: ReleaseRejection) {
    super(releaseRejectedCode, 'resource', what, options);
    this.rejected = options.rejected ?? [];
  }
}

const releaseRejectedCode = 'release-rejected';

interface ReleaseRejection {
  readonly location: ErrorLocation;
  readonly next?: string;
  readonly cause: unknown;
  readonly rejected?: readonly ReleasedField[];
}

/** Returns the error for an object that the server does not accept without the fields of a stack. */
export function releaseRejected(
  refusal: ApiError,
  { manager, stack }: ReleasingOwner,
  rejected: readonly ReleasedField[] = [],
): ReleaseRejectedError {
  const required = refusal.causes.filter(({ reason }) => reason === 'FieldValueRequired');
  const causes = (required.length > 0 ? required : refusal.causes).map(causeText).join('; ') || refusal.message;
  return new ReleaseRejectedError(`The server does not accept the object without the fields of this stack: ${causes}`, {
    location: { manager },
    next: `Let another stack declare these fields first (\`fieldwise adopt --from\` moves them), or delete the object; then run again.${stack === undefined ? '' : ` To leave it as it is, declare it again, or ${destroyCommandText(stack)}.`}`,
    cause: refusal,
    rejected,
  });
}

/** Returns the command with `--retain-rejected`, which destroys whole stacks: without a name, all that the program declares. */
function destroyCommandText(stack: string): string {
  return `destroy all of stack ${stack} with \`fieldwise destroy ${stack} --retain-rejected\``;
}

/** Returns the same error for an owned object that existed before its stack: only its deletion removes it. */
export function adoptedRejected(error: unknown, stack: string): unknown {
  if (!isReleaseRejected(error)) return error;
  const { message, location, rejected } = error;
  return new ReleaseRejectedError(`This stack did not create the object, so it is released and not deleted. ${message}`, {
    location,
    rejected,
    next: `To delete it, run \`fieldwise adopt --with-deletion\` while the program declares it, or declare it with the policy \`deleteExisting: true\` and deploy; then remove it or destroy again. To leave it as it is, declare it with \`retain: true\` and deploy first, or ${destroyCommandText(stack)}.`,
    cause: error,
  });
}

/** The end of the reason for releasing an owned object: it says how another stack gets the right to delete it. */
export const transferAdvice =
  '; then no stack deletes it: to move the right to delete, first declare all of it with `own` in the program of that stack, where `transferFrom` or `fieldwise adopt --from` moves it';

/** Returns the same error for an owned object that is released because others keep it. */
export function keptRejected(error: unknown, reason: string): unknown {
  if (!isReleaseRejected(error)) return error;
  return new ReleaseRejectedError(
    `It is ${reason.replace(transferAdvice, '')}. It is not released either: ${error.message.replace(/^The/, 'the')}`,
    {
      location: error.location,
      rejected: error.rejected,
      next: 'Let the others first remove their objects in it or release their fields of it, or delete it with the flag named above.',
      cause: error,
    },
  );
}

/** Returns true if the server refused an object without the released fields. */
export function isReleaseRejected(error: unknown): error is ReleaseRejectedError {
  return error instanceof ReleaseRejectedError;
}

/**
 * Releases an object together with nothing but the confirmed collateral fields, and finds out what it released: the request is pinned to
 * the object for which both were determined.
 */
async function releaseOptimistically(
  cluster: ClusterClient,
  address: ObjectAddress,
  uid: string,
  manager: string,
  {
    live: known,
    approvedCollateral: approved,
    dynamic: merged,
    stack,
    managers,
    beforeLoss,
  }: ReleaseOptions & { readonly managers: readonly string[] },
): Promise<ReleaseResult & { readonly before?: JsonObject }> {
  const { apiVersion, kind } = address.resource;
  const empty = { apiVersion, kind, metadata: { name: address.name } };
  let live = uidOf(known) === uid ? known : await cluster.tryGet(address);
  for (let round = 0; round < contentionRounds; round++) {
    const { uid: found, resourceVersion } = metadataOf(live);
    if (!live) return { result: 'absent' };
    if (found !== uid) return { result: 'absent', reason: replacedReason };
    const collateral = approved ? requireApprovedCollateral(live, empty, [manager], approved, managers) : [];
    const pin = approved || mayRelease(live, empty, [manager]) ? { resourceVersion: String(resourceVersion) } : {};
    const dynamic = merged || appliedIntentOf(live, manager) !== undefined;
    const losses = beforeLoss ? [...releasedLosses(live, empty, managers), ...collateralLosses(collateral)] : [];
    if (losses.length > 0) await beforeLoss?.(forcedPassOf(live, [], managers, losses));
    try {
      const released = await releaseObject(cluster, address, uid, manager, { ...pin, dynamic, whole: true, stack });
      return released.result === 'absent'
        ? goneAfter(released, perhapsReleasedIn(live, empty, [manager]))
        : { ...released, collateral, before: live };
    } catch (error) {
      if (isReleaseRejected(error) && error.cause instanceof ApiError) {
        throw releaseRejected(error.cause, { manager, stack }, rejectedIn(live, empty, [manager], error.cause.causes));
      }
      const perhaps = { uid, released: perhapsReleasedIn(live, empty, [manager]), reason: perhapsText('released') };
      if (isOutcomeUnknown(error)) throw perhapsFailure(error.cause, perhaps);
      if (!(error instanceof ApiError) || !error.stale) throw error;
      const now = await readAfterRefusal(cluster, address, perhaps); // written since it was read: read it again
      // By this very request, which was repeated after its response was lost, or by something on the way.
      const done = uidOf(now) === uid && applyEntryOf(live, manager) && !applyEntryOf(now, manager);
      if (done && now) return { result: 'released', object: now, collateral, before: live };
      if (uidOf(now) !== uid) return goneAfter({ result: 'absent', ...(now ? { reason: replacedReason } : {}) }, perhaps.released);
      live = now;
    }
  }
  throw contendedError('release-contended', { manager }, 'It was not released. Run again.');
}

/**
 * Returns the result for an object that is gone after a release was sent.
 *
 * @param perhaps the fields that it may have lost before, if something on the way has sent the request twice.
 */
function goneAfter(result: ReleaseResult, perhaps: readonly ReleasedField[]): ReleaseResult {
  return perhaps.length === 0 ? result : { ...result, released: perhaps };
}

/**
 * Releases every field that a manager applied to an object: sends an empty intent with the uid in its body, so that a deleted object is not
 * created again. Source: Kubernetes documentation "Server-Side Apply", "Clearing managedFields" and "Transferring ownership".
 *
 * @returns `absent` if the object does not exist any more or another one has its name.
 * @throws FieldwiseError `release-rejected` where the object would be invalid without these fields, `outcome-unknown`.
 */
export async function releaseObject(
  cluster: ClusterClient,
  address: ObjectAddress,
  uid: string,
  manager: string,
  how: ReleaseObjectOptions = {},
): Promise<ReleaseResult> {
  const { resourceVersion, dynamic = false, whole = false, stack } = how;
  const { resource, namespace, name } = address;
  const empty = {
    apiVersion: resource.apiVersion,
    kind: resource.kind,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      uid,
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
  };
  try {
    const options = { manager, force: false, metadataOnly: !whole };
    const response = await cluster.apply(address, empty, dynamic ? { ...options, dynamic: {} } : options);
    // Not recorded in the inventory: the object still carries a client-side intent.
    if (!dynamic && appliedIntentOf(response.object, manager)) {
      return releaseObject(cluster, address, uid, manager, { dynamic: true, whole, ...(stack === undefined ? {} : { stack }) });
    }
    if (applyEntryOf(response.object, manager)) {
      throw new FieldwiseError(
        'release-incomplete',
        'resource',
        'The server accepted the empty intent, yet this manager still owns fields',
        {
          location: { manager },
          next: 'Check metadata.managedFields of the object.',
        },
      );
    }
    return { result: 'released', object: response.object };
  } catch (error) {
    if (error instanceof ApiError && error.uidMismatch !== undefined) return { result: 'absent' };
    if (isIncomplete(error) || (error instanceof ApiError && error.stale)) throw error;
    const refusal = error instanceof ApiError && error.code === 422 ? releaseRejected(error, { manager, stack }) : error;
    const settled = await settle(cluster, address, error, (now) => (applyEntryOf(now, manager) === undefined ? 'applied' : 'refused'));
    if (settled.outcome === 'applied') {
      if (settled.now === undefined || uidOf(settled.now) !== uid) return { result: 'absent' };
      return { result: 'released', object: settled.now, warnings: [carriedOutText(error)] };
    }
    throw settled.outcome === 'refused' ? refusal : outcomeUnknown(refusal, 'released', { manager });
  }
}

function isIncomplete(error: unknown): boolean {
  return error instanceof FieldwiseError && error.code === 'release-incomplete';
}
