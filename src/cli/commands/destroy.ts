import type { Command } from 'commander';
import type { Manifest } from '../../assembly/types.js';
import { addClusterFlags, type ClusterFlags, openCluster } from '../cluster/open-cluster.js';
import type { Config } from '../config/config.js';
import type { DocumentFlags } from '../config/document-source.js';
import { addProgramOptions, type Deletable, type OutputFileFlag, readSeconds } from '../config/flags.js';
import { reportFailure, runWithReport } from '../files/report-file.js';
import type { Host } from '../process/host.js';
import { historyOption } from '../program/options.js';
import { objectsIn, synthesize } from '../program/synthesize.js';
import { addRunFlags, addRunOutput, eventsOf, runOptions, withReport } from './deploy.js';

interface DestroyFlags extends ClusterFlags, OutputFileFlag, DocumentFlags {
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly yes?: boolean;
  readonly delete?: readonly Deletable[];
  readonly concurrency?: number;
  readonly timeout?: number;
  readonly retainRejected?: boolean;
  readonly waitLock?: number | true;
  readonly report?: string;
}

/** Adds `fieldwise destroy`. */
export function registerDestroy(program: Command, host: Host): void {
  const command = program
    .command('destroy')
    .summary('delete the objects that stacks own, and release those that they share')
    .description(
      'Deletes the objects that the stacks declared with `own` (by default, only if they created them), and releases (gives up ownership of) the fields of all others. Asks first, unless --yes is set.',
    )
    .argument(
      '[stacks...]',
      'names of stacks (groups of objects) to destroy; they may be stacks that the program no longer declares (default: all stacks that it declares)',
    );
  addRunOutput(addRunFlags(addClusterFlags(addProgramOptions(command))))
    .option(
      '--timeout <seconds>',
      'seconds to wait until each deleted object no longer exists; 0 does not wait (default: 120)',
      readSeconds,
    )
    .option(
      '--retain-rejected',
      'if an object would be invalid without the fields of the stack, keep it unchanged and remove it from the inventory (default: fail)',
    )
    .action(async (named: readonly string[], _: DestroyFlags, self: Command) => {
      const flags = withReport(self.optsWithGlobals<DestroyFlags>());
      const { loadConfig } = await import('../config/config.js');
      const config = await loadConfig({ cwd: host.cwd, env: host.env, flags });
      const { manifest, stacks } = await reportFailure(flags, host, { ...config, verb: 'destroy' }, () => targetsOf(config, named, host));
      const { destroy } = await import('../../deploy/destroy/destroy.js');
      const cluster = await openCluster({ ...config, concurrency: flags.concurrency, objects: objectsIn(manifest) });
      try {
        const options = {
          stacks,
          inventoryNamespace: config.inventory.namespace,
          ...runOptions(flags, host),
          ...historyOption(config, cluster, host, [flags.report]),
          retainRejected: flags.retainRejected === true,
          ...(flags.timeout === undefined ? {} : { deletionTimeoutSeconds: flags.timeout }),
        };
        const events = await eventsOf(flags, host, { ...config, kubeContext: cluster.kubeContext });
        const summary = await runWithReport(flags, host, { ...manifest, server: cluster.server }, events, (to) =>
          destroy(manifest, cluster, options, to),
        );
        if (summary) host.setExitCode(summary.exitCode);
      } finally {
        cluster.close();
      }
    });
}

/** Returns the stacks to destroy. The stack of documents is destroyed by its inventory alone, so `--stack` needs no `--file`. */
async function targetsOf(
  config: Config,
  named: readonly string[],
  host: Host,
): Promise<{ readonly manifest: Manifest; readonly stacks: readonly string[] }> {
  const { documents, name, instance = 'default', id } = config;
  if (documents === undefined || documents.paths.length > 0) return { ...(await synthesize({ host, config })), stacks: named };
  const manifest: Manifest = { fieldwise: 1, app: name ?? documents.stack, instance, ...(id ? { id } : {}), stacks: [], warnings: [] };
  return { manifest, stacks: named.length > 0 ? named : [documents.stack] };
}
