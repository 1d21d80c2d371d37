import { emptyFieldSet, type FieldPath, resolvePath, valueAt, withoutPath } from '../../fields/index.js';
import { metadataOf, preconditionsOf } from '../../fields/object.js';
import {
  ApiError,
  type ApplyOptions,
  type ApplyResponse,
  type ClusterClient,
  contendedError,
  contentionRounds,
  type DynamicOptions,
  isNotFound,
  type ObjectAddress,
} from '../../kubernetes/index.js';
import {
  type DigestKey,
  digestSecretValues,
  hasSecretValues,
  isUnverifiable,
  mergePatchOf,
  resolveDigests,
  threeWayMerge,
} from '../../merge/dynamic/index.js';
import {
  type AppliedIntent,
  appliedAnnotation,
  appliedIntentOf,
  fieldsOfApplied,
  recordedFieldsOf,
  writeAppliedIntent,
} from '../../ownership/index.js';
import type { RootType } from '../../schema/index.js';
import { FieldwiseError } from '../../util/error.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { requireKnownVersions } from '../addresses/removed-versions.js';
import type { DigestKeys } from '../inventory/digest-keys.js';
import { freshFromApplied } from '../object/fresh-object.js';
import { appliedByServer } from './applied-by-server.js';
import { CoOwners, conflictError, statusError } from './co-owners.js';
import { type DeclaredFields, entriesWithoutInitialOwnership } from './initial-entry.js';
import { type KeyedIntent, rulesFor, rulesOfServer, withExplicitKeys } from './list-rules.js';
import { ownersAfter } from './owners-after.js';
import { requireExact } from './require-exact.js';

/** One apply under the strategy `dynamic`. */
export interface DynamicApply extends Pick<ApplyOptions, 'manager' | 'force' | 'dryRun'>, DynamicOptions {
  readonly address: ObjectAddress;
  /** The body as it would be sent to the server; uid and resourceVersion in it have the same meaning. */
  readonly body: JsonObject;
  /** The type of the kind, where it is known. */
  readonly root: RootType | undefined;
  readonly keys: DigestKeys;
}

/**
 * Applies an intent as the server would, without its help: reads the object, merges what is declared with what this manager last applied,
 * and writes the difference together with the record of it, only onto the very state that was read. If somebody else writes in between, the
 * server refuses the request, and the loop retries; a body that names a resourceVersion is then refused, as by a server.
 *
 * @throws ApiError as a server-side apply: conflicts without force, an object that is deleted or another one, failed validation.
 * FieldwiseError `apply-contended`, `list-item-ambiguous`, `applied-too-large`.
 */
export async function applyClientSide(cluster: ClusterClient, apply: DynamicApply): Promise<ApplyResponse> {
  let responseLost = false;
  let wasRefused = false;
  for (let round = 0; round < contentionRounds; round++) {
    const live = await cluster.tryGet(apply.address);
    requirePinned(apply, live);
    try {
      const applied = live === undefined ? await create(cluster, apply) : await update(cluster, apply, live);
      // Something on the way may have sent twice what the server refused.
      return { ...applied, responseLost: responseLost || (wasRefused && !applied.changed) };
    } catch (error) {
      if (!(error instanceof ApiError) || !isRace(error, live)) throw error;
      if (live !== undefined && metadataOf(apply.body).resourceVersion !== undefined) throw error;
      responseLost ||= error.responseLost;
      wasRefused = true;
    }
  }
  throw contendedError(
    'apply-contended',
    { manager: apply.manager },
    'This object was not changed. Run again, or find the controller writes it so often.',
  );
}

/** Returns true if somebody wrote, created or deleted the object since it was read. */
function isRace(error: ApiError, live: JsonObject | undefined): boolean {
  if (live === undefined) return error.reason === 'AlreadyExists';
  return error.stale || error.uidMismatch !== undefined || isNotFound(error);
}

async function create(cluster: ClusterClient, apply: DynamicApply) {
  const { address, body, manager, dryRun, listKeys, root } = apply;
  const intent = withoutPins(address, body);
  const key = await keyFor(apply, intent, undefined);
  const rules = rulesFor(listKeys, root);
  const annotation = serializeIntent(
    manager,
    withExplicitKeys(intent, intent, rules),
    { preexisting: emptyFieldSet, created: true, unrecorded: false },
    key,
  );
  const full = withIntentAnnotation(
    threeWayMerge({ base: undefined, intent, live: identityOnly(intent), rules }).merged,
    manager,
    annotation,
  );
  const object = await cluster.create(address.resource, address.namespace, full, manager, dryRun);
  return { created: true, changed: true, object: withTypeMeta(object, address), warnings: [] };
}

