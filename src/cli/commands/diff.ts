import path from 'node:path';
import type { Command } from 'commander';
import type { Assembly } from '../../assembly/types.js';
import type { PlanEvent, PlanSummary, RunOptions, SavedPlan } from '../../deploy/index.js';
import { clusterIdentityReader } from '../../engine/inventory/cluster-identity.js';
import { warnOnce } from '../../engine/report/run-diagnostic.js';
import type { PlannerOptions, UnaskedObject } from '../../plan/plan.js';
import type { Snapshot } from '../../plan/snapshot.js';
import { FieldwiseError } from '../../util/error.js';
import { addClusterFlags, type ClusterFlags, type OpenCluster, openCluster } from '../cluster/open-cluster.js';
import { listedEnvironments } from '../config/choose-environment.js';
import type { ClusterPin } from '../config/cluster-pin.js';
import type { Config } from '../config/config.js';
import {
  addFormatFlags,
  addPoliciesFlags,
  addProgramOptions,
  addRulesFlag,
  addStrategyFlag,
  addTakeOverFlag,
  type ContextFlag,
  chosenContext,
  type Deletable,
  deleteOption,
  deletionOptions,
  type FormatFlags,
  type OutputFormat,
  readRevision,
  type StrategyFlag,
  strategyOption,
  withFormat,
} from '../config/flags.js';
import { independentOption } from '../config/independent-option.js';
import { defaultSnapshot, readText, simulationFor, writeJson } from '../files/plan-file.js';
import { requireWritable } from '../files/require-writable.js';
import type { DiffLine } from '../json/lines.js';
import type { Host } from '../process/host.js';
import { growHeapSlowly } from '../process/v8-flags.js';
import { rulesOption } from '../program/options.js';
import { policiesOfCluster, policiesOption } from '../program/policies-option.js';
import { objectsIn, synthesize } from '../program/synthesize.js';
import type { RunRecord } from '../render/formats/format-outputs.js';
import { recorded, withFormats } from '../render/formats/with-formats.js';
import { printWarnings } from '../render/warning-renderer.js';
import { wrapText } from '../render/wrap.js';

interface DiffFlags extends ClusterFlags, ContextFlag, StrategyFlag, FormatFlags {
  readonly env?: string;
  readonly outdir?: string;
  readonly exitCode?: boolean;
  readonly delete?: readonly Deletable[];
  readonly readOnly?: boolean;
  readonly offline?: boolean;
  readonly snapshot?: string;
  readonly toRevision?: number;
  readonly takeOver?: string;
  readonly admission?: string;
  readonly strict?: boolean;
  readonly risky?: boolean;
}

/** Adds `fieldwise diff`. */
export function registerDiff(program: Command, host: Host): void {
  const command = program
    .command('diff')
    .summary('show what a deploy would change, object by object and field by field')
    .description('Shows what a deploy would change, object by object and field by field. Changes nothing.')
    .argument('[stacks...]', 'names of stacks (groups of objects) to plan (default: all stacks of the program)');
  addFormatFlags(
    addTakeOverFlag(addPoliciesFlags(addRulesFlag(addStrategyFlag(addClusterFlags(addProgramOptions(command, true)))))),
    'plan',
    {
      formats: ['html', 'plan'],
      help: 'html is a page for a browser, where {env} in the name stands for the environment, such as html=plan-{env}.html; plan is the saved plan for `fieldwise deploy --plan`',
    },
  )
    .option('--all', 'also show unchanged objects, and unchanged fields that others own, too (default: count them)')
    .option(
      '--risky',
      'show only what takes fields of others, releases, deletes, or is blocked, and what changes rights, privileges of pods, selectors or replicas to 0 (default: everything that changes)',
    )
    .option('--exit-code', 'exit with code 1 if a deploy would change anything (default: 0)')
    .option(
      '--to-revision <number>',
      'show what a rollback of one stack to this revision would change; `fieldwise history` lists the revisions',
      readRevision,
    )
    .option('--read-only', 'send only reads, and predict the changes from the schema (default: send server-side dry runs)')
    .option(
      '--reconcile <mode>',
      'the mode of the deploy that is planned: auto and changed need no dry run for objects that a list proves unchanged; full sends a dry run for every object (default: `reconcile` in fieldwise.yaml, else auto)',
    )
    .option('--offline', 'plan without a cluster, from a file that `fieldwise snapshot` wrote')
    .option('--snapshot <file>', `the file that --offline reads (default: ${defaultSnapshot})`)
    .addOption(deleteOption('plan a deploy with this flag: shared, foreign or shared,foreign (default: neither)'))
    .action(async (stacks: readonly string[], given: DiffFlags) => {
      const flags = withFormat(given, host.cwd);
      refuseWithoutUse(flags);
      if (flags.planFile !== undefined) requirePlanFile(flags.planFile, host);
      const { refuseWithRevision } = await import('./diff-revision.js');
      refuseWithRevision(flags);
      const environments = flags.env === undefined ? [] : listedEnvironments(flags.env);
      const note = onceTo(host);
      await withFormats('plan', flags, host, async (formats) => {
        const diff = async (one: DiffFlags, to: Host, heading?: string) => {
          const record = await formats?.begin(heading);
          await recorded('plan', record, host, () => diffStacks(stacks, one, to, note, record));
        };
        if (environments.length <= 1) return diff(flags, host);
        const { diffEnvironments } = await import('./diff-environments.js');
        await diffEnvironments(environments, flags, host, (one, to) => diff(one, to, one.env));
      });
    });
}

