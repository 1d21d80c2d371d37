import type { Command } from 'commander';
import type { DeployEvent } from '../../deploy/index.js';
import { clusterIdentityReader } from '../../engine/inventory/cluster-identity.js';
import { addClusterFlags, type ClusterFlags, openCluster } from '../cluster/open-cluster.js';
import type { DocumentFlags } from '../config/document-source.js';
import {
  addFormatFlags,
  addProblemsFlag,
  addProgramOptions,
  addRulesFlag,
  addStrategyFlag,
  addTakeOverFlag,
  addWaitLockFlag,
  type ContextFlag,
  chosenContext,
  type Deletable,
  defaultWaitLock,
  deleteOption,
  deletionOptions,
  type FormatFlags,
  jsonOption,
  type OutputFileFlag,
  outputFileOf,
  outputFileOption,
  type ProblemsFlag,
  readConcurrency,
  readDigest,
  readSeconds,
  type StrategyFlag,
  strategyOption,
  withFormat,
} from '../config/flags.js';
import { independentOption } from '../config/independent-option.js';
import { boundPlan, checkedCluster, readPlan } from '../files/plan-file.js';
import { reportFailure, runWithReport } from '../files/report-file.js';
import type { DeployLine } from '../json/lines.js';
import type { Host } from '../process/host.js';
import { historyOption, rulesOption } from '../program/options.js';
import { objectsIn, synthesize } from '../program/synthesize.js';
import { confirmAtTerminal } from '../render/confirm.js';
import type { RunRecord } from '../render/formats/format-outputs.js';
import { recorded, withFormats } from '../render/formats/with-formats.js';
import { printWarnings } from '../render/warning-renderer.js';

interface DeployFlags extends ClusterFlags, ContextFlag, StrategyFlag, FormatFlags, ProblemsFlag, Pick<DocumentFlags, 'file'> {
  readonly quiet?: boolean;
  readonly yes?: boolean;
  readonly prune?: boolean;
  readonly reconcile?: string;
  readonly plan?: string;
  readonly planDigest?: string;
  readonly delete?: readonly Deletable[];
  readonly concurrency?: number;
  readonly waitLock?: number | true;
  readonly wait?: boolean;
  readonly failFast?: boolean;
  readonly timeout?: number;
  readonly pruneStacks?: boolean;
  readonly takeOver?: string;
}

/** Adds `fieldwise deploy`. */
export function registerDeploy(program: Command, host: Host): void {
  const command = program
    .command('deploy')
    .summary('apply the objects that the program declares')
    .description(
      'Applies the objects that the program declares. Then prunes the objects that the program no longer declares: deletes each object that a stack declared with `own` (by default, only if the stack created it), and releases (gives up ownership of) the fields of every other object.',
    )
    .argument('[stacks...]', 'names of stacks (groups of objects) to deploy (default: all stacks of the program)');
  const withFlags = addRulesFlag(addRunFlags(addStrategyFlag(addClusterFlags(addProgramOptions(command)))));
  addProblemsFlag(
    addFormatFlags(withFlags, 'record of the deploy', reportFormat),
    'objects that are not ready, not applied, or taken from others',
  )
    .option('--plan <file>', 'apply a plan that `fieldwise diff --output-file plan=FILE` saved, and fail if the cluster has changed since')
    .option(
      '--plan-digest <digest>',
      'with --plan: fail if the file has another SHA-256 than this one, such as sha256:4bf5…; the comment of a pull request shows it',
      readDigest,
    )
    .option(
      '--prune',
      'prune objects without asking, unless more than half of the objects that a stack owns would be deleted (default: `prune` in fieldwise.yaml, else ask)',
    )
    .option('--prune-stacks', 'also destroy the stacks of this app and instance that the program no longer declares (asks first)')
    .option(
      '--reconcile <mode>',
      'auto: list the live objects first, and skip those that would not change and that no webhook, admission policy or quota would see; changed: skip all that would not change; full: send every object (default: `reconcile` in fieldwise.yaml, else auto)',
    )
    .option('--wait', 'wait until every applied object is ready, overriding all policies (default: the policy of each object, else wait)')
    .option('--no-wait', 'do not wait until applied objects are ready, overriding all policies')
    .option(
      '--no-fail-fast',
      'wait until the timeout even if the cause for which an object does not become ready is certain, such as an image that cannot be pulled (default: the policy of each object, else end the wait)',
    )
    .option(
      '--timeout <seconds>',
      'seconds to wait until an applied object is ready or an absent shared object exists (default for both: the policy of the object, else 300), and until a deleted object no longer exists (default: 120)',
      readSeconds,
    )
    .action(async (stacks: readonly string[], _: DeployFlags, self: Command) => {
      const flags = withFormat(self.optsWithGlobals<DeployFlags>(), host.cwd);
      await withFormats('deploy', flags, host, async (formats) => {
        const record = await formats?.begin();
        await recorded('deploy', record, host, () => deployStacks(stacks, flags, host, record));
      });
    });
}

