import type { Command } from 'commander';
import type { Assembly } from '../../assembly/types.js';
import type { Orphan } from '../../deploy/index.js';
import type { StrategyAdvice } from '../../inspect/doctor/advise-strategies.js';
import type { Check } from '../../inspect/doctor/checks.js';
import { ApiError, type ClusterClient } from '../../kubernetes/index.js';
import { exitCodeOf } from '../../util/error.js';
import { pluralize } from '../../util/pluralize.js';
import { addClusterFlags, type ClusterFlags, openCluster } from '../cluster/open-cluster.js';
import { isEnvironmentMissing } from '../config/chosen-instance.js';
import type { Config } from '../config/config.js';
import { addProgramOptions, jsonOption } from '../config/flags.js';
import { independentOption } from '../config/independent-option.js';
import type { DoctorLine } from '../json/lines.js';
import type { Host } from '../process/host.js';
import { synthesize } from '../program/synthesize.js';
import { jsonRenderer } from '../render/json-renderer.js';
import { onOneLine } from '../render/printable.js';
import { shellWord } from '../render/shell-word.js';
import { wrap } from '../render/wrap.js';

interface DoctorFlags extends ClusterFlags {
  readonly json?: boolean;
  readonly findOrphans?: boolean;
  readonly objects?: string | true;
}

const jsonHelp =
  'text, or json: the checks, the recommended strategies and the orphans, one per line; with --objects, the diagnostics and a summary (default: text)';

/** Adds `fieldwise doctor`. */
export function registerDoctor(program: Command, host: Host): void {
  const command = program
    .command('doctor')
    .summary('check cluster prerequisites, recommend a merge strategy, find orphaned objects')
    .description(
      'Checks that the cluster has what a deploy needs, that the clock of this machine is right, and that the guards of stacks cover what these declare; and names the declared objects for which another merge strategy is better. Says what could not be read. With --find-orphans or --objects, finds objects that need repair. Changes nothing.',
    );
  addClusterFlags(addProgramOptions(command))
    .addOption(jsonOption(jsonHelp))
    .option(
      '--find-orphans',
      'also find orphans: objects that no inventory lists, although a stack of this app and instance owns fields of them',
    )
    .option(
      '--objects [stack]',
      'instead of the cluster, check the objects that this stack has deployed, for lost or outdated owners, for large managedFields, and for other tools that delete them (default: the objects of all stacks; if fieldwise.yaml has `name`, only of that app and instance)',
    )
    .action(async (flags: DoctorFlags) => {
      if (flags.objects !== undefined) {
        const { inspectDeployedObjects } = await import('./doctor-objects.js');
        return inspectDeployedObjects(flags.objects, flags, host);
      }
      const { loadConfig } = await import('../config/config.js');
      const config = await loadConfig({ cwd: host.cwd, env: host.env, flags });
      const isConfigured = (config.app !== undefined && !isEnvironmentMissing(config)) || config.documents !== undefined;
      const assembly = isConfigured || flags.findOrphans ? await synthesize({ host, config }) : undefined;
      const prefix = assembly && flags.findOrphans ? await managersOf(assembly) : undefined;
      const [{ areOfPlanner, checkCluster, failedChecks, notRead }, { findOrphans }] = await Promise.all([
        import('../../inspect/doctor/checks.js'),
        import('../../inspect/doctor/find-orphans.js'),
      ]);
      const cluster = await openCluster(config);
      try {
        const checks = [...(await checkCluster(cluster, config.inventory.namespace, assembly && stacksOf(assembly)))];
        if (assembly) checks.push(...(await recordChecks(assembly, cluster, config)));
        const advice =
          assembly === undefined ? [] : await adviceOn(assembly, cluster, (reason) => checks.push(notRead('strategies', reason)));
        if (failedChecks(checks).length > 0) host.setExitCode(exitCodeOf('resource'));
        const json = flags.json ? jsonRenderer<DoctorLine>(host) : undefined;
        if (json) for (const line of [...checks, ...advice]) json(line);
        else host.stdout(attentionFirst([...checkParagraphs(checks, areOfPlanner(checks)), ...advice.filter(isToDo).map(adviceText)]));
        if (assembly) await warnOfUndeclaredStacks(assembly, cluster, config, host);
        if (prefix === undefined) return;
        const { orphans, unread, foreignInventories } = await findOrphans(cluster, prefix, config.inventory.namespace);
        if (json) for (const orphan of orphans) json(orphan);
        else if (orphans.length === 0) host.stdout(unread.length === 0 ? 'no orphans\n' : 'no orphans in what could be read\n');
        else {
          for (const orphan of orphans) host.stdout(`orphan ${orphan.object}: ${onOneLine(orphan.manager)}\n  ${remedyText(orphan)}\n`);
          host.stdout(
            'To add an orphan to the inventory again, deploy its stack. To release the fields of its stack instead, run the command below the orphan.\n',
          );
          if (orphans.some(({ refused }) => refused !== undefined)) host.stdout(`${refusedNote}\n`);
        }
        for (const { message, next } of foreignInventories) host.stderr(`warning: ${onOneLine(message)}. ${next}\n`);
        for (const { kind, reason } of unread) host.stderr(`warning: ${kind} could not be listed: ${onOneLine(reason)}\n`);
      } finally {
        cluster.close();
      }
    });
}

