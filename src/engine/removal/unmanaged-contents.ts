import { type ObjectIdentity, objectText } from '../../assembly/identity.js';
import { apiServiceOf, type ClusterClient, isNotFound, isUnavailable, type Resource, type UnavailableApi } from '../../kubernetes/index.js';
import { metadataOf, nameOf } from '../../kubernetes/object.js';
import { FieldwiseError } from '../../util/error.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { isCrd } from '../target/wait-for-established.js';

/** The milliseconds to wait for an API that does not respond: its objects in a namespace decide about that namespace alone. */
const maxRetryTimeoutMs = 10_000;

/** Objects that Kubernetes creates in every namespace, and kinds that are derived from other objects. */
const autoCreated: ReadonlySet<string> = new Set(['ConfigMap kube-root-ca.crt', 'ServiceAccount default']);
export const derivedKinds: ReadonlySet<string> = new Set(['Event', 'Endpoints', 'EndpointSlice', 'PodMetrics']);

/**
 * Returns objects that would be deleted with a Namespace or a CustomResourceDefinition and that this run does not delete. Objects with an
 * owner are left out: their owner is named, or deleted by this run.
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
  const inside = resources.filter((resource) => resource.namespaced && !derivedKinds.has(resource.kind));
  const silent: UnavailableApi[] = [];
  const lists = await Promise.all(
    inside.map((resource) =>
      unmanagedObjects(cluster, resource, namespace, keysToDelete).catch((error: unknown) => {
        if (!isUnavailable(error)) throw error;
        silent.push({ apiVersion: resource.apiVersion, reason: error.message });
        return [];
      }),
    ),
  );
  const foreign = lists.flat();
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
      next: `Restore the server behind the APIService ${services}, or delete that APIService if nothing needs it, and run again. --delete-foreign (library: \`deleteForeign\`) deletes without this check, but Kubernetes does not finish the deletion of a Namespace as long as an API does not respond.`,
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
  return unmanagedObjects(cluster, resource, undefined, keysToDelete);
}

async function unmanagedObjects(
  cluster: ClusterClient,
  resource: Resource,
  namespace: string | undefined,
  keysToDelete: ReadonlySet<string>,
) {
  const scope = namespace === undefined ? {} : { namespace };
  const items = await cluster.list(resource, { ...scope, metadataOnly: true }).catch((error: unknown) => {
    if (isNotFound(error)) return []; // its CustomResourceDefinition was deleted after discovery, together with its objects
    throw error;
  });
  return items
    .map((item) => ({ ...metadataOf(item), name: nameOf(item) }))
    .filter((metadata) => metadata.deletionTimestamp === undefined)
    .filter((metadata) => !keysToDelete.has(deletionKey(String(metadata.uid), { kind: resource.kind, ...metadata })))
    .filter((metadata) => !Array.isArray(metadata.ownerReferences) || metadata.ownerReferences.length === 0)
    .filter((metadata) => !autoCreated.has(`${resource.kind} ${metadata.name}`))
    .map((metadata) => objectText({ ...resource, ...metadata }));
}
