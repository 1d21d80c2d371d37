import type { Command } from 'commander';
import type { Assembly } from '../../assembly/types.js';
import type { Adoption, EventHost, ReturnedObject, StaleObject, UndoneAdoption } from '../../deploy/index.js';
import { exitCodeOf } from '../../util/error.js';
import { pluralize } from '../../util/pluralize.js';
import { addClusterFlags, openCluster } from '../cluster/open-cluster.js';
import { requireEnvironment } from '../config/chosen-instance.js';
import {
  addProgramOptions,
  addStrategyFlag,
  addTakeOverFlag,
  addWaitLockFlag,
  jsonOption,
  outputFileOf,
  outputFileOption,
  readConcurrency,
} from '../config/flags.js';
import { reportFailure, runWithReport } from '../files/report-file.js';
import type { AdoptLine } from '../json/lines.js';
import type { Host } from '../process/host.js';
import { synthesize } from '../program/synthesize.js';
import { failedText, notConfirmed, previewText, printAdoptions, refusedAdoptions } from '../render/adoptions.js';
import { jsonRenderer } from '../render/json-renderer.js';
import { quoted } from '../render/printable.js';
import { targetText } from '../render/target-text.js';
import { type AdoptFlags, adoptionHost, answer, lockOptions, printRefused, requireOnly, retriesTo } from './adopt-flags.js';
import { eventsOf, runOptions, withReport } from './deploy.js';

/** Adds `fieldwise adopt`. */
export function registerAdopt(program: Command, host: Host): void {
  const command = program
    .command('adopt')
    .summary('end the ownership of others in fields that the stacks declare')
    .description(
      'Ends the ownership of another owner, such as kubectl or another stack, in fields that stacks of the program declare, so that each field has an owner at every moment. Shows the fields and asks first. Changes no value: a declared value that differs from the live one is refused. With --from, objects of which a stack does not own the fields yet are applied first; without it, the stacks must be deployed already.',
    )
    .argument(
      '[what...]',
      'stacks (groups of objects) that adopt fields, objects (Kind/name) and field paths (.spec.replicas) (default: all that the stacks of the program declare; with --stale, also stacks that it no longer declares)',
    );
  const withFlags = addClusterFlags(addProgramOptions(command))
    .option(
      '--from <owner>',
      'whose ownership of the declared fields ends: kubectl, another field manager by name, manager:NAME, or stack:NAME for another stack of the program or of the cluster; repeatable, but for stacks (default: the managers of kubectl commands without --server-side, and the managers before-first-apply and ancient-changes, which the API server itself adds)',
      (manager: string, before: string[] = []) => [...before, manager],
    )
    .option(
      '--from-applyset <parent>',
      'take over an ApplySet of `kubectl apply --prune --applyset` as a whole: its objects leave the set, and kubectl refuses the set afterwards; the parent is named as in kubectl: NAME (a Secret), configmaps/NAME or RESOURCE.GROUP/NAME, in the namespace of --namespace',
    )
    .option(
      '--leave-undeclared',
      'with --from-applyset: leave objects in the set that no stack of the program owns and has deployed (default: refuse the takeover and name them)',
    )
    .addOption(
      outputFileOption(
        'write the record of the adoption, for --undo, to a file, such as record=adopt.json (default: .fieldwise/adopt-<time>.json in the project); with --from, report: the result of each object that is applied first',
        ['record', 'report'],
      ),
    )
    .option(
      '--stale',
      'instead of adopting, rewrite managedFields entries whose API version no longer exists in their CRD; such entries make every apply fail',
    )
    .option('--undo <file>', 'instead of adopting, undo the adoption that wrote this record, for all of its stacks and without asking')
    .option('-y, --yes', 'adopt, or rewrite with --stale, without asking (default: ask at a terminal, else fail)')
    .option(
      '--with-deletion',
      'let the stacks delete the objects that they own and that existed before them, once these are no longer declared (default: ask at a terminal, else only release their fields)',
    )
    .option('--no-with-deletion', 'do not let the stacks delete objects that existed before them, and do not ask')
    .addOption(
      jsonOption(
        'text, or json: the record file and the result for each object, one per line; nothing if there is nothing to adopt (default: text)',
      ),
    );
  withFlags.option(
    '--concurrency <number>',
    'maximum number of objects to work on in parallel, from 1 to 256 (default: 16)',
    readConcurrency,
  );
  addTakeOverFlag(addWaitLockFlag(addStrategyFlag(withFlags))).action(async (stacks: readonly string[], _: AdoptFlags, self: Command) => {
    const flags = withReport(self.optsWithGlobals<AdoptFlags>());
    if (flags.stale) await rewriteStaleEntries(stacks, flags, host);
    else if (flags.undo !== undefined) await undo(flags.undo, stacks, flags, host);
    else if (flags.fromApplyset === undefined) await adoptStacks(stacks, flags, host);
    else await (await import('./adopt-apply-set.js')).adoptSet(flags.fromApplyset, stacks, flags, host);
  });
}

