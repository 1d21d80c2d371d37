import { realpathSync } from 'node:fs';
import path from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Strategy, strategies } from '../../assembly/policy-vocabulary.js';
import { FieldwiseError } from '../../util/error.js';
import type { Host } from '../process/host.js';
import { addDocumentFlags } from './document-source.js';
import { helpGroups, inHelpGroup } from './help-groups.js';

/** The value of `--strategy`, not validated yet. */
export interface StrategyFlag {
  readonly strategy?: string;
}

/** The context values of a command, `KEY=VALUE` each. */
export interface ContextFlag {
  readonly context?: readonly string[];
}

/** Returns the keys of the context values that the user has chosen for this command. */
export function chosenContext({ context = [] }: ContextFlag): readonly string[] {
  return context.map((pair) => pair.slice(0, pair.indexOf('=')));
}

/** Adds `--strategy`, which overrides every policy of the assembly. */
export function addStrategyFlag(command: Command): Command {
  return command.option(
    '--strategy <name>',
    'who merges declared fields into live objects: server-side (the API server, by server-side apply) or dynamic (Fieldwise, by a client-side three-way merge). Overrides the policies of all objects (default: the policy of each object, else server-side)',
  );
}

/** Adds `--take-over`. */
export function addTakeOverFlag(command: Command): Command {
  return command.option(
    '--take-over <id>',
    'take over stacks that a program of the same name with this `id` deploys (default: refuse them if this program has another id)',
  );
}

/** Adds `--wait-lock`; `prefix` says when it has an effect. */
export function addWaitLockFlag(command: Command, prefix = ''): Command {
  return command.option(
    '--wait-lock [seconds]',
    `${prefix}if another run has locked a stack, wait up to this many seconds for the lock; ${defaultWaitLock} if no number is given (default: do not wait, except up to 15 s to find out whether that run is still active)`,
    readSeconds,
  );
}

/**
 * Returns the strategy of the flag, else of FIELDWISE_STRATEGY, as an option of the engine.
 *
 * @throws FieldwiseError `flag-invalid`, `environment-invalid`.
 */
export function strategyOption({ strategy: flag }: StrategyFlag, { env }: Pick<Host, 'env'>): { readonly strategy?: Strategy } {
  const requested = flag ?? (env.FIELDWISE_STRATEGY || undefined);
  if (requested === undefined) return {};
  const strategy = strategies.find((name) => name === requested);
  if (strategy !== undefined) return { strategy };
  const source = flag === undefined ? 'FIELDWISE_STRATEGY' : '--strategy';
  const code = flag === undefined ? 'environment-invalid' : 'flag-invalid';
  throw new FieldwiseError(code, 'usage', `\`${source} ${requested}\` is neither server-side nor dynamic`, {
    next: 'With server-side, the API server merges; with dynamic, Fieldwise merges client-side, from its last applied intent.',
  });
}

/** Reads the value of `--concurrency`. */
export function readConcurrency(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= 256) return number;
  throw new InvalidArgumentError('Expected an integer from 1 to 256.');
}

/** The seconds of `--wait-lock` without a value. */
export const defaultWaitLock = 600;

/** Reads the value of a flag in seconds. */
export function readSeconds(text: string): number {
  const number = Number(text);
  if (text.trim() !== '' && number >= 0 && number <= 86_400) return number;
  throw new InvalidArgumentError('Expected a number of seconds from 0 to 86400.');
}

/** The value of `--problems`. */
export interface ProblemsFlag {
  readonly problems?: boolean;
}

/** Adds `--problems`; `what` is shown with it. */
export function addProblemsFlag(command: Command, what: string): Command {
  return command.option('--problems', `in the text, show only ${what} (default: all objects)`);
}

/** The values of `--watch` and `--for`. */
export interface WatchFlags {
  readonly watch?: boolean;
  readonly for?: number;
}

/** Adds `--watch` and `--for`; `what` is shown when it changes. */
export function addWatchFlags(command: Command, what: string): Command {
  return command
    .option(
      '--watch',
      `follow the objects, and show ${what} as it changes, until Ctrl-C, or until the reader of the output ends, such as head -1 (default: show it once)`,
    )
    .option('--for <seconds>', 'with --watch: end after this time, at most 86400, a day (default: at Ctrl-C)', readSeconds);
}

