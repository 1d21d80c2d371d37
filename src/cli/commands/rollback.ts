import type { Command } from 'commander';
import type { Assembly } from '../../assembly/types.js';
import type { PlannedObject, RollbackEvent } from '../../deploy/index.js';
import type { RunRollbackOptions } from '../../deploy/rollback/plan-run-rollback.js';
import { clusterIdentityReader } from '../../engine/inventory/cluster-identity.js';
import { FieldwiseError } from '../../util/error.js';
import { addClusterFlags, type ClusterFlags, type OpenCluster, openCluster } from '../cluster/open-cluster.js';
import type { Config } from '../config/config.js';
import type { DocumentFlags } from '../config/document-source.js';
import { addProgramOptions, type Deletable, type OutputFileFlag, readSeconds, revisionNumber } from '../config/flags.js';
import { boundPlan, simulationFor } from '../files/plan-file.js';
import { reportFailure, runWithReport } from '../files/report-file.js';
import type { RollbackLine } from '../json/lines.js';
import type { Host } from '../process/host.js';
import { historyOption, rulesOption } from '../program/options.js';
import { synthesize } from '../program/synthesize.js';
import { confirmAtTerminal } from '../render/confirm.js';
import { addRunFlags, addRunOutput, eventsOf, runOptions, withReport } from './deploy.js';

interface RollbackFlags extends ClusterFlags, OutputFileFlag, Pick<DocumentFlags, 'file'> {
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly yes?: boolean;
  readonly delete?: readonly Deletable[];
  readonly concurrency?: number;
  readonly waitLock?: number | true;
  readonly report?: string;
  readonly wait?: boolean;
  readonly timeout?: number;
  readonly trustHistory?: string;
  readonly run?: string;
  readonly allow?: readonly string[];
}

/** Adds `fieldwise rollback`. */
export function registerRollback(program: Command, host: Host): void {
  const command = program
    .command('rollback')
    .summary('deploy an earlier revision of a stack again')
    .description(
      'Shows what goes back to an earlier revision of a stack, and what others have changed since; then asks, and deploys exactly that. Values of Secrets stay as they are, because revisions do not contain them. The program is not changed: its next deploy goes forward again.',
    )
    .argument(
      '[revision]',
      'number of the revision (default: the last one that succeeded with other declarations than those that are deployed; the last of all if a later deploy was not recorded)',
    )
    .argument('[stack]', 'name of the stack, also of one that the program no longer declares (default: the only stack of the program)');
  addRunOutput(addRunFlags(addClusterFlags(addProgramOptions(command))))
    .option('--wait', 'wait until every applied object is ready, overriding all policies (default: the policy of each object, else wait)')
    .option('--no-wait', 'do not wait until applied objects are ready, overriding all policies')
    .option(
      '--timeout <seconds>',
      'seconds to wait until an applied object is ready (default: the policy of the object, else 300), and until a deleted object no longer exists (default: 120)',
      readSeconds,
    )
    .option(
      '--run <id>',
      'instead of one stack, roll back all stacks of the program to what was deployed when this run had ended, as `fieldwise history` shows it; asks once (default: one stack)',
    )
    .option(
      '--trust-history <secret>',
      'go back to a revision of this Secret, although the inventory of the stack does not know it, and go on with it as the history (default: the history that the inventory knows)',
    )
    .option(
      '--allow <kind/name...>',
      'objects that may be applied without a question, such as ClusterRole/web: those that grant rights and that the program does not declare now, and, with --trust-history, all; `--yes` does not answer for them. `*` stands for any name (default: ask)',
    )
    .action((first: string | undefined, second: string | undefined, _: RollbackFlags, self: Command) =>
      rollback(namesOf(first, second), withReport(self.optsWithGlobals<RollbackFlags>()), host),
    );
}

/**
 * Reads the arguments, a number and the name of a stack, in any order.
 *
 * @throws FieldwiseError `revision-unknown` (usage).
 */
function namesOf(first: string | undefined, second: string | undefined) {
  const isNumber = (text: string | undefined) => text !== undefined && /^\d+$/.test(text);
  if (first === undefined) return { stacks: [] };
  if (second === undefined) return isNumber(first) ? { revision: numberOf(first), stacks: [] } : { stacks: [first] };
  const [number, stack] = !isNumber(first) && isNumber(second) ? [second, first] : [first, second];
  return { revision: numberOf(number), stacks: [stack] };
}

function numberOf(text: string): number {
  const number = revisionNumber(text);
  if (number !== undefined) return number;
  throw new FieldwiseError('revision-unknown', 'usage', `"${text}" is not the number of a revision`, {
    next: '`fieldwise history` lists them.',
  });
}

