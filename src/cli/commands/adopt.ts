import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Command } from 'commander';
import type { AdoptionResult } from '../../deploy/adopt/adopt.js';
import type { Adoption, AdoptionRecord, EventHost, Question, ReportedError, StaleObject, UndoneAdoption } from '../../deploy/index.js';
import { exitCodeOf, FieldwiseError, sentence } from '../../util/error.js';
import { pluralize } from '../../util/pluralize.js';
import { writeWhole } from '../files/write-whole.js';
import { addWaitLockFlag, defaultWaitLock } from '../flags.js';
import type { Host } from '../host.js';
import { addClusterFlags, type ClusterFlags, openCluster } from '../open-cluster.js';
import { quoted } from '../render/printable.js';
import { addProgramOptions, synthesize } from './synth.js';

interface AdoptFlags extends ClusterFlags {
  readonly from?: readonly string[];
  readonly undo?: string;
  readonly stale?: boolean;
  readonly record?: string;
  readonly yes?: boolean;
  readonly withDeletion?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly waitLock?: number | true;
}

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
    .option('--record <file>', 'file in which to record the adoption, for --undo (default: .fieldwise/adopt-<time>.json in the project)')
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
    .option(
      '-j, --json',
      'print the record file and the result for each object as JSON, one per line; nothing if there is nothing to adopt',
    );
  addWaitLockFlag(withFlags).action(async (stacks: readonly string[], _: AdoptFlags, self: Command) => {
    const flags = self.optsWithGlobals<AdoptFlags>();
    if (flags.stale) await rewriteStaleEntries(stacks, flags, host);
    else if (flags.undo === undefined) await adoptStacks(stacks, flags, host);
    else await undo(flags.undo, stacks, flags, host);
  });
}

async function adoptStacks(stacks: readonly string[], flags: AdoptFlags, host: Host): Promise<void> {
  const { loadConfig } = await import('../program/config.js');
  const config = await loadConfig({ cwd: host.cwd, env: host.env, flags });
  const assembly = await synthesize({ host, config });
  const [{ adopt }, { recordJson }] = await Promise.all([import('../../deploy/adopt/adopt.js'), import('../../deploy/adopt/record.js')]);
  const cluster = await openCluster(config);
  try {
    const record = async (made: AdoptionRecord) => {
      const file = flags.record
        ? path.resolve(host.cwd, flags.record)
        : path.join(config.directory, '.fieldwise', `adopt-${made.time.replaceAll(':', '-')}.json`);
      await writeRecord(file, recordJson(made));
      if (flags.json) host.stdout(`${JSON.stringify({ event: 'record', file })}\n`);
      else host.stderr(`record: ${file}\n`);
    };
    let shown: readonly Adoption[] = [];
    const confirm = async (preview: readonly Adoption[]) => {
      shown = preview;
      if (!flags.json) for (const adoption of preview) host.stdout(previewText(quoted(adoption)));
      return answer({ text: 'These objects change owners', objects: preview.map(({ object }) => object) }, flags, host);
    };
    const confirmLifecycle = async (objects: readonly string[]) => {
      if (flags.withDeletion !== undefined) return flags.withDeletion;
      if (flags.yes) return false; // --yes agrees to new owners, not to deletions
      const text =
        'These objects existed before their stacks. When they are no longer declared, their stacks release them and do not delete them. Let the stacks delete them';
      return answer({ text, objects }, {}, host);
    };
    const from = flags.from === undefined ? {} : { from: flags.from };
    const options = { stacks, ...from, ...lockOptions(flags, config.inventory.namespace, host), confirm, confirmLifecycle, record };
    const result = await adopt(assembly, cluster, options, retriesTo(host)).catch((error: unknown) =>
      printRefused(error, 'adoption', shown, flags, host),
    );
    printAdoptions(result, flags, host);
  } finally {
    cluster.close();
  }
}