/** @throws FieldwiseError `flag-without-use`. */
export function refuseForWithoutWatch(flags: WatchFlags): void {
  if (flags.for === undefined || flags.watch) return;
  throw new FieldwiseError('flag-without-use', 'usage', '`--for` has no effect without `--watch`', {
    next: 'Pass `--watch`, or leave out `--for`.',
  });
}

/**
 * Returns the signal that ends a watch: after the time, at Ctrl-C, or when nobody reads the output any more. Not by `AbortSignal.any`: Node 20
 * may collect a signal that only it refers to.
 */
export function watchSignal(flags: WatchFlags, { signal, readerGone }: Pick<Host, 'signal' | 'readerGone'>): AbortSignal {
  const end = new AbortController();
  const timer = flags.for === undefined ? undefined : setTimeout(() => end.abort(), flags.for * 1000);
  const stop = () => {
    clearTimeout(timer);
    end.abort();
  };
  for (const one of [signal, ...(readerGone ? [readerGone] : [])]) {
    if (one.aborted) stop();
    else one.addEventListener('abort', stop, { once: true });
  }
  return end.signal;
}

/** Reads a SHA-256 in hex, with or without `sha256:`. */
export function readDigest(text: string): string {
  const [, hex] = /^(?:sha256:)?([0-9a-f]{64})$/i.exec(text.trim()) ?? [];
  if (hex === undefined) throw new InvalidArgumentError('Expected sha256: and 64 characters in hex.');
  return `sha256:${hex.toLowerCase()}`;
}

/** Reads the value of a flag that is a path. An empty one, as of a variable that is not set, would be the working directory. */
export function readPath(text: string): string {
  if (text !== '') return text;
  throw new InvalidArgumentError('Expected the path of a file or directory.');
}

/** Adds `--admission` and `--strict`. */
export function addPoliciesFlags(command: Command): Command {
  return command
    .option(
      '--admission <path>',
      'file or directory of ValidatingAdmissionPolicies, bindings, parameters and CustomResourceDefinitions that decide on the plan (default: `admission` in fieldwise.yaml, else none)',
      readPath,
    )
    .option('--strict', 'block an object for which a policy or definition cannot be evaluated (default: say so)');
}

/** Adds `--rules`. */
export function addRulesFlag(command: Command): Command {
  return command.option(
    '--rules <file>',
    'TypeScript or JavaScript module whose rules judge the plan, and may deny changes (default: `rules` in fieldwise.yaml, else none)',
    readPath,
  );
}

/** Objects that are released rather than deleted, unless `--delete` names them. */
export const deletables = ['shared', 'foreign'] as const;

export type Deletable = (typeof deletables)[number];

/** Returns `--delete`, a list of kinds of objects. */
export function deleteOption(help: string): Option {
  return new Option('--delete <what>', help).argParser((text: string, before: readonly Deletable[] = []) => [
    ...before,
    ...text.split(',').map(readDeletable),
  ]);
}

function readDeletable(text: string): Deletable {
  const known = deletables.find((name) => name === text.trim());
  if (known !== undefined) return known;
  throw new InvalidArgumentError('Expected shared, foreign or shared,foreign.');
}

/** Returns the options of the engine that `--delete` sets. */
export function deletionOptions({ delete: named = [] }: { readonly delete?: readonly Deletable[] }) {
  return { deleteShared: named.includes('shared'), deleteForeign: named.includes('foreign') };
}

/** The formats of a plan and of the record of a deploy. */
export const outputFormats = ['text', 'markdown', 'json', 'junit', 'sarif'] as const;

export type OutputFormat = (typeof outputFormats)[number];

/** The flags of commands that print in several formats. */
export interface FormatFlags {
  /** The format of standard output. */
  readonly output?: OutputFormat;
  readonly json?: boolean;
  readonly outputFile?: readonly OutputFile<OutputFormat>[];
  readonly all?: boolean;
  /** The files of `--output-file` in other formats. */
  readonly planFile?: string;
  readonly report?: string;
  readonly html?: string;
}