async function update(cluster: ClusterClient, apply: DynamicApply, found: JsonObject) {
  const { address, body, manager, force, dryRun, listKeys, yielded = [], root } = apply;
  const intent = withoutPins(address, body);
  const before = appliedIntentOf(found, manager);
  const key = await keyFor(apply, intent, before?.intent);
  const base = before === undefined ? appliedByServer(found, manager) : resolveDigests(before.intent, found, key);
  const ownershipOf = (keys: JsonObject | undefined) => withExplicitKeys(keys ?? {}, keys ?? {}, rulesOfServer(root));
  const live = await withoutInitialEntry(cluster, apply, found, {
    recorded: before,
    declared: fieldsOfApplied(ownershipOf(base)),
    values: base,
  });
  const rules = rulesFor(listKeys, root, before?.lists);
  const owners = new CoOwners(live, manager, root);
  /** Where the recorded intent cannot be read, the server's own record may still show that the value is ours. */
  const isOnRecord = (path: FieldPath) => isUnverifiable(valueAt(base, path)) && owners.isRewritten(path);
  const sides = {
    ...{ base: base && withoutFields(base, yielded), intent, live, rules, preexisting: before?.preexisting },
    ...{
      isOwnedByOthers: owners.isOwnedByOthers,
      introduced: (path: FieldPath) => owners.introduced(path) || isOnRecord(path),
      isDeclaredAsWhole: owners.isDeclaredAsWhole,
    },
  };
  const { retained, contested, preexisting, ...rest } = threeWayMerge(sides);
  const ours = retained.filter(({ path, reason }) => reason === 'changed' && owners.isRewritten(path));
  const merged = ours.reduce<Json>((object, { path }) => withoutPath(object, path), rest.merged) as JsonObject;
  if (!force) {
    // A contested part is decided separately: a change beside it writes the whole value that somebody applies.
    const beside = contested.length === 0 ? merged : threeWayMerge({ ...sides, yields: () => true }).merged;
    const parts = contested.flatMap((field) => owners.conflictingOwners(field, base).map((owner) => ({ field: field.field, owner })));
    const conflicts = [...parts, ...owners.overwrittenAtomics(beside)];
    if (conflicts.length > 0) throw conflictError(address, conflicts);
  }
  const annotation = isEmptyIntent(intent)
    ? undefined
    : serializeIntent(
        manager,
        withExplicitKeys(intent, merged, rules),
        { preexisting, created: before?.created ?? false, unrecorded: staysUnrecorded(live, before) },
        key,
      );
  const annotated = withIntentAnnotation(merged, manager, annotation);
  const target = ownersAfter(live, annotated, {
    manager,
    apiVersion: String(intent.apiVersion),
    before: ownershipOf(base),
    after: annotation === undefined ? undefined : ownershipOf(intent),
  });
  const patch = mergePatchOf(found, target);
  if (patch === undefined) return { created: false, changed: false, object: found, warnings: [] };
  requireExact(patch, target, manager);
  await requireKnownVersions(cluster, address, target, { manager });
  const { uid, resourceVersion } = preconditionsOf(live);
  const pinned = { ...patch, metadata: { ...metadataOf(patch), uid, resourceVersion } };
  const object = withTypeMeta(await cluster.mergePatch(address, pinned, manager, dryRun), address);
  return { created: false, changed: metadataOf(object).resourceVersion !== resourceVersion, object, warnings: [] };
}

/** Returns true if the server has recorded no owners for as long as the manager knows the object. */
function staysUnrecorded(live: JsonObject, before: AppliedIntent | undefined): boolean {
  return recordedFieldsOf(live).length === 0 && before?.unrecorded !== false;
}

/** Returns an object without the initial ownership that the server recorded since the last merge; see `entriesWithoutInitialOwnership`. */
async function withoutInitialEntry(
  cluster: ClusterClient,
  { address, manager }: DynamicApply,
  live: JsonObject,
  declared: Omit<DeclaredFields, 'fresh'>,
) {
  if (!declared.recorded?.unrecorded || recordedFieldsOf(live).length === 0) return live;
  const fresh = await freshFromApplied(cluster, address, live, manager);
  return { ...live, metadata: { ...metadataOf(live), managedFields: entriesWithoutInitialOwnership(live, { ...declared, fresh }) } };
}

