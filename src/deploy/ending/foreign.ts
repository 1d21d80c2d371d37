import { objectText } from '../../assembly/identity.js';
import { type Cluster, isNotFound, type Resource } from '../../cluster/index.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { isCrd } from '../order/established.js';

/** What every namespace gets by itself, and what only echoes other objects. */
const natural: ReadonlySet<string> = new Set(['ConfigMap kube-root-ca.crt', 'ServiceAccount default']);
export const echoes: ReadonlySet<string> = new Set(['Event', 'Endpoints', 'EndpointSlice', 'PodMetrics']);

/**
 * Objects that would go with a Namespace or a CustomResourceDefinition and that are none of ours. Objects with an owner are not named:
 * their owner is, or is ours.
 *
 * @param ours uids of objects that this run deletes.
 * @returns texts such as `Deployment shop/web`; empty for all other kinds.
 */
export async function foreignContent(cluster: Cluster, live: JsonObject, ours: ReadonlySet<string>): Promise<readonly string[]> {
  const object = live as JsonObject & { apiVersion: string; kind: string; metadata: { name: string } };
  if (object.kind === 'Namespace' && object.apiVersion === 'v1') return inNamespace(cluster, object.metadata.name, ours);
  if (isCrd(object)) return instancesOf(cluster, object, ours);
  return [];
}

async function inNamespace(cluster: Cluster, namespace: string, ours: ReadonlySet<string>): Promise<readonly string[]> {
  const resources = (await cluster.listable()).filter((resource) => resource.namespaced && !echoes.has(resource.kind));
  const lists = await Promise.all(resources.map((resource) => foreignOf(cluster, resource, namespace, ours)));
  return lists.flat();
}

async function instancesOf(cluster: Cluster, crd: JsonObject, ours: ReadonlySet<string>): Promise<readonly string[]> {
  const spec = isJsonObject(crd.spec) ? crd.spec : {};
  const names = isJsonObject(spec.names) ? spec.names : {};
  const versions = Array.isArray(spec.versions) ? (spec.versions as readonly Json[]).filter(isJsonObject) : [];
  const served = versions.find((version) => version.served === true);
  if (!served) return [];
  const apiVersion = `${String(spec.group)}/${String(served.name)}`;
  const resource = { apiVersion, kind: String(names.kind), plural: String(names.plural), namespaced: spec.scope !== 'Cluster' };
  return foreignOf(cluster, resource, undefined, ours);
}

async function foreignOf(cluster: Cluster, resource: Resource, namespace: string | undefined, ours: ReadonlySet<string>) {
  const scope = namespace === undefined ? {} : { namespace };
  const items = await cluster.list(resource, { ...scope, metadataOnly: true }).catch((error: unknown) => {
    if (isNotFound(error)) return []; // its CustomResourceDefinition is gone since discovery, and its objects with it
    throw error;
  });
  return items
    .map((item) => item.metadata as JsonObject & { name: string; namespace?: string })
    .filter((metadata) => metadata.deletionTimestamp === undefined && !ours.has(String(metadata.uid)))
    .filter((metadata) => !Array.isArray(metadata.ownerReferences) || metadata.ownerReferences.length === 0)
    .filter((metadata) => !natural.has(`${resource.kind} ${metadata.name}`))
    .map((metadata) => objectText({ ...resource, ...metadata }));
}