/**
 * Adds `-o` and `--output-file`.
 *
 * @param what the printed thing, such as `plan`.
 * @param others the formats of files that `-o` does not print, with their meaning.
 */
export function addFormatFlags(
  command: Command,
  what: string,
  others: { readonly formats: readonly string[]; readonly help: string },
): Command {
  return command
    .addOption(
      outputOption(`print the ${what} in this format on standard output; json is one object per line (default: text)`, outputFormats),
    )
    .addOption(
      outputFileOption(
        `also write the ${what} to a file in a format, such as markdown=plan.md; ${others.help}; repeatable`,
        [...outputFormats, ...others.formats],
        outputFormats,
      ),
    );
}

/**
 * Returns the flags with `json` where `-o json` says so, and with the files of each format.
 *
 * @throws FieldwiseError `flag-invalid` if two of them name the same file.
 */
export function withFormat<Flags extends FormatFlags>(flags: Flags, cwd: string): Flags {
  const files: readonly OutputFile[] = flags.outputFile ?? [];
  const written = new Set<string>();
  for (const { file } of files) {
    const target = targetOf(path.resolve(cwd, file));
    if (written.has(target)) {
      throw new FieldwiseError('flag-invalid', 'usage', `Two flags name the same file, ${file}`, { next: 'Pass a file for each of them.' });
    }
    written.add(target);
  }
  const one = (format: string, member: 'planFile' | 'report' | 'html') => {
    const file = outputFileOf({ outputFile: files }, format);
    return file === undefined ? {} : { [member]: file };
  };
  return {
    ...flags,
    ...(flags.output === 'json' ? { json: true } : {}),
    ...one('plan', 'planFile'),
    ...one('report', 'report'),
    ...one('html', 'html'),
    outputFile: files.filter(({ format }) => (outputFormats as readonly string[]).includes(format)),
  };
}

/** Returns the file behind links. */
function targetOf(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file; // it does not exist
  }
}

/** Returns `-o`, which names the format of standard output; its value is the member `output` of the flags. */
export function outputOption(help: string, formats: readonly string[]): Option {
  return new Option('-o, --output <format>', help).choices(formats).argParser((text) => readFormat(text, formats));
}

/** Returns `-o` of a command that prints text or JSON; its value is the member `json` of the flags, a boolean. */
export function jsonOption(help: string): Option {
  const formats = ['text', 'json'];
  return new JsonOption('-o, --output <format>', help).choices(formats).argParser((text) => readFormat(text, formats) === 'json');
}

class JsonOption extends Option {
  override attributeName(): string {
    return 'json';
  }
}

/** Formats of this command line and of others: none of them is meant as a directory, which `-o` once named. */
const knownFormats = /^(?:text|markdown|json|junit|sarif|ya?ml|html|wide|name|table)$/i;

function readFormat(text: string, formats: readonly string[]): string {
  if (formats.includes(text)) return text;
  const outdir = knownFormats.test(text) ? '' : ` The directory to write to is now \`--outdir ${text}\`.`;
  throw new InvalidArgumentError(`Allowed choices are ${formats.join(', ')}.${outdir}`);
}

/** A file that a command writes in a format. */
export interface OutputFile<Format extends string = string> {
  readonly format: Format;
  readonly file: string;
}

/** The value of `--output-file`. */
export interface OutputFileFlag {
  readonly outputFile?: readonly OutputFile[];
}

/**
 * Returns `--output-file`, which may be repeated.
 *
 * @param formats the formats of its files, in the order of the help.
 * @param printed those among them that `-o` prints on standard output; of each other format, a command writes one file.
 */
export function outputFileOption(help: string, formats: readonly string[], printed: readonly string[] = []): Option {
  const option = new Option('--output-file <format=file>', help).choices(formats);
  return option.argParser((text: string, before: readonly OutputFile[] = []) => [
    ...before,
    readOutputFile(text, formats, printed, before),
  ]);
}

