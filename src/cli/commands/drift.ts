import { type Command, InvalidArgumentError } from 'commander';
import { confirmWith } from '../confirm.js';
import { defaultWaitLock, readSeconds } from '../flags.js';
import type { Host } from '../host.js';
import { inspectOptions } from '../inspect-options.js';
import { addClusterFlags, type ClusterFlags, openCluster } from '../open-cluster.js';
import { addProgramOptions, synthesize } from './synth.js';

interface DriftFlags extends ClusterFlags {
  readonly json?: boolean;
  readonly exitCode?: boolean;
  readonly repair?: boolean;
  readonly fightLimit?: number;
  readonly yes?: boolean;
  readonly quiet?: boolean;
  readonly waitLock?: number | true;
}

/** Adds `fieldwise drift`. */
export function registerDrift(program: Command, host: Host): void {
  const command = program
    .command('drift')
    .description('show the fields of the program that others changed, whose they are now and since when')
    .argument('[stacks...]', 'stacks to look at (default: all of the program)');
  addClusterFlags(addProgramOptions(command))
    .option('-j, --json', 'print the objects as JSON, one a line, the summary last')
    .option('--exit-code', 'exit with 1 where anything has drifted')
    .option('--repair', 'apply the drifted objects again, by their policies')
    .option(
      '--fight-limit <times>',
      'leave a field alone that was taken so often in a row from the same manager (default: 3)',
      readFightLimit,
    )
    .option('-y, --yes', 'answer every question with yes')
    .option('--wait-lock [seconds]', `wait for another run that works on the same stack (without seconds: ${defaultWaitLock})`, readSeconds)
    .action(async (stacks: readonly string[], _: DriftFlags, self: Command) => {
      const flags = self.optsWithGlobals<DriftFlags>();
      const { loadConfig } = await import('../config.js');
      const config = await loadConfig({ cwd: host.cwd, env: host.env, flags });
      const assembly = await synthesize({ host, config });
      const json = flags.json ? (await import('../render/json-renderer.js')).jsonRenderer(host) : undefined;
      const events = json ?? (await import('../render/drift-renderer.js')).driftRenderer(host);
      const cluster = await openCluster(config);
      try {
        const options = inspectOptions(host, config, cluster, stacks);
        if (!flags.repair) {
          const { drift } = await import('../../inspect/drift/drift.js');
          const summary = await drift(assembly, cluster, options, events);
          host.setExitCode(summary.exitCode === 0 && flags.exitCode && summary.drifted > 0 ? 1 : summary.exitCode);
          return;
        }
        const run = {
          ...options,
          confirm: confirmWith(host, flags.yes),
          yes: flags.yes === true,
          signal: host.signal,
          ...(config.cluster === 'embedded' ? { wait: false } : {}),
          ...(flags.fightLimit === undefined ? {} : { contentionLimit: flags.fightLimit }),
          ...(flags.waitLock === undefined ? {} : { lockTimeoutSeconds: flags.waitLock === true ? defaultWaitLock : flags.waitLock }),
        };
        const { repair } = await import('../../deploy/repair/repair.js');
        const deploying = json ?? (await import('../render/run-renderer.js')).runRenderer(host, { quiet: flags.quiet === true });
        host.setExitCode((await repair(assembly, cluster, run, events, deploying)).exitCode);
      } finally {
        cluster.close();
      }
    });
}

function readFightLimit(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('It is no number of times, 1 or more.');
  return Number(text);
}
