import type { Command } from 'commander';
import { readConcurrency } from '../concurrency.js';
import { confirmWith } from '../confirm.js';
import { addClusterFlags, type ClusterFlags, openCluster } from '../connect.js';
import type { Host } from '../host.js';
import { addProgramOptions, synthesize, warningText } from './synth.js';

interface DeployFlags extends ClusterFlags {
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly yes?: boolean;
  readonly prune?: boolean;
  readonly deleteShared?: boolean;
  readonly deleteForeign?: boolean;
  readonly concurrency?: number;
}

/** Adds `fieldwise deploy`. */
export function registerDeploy(program: Command, host: Host): void {
  const command = program
    .command('deploy')
    .description('apply what the program declares, release or delete what it no longer declares')
    .argument('[stacks...]', 'stacks to deploy (default: all of the program)');
  addRunFlags(addClusterFlags(addProgramOptions(command)))
    .option('--prune', 'delete and release objects no longer declared without asking, unless most of a stack would go')
    .action(async (stacks: readonly string[], _: DeployFlags, self: Command) => {
      const flags = self.optsWithGlobals<DeployFlags>();
      const { loadConfig } = await import('../config.js');
      const config = await loadConfig({ cwd: host.cwd, env: host.env, flags });
      const assembly = await synthesize({ host, config });
      if (!flags.json) for (const warning of assembly.manifest.warnings) host.stderr(warningText(warning));
      const { deploy } = await import('../../deploy/index.js');
      const cluster = await openCluster({ ...config, concurrency: flags.concurrency });
      try {
        const options = { stacks, inventoryNamespace: config.inventory.namespace, ...runOptions(flags, host) };
        const summary = await deploy(assembly, cluster, options, await eventsOf(flags, host));
        host.setExitCode(summary.exitCode);
      } finally {
        cluster.close();
      }
    });
}

/** Flags that deploy and destroy share. */
export function addRunFlags(command: Command): Command {
  return command
    .option('-j, --json', 'print events as JSON, one a line, the summary last')
    .option('-y, --yes', 'answer every question with yes')
    .option('--delete-shared', 'delete owned objects even where other managers apply fields to them')
    .option('--delete-foreign', 'delete owned Namespaces and CustomResourceDefinitions even with what others keep in them')
    .option('--concurrency <number>', 'objects worked on at once (default: 16)', readConcurrency);
}

/** Options of the engine that flags decide. */
export function runOptions(flags: Omit<DeployFlags, keyof ClusterFlags>, host: Host) {
  return {
    confirm: confirmWith(host, flags.yes),
    deleteShared: flags.deleteShared === true,
    deleteForeign: flags.deleteForeign === true,
    signal: host.signal,
    ...(flags.prune === undefined ? {} : { prune: flags.prune }),
    ...(flags.concurrency === undefined ? {} : { concurrency: flags.concurrency }),
  };
}

/** Where the events of a run go. */
export async function eventsOf(flags: { readonly json?: boolean; readonly quiet?: boolean }, host: Host) {
  if (flags.json) return (await import('../render/json.js')).jsonEvents(host);
  return (await import('../render/run.js')).humanRun(host, { quiet: flags.quiet === true });
}