function printAdoptions(
  { adoptions, notDeployed, transferredLifecycles, released, retained }: AdoptionResult,
  flags: AdoptFlags,
  host: Host,
): void {
  for (const object of notDeployed) {
    if (flags.json) host.stdout(`${JSON.stringify({ event: 'not-deployed', object })}\n`);
    else host.stderr(`not deployed yet, not changed: ${object}\n`);
  }
  for (const adoption of adoptions)
    host.stdout(flags.json ? `${JSON.stringify({ event: 'adoption', ...adoption })}\n` : failure(quoted(adoption)));
  for (const object of transferredLifecycles) {
    if (flags.json) host.stdout(`${JSON.stringify({ event: 'deletable', object })}\n`);
    else host.stderr(`its stack now has the right to delete it: ${object}\n`);
  }
  for (const object of released) {
    if (flags.json) host.stdout(`${JSON.stringify({ event: 'releasable', object })}\n`);
    else if (flags.withDeletion === undefined)
      host.stderr(`its stack will release it and not delete it, unless you pass --with-deletion: ${object}\n`);
  }
  for (const { object, by } of flags.withDeletion ? retained : []) {
    if (flags.json) host.stdout(`${JSON.stringify({ event: 'retained', object, by })}\n`);
    else
      host.stderr(
        `its stack will release it and not delete it, because ${by.join(', ')} appl${by.length > 1 ? 'y' : 'ies'} fields to it: ${object}\n`,
      );
  }
  const failed = adoptions.filter(({ result }) => result === 'failed').length;
  if (!flags.json) host.stderr(`${doneText(adoptions.length - failed, failed, transferredLifecycles.length)}\n`);
  if (failed > 0) host.setExitCode(exitCodeOf('resource'));
}

function doneText(adopted: number, failed: number, transferredLifecycles: number): string {
  if (adopted + failed + transferredLifecycles === 0) return 'nothing to adopt';
  const facts = [
    adopted + failed > 0 ? `${pluralize(adopted, 'object')} adopted` : '',
    transferredLifecycles > 0 ? `the right to delete ${pluralize(transferredLifecycles, 'object')} adopted` : '',
  ];
  return facts.filter((fact) => fact !== '').join('; ');
}

/** Returns the answer to a question that only this command asks. */
async function answer(question: Pick<Question, 'text' | 'objects'>, { yes }: Pick<AdoptFlags, 'yes'>, host: Host): Promise<boolean> {
  const { confirmAtTerminal } = await import('../confirm.js');
  const { answerTo } = await import('../../engine/run/answer.js');
  return answerTo({ ...question, answeredByPruneSetting: false }, { yes: yes === true, confirm: confirmAtTerminal(host) });
}

async function rewriteStaleEntries(stacks: readonly string[], flags: AdoptFlags, host: Host): Promise<void> {
  requireOnly('--stale', { '--from': flags.from, '--record': flags.record, '--undo': flags.undo });
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
      const text = 'Rewrite entries of managedFields in these objects';
      return answer({ text, objects: found.map(({ object }) => object) }, flags, host);
    };
    const options = { stacks, ...lockOptions(flags, config.inventory.namespace, host), confirm };
    const rewritten = await rewriteStale(assembly, cluster, options, retriesTo(host)).catch((error: unknown) =>
      printRefused(error, 'stale', shown, flags, host),
    );
    for (const one of rewritten) host.stdout(flags.json ? `${JSON.stringify({ event: 'stale', ...one })}\n` : staleResultText(quoted(one)));
    const failed = rewritten.filter(({ result }) => result === 'failed').length;
    if (!flags.json)
      host.stderr(rewritten.length === 0 ? 'no stale entries\n' : `${pluralize(rewritten.length - failed, 'object')} rewritten\n`);
    if (failed > 0) host.setExitCode(exitCodeOf('resource'));
  } finally {
    cluster.close();
  }
}

function requireOnly(mode: string, others: Readonly<Record<string, unknown>>): void {
  const useless = Object.keys(others).find((name) => others[name] !== undefined);
  if (useless === undefined) return;
  throw new FieldwiseError('flag-without-use', 'usage', `${useless} has no effect with ${mode}`, { next: 'Leave one of them out.' });
}

/** Prints an adoption that nobody confirmed, object by object, as JSON; a person has seen the preview. */
function printRefused(error: unknown, event: string, shown: readonly object[], flags: AdoptFlags, host: Host): never {
  if (flags.json && error instanceof FieldwiseError && error.code === 'confirmation-needed') {
    const { code, message, next } = error;
    host.stdout(`${JSON.stringify({ event: 'refused', error: { code, message, next } })}\n`);
    for (const one of shown) host.stdout(`${JSON.stringify({ event, ...one, result: 'skipped', reason: 'not confirmed' })}\n`);
  }
  throw error;
}