/** @throws FieldwiseError `flag-without-use`. */
function refuseWithoutUse({ snapshot, offline, risky, all, output = 'text' }: DiffFlags): void {
  if (snapshot !== undefined && !offline) {
    throw new FieldwiseError('flag-without-use', 'usage', '`--snapshot` has no effect without `--offline`', {
      next: 'Pass `--offline`, or leave out `--snapshot`.',
    });
  }
  const other = all ? '--all' : output === 'text' ? undefined : `-o ${output}`;
  if (!risky || other === undefined) return;
  throw new FieldwiseError('flag-without-use', 'usage', `\`--risky\` has no effect with \`${other}\``, {
    next: 'Leave out one of them: `--risky` is for the text of a plan.',
  });
}

/** @throws FieldwiseError `flag-invalid`. */
function requirePlanFile(file: string, host: Host): void {
  try {
    requireWritable(path.resolve(host.cwd, file));
  } catch (cause) {
    throw new FieldwiseError('flag-invalid', 'usage', `\`--output-file plan=${file}\` cannot be written: ${(cause as Error).message}`, {
      next: 'Name the file of the saved plan, such as plan=plan.json; `--outdir` names the directory for the output of the program.',
      cause,
    });
  }
}

/** Returns a function that writes each message once, also where a diff of several environments reads one file for each. */
function onceTo(host: Host): (message: string) => void {
  const written = new Set<string>();
  return (message) => {
    if (!written.has(message)) host.stderr(message);
    written.add(message);
  };
}

async function diffStacks(
  stacks: readonly string[],
  flags: DiffFlags,
  host: Host,
  note: (message: string) => void,
  record?: RunRecord,
): Promise<void> {
  const { loadConfig } = await import('../config/config.js');
  const page = flags.html === undefined ? undefined : (await import('../html/diff-page.js')).diffPage(flags.html, host);
  const config = await loadConfig({ cwd: host.cwd, env: host.env, flags });
  record?.configured(config);
  if (config.policiesAt !== undefined) note(`note: \`policies\` at ${config.policiesAt} is now \`admission\`; it is still read\n`);
  const assembly = await synthesize({ host, config });
  record?.synthesized(assembly.manifest);
  page?.synthesized(assembly.manifest);
  const { output = 'text' } = flags;
  if (output === 'text') printWarnings(assembly.manifest.warnings, host);
  const print = await planPrinter(output, flags, host);
  const events: Events = (event) => {
    print(event);
    record?.event(event);
    page?.add(event);
  };
  const options = {
    stacks,
    reconcile: config.reconcile,
    inventoryNamespace: config.inventory.namespace,
    ...independentOption(config),
    references: { env: host.env, directory: config.directory },
    ...deletionOptions(flags),
    chosenContext: chosenContext(flags),
    ...(await rulesOption(config, host)),
    ...strategyOption(flags, host),
    ...(flags.takeOver === undefined ? {} : { takeOver: flags.takeOver }),
  };
  const { app, instance } = assembly.manifest;
  const of = { app, instance, environment: config.environment };
  const cluster = flags.offline ? undefined : await openCluster({ ...config, objects: objectsIn(assembly.manifest) });
  const subjectOf = async () => {
    const { pageSubject } = await import('../html/page-subject.js');
    return pageSubject('Plan', { ...of, ...(cluster ?? { server: `snapshot ${flags.snapshot ?? defaultSnapshot}` }) });
  };
  if (output === 'text' && host.columns !== undefined) {
    const { title, cluster: where } = await subjectOf();
    host.stderr(wrapText(`${title} on ${where}\n`, host.columns));
  }
  const summary = cluster
    ? await diffOnline(host, flags, assembly, { ...options, cluster, record, config }, events)
    : await diffOffline(host, flags, assembly, { ...options, config }, events);
  if (page) await page.write(await subjectOf());
  if (summary.exitCode !== 0) host.setExitCode(summary.exitCode);
  else if (flags.exitCode && summary.differs) host.setExitCode(1);
}

type Events = (event: PlanEvent) => void;

type PlanFlags = RunOptions &
  Pick<PlannerOptions, 'check'> & { readonly config: Pick<Config, 'admission' | 'rules' | 'inventory' | 'pin'> };

