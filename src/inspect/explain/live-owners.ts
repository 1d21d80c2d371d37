import { identityKey, objectText } from '../../assembly/identity.js';
import { addressOf } from '../../engine/addresses/address.js';
import { OwnerNameResolver } from '../../engine/inventory/owner-name-resolver.js';
import { formatPath, pathCovers, resolvePath } from '../../fields/index.js';
import type { ClusterClient } from '../../kubernetes/index.js';
import { type ManagedFieldsEntry, managedFieldsOf, type OwnedField } from '../../ownership/index.js';
import { FieldwiseError } from '../../util/error.js';
import type { Json, JsonObject } from '../../util/json.js';
import { objectNamed } from '../owners/select-objects.js';
import { readableInventories } from '../readable-inventories.js';
import type { NamedObject } from './conflict-text.js';
import { type ExplainedConflict, type ExplainedOwner, explainOwner } from './explain-conflicts.js';
import { shownFields } from './shown-fields.js';

/** A contested field as it is in the cluster. */
export interface LiveField {
  readonly field: string;
  /** Masked in Secrets; absent if the field has no value, or does not exist. */
  readonly value?: Json;
  readonly owners: readonly ExplainedOwner[];
}

/** The object of a conflict as it is in the cluster. */
export interface LiveObject {
  readonly server: string;
  /** `Kind namespace/name`. */
  readonly object: string;
  readonly kind: string;
  readonly exists: boolean;
  /** The contested fields; absent for a conflict over a whole object. */
  readonly fields?: readonly LiveField[];
  /** All owners of fields of the object; only for a conflict over a whole object. */
  readonly owners?: readonly ExplainedOwner[];
}

/** The reads that several conflicts of one text share. */
export interface LiveReading {
  readonly cluster: ClusterClient;
  readonly names: Promise<OwnerNameResolver>;
  readonly objects: Map<string, Promise<JsonObject | undefined>>;
}

/** Begins to read a cluster. Sends nothing. */
export function liveReading(cluster: ClusterClient, inventoryNamespace?: string): LiveReading {
  let names: Promise<OwnerNameResolver> | undefined;
  return {
    cluster,
    objects: new Map(),
    get names() {
      names ??= stackNames(cluster, inventoryNamespace);
      return names;
    },
  };
}

/**
 * Reads who owns the contested fields of a conflict now. Changes nothing.
 *
 * @throws FieldwiseError `explain-misused` if the text does not name the object by its kind, `kind-unknown`, `kind-ambiguous`; ApiError.
 */
export async function liveOwners(reading: LiveReading, { object, contested }: ExplainedConflict): Promise<LiveObject> {
  const { cluster, objects } = reading;
  if (object?.kind === undefined) {
    throw new FieldwiseError('explain-misused', 'usage', 'the text does not name the object by its kind', {
      next: 'Add it: `fieldwise explain - KIND/NAME`.',
    });
  }
  const identity = await objectIdentity(cluster, { ...object, kind: object.kind });
  const key = identityKey(identity);
  const asked = objects.get(key) ?? addressOf(cluster, identity).then((address) => cluster.tryGet(address));
  objects.set(key, asked);
  const live = await asked;
  const found = { server: cluster.server, object: objectText(identity), kind: identity.kind, exists: live !== undefined };
  if (live === undefined) return found;
  const names = await reading.names;
  const explain = (entry: ManagedFieldsEntry) => explainOwner(ownerOf(entry), names);
  if (contested === undefined) return { ...found, owners: managedFieldsOf(live).map(explain) };
  const owned = shownFields(live);
  const fields = [...new Set(contested.flatMap((group) => group.fields))];
  return { ...found, fields: fields.map((field) => liveField(field, live, owned, explain)) };
}

async function objectIdentity(cluster: ClusterClient, { apiVersion, kind, namespace, name }: NamedObject & { readonly kind: string }) {
  const [group = ''] = apiVersion?.includes('/') ? apiVersion.split('/') : []; // Helm 4 writes `/v1` for the core group
  const identity = objectNamed(cluster, await cluster.listResources(), group === '' ? kind : `${kind}.${group}`, name);
  return identity.namespace === undefined || namespace === undefined ? identity : { ...identity, namespace };
}

async function stackNames(cluster: ClusterClient, inventoryNamespace: string | undefined): Promise<OwnerNameResolver> {
  const names = new OwnerNameResolver('', '', new Map());
  names.addStacks((await readableInventories(cluster, inventoryNamespace)).map(({ stack }) => stack));
  return names;
}

/** Owners of a whole value own the fields in it, too. */
function liveField(
  path: string,
  live: JsonObject,
  owned: readonly OwnedField[],
  explain: (entry: ManagedFieldsEntry) => ExplainedOwner,
): LiveField {
  const resolved = resolvePath(path, live);
  const field = resolved === undefined ? path : formatPath(resolved);
  const own = owned.find((one) => one.field === field);
  const found = own ?? owned.find((one) => one.owners.length > 0 && pathCovers(one.field, field));
  if (found === undefined) return { field, owners: [] };
  return { field, ...(own?.value === undefined ? {} : { value: own.value }), owners: found.owners.map(explain) };
}

/** Returns an owner without the fields that it owns. */
export function ownerOf({ manager, operation, subresource, time }: ManagedFieldsEntry) {
  return { manager, operation, ...(subresource ? { subresource } : {}), ...(time === undefined ? {} : { time }) };
}
