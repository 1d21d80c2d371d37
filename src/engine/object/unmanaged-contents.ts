import { type ObjectIdentity, objectText } from '../../assembly/identity.js';
import { metadataOf, nameOf, type ObjectMetadata } from '../../fields/object.js';
import { apiServiceOf, type ClusterClient, isNotFound, isUnavailable, type Resource, type UnavailableApi } from '../../kubernetes/index.js';
import { groupOf } from '../../util/api-version.js';
import { FieldwiseError } from '../../util/error.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { isCrd } from '../addresses/wait-for-established.js';
import { CoveredOwners } from './covered-owners.js';

/** The milliseconds to wait for an API that does not respond: its objects in a namespace decide about that namespace alone. */
const maxRetryTimeoutMs = 10_000;

/** Objects that Kubernetes creates in every namespace. */
const autoCreated: ReadonlySet<string> = new Set(['v1 ConfigMap kube-root-ca.crt', 'v1 ServiceAccount default']);

/** Returns true for a kind whose objects tell only of others. */
export function isOfOthers({ apiVersion, kind }: Pick<Resource, 'apiVersion' | 'kind'>): boolean {
  return derivedKinds.has(`${groupOf(apiVersion)}/${kind}`);
}

const derivedKinds: ReadonlySet<string> = new Set(['/Event', 'events.k8s.io/Event', 'metrics.k8s.io/PodMetrics']);

/**
 * Returns objects that would be deleted with a Namespace or a CustomResourceDefinition and that this run does not delete. Objects with owners
 * are left out if each of these is named, or deleted by this run.
 *
 * @param keysToDelete objects that this run deletes, by their `deletionKey`.
 * @param deletionTimeoutSeconds seconds that the run waits for a deletion; it does not wait longer for an API.
 * @returns texts such as `Deployment shop/web`; empty for all other kinds.
 * @throws FieldwiseError `content-unknown` where an API does not respond.
 */
export async function unmanagedContents(
  server: ClusterClient,
  live: JsonObject,
  keysToDelete: ReadonlySet<string>,
  deletionTimeoutSeconds = 0,
): Promise<readonly string[]> {
  const cluster = server.withContext({
    retryTimeoutMs: deletionTimeoutSeconds > 0 ? Math.min(deletionTimeoutSeconds * 1_000, maxRetryTimeoutMs) : maxRetryTimeoutMs,
  });
  const object = live as JsonObject & { apiVersion: string; kind: string; metadata: { name: string } };
  if (object.kind === 'Namespace' && object.apiVersion === 'v1') return contentsOfNamespace(cluster, object.metadata.name, keysToDelete);
  if (isCrd(object)) return instancesOf(cluster, object, keysToDelete);
  return [];
}

/**
 * Returns the key that identifies an object that a run deletes. A uid alone does not: an inventory could list one under a wrong kind or
 * name, and an object is deleted, if at all, under its own name before its container.
 */
export function deletionKey(
  uid: string | undefined,
  { kind, namespace, name }: Pick<ObjectIdentity, 'kind' | 'namespace' | 'name'>,
): string {
  return `${uid} ${kind} ${namespace ?? ''}/${name}`;
}

async function contentsOfNamespace(
  cluster: ClusterClient,
  namespace: string,
  keysToDelete: ReadonlySet<string>,
): Promise<readonly string[]> {
  const { resources, unavailable } = await cluster.listResources();
  if (unavailable.length > 0) throw contentUnknownError(namespace, unavailable);
  const inside = resources.filter((resource) => resource.namespaced && !isOfOthers(resource));
  const silent: UnavailableApi[] = [];
  const lists = await Promise.all(
    inside.map((resource) =>
      contentsOf(cluster, resource, namespace).catch((error: unknown) => {
        if (!isUnavailable(error)) throw error;
        silent.push({ apiVersion: resource.apiVersion, reason: error.message });
        return [];
      }),
    ),
  );
  const foreign = await unmanagedAmong(cluster, lists.flat(), keysToDelete);
  if (foreign.length === 0 && silent.length > 0) throw contentUnknownError(namespace, silent);
  return foreign;
}

