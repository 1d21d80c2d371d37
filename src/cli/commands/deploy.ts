import type { Command } from 'commander';
import { confirmWith } from '../confirm.js';
import { addStrategyFlag, defaultWaitLock, readConcurrency, readSeconds, type StrategyFlag, strategyOption } from '../flags.js';
import type { Host } from '../host.js';
import { addClusterFlags, type ClusterFlags, openCluster } from '../open-cluster.js';
import { boundPlan, readPlan } from '../plan-file.js';
import { runWithReport } from '../report-file.js';
import { addProgramOptions, synthesize, warningText } from './synth.js';

interface DeployFlags extends ClusterFlags, StrategyFlag {
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly yes?: boolean;
  readonly prune?: boolean;
  readonly reconcile?: string;
  readonly plan?: string;
  readonly deleteShared?: boolean;
  readonly deleteForeign?: boolean;
  readonly concurrency?: number;
  readonly waitLock?: number | true;
  readonly report?: string;
  readonly wait?: boolean;
  readonly timeout?: number;
  readonly pruneStacks?: boolean;
}

/** Adds `fieldwise deploy`. */
export function registerDeploy(program: Command, host: Host): void {
  const command = program
    .command('deploy')
    .description('apply what the program declares, release or delete what it no longer declares')
    .argument('[stacks...]', 'stacks to deploy (default: all of the program)');
  addRunFlags(addClusterFlags(addProgramOptions(command)))
    .option('--plan <file>', 'do what a plan of `diff --out` says, and refuse if the cluster is not as it was')
    .option('--prune', 'delete and release objects no longer declared without asking, unless most of a stack would go')
    .option('--prune-stacks', 'destroy the stacks of this app and instance that the program does not declare any more; asks')
    .option(
      '--reconcile <which>',
      'full: send every intent (default); changed: leave out those of which a LIST proves that nothing changes',
    )
    .option('--wait', 'wait until everything applied is ready, whatever the policies say (default: as they say, yes unless told otherwise)')
    .option('--no-wait', 'do not wait until what was applied is ready')
    .option(
      '--timeout <seconds>',
      'seconds to wait for each object to become ready or, where it is shared and absent, to exist (default: as the policies say, else 300), or to be gone (120)',
      readSeconds,
    )
    .action(async (stacks: readonly string[], _: DeployFlags, self: Command) => {
      const flags = self.optsWithGlobals<DeployFlags>();
      const { loadConfig } = await import('../config.js');
      const config = await loadConfig({ cwd: host.cwd, env: host.env, flags });
      const saved = flags.plan === undefined ? undefined : await readPlan(host, flags.plan);
      const assembly = await synthesize({ host, config });
      if (!flags.json) for (const warning of assembly.manifest.warnings) host.stderr(warningText(warning));
      const { deploy } = await import('../../deploy/deploy/deploy.js');
      const cluster = await openCluster({ ...config, concurrency: flags.concurrency });
      try {
        const { reconcile, inventory } = config;
        // Nothing brings workloads to life on the embedded server.
        const wait = flags.wait ?? (config.cluster === 'embedded' ? false : undefined);
        const options = {
          stacks,
          reconcile,
          inventoryNamespace: inventory.namespace,
          references: { env: host.env, directory: config.directory },
          ...runOptions(flags, host),
          ...(wait === undefined ? {} : { wait }),
          ...(flags.timeout === undefined ? {} : { waitSeconds: flags.timeout, deletionTimeoutSeconds: flags.timeout }),
          pruneStacks: flags.pruneStacks === true,
        };
        // What the plan deletes was read and approved with it.
        const bound = saved ? { plan: boundPlan(saved, cluster), confirm: async () => true } : {};
        const events = await eventsOf(flags, host);
        const summary = await runWithReport(flags, host, { ...assembly.manifest, server: cluster.server }, events, (to) =>
          deploy(assembly, cluster, { ...options, ...bound }, to),
        );
        if (summary) host.setExitCode(summary.exitCode);
      } finally {
        cluster.close();
      }
    });
}

/** Flags that deploy and destroy share. */
export function addRunFlags(command: Command): Command {
  return addStrategyFlag(command)
    .option('-j, --json', 'print events as JSON, one a line, the summary last')
    .option('--report <file>', 'write what became of each object to a file, as JSON')
    .option('-y, --yes', 'answer every question with yes')
    .option('--delete-shared', 'delete owned objects even where other managers apply fields to them')
    .option('--delete-foreign', 'delete owned Namespaces and CustomResourceDefinitions even with what others keep in them')
    .option('--concurrency <number>', 'objects worked on at once, at most (default: 16)', readConcurrency)
    .option(
      '--wait-lock [seconds]',
      `wait for another run that works on the same stack (without seconds: ${defaultWaitLock})`,
      readSeconds,
    );
}

/** Options of the engine that flags decide. */
export function runOptions(flags: Omit<DeployFlags, keyof ClusterFlags>, host: Host) {
  return {
    confirm: confirmWith(host, flags.yes),
    yes: flags.yes === true,
    deleteShared: flags.deleteShared === true,
    deleteForeign: flags.deleteForeign === true,
    signal: host.signal,
    ...strategyOption(flags, host),
    ...(flags.prune === undefined ? {} : { prune: flags.prune }),
    ...(flags.concurrency === undefined ? {} : { concurrency: flags.concurrency }),
    ...(flags.waitLock === undefined ? {} : { lockTimeoutSeconds: flags.waitLock === true ? defaultWaitLock : flags.waitLock }),
  };
}

/** Where the events of a run go. */
export async function eventsOf(flags: { readonly json?: boolean; readonly quiet?: boolean }, host: Host) {
  if (flags.json) return (await import('../render/json-renderer.js')).jsonRenderer(host);
  return (await import('../render/run-renderer.js')).runRenderer(host, { quiet: flags.quiet === true });
}