/** Returns the file of a format of which a command writes one. */
export function outputFileOf({ outputFile = [] }: OutputFileFlag, wanted: string): string | undefined {
  return outputFile.find(({ format }) => format === wanted)?.file;
}

function readOutputFile(text: string, formats: readonly string[], printed: readonly string[], before: readonly OutputFile[]): OutputFile {
  const at = text.indexOf('=');
  const format = formats.find((name) => name === text.slice(0, at));
  const file = text.slice(at + 1);
  if (at < 0 || format === undefined) {
    throw new InvalidArgumentError(`Expected FORMAT=FILE, with a format of ${formats.join(', ')}; such as ${exampleOf(formats[0] ?? '')}.`);
  }
  if (file === '') throw new InvalidArgumentError(`It names no file: pass one, such as ${exampleOf(format)}.`);
  const isPrinted = printed.includes(format);
  if (file === '-' && isPrinted) throw new InvalidArgumentError(`A format is printed on standard output by -o ${format}.`);
  if (!isPrinted && before.some((other) => other.format === format)) {
    throw new InvalidArgumentError(`One file of the format ${format} is written: leave out the others.`);
  }
  return { format, file };
}

const examples: Readonly<Record<string, string>> = {
  text: 'plan.txt',
  markdown: 'plan.md',
  json: 'plan.jsonl',
  junit: 'plan.xml',
  sarif: 'plan.sarif',
  html: 'page.html',
  yaml: 'guard.yaml',
  dotenv: 'plan.env',
};

function exampleOf(format: string): string {
  return `${format}=${examples[format] ?? `${format}.json`}`;
}

/** Returns the number of a revision that a text names; undefined if it names none. */
export function revisionNumber(text: string): number | undefined {
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}

/** Reads the number of a revision in a flag. */
export function readRevision(text: string): number {
  const number = revisionNumber(text);
  if (number !== undefined) return number;
  throw new InvalidArgumentError('Expected the number of a revision, such as 3; `fieldwise history` lists them.');
}

/** Adds the options of every command that needs a program; `several`: of a command that takes several environments. */
export function addProgramOptions(command: Command, several = false): Command {
  const withProgram = inHelpGroup(helpGroups.program, command, (to) =>
    addContextFlag(
      addDocumentFlags(to)
        .option('-a, --app <app>', appHelp)
        .option(
          '--outdir <directory>',
          'directory to which the program writes its objects (default: `output` in fieldwise.yaml, else dist beside that file; of an environment, a directory in it)',
          readPath,
        ),
    ).option('--config <file>', configHelp),
  );
  return addInstanceFlag(addEnvironmentFlag(withProgram, several));
}

/** Adds `--env`. */
export function addEnvironmentFlag(command: Command, several = false): Command {
  const environments = several ? 'environments of fieldwise.yaml, such as staging,prod' : 'environment of fieldwise.yaml';
  return inHelpGroup(helpGroups.environment, command, (to) =>
    to.option(
      '-e, --env <name>',
      `${environments}: its cluster, namespace, instance and context values (default: FIELDWISE_ENV, else \`env\` in fieldwise.yaml)`,
      // Two flags are a list, too: no command may take one of them and ignore the other.
      (name: string, before?: string) => (before === undefined ? name : `${before},${name}`),
    ),
  );
}

/** Adds `--instance`. */
export function addInstanceFlag(command: Command): Command {
  return inHelpGroup(helpGroups.environment, command, (to) =>
    to.option(
      '--instance <name>',
      'name of this installation of the app, which is part of every field manager (default: that of the environment, else `instance` in fieldwise.yaml, else default)',
    ),
  );
}

/** Adds `--context`. */
export function addContextFlag(command: Command): Command {
  return command.option(
    '-c, --context <key=value>',
    'context value, which the program reads with app.node.tryGetContext(key); repeatable',
    (pair: string, before: string[] = []) => [...before, pair],
  );
}

/** Help of `--app`. */
export const appHelp =
  'the program: a TypeScript or JavaScript file, a command that runs it, or a directory that `fieldwise synth` wrote (default: `app` in fieldwise.yaml)';

/** Help of `--config`. */
export const configHelp = 'configuration file (default: fieldwise.yaml in the working directory)';