/** Returns the error for a Namespace with unknown content: the content is deleted with it, so the Namespace is not deleted. */
function contentUnknownError(namespace: string, unavailable: readonly UnavailableApi[]): FieldwiseError {
  const reasons = new Map(unavailable.map(({ apiVersion, reason }) => [apiVersion, `${apiVersion} does not respond (${reason.trim()})`]));
  const services = [...reasons.keys()].map(apiServiceOf).join(', ');
  return new FieldwiseError(
    'content-unknown',
    'resource',
    `It was not deleted, because the content of Namespace ${namespace} is not known: ${[...reasons.values()].join(', ')}`,
    {
      next: `Restore the server behind the APIService ${services}, or delete that APIService if nothing needs it, and run again. --delete foreign (library: \`deleteForeign\`) deletes without this check, but Kubernetes does not finish the deletion of a Namespace as long as an API does not respond.`,
    },
  );
}

async function instancesOf(cluster: ClusterClient, crd: JsonObject, keysToDelete: ReadonlySet<string>): Promise<readonly string[]> {
  const spec = isJsonObject(crd.spec) ? crd.spec : {};
  const names = isJsonObject(spec.names) ? spec.names : {};
  const versions = Array.isArray(spec.versions) ? (spec.versions as readonly Json[]).filter(isJsonObject) : [];
  const served = versions.find((version) => version.served === true);
  if (!served) return [];
  const apiVersion = `${String(spec.group)}/${String(served.name)}`;
  const resource = { apiVersion, kind: String(names.kind), plural: String(names.plural), namespaced: spec.scope !== 'Cluster' };
  return unmanagedAmong(cluster, await contentsOf(cluster, resource, undefined), keysToDelete);
}

/** An object that would be deleted with what contains it. */
interface ContainedObject {
  readonly identity: ObjectIdentity;
  readonly metadata: ObjectMetadata;
}

async function contentsOf(cluster: ClusterClient, resource: Resource, namespace: string | undefined): Promise<readonly ContainedObject[]> {
  const scope = namespace === undefined ? {} : { namespace };
  const items = await cluster.list(resource, { ...scope, metadataOnly: true }).catch((error: unknown) => {
    if (isNotFound(error)) return []; // its CustomResourceDefinition was deleted after discovery, together with its objects
    throw error;
  });
  return items.map((item) => {
    const metadata = metadataOf(item);
    const { apiVersion, kind } = resource;
    const inside = metadata.namespace === undefined ? {} : { namespace: metadata.namespace };
    return { identity: { apiVersion, kind, ...inside, name: nameOf(item) }, metadata };
  });
}

async function unmanagedAmong(
  cluster: ClusterClient,
  contents: readonly ContainedObject[],
  keysToDelete: ReadonlySet<string>,
): Promise<readonly string[]> {
  const own = contents.filter(({ identity, metadata }) => {
    return (
      metadata.deletionTimestamp === undefined &&
      !keysToDelete.has(deletionKey(String(metadata.uid), identity)) &&
      !autoCreated.has(`${identity.apiVersion} ${identity.kind} ${identity.name}`) &&
      !isWrittenForService(identity, metadata)
    );
  });
  const listed = contents.map(({ metadata }) => String(metadata.uid));
  const owners = new CoveredOwners(cluster, new Set([...listed, ...[...keysToDelete].map((key) => key.split(' ', 1)[0] as string)]));
  const verdicts = await Promise.all(own.map(({ identity, metadata }) => owners.coverAll(metadata, identity.namespace)));
  return own.filter((_, index) => !verdicts[index]).map(({ identity }) => objectText(identity));
}

/** Returns true for Endpoints that a controller writes for the selector of a Service. Nobody owns them, and their slices have owners. */
function isWrittenForService({ apiVersion, kind }: ObjectIdentity, { managedFields }: ObjectMetadata): boolean {
  if (apiVersion !== 'v1' || kind !== 'Endpoints') return false;
  return managedFields?.some(({ manager }) => manager === 'kube-controller-manager') === true;
}
