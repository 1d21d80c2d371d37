import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Command, Option } from 'commander';
import type { Assembly, Manifest, SynthDiagnostic } from '../../assembly/types.js';
import { after } from '../../util/after.js';
import { FieldwiseError } from '../../util/error.js';
import type { Codes } from '../../util/error-codes.js';
import { slashPath } from '../../util/slash-path.js';
import { addDocumentFlags } from '../documents/document-source.js';
import { readPath } from '../flags.js';
import { type GitopsTool, gitopsTools } from '../gitops/tools.js';
import { helpGroups, inHelpGroup } from '../help-groups.js';
import type { SynthLine } from '../json/lines.js';
import { jsonOption } from '../output-option.js';
import { checkInstance, requireEnvironment } from '../program/chosen-instance.js';
import type { Config, ConfigFlags } from '../program/config.js';
import type { OwnProcess } from '../program/own-process.js';
import { jsonRenderer } from '../render/json-renderer.js';
import { growHeapSlowly } from '../v8-flags.js';

/** The output and input of a command. */
export interface SynthHost {
  stdout(text: string): void;
  stderr(text: string): void;
  /** Writes text unchanged: the output of the program, and YAML. */
  readonly raw?: { stdout(text: string): void; stderr(text: string): void };
  data?(text: string): void;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Runs work that cannot be stopped halfway: meanwhile, a signal ends the process at once. */
  interruptible?<Result>(work: () => Promise<Result>): Promise<Result>;
  /**
   * Standard input.
   *
   * @default that of the process
   */
  readonly stdin?: AsyncIterable<Uint8Array>;
  /** Absent where other work shares the process, as in tests. */
  readonly ownProcess?: OwnProcess;
  /**
   * Calls back after a time, without keeping the process alive for it; returns a function that cancels it.
   *
   * @default by the clock of the process
   */
  after?(milliseconds: number, callback: () => void): () => void;
}

export interface SynthesizeOptions {
  readonly host: Pick<SynthHost, 'stderr' | 'raw' | 'cwd' | 'env' | 'interruptible' | 'stdin' | 'ownProcess' | 'after'>;
  readonly flags?: ConfigFlags;
  /** The configuration, if the caller has already loaded it; `flags` are then ignored. */
  readonly config?: Config;
}

