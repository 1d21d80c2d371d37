import { groupOf } from '../../assembly/identity.js';
import type { Cluster } from '../../cluster/index.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import { listOf, member } from './object.js';

/**
 * Whether the schema of a kind has `status.observedGeneration` or `status.conditions`, so that its controller is expected to write them.
 * Asked of the server's OpenAPI document.
 */
export async function expectsStatus(cluster: Cluster, { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }) {
  const document = await cluster.openApi(apiVersion);
  const schemas = member(member(document, 'components'), 'schemas');
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1);
  const schema = Object.values(schemas)
    .filter(isJsonObject)
    .find((candidate) =>
      listOf(candidate['x-kubernetes-group-version-kind']).some(
        (gvk) => gvk.group === groupOf(apiVersion) && gvk.version === version && gvk.kind === kind,
      ),
    );
  if (!schema) return false;
  const status = member(resolved(member(member(schema, 'properties'), 'status'), schemas), 'properties');
  return status.observedGeneration !== undefined || status.conditions !== undefined;
}

/** What a reference, alone or wrapped in `allOf`, stands for. */
function resolved(schema: JsonObject, schemas: JsonObject): JsonObject {
  const reference = schema.$ref ?? listOf(schema.allOf)[0]?.$ref;
  return typeof reference === 'string' ? member(schemas, reference.replace('#/components/schemas/', '')) : schema;
}
