import { type ApplyAnswer, type Cluster, customResourceDefinitions } from '../../kubernetes/index.js';
import type { JsonObject } from '../../util/json.js';
import type { DigestKeys } from './digest-keys.js';
import { TypesOfServer } from './types-of-server.js';

/** The same cluster; an apply that asks for it (`dynamic`) is merged on this side, see `applyOnce`. All else goes to the server. */
export function applyingDynamically(cluster: Cluster, keys: DigestKeys, types = new TypesOfServer()): Cluster {
  return {
    ...cluster,
    async apply(address, body, options): Promise<ApplyAnswer> {
      const { dynamic, ...others } = options;
      if (address.resource.plural === customResourceDefinitions.plural && options.dryRun !== true) types.forget();
      if (dynamic === undefined) return cluster.apply(address, body, others);
      const { applyOnce } = await import('./apply.js'); // few intents are merged here
      const root = await types.of(cluster, address.resource);
      const { manager, force, dryRun } = others;
      return applyOnce(cluster, {
        address,
        body: body as JsonObject,
        manager,
        force,
        dryRun: dryRun === true,
        listKeys: dynamic.listKeys,
        root,
        keys,
      });
    },
    attendedBy: (attendance) => applyingDynamically(cluster.attendedBy(attendance), keys.attendedBy(attendance), types),
  };
}