/** Checks the inventories and guards of the stacks of the program. */
async function recordChecks(assembly: Assembly, cluster: ClusterClient, config: Config): Promise<readonly Check[]> {
  const { inventoryChecks } = await import('../../inspect/doctor/checks.js');
  const inventories = await inventoryChecks(cluster, config.inventory.namespace, stacksOf(assembly));
  return [...inventories, ...(await guardChecks(assembly, cluster, config))];
}

/** Compares the guards in the cluster with the program, for each stack that has one. */
async function guardChecks(assembly: Assembly, cluster: ClusterClient, config: Config): Promise<readonly Check[]> {
  const [{ checkGuards, guardProblems }, { guardCommand }, { areGuardsLost, guardsLostText }] = await Promise.all([
    import('../../inspect/guard/index.js'),
    import('../render/guard-command.js'),
    import('../render/guards-lost.js'),
  ]);
  const check = (ok: boolean, detail: string): Check => ({ event: 'check', check: 'guard', ok, detail });
  try {
    const all = await checkGuards(assembly, cluster, {});
    if (areGuardsLost(all, config)) return [check(false, `${guardsLostText}. Print them with \`fieldwise guard\`, and apply them`)];
    const guards = all.filter(({ state }) => state !== 'none');
    return guards.flatMap((guard) =>
      guard.state === 'current'
        ? [check(true, `that of stack ${guard.stack} covers what it declares`)]
        : guardProblems(guard).map((problem) => check(false, `${problem}: print it again, and apply it: \`${guardCommand(guard)}\``)),
    );
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return [(await import('../../inspect/doctor/checks.js')).notRead('guard', error.message)];
  }
}

async function warnOfUndeclaredStacks({ manifest }: Assembly, cluster: ClusterClient, config: Config, host: Host): Promise<void> {
  const { undeclaredStackWarnings } = await import('../../engine/prepare/undeclared-stacks.js');
  const options = { ...independentOption(config), inventoryNamespace: config.inventory.namespace };
  const warnings = await undeclaredStackWarnings(cluster, options, manifest);
  for (const { message, next } of warnings) host.stderr(`warning: ${onOneLine(message)}. ${next}\n`);
}

function stacksOf({ manifest: { app, instance, stacks }, objects }: Assembly) {
  return stacks.map(({ name, manager }, index) => ({ identity: { app, instance, stack: name, manager }, objects: objects[index] ?? [] }));
}

/**
 * Returns for each intent of the program which strategy suits it.
 *
 * @param onUnread receives the reason where that cannot be read.
 */
async function adviceOn(
  assembly: Assembly,
  cluster: ClusterClient,
  onUnread: (reason: string) => void,
): Promise<readonly StrategyAdvice[]> {
  const { adviseStrategies } = await import('../../inspect/doctor/advise-strategies.js');
  try {
    return await adviseStrategies(assembly, cluster);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    onUnread(error.message);
    return [];
  }
}