/** Returns the renderer of standard output; formats that show a plan as a whole are printed after it. */
async function planPrinter(format: OutputFormat, { all = false, risky = false }: DiffFlags, host: Host): Promise<Events> {
  if (format === 'json') return (await import('../render/json-renderer.js')).jsonRenderer<DiffLine>(host);
  return format === 'text' ? (await import('../render/plan-renderer.js')).planRenderer(host, { all, risky }) : () => {};
}

async function diffOnline(
  host: Host,
  flags: DiffFlags,
  assembly: Assembly,
  { cluster, record, config, ...given }: PlanFlags & { readonly cluster: OpenCluster; readonly record: RunRecord | undefined },
  events: Events,
): Promise<PlanSummary> {
  const { plan } = await import('../../plan/plan.js');
  const { planFile: out, readOnly } = flags;
  const told = warnOnce(events);
  try {
    const input = {
      check: given.check,
      strict: flags.strict === true,
      assembly,
      openCluster: async () => cluster,
      host,
      onWarning: told,
      ...(readOnly ? { ofCluster: await policiesOfCluster(assembly, cluster) } : {}),
    };
    const checkUnasked = async (unasked: readonly UnaskedObject[]) => {
      const { webhooksNotAsked } = await import('../../plan/webhooks-not-asked.js');
      const [webhooks, ofCluster] = await Promise.all([
        webhooksNotAsked(cluster, unasked),
        readOnly ? undefined : policiesOfCluster(assembly, cluster),
      ]);
      if (webhooks) told(webhooks);
      return (ofCluster ? await policiesOption(config, { ...input, ofCluster, onWarning: told }) : options).check;
    };
    const isAsked = out !== undefined || config.rules !== undefined || flags.toRevision !== undefined;
    const identity = isAsked ? { readIdentity: clusterIdentityReader(cluster, config.inventory.namespace, cluster.uid) } : {};
    const options = { ...given, ...identity, ...(await policiesOption(config, input)), checkUnasked };
    if (flags.toRevision !== undefined) {
      const { diffRevision } = await import('./diff-revision.js');
      return await diffRevision(assembly, cluster, { ...options, readOnly: readOnly === true, revision: flags.toRevision }, events);
    }
    const write = async (file: string, made: SavedPlan) => {
      const text = await writeJson(host, file, made);
      record?.saved(file, text);
    };
    const save = out === undefined ? {} : { save: (made: SavedPlan) => write(out, made), isForFile: true };
    return await plan(assembly, cluster, { ...options, readOnly: readOnly === true, simulate: simulationFor(cluster), ...save }, events);
  } finally {
    cluster.close();
  }
}

async function diffOffline(
  host: Host,
  flags: DiffFlags,
  assembly: Assembly,
  { config, ...given }: PlanFlags,
  events: Events,
): Promise<PlanSummary> {
  if (flags.planFile !== undefined) {
    throw new FieldwiseError('flag-without-use', 'usage', 'A plan made offline cannot be saved for a deploy', {
      next: 'Leave out `--output-file plan=FILE`, or plan with the cluster.',
    });
  }
  growHeapSlowly();
  const { parseSnapshot, planOffline } = await import('../../plan/snapshot.js');
  const file = flags.snapshot ?? defaultSnapshot;
  const snapshot = parseSnapshot(
    await readText(host, file, 'Run `fieldwise snapshot` first, or pass the path of a snapshot with `--snapshot`.'),
    file,
  );
  if (config.pin) await comparePinOffline(snapshot, config.pin, events);
  const openCluster = async () => {
    const { cluster, load } = await simulationFor(snapshot)(snapshot.version);
    for (const object of snapshot.objects) load(object);
    return cluster;
  };
  const input = {
    check: given.check,
    strict: flags.strict === true,
    assembly,
    openCluster,
    host,
    snapshot,
    ofCluster: { policies: snapshot.policies, isSnapshot: true },
    onWarning: events,
  };
  const identity = { readIdentity: async () => snapshot.cluster ?? {} };
  const options = { ...given, ...identity, ...(await policiesOption(config, input)) };
  return planOffline(assembly, snapshot, simulationFor(snapshot), options, events);
}

/** Compares the cluster of a snapshot with the pins of environments. @throws FieldwiseError `cluster-pin-differs`. */
async function comparePinOffline({ cluster, server }: Snapshot, pin: ClusterPin, events: Events): Promise<void> {
  if (cluster?.uid !== undefined) return (await import('../cluster/check-cluster-pin.js')).comparePin({ server }, pin, cluster.uid);
  if (pin.uid === undefined) return;
  events({
    event: 'warning',
    code: 'bound-to-no-cluster',
    message: `The snapshot is bound to no cluster, because it has no uid of one: nothing shows whether it is of the cluster of ${pin.environment}`,
    next: 'Take the snapshot again, with the permission to get the Namespace kube-system, which `fieldwise rbac` prints.',
  });
}
