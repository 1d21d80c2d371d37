import type { Command } from 'commander';
import { pluralize } from '../../util/pluralize.js';
import type { Host } from '../host.js';
import { addClusterFlags, type ClusterFlags, openCluster } from '../open-cluster.js';
import { defaultSnapshot, writeJson } from '../plan-file.js';
import { synthesize } from './synth.js';

interface SnapshotFlags extends ClusterFlags {
  readonly output?: string;
}

/** Adds `fieldwise snapshot`. */
export function registerSnapshot(program: Command, host: Host): void {
  const command = program
    .command('snapshot')
    .description('save what a plan needs of the cluster, for `diff --offline`; values of Secrets are left out')
    .argument('[stacks...]', 'stacks to look at (default: all of the program)')
    .option('-a, --app <app>', 'program file, command that runs one, or directory of a finished assembly')
    .option('-o, --output <file>', `file to write (default: ${defaultSnapshot})`)
    .option('--config <file>', 'configuration file instead of fieldwise.yaml');
  addClusterFlags(command).action(async (stacks: readonly string[], { output = defaultSnapshot, ...flags }: SnapshotFlags) => {
    const { loadConfig } = await import('../config.js');
    const config = await loadConfig({ cwd: host.cwd, env: host.env, flags });
    const assembly = await synthesize({ host, config });
    const { takeSnapshot } = await import('../../plan/snapshot.js');
    const cluster = await openCluster(config);
    try {
      const snapshot = await takeSnapshot(assembly, cluster, { stacks, inventoryNamespace: config.inventory.namespace });
      await writeJson(host, output, snapshot);
      host.stderr(`${pluralize(snapshot.objects.length, 'object')} of ${snapshot.server} in ${output}\n`);
    } finally {
      cluster.close();
    }
  });
}