interface SynthFlags {
  readonly config?: string;
  readonly app?: string;
  readonly outdir?: string;
  readonly context?: readonly string[];
  readonly stdout?: boolean;
  readonly json?: boolean;
  readonly for?: GitopsTool;
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

/** Adds `fieldwise synth`. */
export function registerSynth(program: Command, host: SynthHost): void {
  const command = program
    .command('synth')
    .summary('run the program and write the objects that it declares')
    .description(
      'Runs the program and writes its assembly: for each stack, the declared objects as YAML and as JSON, and a manifest of all stacks.',
    );
  addProgramOptions(command)
    .addOption(
      new Option(
        '--for <tool>',
        'write plain documents that Argo CD or Flux applies instead (default directory: argocd or flux beside fieldwise.yaml; `gitops` there says where the tool finds it)',
      ).choices(gitopsTools),
    )
    .option('-p, --stdout', 'print the YAML to standard output, and do not write to the output directory')
    .addOption(jsonOption('text, or json: the stacks, the warnings and a summary, one per line (default: text)'))
    .action(async (_: SynthFlags, command: Command) => synth(command.optsWithGlobals<SynthFlags>(), host));
}

/**
 * Runs the configured program, publishes its assembly in the output directory and returns it. If `-a` names a finished assembly, returns
 * that one. Commands that run at the same time each get the assembly of their own program. The assembly of documents is not written.
 *
 * @throws FieldwiseError `app-not-configured`, and those of `loadConfig`, `loadProgram`, `readAssembly` and `synthesizeDocuments`.
 */
export async function synthesize(options: SynthesizeOptions): Promise<Assembly> {
  const config = await configOf(options);
  if (config.documents) {
    const { documents } = config;
    checkEnvironment(config, options.host);
    const { synthesizeDocuments } = await import('../documents/synthesize-documents.js');
    return interruptibly(options.host, () => synthesizeDocuments(documents, config, options.host));
  }
  return (await run(config, options.host)).assembly;
}

async function synth(flags: SynthFlags, host: SynthHost): Promise<void> {
  const config = await configOf({ host, flags });
  if (flags.for) return synthFor(flags.for, flags, config, host);
  if (!flags.stdout) {
    const { assembly, directory } = await run(config, host);
    report(assembly, slashPath(host.cwd, directory) || '.', flags, host);
    return;
  }
  const { assembly } = await run(config, host, async (directory, { manifest: { stacks } }) => {
    for (const { yaml } of stacks) (host.data ?? host.stdout)(await readFile(path.join(directory, yaml.path), 'utf8'));
  });
  for (const warning of assembly.manifest.warnings) host.stderr(warningText(warning));
}

/** @throws FieldwiseError `flag-without-use` for `--stdout`, and those of `writePlainDocuments`. */
async function synthFor(tool: GitopsTool, flags: SynthFlags, config: Config, host: SynthHost): Promise<void> {
  if (flags.stdout) {
    throw new FieldwiseError('flag-without-use', 'usage', '`--stdout` prints one text, and `--for` writes several files', {
      next: 'Leave out one of them.',
    });
  }
  const { writePlainDocuments } = await import('../gitops/write-plain-documents.js');
  const output = flags.outdir === undefined ? undefined : path.resolve(host.cwd, flags.outdir);
  await run(config, host, async (_, assembly) => {
    const { directory, files, written } = writePlainDocuments(assembly, tool, config, output);
    report(written, slashPath(host.cwd, directory) || '.', flags, host);
    if (!flags.json) host.stdout(files.map((file) => `  wrote ${file}\n`).join(''));
  });
}

async function configOf({ config, flags = {}, host }: SynthesizeOptions): Promise<Config> {
  if (config) return config;
  const { loadConfig } = await import('../program/config.js');
  return loadConfig({ cwd: host.cwd, env: host.env, flags });
}

type UseAssembly = (directory: string, assembly: Assembly) => Promise<void>;

/**
 * Runs the program with a private directory and reads the assembly there, so that no other process can change it. Then moves the assembly
 * to the output directory, or passes the private directory to `use`.
 */
async function run(config: Config, host: SynthesizeOptions['host'], use?: UseAssembly): Promise<{ assembly: Assembly; directory: string }> {
  checkEnvironment(config, host);
  const app = config.documents === undefined ? await appOf(config, host) : undefined;
  const [{ isFinishedAssembly }, { readAssembly }, { openDraft }] = await Promise.all([
    import('../program/load-program.js'),
    import('../../assembly/read.js'),
    import('../../assembly/draft.js'),
  ]);
  if (app !== undefined && isFinishedAssembly(app)) {
    if (config.cluster !== 'embedded') growHeapSlowly(); // No program runs.
    const assembly = await readAssembly(app);
    checkInstance(config, assembly.manifest, app);
    await use?.(app, assembly);
    return { assembly, directory: app };
  }
  const draft = openDraft(use ? path.join(tmpdir(), 'fieldwise') : config.output);
  try {
    await interruptibly(host, () => writeTo(draft.directory, app, config, host));
    const assembly = await readAssembly(draft.directory);
    checkInstance(config, assembly.manifest);
    if (use) await use(draft.directory, assembly);
    else draft.publish();
    return { assembly, directory: config.output };
  } finally {
    draft.discard();
  }
}

/** @throws FieldwiseError `environment-missing`. */
function checkEnvironment(config: Config, { stderr }: SynthesizeOptions['host']): void {
  requireEnvironment(config);
  for (const key of config.overridden) stderr(overriddenText(config, key));
}

/**
 * Returns the configured program, else `app` of cdk8s.yaml.
 *
 * @throws FieldwiseError `app-not-configured`, `config-invalid`.
 */
async function appOf({ app, directory }: Config, { stderr }: SynthesizeOptions['host']): Promise<string> {
  if (app !== undefined) return app;
  const { cdk8sApp, cdk8sFileName } = await import('../program/cdk8s-app.js');
  const found = await cdk8sApp(directory);
  if (found === undefined) {
    throw new FieldwiseError('app-not-configured', 'usage', 'No program is configured', {
      next: 'Pass `-a main.ts`, or set `app: main.ts` in fieldwise.yaml. To deploy documents without a program, pass `-f PATH --stack NAME`; destroy and owners need only `--stack NAME`.',
    });
  }
  stderr(`The program is \`app\` of ${cdk8sFileName}: ${found}\n`);
  return found;
}

const overriddenCode = 'environment-overridden' satisfies keyof Codes;

function overriddenText({ environment }: Config, key: string): string {
  const variable = `FIELDWISE_${key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
  return `warning: the environment variable ${variable} replaces \`${key}\` of the environment ${environment}. [${overriddenCode}]\n`;
}

/** Writes the assembly of the documents or of the program to a directory. */
async function writeTo(outdir: string, app: string | undefined, config: Config, host: SynthesizeOptions['host']): Promise<void> {
  const { documents, directory: cwd } = config;
  if (documents === undefined) {
    const { loadProgram } = await import('../program/load-program.js');
    const run = {
      timeoutSeconds: config.programTimeout,
      after: host.after ?? after,
      own: host.ownProcess,
      stderr: (host.raw ?? host).stderr,
    };
    return loadProgram({ ...config, ...run, app: app as string, cwd, outdir, env: host.env });
  }
  const [{ documentAssemblyFiles }, { writeAssembly }] = await Promise.all([
    import('../documents/synthesize-documents.js'),
    import('../../assembly/write.js'),
  ]);
  writeAssembly(outdir, await documentAssemblyFiles(documents, config, host));
}

function interruptibly<Result>(host: SynthesizeOptions['host'], work: () => Promise<Result>): Promise<Result> {
  return host.interruptible?.(work) ?? work();
}

/** Returns the number of objects of an assembly. */
export function objectsIn({ stacks }: Manifest): number {
  return stacks.reduce((sum, { intents }) => sum + intents.length, 0);
}

/** The number of objects that a listing names; it counts the others. */
const listed = 20;

function report(assembly: Assembly, directory: string, { json }: SynthFlags, host: SynthHost): void {
  const { app, instance, stacks, warnings } = assembly.manifest;
  const objects = objectsIn(assembly.manifest);
  if (json) {
    const print = jsonRenderer<SynthLine>(host);
    for (const { name, manager, dependsOn, intents } of stacks) print({ event: 'stack', name, manager, dependsOn, objects: intents });
    for (const warning of warnings) print({ event: 'warning', ...warning });
    print({ event: 'summary', verb: 'synth', app, instance, directory, stacks: stacks.length, objects, warnings: warnings.length });
    return;
  }
  for (const warning of warnings) host.stderr(warningText(warning));
  const lines = [`${app}, instance ${instance}: ${count(stacks.length, 'stack')}, ${count(objects, 'object')} in ${directory}`];
  for (const { name, intents } of stacks) {
    lines.push(`  ${name}: ${count(intents.length, 'object')}`);
    for (const intent of intents.slice(0, listed)) {
      lines.push(`    ${intent.lifecycle.padEnd(5)} ${intent.kind} ${intent.namespace ? `${intent.namespace}/` : ''}${intent.name}`);
    }
    if (intents.length > listed) lines.push(`    … and ${intents.length - listed} more`);
  }
  host.stdout(`${lines.join('\n')}\n`);
}

/** Formats a warning of synth as one line, for synth, diff and deploy. */
export function warningText({ code, message, construct, source }: SynthDiagnostic): string {
  const where = construct === undefined ? source && `at ${source}` : `by ${construct}${source ? ` (${source})` : ''}`;
  return `warning ${code}: ${message}${where ? ` Declared ${where}.` : ''}\n`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
