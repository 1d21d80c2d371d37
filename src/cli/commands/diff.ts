import type { Command } from 'commander';
import { addClusterFlags, type ClusterFlags, openCluster } from '../connect.js';
import type { Host } from '../host.js';
import { addProgramOptions, synthesize, warningText } from './synth.js';

interface DiffFlags extends ClusterFlags {
  readonly json?: boolean;
  readonly exitCode?: boolean;
  readonly deleteShared?: boolean;
  readonly deleteForeign?: boolean;
}

/** Adds `fieldwise diff`. */
export function registerDiff(program: Command, host: Host): void {
  const command = program
    .command('diff')
    .description('show, object by object and field by field, what a deploy would do')
    .argument('[stacks...]', 'stacks to look at (default: all of the program)');
  addClusterFlags(addProgramOptions(command))
    .option('-j, --json', 'print the plan as JSON, one object a line, the summary last')
    .option('--exit-code', 'exit with 1 where a deploy would change anything')
    .option('--delete-shared', 'as in deploy')
    .option('--delete-foreign', 'as in deploy')
    .action(async (stacks: readonly string[], flags: DiffFlags) => {
      const { loadConfig } = await import('../config.js');
      const config = await loadConfig({ cwd: host.cwd, env: host.env, flags });
      const assembly = await synthesize({ host, config });
      if (!flags.json) for (const warning of assembly.manifest.warnings) host.stderr(warningText(warning));
      const { plan } = await import('../../deploy/index.js');
      const cluster = await openCluster(config);
      try {
        const events = flags.json
          ? (await import('../render/json.js')).jsonEvents(host)
          : (await import('../render/plan.js')).humanPlan(host);
        const options = {
          stacks,
          inventoryNamespace: config.inventory.namespace,
          deleteShared: flags.deleteShared === true,
          deleteForeign: flags.deleteForeign === true,
        };
        const summary = await plan(assembly, cluster, options, events);
        if (summary.exitCode !== 0) host.setExitCode(summary.exitCode);
        else if (flags.exitCode && summary.differs) host.setExitCode(1);
      } finally {
        cluster.close();
      }
    });
}