async function adoptStacks(what: readonly string[], flags: AdoptFlags, host: Host): Promise<void> {
  requireOnly('an adoption of fields', { '--leave-undeclared': flags.leaveUndeclared });
  if (flags.from === undefined) requireOnly('an adoption without --from', { '--output-file report': flags.report });
  const isOfStack = flags.from?.some((name) => name.startsWith('stack:')) === true;
  if (isOfStack) requireOnly('a stack in --from', { '--output-file record': outputFileOf(flags, 'record') });
  const { loadConfig } = await import('../config/config.js');
  const config = await loadConfig({ cwd: host.cwd, env: host.env, flags });
  const assembly = await reportFailure(flags, host, { ...config, verb: 'deploy' }, () => synthesize({ host, config }));
  const { stacks, limits } = divided(what, assembly);
  const { adopt } = await import('../../deploy/adopt/adopt.js');
  const cluster = await openCluster(config);
  try {
    let shown: readonly Adoption[] = [];
    const confirm = async (preview: readonly Adoption[], deletable: readonly string[] = []) => {
      shown = preview;
      const deleted = flags.withDeletion === true ? deletable.map((object) => `${object}: its stack may delete it from now on`) : [];
      if (!flags.json) {
        for (const adoption of preview) host.stdout(previewText(quoted(adoption)));
        for (const line of deleted) host.stdout(`${quoted(line)}\n`);
      }
      return answer(
        {
          text: `These objects change owners on ${targetText({ ...config, ...cluster })}`,
          objects: [...preview.map(({ object }) => object), ...deleted],
        },
        flags,
        host,
      );
    };
    const from = flags.from === undefined ? {} : { from: flags.from };
    const run = {
      ...runOptions(flags, host),
      references: { env: host.env, directory: config.directory },
      inventoryNamespace: config.inventory.namespace,
    };
    const options = { stacks, limits, ...from, ...adoptionHost(flags, config, host), confirm, run };
    const events = await eventsOf(flags, host, { ...config, kubeContext: cluster.kubeContext });
    const result = await runWithReport(flags, host, { ...assembly.manifest, server: cluster.server }, events, (deployed) =>
      adopt(assembly, cluster, options, eachTo(retriesTo(host), deployed)),
    ).catch((error: unknown) => printRefused(error, refusedAdoptions(shown), flags, host));
    if (result?.deployed) host.setExitCode(result.deployed.exitCode);
    else if (result) printAdoptions(result, flags, host);
  } finally {
    cluster.close();
  }
}

/** Returns the words of a command line: names of stacks, and the objects and fields to which they are limited. */
function divided(
  what: readonly string[],
  { manifest }: Assembly,
): { readonly stacks: readonly string[]; readonly limits: readonly string[] } {
  // The name of a stack inside another one is a path.
  const isStack = (word: string) => manifest.stacks.some(({ name }) => name === word) || !/^[.]|\//.test(word);
  return { stacks: what.filter(isStack), limits: what.filter((word) => !isStack(word)) };
}

/** Warnings go where all warnings of the command go, and everything else of the deploy to its own renderer. */
function eachTo(warnings: EventHost, deployed: EventHost): EventHost {
  return (event) => (event.event === 'warning' || event.event === 'waiting-for-lock' ? warnings(event) : deployed(event));
}

