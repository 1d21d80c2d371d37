import { type Command, InvalidArgumentError } from 'commander';
import { FieldwiseError } from '../../util/error.js';
import { addClusterFlags, type ClusterFlags, openCluster } from '../cluster/open-cluster.js';
import type { DocumentFlags } from '../config/document-source.js';
import {
  addProgramOptions,
  addWaitLockFlag,
  addWatchFlags,
  defaultWaitLock,
  jsonOption,
  readSeconds,
  refuseForWithoutWatch,
  type WatchFlags,
  watchSignal,
} from '../config/flags.js';
import type { DriftLine } from '../json/lines.js';
import type { Host } from '../process/host.js';
import { historyOption, inspectOptions } from '../program/options.js';
import { synthesize } from '../program/synthesize.js';
import { confirmAtTerminal } from '../render/confirm.js';
import { eventsOf } from './deploy.js';

interface DriftFlags extends ClusterFlags, WatchFlags, Pick<DocumentFlags, 'file'> {
  readonly json?: boolean;
  readonly exitCode?: boolean;
  readonly repair?: boolean;
  readonly contentionLimit?: number;
  readonly yes?: boolean;
  readonly quiet?: boolean;
  readonly waitLock?: number | true;
  readonly wait?: boolean;
  readonly timeout?: number;
  readonly strict?: boolean;
}

/** Adds `fieldwise drift`. */
export function registerDrift(program: Command, host: Host): void {
  const command = program
    .command('drift')
    .summary('show the declared fields that others have changed')
    .description(
      'Shows the declared fields that others have changed since the last apply, with the current owners of each field and the time of its last write.',
    )
    .argument('[stacks...]', 'names of stacks (groups of objects) to check (default: all stacks of the program)');
  const withFlags = addClusterFlags(addProgramOptions(command))
    .addOption(jsonOption('text, or json: one object per line; the last line is the summary (default: text)'))
    .option('--exit-code', 'exit with code 1 if any field has drifted (default: 0)')
    .option(
      '--repair',
      'apply the drifted objects again as the last deploy did, according to their policies; objects that the program declares otherwise now are named and not changed, with exit code 4 (default: change nothing)',
    )
    .option(
      '--contention-limit <times>',
      'with --repair: skip an object if the stack has forced one of its fields this many times in a row, each time from the same manager (default: 3)',
      readContentionLimit,
    )
    .option('-y, --yes', 'with --repair: answer every question with yes (default: ask at a terminal, else no)')
    .option('--no-wait', 'with --repair: do not wait until repaired objects are ready, overriding all policies')
    .option(
      '--timeout <seconds>',
      'with --repair: seconds to wait until a repaired object is ready (default: the policy of the object, else 300)',
      readSeconds,
    )
    .option(
      '--strict',
      'also show fields of owned objects that others have written by Update, as kubectl edit and controllers do, and that nobody declares; except status, defaults, and what another manager applies',
    );
  addWatchFlags(withFlags, 'drift');
  addWaitLockFlag(withFlags, 'with --repair: ').action((stacks: readonly string[], _: DriftFlags, self: Command) =>
    showDrift(stacks, self.optsWithGlobals<DriftFlags>(), host),
  );
}

async function showDrift(stacks: readonly string[], flags: DriftFlags, host: Host): Promise<void> {
  checkFlags(flags);
  const { loadConfig } = await import('../config/config.js');
  const config = await loadConfig({ cwd: host.cwd, env: host.env, flags });
  const assembly = await synthesize({ host, config });
  const json = flags.json ? (await import('../render/json-renderer.js')).jsonRenderer<DriftLine>(host) : undefined;
  const events = json ?? (await import('../render/drift-renderer.js')).driftRenderer(host);
  const cluster = await openCluster(config);
  try {
    const options = { ...inspectOptions(host, config, cluster, stacks), strict: flags.strict === true };
    if (flags.watch) {
      const watching = json ?? (await import('../render/watch-renderer.js')).watchRenderer(host);
      const { watchDrift } = await import('../../inspect/watch/watch-drift.js');
      const summary = await watchDrift(assembly, cluster, { ...options, signal: watchSignal(flags, host) }, watching);
      return host.setExitCode(flags.exitCode && summary.drifted > 0 ? 1 : 0);
    }
    if (!flags.repair) {
      const { drift } = await import('../../inspect/drift/drift.js');
      const summary = await drift(assembly, cluster, options, events);
      host.setExitCode(summary.exitCode === 0 && flags.exitCode && summary.drifted > 0 ? 1 : summary.exitCode);
      return;
    }
    const run = {
      ...options,
      ...historyOption(config, cluster, host), // no revision: for the values that it takes
      confirm: confirmAtTerminal(host, flags.file),
      yes: flags.yes === true,
      signal: host.signal,
      ...(flags.wait === false || cluster.hasNoWorkloads ? { wait: false } : {}),
      ...(flags.timeout === undefined ? {} : { waitSeconds: flags.timeout }),
      ...(flags.contentionLimit === undefined ? {} : { contentionLimit: flags.contentionLimit }),
      ...(flags.waitLock === undefined ? {} : { lockTimeoutSeconds: flags.waitLock === true ? defaultWaitLock : flags.waitLock }),
    };
    const { repair } = await import('../../deploy/repair/repair.js');
    const deploying = await eventsOf(flags, host, { ...config, kubeContext: cluster.kubeContext });
    host.setExitCode((await repair(assembly, cluster, run, events, deploying)).exitCode);
  } finally {
    cluster.close();
  }
}

/** @throws FieldwiseError `flag-without-use`. */
function checkFlags(flags: DriftFlags): void {
  refuseForWithoutWatch(flags);
  const { contentionLimit, yes, waitLock, wait, timeout, repair, strict, watch } = flags;
  if (repair) {
    const reading = Object.entries({ '--strict': strict, '--watch': watch }).find(([, value]) => value !== undefined)?.[0];
    if (reading === undefined) return;
    throw new FieldwiseError('flag-without-use', 'usage', `\`${reading}\` cannot be combined with \`--repair\``, {
      next: `Leave out \`${reading}\`: a repair applies what the program declares, once.`,
    });
  }
  const given = Object.entries({
    '--contention-limit': contentionLimit,
    '--yes': yes,
    '--wait-lock': waitLock,
    '--no-wait': wait === false ? true : undefined,
    '--timeout': timeout,
  });
  const useless = given.find(([, value]) => value !== undefined)?.[0];
  if (useless === undefined) return;
  throw new FieldwiseError('flag-without-use', 'usage', `\`${useless}\` has no effect without \`--repair\``, {
    next: `Pass \`--repair\`, or leave out \`${useless}\`.`,
  });
}

function readContentionLimit(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('Expected a positive integer.');
  return Number(text);
}