async function undo(file: string, [stack]: readonly string[], flags: AdoptFlags, host: Host): Promise<void> {
  const { from, record: written, withDeletion } = flags;
  requireOnly('--undo', { '--from': from, '--record': written, '--with-deletion': withDeletion, 'The name of a stack': stack });
  const { loadConfig } = await import('../program/config.js');
  const config = await loadConfig({ cwd: host.cwd, env: host.env, flags });
  const [{ readText }, { parseRecord }, { undoAdoption }] = await Promise.all([
    import('../files/plan-file.js'),
    import('../../deploy/adopt/record.js'),
    import('../../deploy/adopt/undo-adoption.js'),
  ]);
  const record = parseRecord(await readText(host, file), file);
  const cluster = await openCluster(config);
  try {
    const undone = await undoAdoption(record, cluster, lockOptions(flags, config.inventory.namespace, host), retriesTo(host));
    for (const one of undone) host.stdout(flags.json ? `${JSON.stringify({ event: 'undone', ...one })}\n` : undoneText(quoted(one)));
    if (undone.some(({ result }) => result === 'failed')) host.setExitCode(exitCodeOf('resource'));
  } finally {
    cluster.close();
  }
}

function lockOptions(flags: AdoptFlags, inventoryNamespace: string, host: Host) {
  const { waitLock } = flags;
  return {
    inventoryNamespace,
    signal: host.signal,
    ...(waitLock === undefined ? {} : { lockTimeoutSeconds: waitLock === true ? defaultWaitLock : waitLock }),
  };
}

function retriesTo(host: Host): EventHost {
  return (event) => {
    if (event.event === 'waiting-for-lock') host.stderr(`waiting for another run to unlock stack ${event.stack}\n`);
  };
}

async function writeRecord(file: string, record: object): Promise<void> {
  try {
    await mkdir(path.dirname(file), { recursive: true });
    await writeWhole(file, `${JSON.stringify(record, undefined, 2)}\n`, 0o600);
  } catch (cause) {
    throw new FieldwiseError('record-not-written', 'usage', `The record cannot be written: ${(cause as Error).message}`, {
      location: { file },
      next: 'Nothing was changed. Name another file with --record.',
      cause,
    });
  }
}

function previewText({ object, stack, to, transfers, lastApplied }: Adoption): string {
  const lines = [`${object}, to stack ${stack} (${to})`];
  for (const { from, fields } of transfers) {
    lines.push(`  from ${from}`);
    for (const field of fields) lines.push(`    ${field}`);
  }
  if (lastApplied !== undefined) {
    lines.push(`  the last-applied annotation of kubectl ${lastApplied === 'removed' ? 'is removed' : 'loses these fields'}`);
  }
  return `${lines.join('\n')}\n`;
}

function staleText({ object, stack, entries, to }: StaleObject): string {
  return [`${object}, of stack ${stack}: to ${to}`, ...entries.map((entry) => `  ${entry}`), ''].join('\n');
}

function staleResultText({ object, result, dropped = [], error }: StaleObject): string {
  if (result === 'failed') return failedText(object, error);
  return dropped.length > 0 ? `${object}: removed entries of fields that the object does not have: ${dropped.join(', ')}\n` : '';
}

function failure({ object, result, error }: Adoption): string {
  return result === 'failed' ? failedText(object, error) : '';
}

function failedText(object: string, error: ReportedError | undefined): string {
  if (error === undefined) return `FAILED ${object}\n`;
  const { message, next, code } = error;
  return `FAILED ${object}: ${sentence(message)}${next ? ` ${sentence(next)}` : ''} [${code}]\n`;
}

function undoneText({ object, transfers, result, lifecycleTransferred, note, error }: UndoneAdoption): string {
  const returned = transfers.map(({ to, fields }) => `\n  to ${to}: ${fields.join(', ')}`).join('');
  const back = `${returned}${lifecycleTransferred ? '\n  its stack loses the right to delete it' : ''}`;
  if (result === 'failed') return failedText(object, error);
  return `${result} ${object}${note ? ` (${note})` : ''}${back}\n`;
}