async function deployStacks(stacks: readonly string[], flags: DeployFlags, host: Host, record?: RunRecord): Promise<void> {
  const { loadConfig } = await import('../config/config.js');
  const config = await loadConfig({ cwd: host.cwd, env: host.env, flags });
  record?.configured(config);
  const saved = await readPlan(host, flags);
  const before = <Result>(work: () => Promise<Result>) => reportFailure(flags, host, { ...config, verb: 'deploy' }, work);
  const assembly = await before(() => synthesize({ host, config }));
  record?.synthesized(assembly.manifest);
  if (!flags.json) printWarnings(assembly.manifest.warnings, host);
  const { deploy } = await import('../../deploy/deploy/deploy.js');
  const cluster = await openCluster({ ...config, concurrency: flags.concurrency, objects: objectsIn(assembly.manifest) });
  try {
    const { reconcile, inventory } = config;
    // Unless the embedded server simulates them, workloads never become ready there.
    const wait = flags.wait ?? (cluster.hasNoWorkloads ? false : undefined);
    const readIdentity = clusterIdentityReader(cluster, inventory.namespace, cluster.uid);
    const compared = saved && (await before(() => checkedCluster(saved, cluster, readIdentity, config.pin)));
    const options = {
      stacks,
      reconcile,
      inventoryNamespace: inventory.namespace,
      ...independentOption(config),
      readIdentity,
      references: { env: host.env, directory: config.directory },
      ...runOptions(flags, host),
      confirm: confirmAtTerminal(host, flags.file, unasked),
      ...(wait === undefined ? {} : { wait }),
      ...(flags.failFast === false ? { failFast: false } : {}),
      ...(flags.timeout === undefined ? {} : { waitSeconds: flags.timeout, deletionTimeoutSeconds: flags.timeout }),
      pruneStacks: flags.pruneStacks === true,
      ...historyOption(config, cluster, host, [flags.plan, flags.report, ...(flags.outputFile ?? []).map(({ file }) => file)]),
    };
    const { check } = await before(() => rulesOption(config, host));
    const checked = async (by: NonNullable<typeof check>) =>
      (await import('./refuse-by-rules.js')).refuseByRules(
        assembly,
        cluster,
        { ...options, ...(compared ? { readIdentity: async () => compared.identity } : {}), check: by },
        host,
      );
    const judged = check && (await before(() => checked(check)));
    // The plan was approved as a whole, its deletions included.
    const bound = saved ? { plan: boundPlan(saved, cluster), confirm: async () => true } : judged ? { plan: judged } : {};
    const events = await eventsOf(flags, host, { ...config, kubeContext: cluster.kubeContext }, record);
    if (compared?.warning) events(compared.warning);
    const summary = await runWithReport(flags, host, { ...assembly.manifest, server: cluster.server }, events, (to) =>
      deploy(assembly, cluster, { ...options, ...bound }, to),
    );
    if (summary) host.setExitCode(summary.exitCode);
  } finally {
    cluster.close();
  }
}

