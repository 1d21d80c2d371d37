import type { Command } from 'commander';
import type { Adoption, ReturnedObject, StaleObject, UndoneAdoption } from '../../deploy/index.js';
import { exitCodeOf } from '../../util/error.js';
import { pluralize } from '../../util/pluralize.js';
import { addWaitLockFlag } from '../flags.js';
import type { Host } from '../host.js';
import type { AdoptLine } from '../json/lines.js';
import { addClusterFlags, openCluster } from '../open-cluster.js';
import { outputFileOption } from '../output-file-option.js';
import { jsonOption } from '../output-option.js';
import { requireEnvironment } from '../program/chosen-instance.js';
import { failedText, notConfirmed, previewText, printAdoptions, refusedAdoptions } from '../render/adoptions.js';
import { jsonRenderer } from '../render/json-renderer.js';
import { quoted } from '../render/printable.js';
import { targetText } from '../render/target-text.js';
import { type AdoptFlags, adoptionHost, answer, lockOptions, printRefused, requireOnly, retriesTo } from './adopt-flags.js';
import { addProgramOptions, synthesize } from './synth.js';

/** Adds `fieldwise adopt`. */
export function registerAdopt(program: Command, host: Host): void {
  const command = program
    .command('adopt')
    .summary('make stacks the only owners of the fields that they declare')
    .description(
      'Makes stacks the only owners of fields that they declare and that another manager, such as kubectl, still owns too. Shows the fields and asks first. The stacks must be deployed already.',
    )
    .argument(
      '[stacks...]',
      'names of stacks (groups of objects) that adopt fields (default: all stacks of the program; with --stale, also stacks that it no longer declares)',
    );
  const withFlags = addClusterFlags(addProgramOptions(command))
    .option(
      '--from <manager>',
      'field manager whose ownership of the declared fields ends; repeatable (default: the managers of kubectl commands without --server-side, and the managers before-first-apply and ancient-changes, which the API server itself adds)',
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
        'write the record of the adoption, for --undo, to a file, such as record=adopt.json (default: .fieldwise/adopt-<time>.json in the project)',
        ['record'],
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
  addWaitLockFlag(withFlags).action(async (stacks: readonly string[], _: AdoptFlags, self: Command) => {
    const flags = self.optsWithGlobals<AdoptFlags>();
    if (flags.stale) await rewriteStaleEntries(stacks, flags, host);
    else if (flags.undo !== undefined) await undo(flags.undo, stacks, flags, host);
    else if (flags.fromApplyset === undefined) await adoptStacks(stacks, flags, host);
    else await (await import('./adopt-apply-set.js')).adoptSet(flags.fromApplyset, stacks, flags, host);
  });
}

async function adoptStacks(stacks: readonly string[], flags: AdoptFlags, host: Host): Promise<void> {
  requireOnly('an adoption of fields', { '--leave-undeclared': flags.leaveUndeclared });
  const { loadConfig } = await import('../program/config.js');
  const config = await loadConfig({ cwd: host.cwd, env: host.env, flags });
  const assembly = await synthesize({ host, config });
  const { adopt } = await import('../../deploy/adopt/adopt.js');
  const cluster = await openCluster(config);
  try {
    let shown: readonly Adoption[] = [];
    const confirm = async (preview: readonly Adoption[]) => {
      shown = preview;
      if (!flags.json) for (const adoption of preview) host.stdout(previewText(quoted(adoption)));
      return answer(
        { text: `These objects change owners on ${targetText({ ...config, ...cluster })}`, objects: preview.map(({ object }) => object) },
        flags,
        host,
      );
    };
    const from = flags.from === undefined ? {} : { from: flags.from };
    const options = { stacks, ...from, ...adoptionHost(flags, config, host), confirm };
    const result = await adopt(assembly, cluster, options, retriesTo(host)).catch((error: unknown) =>
      printRefused(error, refusedAdoptions(shown), flags, host),
    );
    printAdoptions(result, flags, host);
  } finally {
    cluster.close();
  }
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
  const { loadConfig } = await import('../program/config.js');
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

async function undo(file: string, [stack]: readonly string[], flags: AdoptFlags, host: Host): Promise<void> {
  const { from, fromApplyset, leaveUndeclared, outputFile, withDeletion } = flags;
  requireOnly('--undo', {
    '--from': from,
    '--from-applyset': fromApplyset,
    '--leave-undeclared': leaveUndeclared,
    '--output-file': outputFile,
    '--with-deletion': withDeletion,
    'The name of a stack': stack,
  });
  const { loadConfig } = await import('../program/config.js');
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
