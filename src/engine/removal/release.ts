import { ApiError, type Cluster, contended, contentionRounds, type ObjectAddress } from '../../kubernetes/index.js';
import { appliedIntentOf, applyEntryOf, type FieldConflict } from '../../ownership/index.js';
import { FieldwiseError } from '../../util/error.js';
import type { JsonObject } from '../../util/json.js';
import { causeText } from '../apply/immutable.js';
import type { StackNames } from '../inventory/owner-names.js';
import { mayRelease, rejectedIn, rejecting, releasedIn } from '../release/released-fields.js';
import { rewriteRemovedVersions } from '../repairs/rewrite-removed-versions.js';
import type { ReleasedField } from '../run/released-field.js';
import type { RemovedVersions } from '../target/removed-versions.js';
import { type Agreed, agreedVanishing } from './vanishing.js';

/**
 * Gives up every field that some managers applied to an object, one after the other; the first is asked of the server in any case, the
 * others only where they own anything.
 */
export async function releaseAll(
  cluster: Cluster,
  address: ObjectAddress,
  uid: string,
  managers: readonly [string, ...string[]],
  options: ReleaseOptions,
): Promise<Released> {
  const [first, ...others] = managers;
  const live = await withServedVersions(cluster, address, uid, first, options);
  let end = await releaseGuarded(cluster, address, uid, first, { ...options, managers, live });
  const { before } = end;
  const vanished = [...(end.vanished ?? [])];
  for (const manager of others) {
    if (!end.object || !applyEntryOf(end.object, manager)) continue;
    end = await releaseGuarded(cluster, address, uid, manager, { ...options, managers, live: end.object });
    vanished.push(...(end.vanished ?? []));
  }
  const { result, object, reason } = end;
  if (result === 'gone') return { result, ...(reason === undefined ? {} : { reason }) };
  if (!object || !before) return { result };
  const released = releasedIn({ live: before, after: object, managers, contested: [], names: options.names });
  return { result, object, ...(vanished.length > 0 ? { vanished } : {}), ...(released.length > 0 ? { released } : {}) };
}

/** The object as its release finds it. The server refuses one of an object whose managedFields names a version that is gone. */
async function withServedVersions(
  cluster: Cluster,
  address: ObjectAddress,
  uid: string,
  manager: string,
  { live: known, rewriter }: ReleaseOptions,
): Promise<JsonObject | undefined> {
  if (rewriter === undefined) return known;
  const live = metadataOf(known).uid === uid ? known : await cluster.find(address);
  if (live === undefined || (await rewriter.in(live, address)).size === 0) return live;
  await rewriteRemovedVersions(cluster, address, rewriter, { uid, manager });
  return cluster.find(address);
}

/** What is known of an object that is to be released. */
export interface ReleaseOptions {
  /** The object as the run read it, where it did. */
  readonly live: JsonObject | undefined;
  /** Which fields of others may go along; undefined where none can. */
  readonly agreed: Agreed | undefined;
  /** It was applied, or may have been, under the strategy `dynamic`. */
  readonly dynamic: boolean;
  readonly names: StackNames;
  /** Present where entries of versions that are gone may be rewritten first. */
  readonly rewriter?: RemovedVersions | undefined;
  /** Name of the stack that ends its part. */
  readonly stack: string;
}

export interface ReleaseHow {
  /** Only as it was read. */
  readonly resourceVersion?: string;
  /** It was applied, or may have been, under the strategy `dynamic`. */
  readonly dynamic?: boolean;
  /** Ask for the whole object, and not for its metadata only. */
  readonly whole?: boolean;
  /** Name of the stack that ends its part, if one does: a refusal says how to end it without the release. */
  readonly stack?: string;
}

/** What became of a release. */
export interface Released {
  readonly result: 'released' | 'gone';
  /** The object after it, or its metadata. */
  readonly object?: JsonObject;
  /** What others kept in list items and map entries that went along. */
  readonly vanished?: readonly FieldConflict[];
  readonly released?: readonly ReleasedField[];
  /** How it is gone. */
  readonly reason?: string;
}

/** Its name was given again. */
export const replacedReason = 'it is gone, and another object has its name now';

/** Who gives up an object; the name of its stack where the stack's part ends with it. */
export interface Leaver {
  readonly manager: string;
  readonly stack?: string | undefined;
}

/** The server does not accept an object without the fields of a stack. */
export function releaseRejected(refusal: ApiError, { manager, stack }: Leaver): FieldwiseError {
  const required = refusal.causes.filter(({ reason }) => reason === 'FieldValueRequired');
  const causes = (required.length > 0 ? required : refusal.causes).map(causeText).join('; ') || refusal.message;
  return new FieldwiseError(
    'release-rejected',
    'resource',
    `The server does not accept the object without the fields of this stack: ${causes}`,
    {
      location: { manager },
      next: `Let another stack declare these fields first (\`fieldwise handoff\` moves them), or delete the object; then run again.${stack === undefined ? '' : ` To leave it is, declare it again, or ${endingAll(stack)}.`}`,
      cause: refusal,
    },
  );
}

