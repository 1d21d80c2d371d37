import type { StatusOptions } from '../deploy/index.js';
import type { ClusterClient } from '../kubernetes/index.js';
import { simulationFor } from './files/plan-file.js';
import type { Host } from './host.js';
import type { Config } from './program/config.js';
import { independentOption } from './program/independent-option.js';

/** Returns the options of the engine for status and drift. */
export function inspectOptions(host: Host, config: Config, cluster: ClusterClient, stacks: readonly string[]): StatusOptions {
  return {
    stacks,
    inventoryNamespace: config.inventory.namespace,
    ...independentOption(config),
    references: { env: host.env, directory: config.directory },
    simulate: simulationFor(cluster),
  };
}