async function rewriteStaleEntries(stacks: readonly string[], flags: AdoptFlags, host: Host): Promise<void> {
  const { from, fromApplyset, leaveUndeclared, outputFile, undo } = flags;
  requireOnly('--stale', {
    '--from': from,
    '--from-applyset': fromApplyset,
    '--leave-undeclared': leaveUndeclared,
    '--output-file': outputFile,
    '--undo': undo,
  });
  const { loadConfig } = await import('../config/config.js');
  const config = await loadConfig({ cwd: host.cwd, env: host.env, flags });
  const assembly = await synthesize({ host, config });
  const { rewriteStale } = await import('../../deploy/adopt/rewrite-stale.js');
  const cluster = await openCluster(config);
  try {
    let shown: readonly StaleObject[] = [];
    const confirm = async (found: readonly StaleObject[]) => {
      shown = found;
      if (!flags.json) for (const one of found) host.stdout(staleText(quoted(one)));
      const text = `Rewrite entries of managedFields in these objects on ${targetText({ ...config, ...cluster })}`;
      return answer({ text, objects: found.map(({ object }) => object) }, flags, host);
    };
    const options = { stacks, ...lockOptions(flags, config.inventory.namespace, host), confirm };
    const rewritten = await rewriteStale(assembly, cluster, options, retriesTo(host)).catch((error: unknown) =>
      printRefused(
        error,
        shown.map((one) => ({ event: 'stale', ...one, ...notConfirmed })),
        flags,
        host,
      ),
    );
    const json = flags.json ? jsonRenderer<AdoptLine>(host) : undefined;
    for (const one of rewritten)
      if (json) json({ event: 'stale', ...one });
      else host.stdout(staleResultText(quoted(one)));
    const failed = rewritten.filter(({ result }) => result === 'failed').length;
    if (!flags.json)
      host.stdout(rewritten.length === 0 ? 'no stale entries\n' : `${pluralize(rewritten.length - failed, 'object')} rewritten\n`);
    if (failed > 0) host.setExitCode(exitCodeOf('resource'));
  } finally {
    cluster.close();
  }
}

async function undo(file: string, [word]: readonly string[], flags: AdoptFlags, host: Host): Promise<void> {
  const { from, fromApplyset, leaveUndeclared, outputFile, withDeletion } = flags;
  requireOnly('--undo', {
    '--from': from,
    '--from-applyset': fromApplyset,
    '--leave-undeclared': leaveUndeclared,
    '--output-file': outputFile,
    '--with-deletion': withDeletion,
    ...(word === undefined ? {} : { [word]: word }),
  });
  const { loadConfig } = await import('../config/config.js');
  const config = await loadConfig({ cwd: host.cwd, env: host.env, flags });
  requireEnvironment(config);
  const [{ readText }, { parseRecord }, { undoAdoption }] = await Promise.all([
    import('../files/plan-file.js'),
    import('../../deploy/adopt/record.js'),
    import('../../deploy/adopt/undo-adoption.js'),
  ]);
  const record = parseRecord(await readText(host, file), file);
  const cluster = await openCluster(config);
  try {
    const { undone, returned } = await undoAdoption(record, cluster, lockOptions(flags, config.inventory.namespace, host), retriesTo(host));
    const json = flags.json ? jsonRenderer<AdoptLine>(host) : undefined;
    for (const one of undone)
      if (json) json({ event: 'undone', ...one });
      else host.stdout(undoneText(quoted(one)));
    for (const one of returned)
      if (json) json({ event: 'returned', ...one });
      else host.stdout(returnedText(quoted(one)));
    if ([...undone, ...returned].some(({ result }) => result === 'failed')) host.setExitCode(exitCodeOf('resource'));
  } finally {
    cluster.close();
  }
}

function staleText({ object, stack, entries, to }: StaleObject): string {
  return [`${object}, of stack ${stack}: to ${to}`, ...entries.map((entry) => `  ${entry}`), ''].join('\n');
}

function staleResultText({ object, result, dropped = [], error }: StaleObject): string {
  if (result === 'failed') return failedText(object, error);
  return dropped.length > 0 ? `${object}: removed entries of fields that the object does not have: ${dropped.join(', ')}\n` : '';
}

function undoneText({ object, transfers, result, lifecycleTransferred, note, error }: UndoneAdoption): string {
  const returned = transfers.map(({ to, fields }) => `\n  to ${to}: ${fields.join(', ')}`).join('');
  const back = `${returned}${lifecycleTransferred ? '\n  its stack loses the right to delete it' : ''}`;
  if (result === 'failed') return failedText(object, error);
  return `${result} ${object}${note ? ` (${note})` : ''}${back}\n`;
}

function returnedText({ object, result, note, error }: ReturnedObject): string {
  if (result === 'failed') return failedText(object, error);
  return `${result === 'returned' ? 'returned to the ApplySet' : result}: ${object}${note ? ` (${note})` : ''}\n`;
}
