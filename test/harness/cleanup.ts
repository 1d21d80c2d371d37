import type { Answered } from './api-client.js';
import { type ResourceType, ref, type TestCluster, unlessMissing } from './cluster.js';

/**
 * Removes a namespace and all in it. A whole cluster needs no more than the delete; a lone API server has no namespace
 * controller, so its work is done here: delete the contents, then finalize.
 */
export async function removeNamespace(cluster: TestCluster, name: string, hasControllers: boolean): Promise<void> {
  if (!hasControllers) await emptyNamespace(cluster, name);
  await cluster.remove(ref('v1', 'Namespace', name));
  if (hasControllers) return;
  const namespace = await cluster.find(ref('v1', 'Namespace', name));
  if (namespace === undefined) return;
  const finalized = { ...namespace, spec: { ...namespace.spec, finalizers: [] } };
  await cluster.client.call('PUT', `/api/v1/namespaces/${name}/finalize`, { body: finalized }).catch(unlessMissing);
}

async function emptyNamespace(cluster: TestCluster, namespace: string): Promise<void> {
  const types = (await cluster.types()).filter(({ namespaced, verbs }) => namespaced && verbs.includes('list') && verbs.includes('delete'));
  await Promise.all(types.map((type) => emptyType(cluster, type, namespace)));
}

async function emptyType(cluster: TestCluster, type: ResourceType, namespace: string): Promise<void> {
  const items = await cluster.list(type.apiVersion, type.kind, namespace).catch(unlessMissing);
  for (const item of items ?? []) await removeAtOnce(cluster, { ...type, metadata: item.metadata });
}

/** Deletes an object whatever its finalizers wait for. */
export async function removeAtOnce(cluster: TestCluster, object: { apiVersion: string; kind: string; metadata: Answered }): Promise<void> {
  if (object.metadata.finalizers?.length > 0) {
    await cluster.patch('test-cleanup', object, { metadata: { finalizers: null } }).catch(unlessMissing);
  }
  await cluster.remove(object);
}

/** Removes a CustomResourceDefinition with its objects. */
export async function removeCrd(cluster: TestCluster, name: string, hasControllers: boolean): Promise<void> {
  const crd = await cluster.find(ref('apiextensions.k8s.io/v1', 'CustomResourceDefinition', name));
  if (crd === undefined) return;
  await cluster.remove(crd);
  if (!hasControllers) await cluster.patch('test-cleanup', crd, { metadata: { finalizers: null } }).catch(unlessMissing);
}
