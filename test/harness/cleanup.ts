import { ApiCallError, type ResponseBody } from './api-client.js';
import { type ObjectRef, type ResourceType, ref, rootOf, type TestCluster, unlessMissing } from './cluster.js';
import { poll } from './poll.js';

/**
 * Removes a namespace and all in it, whatever finalizers wait for. A whole cluster then takes the namespace away; a lone API server has
 * no namespace controller, so its work is done here: finalize.
 */
export async function removeNamespace(cluster: TestCluster, name: string, hasControllers: boolean): Promise<void> {
  await emptyNamespace(cluster, name);
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

/** By the paths that discovery gave at the beginning: a CustomResourceDefinition of another file may go meanwhile, and that is fine. */
async function emptyType(cluster: TestCluster, type: ResourceType, namespace: string): Promise<void> {
  const collection = `${rootOf(type.apiVersion)}/namespaces/${namespace}/${type.plural}`;
  const list = await cluster.client.call('GET', collection).catch(unlessUnreadable);
  for (const { metadata } of list?.items ?? []) await removeAt(cluster, `${collection}/${metadata.name}`, metadata);
}

/** A kind that another file's conversion webhook refuses to convert has no objects here. */
function unlessUnreadable(error: unknown): undefined {
  if (error instanceof ApiCallError && error.message.includes('conversion webhook for ')) return undefined;
  return unlessMissing(error);
}

/** Deletes an object whatever its finalizers wait for. */
export async function removeAtOnce(cluster: TestCluster, object: ObjectRef): Promise<void> {
  const live = await cluster.find(object);
  if (live !== undefined) await removeAt(cluster, await cluster.path(object), live.metadata);
}

async function removeAt({ client }: TestCluster, path: string, metadata: ResponseBody): Promise<void> {
  if (metadata.finalizers?.length > 0) {
    const body = { metadata: { finalizers: null } };
    await client.call('PATCH', path, { body, contentType: 'application/merge-patch+json' }).catch(unlessMissing);
  }
  await client.call('DELETE', path, { query: { propagationPolicy: 'Background' } }).catch(unlessMissing);
}

/** Removes a CustomResourceDefinition with its objects, which every API server does by itself, in a moment. */
export async function removeCrd(cluster: TestCluster, name: string): Promise<void> {
  const crd = ref('apiextensions.k8s.io/v1', 'CustomResourceDefinition', name);
  await cluster.remove(crd);
  await poll(`CustomResourceDefinition ${name} is gone`, async () => (await cluster.find(crd)) === undefined);
}