/** The flag belongs to a command that ends whole stacks: without a name, all that the program declares. */
function endingAll(stack: string): string {
  return `end all of stack ${stack} with \`fieldwise destroy ${stack} --retain-rejected\``;
}

/** The same of an owned object that was there before its stack: only its deletion ends it. */
export function adoptedRejected(error: unknown, stack: string): unknown {
  if (!isReleaseRejected(error)) return error;
  const { code, kind, message, location } = error;
  return new FieldwiseError(code, kind, `This stack did not create the object, so it is released and not deleted. ${message}`, {
    location: location,
    next: `To delete it, run \`fieldwise adopt --with-deletion\` while the program declares it, or declare it with the policy \`adopt: true\` and deploy; then remove it or destroy again. To leave it is, declare it with \`retain: true\` and deploy first, or ${endingAll(stack)}.`,
    cause: error,
  });
}

/** The same of an owned object that is released because others keep it. */
export function keptRejected(error: unknown, reason: string): unknown {
  if (!isReleaseRejected(error)) return error;
  return new FieldwiseError(error.code, error.kind, `It stays as it is: ${reason}. ${error.message}`, {
    location: error.location,
    next: 'Remove what others keep in it or apply to it, or delete it with the flag named above.',
    cause: error,
  });
}

export function isReleaseRejected(error: unknown): error is FieldwiseError {
  return error instanceof FieldwiseError && error.code === 'release-rejected';
}

/**
 * A release that takes along nothing but what was agreed to, and of which it is known what it gave up: pinned to the object as it was when
 * that was so.
 */
async function releaseGuarded(
  cluster: Cluster,
  address: ObjectAddress,
  uid: string,
  manager: string,
  { live: known, agreed, dynamic: merged, stack, managers }: ReleaseOptions & { readonly managers: readonly string[] },
): Promise<Released & { readonly before?: JsonObject }> {
  const { apiVersion, kind } = address.resource;
  const empty = { apiVersion, kind, metadata: { name: address.name } };
  let live = metadataOf(known).uid === uid ? known : await cluster.find(address);
  for (let round = 0; round < contentionRounds; round++) {
    const { uid: found, resourceVersion } = metadataOf(live);
    if (!live) return { result: 'gone' };
    if (found !== uid) return { result: 'gone', reason: replacedReason };
    const vanished = agreed ? agreedVanishing(live, empty, [manager], agreed, managers) : [];
    const pin = agreed || mayRelease(live, empty, [manager]) ? { resourceVersion: String(resourceVersion) } : {};
    const dynamic = merged || appliedIntentOf(live, manager) !== undefined;
    try {
      const end = await releaseObject(cluster, address, uid, manager, { ...pin, dynamic, whole: true, stack });
      return end.result === 'gone' ? end : { ...end, vanished, before: live };
    } catch (error) {
      if (error instanceof FieldwiseError && error.cause instanceof ApiError) {
        throw rejecting(error, rejectedIn(live, empty, [manager], error.cause.causes));
      }
      if (!(error instanceof ApiError) || !error.stale) throw error;
      const now = await cluster.find(address); // written since it was read: look again
      const done = error.answerLost && metadataOf(now).uid === uid && applyEntryOf(live, manager) && !applyEntryOf(now, manager);
      if (done && now) return { result: 'released', object: now, vanished, before: live }; // by this very request, whose answer was lost
      live = now;
    }
  }
  throw contended('release-contended', { manager }, 'It was not released. Run again.');
}

function metadataOf(object: JsonObject | undefined): JsonObject {
  return (object?.metadata ?? {}) as JsonObject;
}

/**
 * Gives up every field that a manager applied to an object: an empty intent with the uid in its body, so that an object that is gone
 * is not created anew. Source: Kubernetes documentation "Server-Side Apply", "Clearing managedFields" and "Transferring ownership".
 *
 * @returns `gone` when the object is not there any more or another one has its name.
 * @throws FieldwiseError `release-rejected` where the object would be invalid without these fields.
 */
export async function releaseObject(
  cluster: Cluster,
  address: ObjectAddress,
  uid: string,
  manager: string,
  how: ReleaseHow = {},
): Promise<Released> {
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
    const answer = await cluster.apply(address, empty, dynamic ? { ...options, dynamic: {} } : options);
    // What nobody told us: the object remembers an intent that was merged on this side.
    if (!dynamic && appliedIntentOf(answer.object, manager)) {
      return releaseObject(cluster, address, uid, manager, { dynamic: true, whole, ...(stack === undefined ? {} : { stack }) });
    }
    if (applyEntryOf(answer.object, manager)) {
      throw new FieldwiseError(
        'release-incomplete',
        'resource',
        'The server accepted the empty intent, yet this manager still owns fields',
        {
          location: { manager },
          next: 'Look at metadata.managedFields of the object.',
        },
      );
    }
    return { result: 'released', object: answer.object };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.code === 404 || error.uidMismatch !== undefined) return { result: 'gone' };
    if (error.code !== 422) throw error;
    throw releaseRejected(error, { manager, stack });
  }
}