/** Another format has standard output, so the text is only a sign of life. */
function asMessages(host: Host): Host {
  const { width: _, colorsMessages, raw, ...rest } = host;
  return { ...rest, colorsMessages, color: colorsMessages, raw: { ...raw, stdout: raw.stderr } };
}

/** Adds the flags of deploy and destroy. */
export function addRunFlags(command: Command): Command {
  const withFlags = command
    .option('-y, --yes', 'answer every question with yes (default: ask at a terminal, else no)')
    .addOption(
      deleteOption(
        'also delete owned objects that are released otherwise: shared, those to which other field managers apply more than metadata and status; foreign, Namespaces and CustomResourceDefinitions that contain objects of others; or shared,foreign (default: release both)',
      ),
    )
    .option('--concurrency <number>', 'maximum number of objects to work on in parallel, from 1 to 256 (default: 16)', readConcurrency);
  return addTakeOverFlag(addWaitLockFlag(withFlags));
}

const reportFormat = { formats: ['report'], help: 'report is the result of each object, as one JSON document' };

/** Adds `-o` and `--output-file` to a command that prints the events of a run. */
export function addRunOutput(command: Command): Command {
  return command
    .addOption(jsonOption('text, or json: one event per line; the last line is the summary (default: text)'))
    .addOption(outputFileOption(`also write a file in a format; ${reportFormat.help}`, reportFormat.formats));
}

/** Returns the flags of such a command with the file of its report. */
export function withReport<Flags extends OutputFileFlag & { readonly report?: string }>(flags: Flags): Flags {
  const report = outputFileOf(flags, 'report');
  return report === undefined ? flags : { ...flags, report };
}

const unasked =
  'Only this is asked. The deploy may also change values, such as replicas to 0, selectors or rights, and take fields by force: `fieldwise diff` shows what.';

/** Returns the options of the engine that the flags set. */
export function runOptions(flags: Omit<DeployFlags, keyof ClusterFlags | 'outputFile'>, host: Host) {
  return {
    confirm: confirmAtTerminal(host, flags.file),
    yes: flags.yes === true,
    ...deletionOptions(flags),
    signal: host.signal,
    ...(host.written ? { written: host.written } : {}),
    chosenContext: chosenContext(flags),
    ...strategyOption(flags, host),
    ...(flags.prune === undefined ? {} : { prune: flags.prune }),
    ...(flags.takeOver === undefined ? {} : { takeOver: flags.takeOver }),
    ...(flags.concurrency === undefined ? {} : { concurrency: flags.concurrency }),
    ...(flags.waitLock === undefined ? {} : { lockTimeoutSeconds: flags.waitLock === true ? defaultWaitLock : flags.waitLock }),
  };
}

/**
 * Returns the renderer for the events of a run. The first event also names the environment and the context of the kubeconfig.
 *
 * @param record also receives the events.
 */
export async function eventsOf(
  { json, quiet, problems, output = 'text' }: Pick<FormatFlags, 'json' | 'output'> & ProblemsFlag & { readonly quiet?: boolean },
  host: Host,
  { environment, kubeContext }: { readonly environment?: string; readonly kubeContext: string },
  record?: RunRecord,
): Promise<(event: DeployEvent) => void> {
  const render = json
    ? (await import('../render/json-renderer.js')).jsonRenderer<DeployLine>(host)
    : (await import('../render/run-renderer.js')).runRenderer(output === 'text' ? host : asMessages(host), {
        quiet: quiet === true,
        problems: problems === true,
      });
  const where = { kubeContext, ...(environment === undefined ? {} : { environment }) };
  return (event) => {
    const named = event.event === 'started' ? { ...event, ...where } : event;
    render(named);
    record?.event(named);
  };
}