async function rollback(
  { revision, stacks }: { readonly revision?: number; readonly stacks: readonly string[] },
  flags: RollbackFlags,
  host: Host,
): Promise<void> {
  requireObjectWords(flags.allow ?? []);
  if (flags.run !== undefined) refuseBesideRun(revision, stacks, flags);
  const { loadConfig } = await import('../config/config.js');
  const config = await loadConfig({ cwd: host.cwd, env: host.env, flags });
  const before = <Result>(work: () => Promise<Result>) => reportFailure(flags, host, { ...config, verb: 'deploy' }, work);
  const program = await before(() => synthesize({ host, config }));
  const { planRollback } = await import('../../deploy/rollback/plan-rollback.js');
  const { doubtfulChanges, unmatchedAllowWarnings } = await import('../../deploy/rollback/doubtful-changes.js');
  const cluster = await openCluster({ ...config, concurrency: flags.concurrency });
  try {
    const options = {
      stacks,
      inventoryNamespace: config.inventory.namespace,
      readIdentity: clusterIdentityReader(cluster, config.inventory.namespace, cluster.uid),
      ...runOptions(flags, host),
      ...waitOptions(flags, cluster),
    };
    const planning: (event: RollbackEvent) => void = flags.json
      ? (await import('../render/json-renderer.js')).jsonRenderer<RollbackLine>(host)
      : (await import('../render/rollback-renderer.js')).rollbackRenderer(host);
    const { trustHistory, run } = flags;
    const rules = await before(() => rulesOption(config, host));
    if (run !== undefined)
      return await rollbackRun(program, cluster, { flags, host, config, planning, options: { ...options, ...rules, run } });
    const requested = { ...rules, ...(revision === undefined ? {} : { revision }), trustHistory };
    const planned = await planRollback(program, cluster, { ...options, ...requested, simulate: simulationFor(cluster) }, planning);
    const { assembly, recorded, summary, saved, changes } = planned;
    // A list that is trusted is to be known afterwards, also where its revision is what is deployed.
    if (summary.exitCode !== 0 || (!summary.differs && trustHistory === undefined)) return host.setExitCode(summary.exitCode);
    for (const warning of unmatchedAllowWarnings(changes, flags.allow ?? [])) planning(warning);
    const { revision: number } = planned.revision;
    await confirmRollback(`roll back stack ${recorded.stack.name} to revision ${number}`, changes, flags, host);
    const ground = { program, isUnknown: trustHistory !== undefined, allowed: flags.allow ?? [] };
    await confirmDoubtful(doubtfulChanges(changes, ground), ground.isUnknown, flags, host);
    const { history } = historyOption(config, cluster, host, [flags.report]);
    const rollback = { revision: number, body: recorded, trusted: planned.trusted };
    const { deploy } = await import('../../deploy/deploy/deploy.js');
    const events = await eventsOf(flags, host, { ...config, kubeContext: cluster.kubeContext });
    // The plan was approved as a whole, its deletions included.
    const bound = {
      ...options,
      ...(history ? { history: { ...history, rollback } } : {}),
      stacks: [recorded.stack.name],
      plan: boundPlan(saved, cluster),
      confirm: async () => true,
    };
    const result = await runWithReport(flags, host, { ...assembly.manifest, server: cluster.server }, events, (to) =>
      deploy(assembly, cluster, bound, to),
    );
    if (result) host.setExitCode(result.exitCode);
    if (result && !flags.json && !flags.quiet) host.stderr(`${whatFollows(program, recorded.stack.name)}\n`);
  } finally {
    cluster.close();
  }
}

function waitOptions({ wait: chosen, timeout }: RollbackFlags, { hasNoWorkloads }: OpenCluster) {
  const wait = chosen ?? (hasNoWorkloads ? false : undefined);
  return {
    ...(wait === undefined ? {} : { wait }),
    ...(timeout === undefined ? {} : { waitSeconds: timeout, deletionTimeoutSeconds: timeout }),
  };
}

/** The parts of a rollback that are the same for one stack and for all of a run. */
interface RunRollback {
  readonly flags: RollbackFlags;
  readonly host: Host;
  readonly config: Config;
  readonly planning: (event: RollbackEvent) => void;
  readonly options: Omit<RunRollbackOptions, 'simulate'>;
}

