import type { Command } from 'commander';
import { clusterIdentityReader } from '../../engine/inventory/cluster-identity.js';
import { pluralize } from '../../util/pluralize.js';
import { addClusterFlags, type ClusterFlags, openCluster } from '../cluster/open-cluster.js';
import { addDocumentFlags, type DocumentFlags } from '../config/document-source.js';
import {
  addContextFlag,
  addEnvironmentFlag,
  addInstanceFlag,
  appHelp,
  configHelp,
  type OutputFileFlag,
  outputFileOf,
  outputFileOption,
} from '../config/flags.js';
import { defaultSnapshot, writeJson } from '../files/plan-file.js';
import type { Host } from '../process/host.js';
import { synthesize } from '../program/synthesize.js';

interface SnapshotFlags extends ClusterFlags, DocumentFlags, OutputFileFlag {}

/** Adds `fieldwise snapshot`. */
export function registerSnapshot(program: Command, host: Host): void {
  const command = program
    .command('snapshot')
    .summary('save the live objects to a file, for `fieldwise diff --offline`')
    .description(
      'Saves the live objects and schemas that a plan needs to a file, for `fieldwise diff --offline`. Leaves out the values of Secrets.',
    )
    .argument('[stacks...]', 'names of stacks (groups of objects) to save (default: all stacks of the program)')
    .option('-a, --app <app>', appHelp)
    .addOption(outputFileOption(`file to write, such as snapshot=${defaultSnapshot} (default: this file)`, ['snapshot']))
    .option('--config <file>', configHelp);
  addClusterFlags(addContextFlag(addInstanceFlag(addEnvironmentFlag(addDocumentFlags(command))))).action(
    async (stacks: readonly string[], flags: SnapshotFlags) => {
      const output = outputFileOf(flags, 'snapshot') ?? defaultSnapshot;
      const { loadConfig } = await import('../config/config.js');
      const config = await loadConfig({ cwd: host.cwd, env: host.env, flags });
      const assembly = await synthesize({ host, config });
      const [{ takeSnapshot }, { policiesNotRead }, { warningRenderer }] = await Promise.all([
        import('../../plan/snapshot.js'),
        import('../../plan/policies-not-read.js'),
        import('../render/warning-renderer.js'),
      ]);
      const cluster = await openCluster(config);
      try {
        const inventoryNamespace = config.inventory.namespace;
        const readIdentity = clusterIdentityReader(cluster, inventoryNamespace, cluster.uid);
        const snapshot = await takeSnapshot(assembly, cluster, {
          stacks,
          inventoryNamespace,
          readIdentity,
          references: { env: host.env, directory: config.directory },
        });
        await writeJson(host, output, snapshot);
        const warning = policiesNotRead(snapshot.policies);
        if (warning) warningRenderer(host)(warning);
        host.stderr(`${pluralize(snapshot.objects.length, 'object')} of ${snapshot.server} in ${output}\n`);
      } finally {
        cluster.close();
      }
    },
  );
}
