import { groupOf, type ObjectIdentity } from '../../assembly/identity.js';
import { ApiError, type Cluster, customResourceDefinitions, type ObjectAddress } from '../../cluster/index.js';
import { type EntryOfVersion, entriesOfVersions, otherVersionsIn, withoutVersions } from '../../ownership/index.js';
import { FieldwiseError } from '../../util/error.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import { addressIfServed } from '../address.js';
import { changeOwners } from '../owner-patch.js';

/** Tells which versions of custom kinds are gone; every question is asked once. */
export class RemovedVersions {
  readonly #cluster: Cluster;
  readonly #known = new Map<string, Promise<boolean>>();

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  /** The versions that managedFields of an object name and that its kind does not have any more. Mostly nothing is asked. */
  async in(live: JsonObject, { resource }: ObjectAddress): Promise<ReadonlySet<string>> {
    const others = otherVersionsIn(live, resource.apiVersion);
    const gone = await Promise.all(others.map(async (version) => ((await this.#isGone(version, resource)) ? [version] : [])));
    return new Set(gone.flat());
  }

  #isGone(apiVersion: string, { kind, plural }: ObjectAddress['resource']): Promise<boolean> {
    const key = `${apiVersion} ${plural}`;
    const asked = this.#known.get(key) ?? this.#ask(apiVersion, kind, plural);
    this.#known.set(key, asked);
    return asked;
  }

  /** A version that is listed and not served does no harm: the server still converts from it. */
  async #ask(apiVersion: string, kind: string, plural: string): Promise<boolean> {
    if (await this.#serves(apiVersion, kind)) return false;
    const [group, version] = apiVersion.split('/') as [string, string | undefined];
    if (version === undefined) return false;
    try {
      const crd = await this.#cluster.find({ resource: customResourceDefinitions, name: `${plural}.${group}` });
      if (crd === undefined) return false; // a built-in kind: the server itself forgets such entries
      const { versions } = (isJsonObject(crd.spec) ? crd.spec : {}) as { readonly versions?: readonly JsonObject[] };
      return versions?.some(({ name }) => name === version) !== true;
    } catch (error) {
      if (error instanceof ApiError && error.code === 403) return true;
      throw error;
    }
  }

  async #serves(apiVersion: string, kind: string): Promise<boolean> {
    try {
      await this.#cluster.resourceOf(apiVersion, kind);
      return true;
    } catch (error) {
      if (error instanceof FieldwiseError && error.code === 'kind-unknown') return false;
      throw error;
    }
  }
}

/**
 * Where an object is that was deployed in a version which may be gone: in that version, else in one that is served.
 *
 * @returns undefined where the server does not serve the kind at all.
 */
export async function addressInAnyVersion(cluster: Cluster, object: ObjectIdentity): Promise<ObjectAddress | undefined> {
  const address = await addressIfServed(cluster, object);
  if (address !== undefined) return address;
  const { apiVersion, kind } = object;
  const { resources } = await cluster.listable();
  const resource = resources.find((one) => one.kind === kind && groupOf(one.apiVersion) === groupOf(apiVersion));
  return resource && addressIfServed(cluster, { ...object, apiVersion: resource.apiVersion });
}

/** What was found at an object: `old of traps.example.com/v1alpha1`. */
export function entryText({ owner, apiVersion }: EntryOfVersion): string {
  return `${owner} at ${apiVersion}`;
}

/**
 * Rewrites the entries of removed versions; no value changes. See `withoutVersions`.
 *
 * @returns fields that their owners lose, because the object does not have them under that path.
 */
export async function rewriteRemovedVersions(
  cluster: Cluster,
  address: ObjectAddress,
  removed: RemovedVersions,
  { uid, manager }: { readonly uid: string; readonly manager: string },
): Promise<readonly string[]> {
  let dropped: readonly string[] = [];
  let versions: ReadonlySet<string> = new Set();
  const first = await cluster.find(address);
  if (first !== undefined) versions = await removed.in(first, address);
  await changeOwners(cluster, address, (live) => {
    if (live === undefined || (live.metadata as JsonObject).uid !== uid || entriesOfVersions(live, versions).length === 0) return undefined;
    const rewritten = withoutVersions(live, versions);
    dropped = rewritten.dropped;
    return { manager, entries: rewritten.entries.length > 0 ? rewritten.entries : [{}] }; // of an empty list the server takes no notice
  });
  return dropped;
}