/** Rolls back all stacks to what was deployed when a run had ended: one plan, one question, one deploy. */
async function rollbackRun(
  program: Assembly,
  cluster: OpenCluster,
  { flags, host, config, planning, options }: RunRollback,
): Promise<void> {
  const { planRunRollback } = await import('../../deploy/rollback/plan-run-rollback.js');
  const { doubtfulChanges, unmatchedAllowWarnings } = await import('../../deploy/rollback/doubtful-changes.js');
  const planned = await planRunRollback(program, cluster, { ...options, simulate: simulationFor(cluster) }, planning);
  const { assembly, targets, summary, saved, changes } = planned;
  if (summary.exitCode !== 0 || !summary.differs) return host.setExitCode(summary.exitCode);
  const allowed = flags.allow ?? [];
  for (const warning of unmatchedAllowWarnings(changes, allowed)) planning(warning);
  await confirmRollback(`roll back stacks ${[...targets.keys()].join(', ')} to run ${options.run}`, changes, flags, host);
  await confirmDoubtful(doubtfulChanges(changes, { program, isUnknown: false, allowed }), false, flags, host);
  const { history } = historyOption(config, cluster, host, [flags.report]);
  const { deploy } = await import('../../deploy/deploy/deploy.js');
  const events = await eventsOf(flags, host, { ...config, kubeContext: cluster.kubeContext });
  const bound = {
    ...options,
    ...(history ? { history: { ...history, rollbacks: targets } } : {}),
    stacks: [...targets.keys()],
    plan: boundPlan(saved, cluster),
    confirm: async () => true,
  };
  const result = await runWithReport(flags, host, { ...assembly.manifest, server: cluster.server }, events, (to) =>
    deploy(assembly, cluster, bound, to),
  );
  if (result === undefined) return;
  host.setExitCode(result.exitCode);
  if (!flags.json && !flags.quiet) host.stderr('The program is not changed: its next deploy goes forward again.\n');
}

/** @throws FieldwiseError `flag-invalid`. */
function refuseBesideRun(revision: number | undefined, stacks: readonly string[], { run, trustHistory }: RollbackFlags): void {
  const beside = revision ?? stacks[0] ?? (trustHistory === undefined ? undefined : '--trust-history');
  if (beside === undefined) return;
  throw new FieldwiseError('flag-invalid', 'usage', `\`--run ${run}\` rolls back all stacks, and ${beside} names one`, {
    next: 'Leave out one of the two.',
  });
}

/** @throws FieldwiseError `flag-invalid`. */
function requireObjectWords(words: readonly string[]): void {
  const wrong = words.find((word) => !/^[^/]+\/[^/]+$/.test(word));
  if (wrong === undefined) return;
  throw new FieldwiseError('flag-invalid', 'usage', `\`--allow ${wrong}\` does not name an object`, {
    next: 'Write KIND/NAME, such as ClusterRole/web, or KIND/* for all of a kind.',
  });
}

function whatFollows({ manifest }: Assembly, stack: string): string {
  return manifest.stacks.some(({ name }) => name === stack)
    ? `The program is not changed: its next deploy of stack ${stack} goes forward again.`
    : `The program is not changed: it does not declare stack ${stack}, and leaves it as it is.`;
}

/** @throws FieldwiseError `confirmation-needed`. */
async function confirmRollback(text: string, changes: readonly PlannedObject[], flags: RollbackFlags, host: Host): Promise<void> {
  if (flags.yes) return;
  const objects = changes.map(({ action, object }) => `${action} ${object}`);
  if (await confirmAtTerminal(host, flags.file)({ text, objects, answeredByPruneSetting: false })) return;
  throw new FieldwiseError('confirmation-needed', 'usage', `Nothing was changed: confirmation required: ${text}`, {
    next: 'Run again at a terminal, or with --yes.',
  });
}

/** @throws FieldwiseError `confirmation-needed`. */
async function confirmDoubtful(changes: readonly PlannedObject[], isUnknown: boolean, flags: RollbackFlags, host: Host): Promise<void> {
  if (changes.length === 0) return;
  const text = isUnknown
    ? 'change objects to what a revision declares that the inventory of the stack does not know'
    : 'apply objects that grant rights and that the program does not declare now';
  const objects = changes.map(({ action, object }) => `${action} ${object}`);
  if (await confirmAtTerminal(host, flags.file)({ text, objects, answeredByPruneSetting: false })) return;
  const words = [...new Set(changes.map(({ kind, name }) => `${kind}/${name}`))];
  throw new FieldwiseError(
    'confirmation-needed',
    'usage',
    `Nothing was changed: confirmation required, which --yes does not give: ${text}`,
    {
      next: `Read the plan. Then run again at a terminal, or with \`--allow ${words.slice(0, 5).join(' ')}\`${words.length > 5 ? ` and ${words.length - 5} more` : ''}.`,
    },
  );
}
