import type { Command } from 'commander';
import { addClusterFlags, type ClusterFlags, openCluster } from '../cluster/open-cluster.js';
import { addProgramOptions, jsonOption } from '../config/flags.js';
import type { HistoryLine } from '../json/lines.js';
import type { Host } from '../process/host.js';
import { synthesize } from '../program/synthesize.js';

interface HistoryFlags extends ClusterFlags {
  readonly json?: boolean;
}

/** Adds `fieldwise history`. */
export function registerHistory(program: Command, host: Host): void {
  const command = program
    .command('history')
    .summary('list the revisions that deploys of the stacks have recorded')
    .description(
      'Lists the revisions of the stacks, the newest first: when, by whom and from which commit each was deployed, and its result. `fieldwise diff --to-revision NUMBER` shows what a rollback to it would change, and `fieldwise rollback NUMBER` goes back to it.',
    )
    .argument(
      '[stacks...]',
      'names of stacks (groups of objects) to list, also of others in the cluster, as `fieldwise list` shows them (default: all stacks of the program)',
    );
  addClusterFlags(addProgramOptions(command))
    .addOption(jsonOption('text, or json: one revision per line, without a summary (default: text)'))
    .action(async (stacks: readonly string[], flags: HistoryFlags) => {
      const { loadConfig } = await import('../config/config.js');
      const config = await loadConfig({ cwd: host.cwd, env: host.env, flags });
      const assembly = await synthesize({ host, config });
      const { listRevisions } = await import('../../inspect/history/history.js');
      const cluster = await openCluster(config);
      try {
        const { warningRenderer } = await import('../render/warning-renderer.js');
        const json = flags.json ? (await import('../render/json-renderer.js')).jsonRenderer<HistoryLine>(host) : undefined;
        const onWarning = json ?? warningRenderer(host);
        const revisions = await listRevisions(assembly, cluster, { stacks, inventoryNamespace: config.inventory.namespace }, onWarning);
        if (json) for (const revision of revisions) json(revision);
        else host.stdout((await import('../render/history-table.js')).historyTable(revisions, host.width));
      } finally {
        cluster.close();
      }
    });
}