/** Returns an object without fields, as conflicts name them. */
function withoutFields(object: JsonObject, fields: readonly string[]): JsonObject {
  return fields.reduce<Json>((rest, field) => {
    const path = resolvePath(field, rest);
    return path === undefined ? rest : withoutPath(rest, path);
  }, object) as JsonObject;
}

/** Returns the body without its uid and resourceVersion, with its namespace. */
function withoutPins({ namespace }: ObjectAddress, body: JsonObject): JsonObject {
  const { uid: _, resourceVersion: __, ...metadata } = metadataOf(body);
  return { ...body, metadata: { ...metadata, ...(namespace === undefined ? {} : { namespace }) } };
}

/** Returns an object with nothing but its identity. */
function identityOnly(object: JsonObject): JsonObject {
  const { apiVersion, kind } = object;
  const { name, namespace } = metadataOf(object);
  return { apiVersion, kind, metadata: { name, ...(namespace === undefined ? {} : { namespace }) } };
}

/** Returns true if an intent declares nothing, and so releases everything. */
function isEmptyIntent(intent: JsonObject): boolean {
  const { name: _, namespace: __, ...declared } = metadataOf(intent);
  const members = Object.keys(intent).filter((member) => !['apiVersion', 'kind', 'metadata'].includes(member));
  return members.length === 0 && Object.keys(declared).length === 0;
}

const maxAnnotationBytes = 200 * 1024; // bytes; a server accepts 256 KiB of annotations, and others need some, too

/** Returns the digest key. It is created only where the annotation will hold a digest, and never by a dry run. */
async function keyFor({ keys, manager, dryRun }: DynamicApply, intent: JsonObject, before: JsonObject | undefined) {
  const hides = hasSecretValues(intent);
  return hides || (before !== undefined && hasSecretValues(before)) ? keys.get(manager, hides && dryRun !== true) : undefined;
}

/** @throws FieldwiseError `applied-too-large` */
function serializeIntent(
  manager: string,
  { intent, lists }: KeyedIntent,
  rest: Pick<AppliedIntent, 'preexisting' | 'created' | 'unrecorded'>,
  key: DigestKey | undefined,
): string {
  const annotation = writeAppliedIntent({ manager, intent: digestSecretValues(intent, key), lists, ...rest });
  if (Buffer.byteLength(annotation) <= maxAnnotationBytes) return annotation;
  throw new FieldwiseError(
    'applied-too-large',
    'resource',
    `The intent is too large to be recorded in an annotation: ${Buffer.byteLength(annotation)} of at most ${maxAnnotationBytes} bytes`,
    { location: { manager }, next: 'Nothing was sent. Apply this object under the strategy server-side, or declare less of it.' },
  );
}

function withIntentAnnotation(object: JsonObject, manager: string, annotation: string | undefined): JsonObject {
  const metadata = metadataOf(object);
  const { [appliedAnnotation(manager)]: known, ...others } = isJsonObject(metadata.annotations) ? metadata.annotations : {};
  if (known === annotation) return object;
  if (annotation !== undefined)
    return { ...object, metadata: { ...metadata, annotations: { ...others, [appliedAnnotation(manager)]: annotation } } };
  const { annotations: _, ...bare } = metadata;
  return { ...object, metadata: Object.keys(others).length > 0 ? { ...bare, annotations: others } : bare };
}

function requirePinned({ address, body }: DynamicApply, live: JsonObject | undefined): void {
  const { uid, resourceVersion } = metadataOf(body);
  const { uid: liveUid, resourceVersion: liveVersion } = metadataOf(live);
  const refused = `Operation cannot be fulfilled on ${address.resource.plural} "${address.name}"`;
  if (uid !== undefined && live === undefined) {
    throw statusError(address, 409, 'Conflict', `${refused}: uid mismatch: the object with uid ${uid} does not exist`);
  }
  if (uid !== undefined && uid !== liveUid) {
    const cause = { reason: 'FieldValueInvalid', message: `it is ${liveUid}`, field: 'metadata.uid' };
    throw statusError(address, 422, 'Invalid', `${refused}: the object has another uid`, [cause]);
  }
  if (live !== undefined && resourceVersion !== undefined && resourceVersion !== liveVersion) {
    throw statusError(address, 409, 'Conflict', `${refused}: the object has been modified`);
  }
}

function withTypeMeta(object: JsonObject, { resource }: ObjectAddress): JsonObject {
  return object.kind === undefined ? { ...object, apiVersion: resource.apiVersion, kind: resource.kind } : object;
}
