import { type ApplyResponse, type ClusterClient, customResourceDefinitions } from '../../kubernetes/index.js';
import type { JsonObject } from '../../util/json.js';
import type { DigestKeys } from '../inventory/digest-keys.js';
import { ServerTypes } from './server-types.js';

/**
 * Returns a view of the cluster that merges applies with `dynamic` client-side, see `applyClientSide`. All other requests are sent to the
 * server.
 */
export function withClientSideApply(cluster: ClusterClient, keys: DigestKeys, types = new ServerTypes()): ClusterClient {
  return {
    ...cluster,
    async apply(address, body, options): Promise<ApplyResponse> {
      const { dynamic, ...others } = options;
      if (address.resource.plural === customResourceDefinitions.plural && options.dryRun !== true) types.clear();
      if (dynamic === undefined) return cluster.apply(address, body, others);
      const { applyClientSide } = await import('./apply-client-side.js'); // loaded lazily: few intents are merged client-side
      const root = await types.get(cluster, address.resource);
      const { manager, force, dryRun } = others;
      return applyClientSide(cluster, {
        address,
        body: body as JsonObject,
        manager,
        force,
        dryRun: dryRun === true,
        ...dynamic,
        root,
        keys,
      });
    },
    withContext: (context) => withClientSideApply(cluster.withContext(context), keys.withContext(context), types),
  };
}
