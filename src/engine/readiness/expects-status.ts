import type { ClusterClient, Resource } from '../../kubernetes/index.js';
import { fetchCrd } from '../addresses/fetch-crd.js';
import { listOf, member } from './object.js';

/**
 * Returns true if the schema of a custom kind has `status.observedGeneration` or `status.conditions`, so that its controller is expected to
 * write them.
 *
 * @returns undefined where the schema is not known, or not yet.
 */
export async function expectsStatus(cluster: ClusterClient, resource: Resource): Promise<boolean | undefined> {
  const definition = await fetchCrd(cluster, resource);
  if (definition === undefined) return undefined;
  const served = listOf(member(definition, 'spec').versions).find(({ name }) => resource.apiVersion.endsWith(`/${String(name)}`));
  const status = ['schema', 'openAPIV3Schema', 'properties', 'status', 'properties'].reduce(member, served ?? {});
  return status.observedGeneration !== undefined || status.conditions !== undefined;
}
