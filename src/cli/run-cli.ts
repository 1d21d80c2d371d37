import { readFileSync } from 'node:fs';
import { Command, CommanderError, Help, type Option } from 'commander';
import { exitCodeOf, FieldwiseError } from '../util/error.js';
import { packageFile } from '../util/package-file.js';
import { inHelpOrder } from './config/help-groups.js';
import { pointerTo } from './config/pointers.js';
import type { Host } from './process/host.js';
import { registerCommands } from './register-commands.js';
import { refuseRemovedCommand } from './removed-commands.js';
import { readsJobCommands, withoutJobCommands } from './render/job-commands.js';
import { printableOutput } from './render/printable.js';
import { reportError } from './render/report-error.js';
import { helpText } from './short-help.js';

/** The process as the command line sees it. */
export interface CliHost extends Omit<Host, 'setExitCode' | 'raw' | 'data'> {
  /**
   * The command as the user typed it.
   *
   * @default 'fieldwise'
   */
  readonly name?: string;
}

/**
 * Runs the command line.
 *
 * @returns the exit code: 0 success; 1 differences (`--exit-code` only); 2 usage or configuration; 3 authentication; 4 a resource failed;
 *   5 conflicts under the policy `fail`; 130 interrupted.
 */
export async function runCli(words: readonly string[], { name = 'fieldwise', ...outer }: CliHost): Promise<number> {
  let exitCode = 0;
  const shown = readsJobCommands(outer.env) ? withoutJobCommands : (text: string) => text;
  const raw: Host['raw'] = { stdout: (text) => outer.stdout(shown(text)), stderr: (text) => outer.stderr(shown(text)) };
  const host: Host = {
    ...outer,
    stdout: (text) => raw.stdout(printableOutput(text)),
    stderr: (text) => raw.stderr(printableOutput(text)),
    raw,
    data: outer.stdout,
    setExitCode: (code) => (exitCode = code),
  };
  const program = createProgram(name, words.includes('--all'))
    .exitOverride()
    .configureOutput({ writeOut: host.stdout, writeErr: host.stderr })
    .showHelpAfterError(`(run ${name} --help, or ${name} COMMAND --help, for commands and flags)`);
  try {
    refuseRemovedCommand(words);
  } catch (error) {
    return reportError(error, host, false);
  }
  await registerCommands(program, host, words);
  for (const command of program.commands) command.exitOverride().configureOutput({ writeOut: host.stdout, writeErr: host.stderr });
  try {
    await program.parseAsync(words, { from: 'user' });
    await outer.written?.();
    const late = outer.ownProcess?.failure;
    if (late === undefined) return exitCode;
    return outer.ownProcess?.isFailureShown ? exitCodeOf(late.kind) : reportError(late, host, program.opts().verbose === true);
  } catch (thrown) {
    const late = outer.ownProcess?.failure;
    // An interruption is what the failure has caused.
    const error = late && thrown instanceof FieldwiseError && thrown.kind === 'interrupted' ? late : thrown;
    if (late && error === late && outer.ownProcess?.isFailureShown) return exitCodeOf(late.kind);
    if (error instanceof CommanderError) {
      const pointer = pointerTo(error, words, program.commands);
      if (pointer !== undefined) host.stderr(`${pointer}\n`);
      return error.exitCode === 0 ? 0 : exitCodeOf('usage');
    }
    return reportError(error, host, program.opts().verbose === true);
  }
}

/**
 * Returns the command line with its global flags, and without commands.
 *
 * @param wholeHelp true if the help of a command describes each flag in full, however long it is.
 */
export function createProgram(name = 'fieldwise', wholeHelp = false): Command {
  return new Command(name)
    .description(
      'Infrastructure as code for Kubernetes, field by field: runs a program that declares objects in stacks (groups that are deployed and destroyed together), and deploys them with server-side apply.',
    )
    .version(version(), '--version', 'print the version')
    .option('--no-color', 'print without colors (default: colors at a terminal, unless NO_COLOR is set)')
    .option('-v, --verbose', 'also print the cause of an error, with its stack trace; with import: also list what is skipped')
    .option('-q, --quiet', 'with deploy, destroy, rollback, adopt and drift --repair: print only failures')
    .configureHelp({
      showGlobalOptions: true,
      groupItems,
      subcommandTerm: (command) => command.name(),
      formatHelp: (command, helper) => helpText(command, helper, wholeHelp),
    });
}

/** Groups flags and commands for `--help`. */
function groupItems<Item extends Command | Option>(all: Item[], visible: Item[], groupOf: (item: Item) => string): Map<string, Item[]> {
  return inHelpOrder(new Help().groupItems(all, visible, groupOf));
}

function version(): string {
  return (JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as { version: string }).version;
}