/** A paragraph of the report, and whether it asks for an action. */
interface Paragraph {
  readonly needsAttention: boolean;
  readonly text: string;
}

/** Returns what is wrong, a paragraph for each thing to do, then what is not known, and all else in one. */
function checkParagraphs(checks: readonly Check[], isPlanner: boolean): readonly Paragraph[] {
  const passed = checks.filter(({ ok }) => ok);
  const unread = checks.filter((check) => check.notRead);
  const failed = checks.filter(({ ok, notRead, right }) => !ok && !notRead && right === undefined);
  const lacking = checks.filter(({ ok, right }) => !ok && right !== undefined);
  const toDo = (text: string): Paragraph => ({ needsAttention: true, text: onOneLine(text) });
  return [
    ...failed.map(({ check, detail }) => toDo(`FAILED ${check}: ${detail}`)),
    ...(lacking.length === 0 ? [] : [toDo(lackingText(lacking, passed, isPlanner))]),
    ...unread.map(({ check, detail }) => toDo(`unread ${check}: ${detail}`)),
    { needsAttention: false, text: `ok     ${pluralize(passed.length, 'check')}: ${passedTexts(passed).map(onOneLine).join('; ')}` },
  ];
}

function lackingText(lacking: readonly Check[], passed: readonly Check[], isPlanner: boolean): string {
  const mayRead = passed.some(({ neededBy }) => neededBy === 'diff');
  const rights = `in namespace ${lacking[0]?.namespace}: ${lacking.map(({ right }) => right).join(', ')}; \`fieldwise rbac\` prints them`;
  if (isPlanner)
    return `note   permission: these credentials may read records, as \`fieldwise diff\` does, beside the declared objects; a deploy also needs, ${rights}`;
  return `FAILED permission: ${mayRead ? 'these credentials may read; to deploy they lack' : 'to deploy, these credentials lack'}, ${rights}`;
}

function passedTexts(passed: readonly Check[]): readonly string[] {
  return [...new Set(passed.map(({ check }) => check))].map((name) => {
    const [first, ...others] = passed.filter(({ check }) => check === name);
    return others.length === 0 ? `${name} ${first?.detail}` : pluralize(others.length + 1, name);
  });
}

/** Returns true for advice to change something; `-o json` has the reasons for every object. */
function isToDo({ current, recommended }: StrategyAdvice): boolean {
  return recommended !== current;
}

function adviceText({ object, stack, current, recommended, reason }: StrategyAdvice): Paragraph {
  return { needsAttention: true, text: `better ${object} [${stack}] ${recommended}, not ${current}: ${reason}` };
}

function attentionFirst(paragraphs: readonly Paragraph[]): string {
  const sorted = [...paragraphs.filter(({ needsAttention }) => needsAttention), ...paragraphs.filter((one) => !one.needsAttention)];
  return sorted
    .flatMap(({ text }) => wrap(text, 7))
    .map((line) => `${line}\n`)
    .join('');
}

/** Returns the common prefix of the field managers of the configured app and instance. */
async function managersOf({ manifest: { app, instance } }: Assembly): Promise<string> {
  const { fieldManagerOf, fieldManagerMaxBytes } = await import('../../util/field-manager.js');
  const whole = fieldManagerOf({ app, instance, stack: '' });
  // A manager that is too long ends in a hash, so only the part before the hash is common.
  return whole.length < fieldManagerMaxBytes - 25 ? whole : whole.slice(0, fieldManagerMaxBytes - 25);
}

const refusedNote =
  'If the object is invalid without these fields, the command changes only managedFields: the object keeps the fields, and nobody owns ' +
  'them. To remove such an object, delete it.';

function remedyText({ manager, release, refused }: Orphan): string {
  if (refused !== undefined) return `invalid without these fields (${onOneLine(refused.reason)}):\n  ${onOneLine(refused.disown)}`;
  return release ? releaseCommand(manager, release) : 'merged under the strategy dynamic';
}

function releaseCommand(manager: string, release: object): string {
  return `echo ${shellWord(JSON.stringify(release))} | kubectl apply --server-side --field-manager ${shellWord(manager)} -f -`;
}
