import { groupOf, type ObjectIdentity, objectText } from '../../assembly/identity.js';
import { type ClusterClient, customResourceDefinitions, isForbidden, type ObjectAddress } from '../../kubernetes/index.js';
import { otherVersionsIn, unreadableEntries } from '../../ownership/index.js';
import { type ErrorLocation, FieldwiseError } from '../../util/error.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import { addressIfServed, resourceIfServed } from './address.js';

/** Finds out which versions of custom kinds are removed; asks about each once. */
export class RemovedVersions {
  readonly #cluster: ClusterClient;
  readonly #known = new Map<string, Promise<boolean>>();

  constructor(cluster: ClusterClient) {
    this.#cluster = cluster;
  }

  /** Returns the versions that managedFields of an object name and that its kind no longer has. Mostly no request is needed. */
  async removedFrom(live: JsonObject, { resource }: ObjectAddress): Promise<ReadonlySet<string>> {
    const others = otherVersionsIn(live, resource.apiVersion);
    const removed = await Promise.all(others.map(async (version) => ((await this.#isRemoved(version, resource)) ? [version] : [])));
    return new Set(removed.flat());
  }

  #isRemoved(apiVersion: string, { kind, plural }: ObjectAddress['resource']): Promise<boolean> {
    const key = `${apiVersion} ${plural}`;
    const cached = this.#known.get(key) ?? this.#ask(apiVersion, kind, plural);
    this.#known.set(key, cached);
    return cached;
  }

  /** Asks the server. A version that is listed but not served is harmless: the server still converts from it. */
  async #ask(apiVersion: string, kind: string, plural: string): Promise<boolean> {
    if (await this.#serves(apiVersion, kind)) return false;
    const [group, version] = apiVersion.split('/') as [string, string | undefined];
    if (version === undefined) return false;
    try {
      const crd = await this.#cluster.tryGet({ resource: customResourceDefinitions, name: `${plural}.${group}` });
      if (crd === undefined) return false; // a built-in kind: the server itself drops such entries
      const { versions } = (isJsonObject(crd.spec) ? crd.spec : {}) as { readonly versions?: readonly JsonObject[] };
      return versions?.some(({ name }) => name === version) !== true;
    } catch (error) {
      if (isForbidden(error)) return true;
      throw error;
    }
  }

  async #serves(apiVersion: string, kind: string): Promise<boolean> {
    return (await resourceIfServed(this.#cluster, apiVersion, kind)) !== undefined;
  }
}

/**
 * Returns the address of an object that was deployed in a version which may be removed: in that version, else in one that is served.
 *
 * @returns undefined where the server does not serve the kind at all.
 */
export async function addressInAnyVersion(cluster: ClusterClient, object: ObjectIdentity): Promise<ObjectAddress | undefined> {
  const address = await addressIfServed(cluster, object);
  if (address !== undefined) return address;
  const { apiVersion, kind } = object;
  const { resources } = await cluster.listResources();
  const resource = resources.find((one) => one.kind === kind && groupOf(one.apiVersion) === groupOf(apiVersion));
  return resource && addressIfServed(cluster, { ...object, apiVersion: resource.apiVersion });
}

/**
 * Refuses an object with an entry whose version is removed: the server cannot read it, and a patch that leaves it in place wipes the
 * entries of all others, too.
 *
 * @throws FieldwiseError `version-removed` where a write of the object would do that, `managed-fields-unreadable` where it may.
 */
export async function requireKnownVersions(
  cluster: ClusterClient,
  address: ObjectAddress,
  object: JsonObject,
  location: ErrorLocation = {},
): Promise<void> {
  requireReadableOwners(address, object, location);
  const removed = await new RemovedVersions(cluster).removedFrom(object, address);
  if (removed.size === 0) return;
  throw new FieldwiseError(
    'version-removed',
    'resource',
    `managedFields of the object names ${[...removed].join(', ')}, which its kind no longer has: a patch would wipe all owners`,
    { location, next: 'Nothing was changed. Run `fieldwise adopt --stale` first.' },
  );
}

/**
 * Refuses an object with an unreadable entry: a server drops its owner, or all owners, when managedFields is written.
 *
 * @throws FieldwiseError `managed-fields-unreadable`
 */
export function requireReadableOwners(
  { resource, namespace, name }: ObjectAddress,
  object: JsonObject,
  location: ErrorLocation = {},
): void {
  const reasons = unreadableEntries(object).map(({ reason }) => reason);
  if (reasons.length === 0) return;
  const { apiVersion, kind } = resource;
  const where = objectText({ apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) });
  throw new FieldwiseError(
    'managed-fields-unreadable',
    'resource',
    `metadata.managedFields of ${where} cannot be read: ${reasons.join('; ')}; a patch of it may wipe owners`,
    {
      location: { ...location, object: where },
      next: 'Nothing was changed. No API server writes such entries: find out what responds in its place, or which client wrote them, and remove them by hand.',
    },
  );
}
