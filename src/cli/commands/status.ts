import type { Command } from 'commander';
import { addClusterFlags, type ClusterFlags, openCluster } from '../cluster/open-cluster.js';
import {
  addProblemsFlag,
  addProgramOptions,
  addWatchFlags,
  jsonOption,
  type ProblemsFlag,
  refuseForWithoutWatch,
  type WatchFlags,
  watchSignal,
} from '../config/flags.js';
import type { StatusLine } from '../json/lines.js';
import type { Host } from '../process/host.js';
import { inspectOptions } from '../program/options.js';
import { synthesize } from '../program/synthesize.js';

interface StatusFlags extends ClusterFlags, WatchFlags, ProblemsFlag {
  readonly json?: boolean;
}

/** Adds `fieldwise status`. */
export function registerStatus(program: Command, host: Host): void {
  const command = program
    .command('status')
    .summary('show whether the objects are as declared, and ready')
    .description('Shows for each declared object whether its live fields are as declared, and whether it is ready.')
    .argument('[stacks...]', 'names of stacks (groups of objects) to check (default: all stacks of the program)');
  const withFlags = addClusterFlags(addProgramOptions(command)).addOption(
    jsonOption('text, or json: one object per line; the last line is the summary (default: text)'),
  );
  addWatchFlags(addProblemsFlag(withFlags, 'objects that are not as declared, or not ready'), 'the status of an object').action(
    async (stacks: readonly string[], flags: StatusFlags) => {
      refuseForWithoutWatch(flags);
      const { loadConfig } = await import('../config/config.js');
      const config = await loadConfig({ cwd: host.cwd, env: host.env, flags });
      const assembly = await synthesize({ host, config });
      const events = flags.json
        ? (await import('../render/json-renderer.js')).jsonRenderer<StatusLine>(host)
        : (await import('../render/status-renderer.js')).statusRenderer(host, {
            problems: flags.problems === true,
            ...(flags.watch ? { clock: Date.now } : {}),
          });
      const { status } = await import('../../inspect/status/status.js');
      const cluster = await openCluster(config);
      try {
        const options = inspectOptions(host, config, cluster, stacks);
        if (flags.watch) {
          const { watchStatus } = await import('../../inspect/watch/watch-status.js');
          await watchStatus(assembly, cluster, { ...options, signal: watchSignal(flags, host) }, events);
          return;
        }
        host.setExitCode((await status(assembly, cluster, options, events)).exitCode);
      } finally {
        cluster.close();
      }
    },
  );
}
