import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Command } from 'commander';
import type { Assembly, SynthDiagnostic } from '../../assembly/types.js';
import { FieldwiseError } from '../../util/error.js';
import type { Config, ConfigFlags } from '../config.js';

/** Where a command prints and what it reads. */
export interface SynthHost {
  stdout(text: string): void;
  stderr(text: string): void;
  /** Text that goes out as it is: what the program prints, and YAML. */
  readonly raw?: { stdout(text: string): void; stderr(text: string): void };
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Runs what cannot stop in the middle: a signal ends the process at once, whatever the work does. */
  interruptible?<Result>(work: () => Promise<Result>): Promise<Result>;
}

export interface SynthesizeOptions {
  readonly host: Pick<SynthHost, 'stderr' | 'raw' | 'cwd' | 'env' | 'interruptible'>;
  readonly flags?: ConfigFlags;
  /** The configuration, where the caller has loaded it already; `flags` are then not looked at. */
  readonly config?: Config;
}

interface SynthFlags {
  readonly config?: string;
  readonly app?: string;
  readonly output?: string;
  readonly context?: readonly string[];
  readonly stdout?: boolean;
  readonly json?: boolean;
}

/** Options that every command has which needs a program. */
export function addProgramOptions(command: Command): Command {
  return command
    .option('-a, --app <app>', 'program file, command that runs one, or directory of a finished assembly')
    .option('-o, --output <directory>', 'directory of the assembly')
    .option('-c, --context <key=value>', 'context value for the program; may be repeated', (pair: string, before: string[] = []) => [
      ...before,
      pair,
    ])
    .option('--config <file>', 'configuration file instead of fieldwise.yaml');
}

/** Adds `fieldwise synth`. */
export function registerSynth(program: Command, host: SynthHost): void {
  addProgramOptions(program.command('synth').description('write what the program declares as an assembly: YAML, JSON and a manifest'))
    .option('-p, --stdout', 'print the YAML and leave the output directory alone')
    .option('-j, --json', 'print events as JSON, one a line')
    .action(async (_: SynthFlags, command: Command) => synth(command.optsWithGlobals<SynthFlags>(), host));
}

/**
 * Returns the assembly that the configured program has written, which is then also in the output directory; or the finished one that
 * `-a` names. Of commands that run side by side each gets that of its own program.
 *
 * @throws FieldwiseError `app-not-configured`, and those of `loadConfig`, `loadProgram` and `readAssembly`.
 */
export async function synthesize(options: SynthesizeOptions): Promise<Assembly> {
  const config = await configOf(options);
  return (await run(config, options.host)).assembly;
}

async function synth(flags: SynthFlags, host: SynthHost): Promise<void> {
  const config = await configOf({ host, flags });
  if (!flags.stdout) {
    const { assembly, directory } = await run(config, host);
    report(assembly, path.relative(host.cwd, directory) || '.', flags, host);
    return;
  }
  const { assembly } = await run(config, host, async (directory, { manifest: { stacks } }) => {
    for (const { yaml } of stacks) (host.raw ?? host).stdout(await readFile(path.join(directory, yaml.path), 'utf8'));
  });
  for (const warning of assembly.manifest.warnings) host.stderr(warningText(warning));
}

async function configOf({ config, flags = {}, host }: SynthesizeOptions): Promise<Config> {
  if (config) return config;
  const { loadConfig } = await import('../config.js');
  return loadConfig({ cwd: host.cwd, env: host.env, flags });
}

/**
 * The program writes to a directory of this command alone, and the assembly is read there, so that no other process can change it.
 * Then it is swapped into the output directory, unless `use` is given: that gets the directory instead.
 */
async function run(
  config: Config,
  host: SynthesizeOptions['host'],
  use?: (directory: string, assembly: Assembly) => Promise<void>,
): Promise<{ assembly: Assembly; directory: string }> {
  const { app, directory: cwd } = config;
  if (app === undefined) {
    throw new FieldwiseError('app-not-configured', 'usage', 'No program is named', {
      next: 'Name it with `-a main.ts`, or as `app: main.ts` in fieldwise.yaml.',
    });
  }
  const [{ isFinishedAssembly, loadProgram }, { readAssembly }, { openDraft }] = await Promise.all([
    import('../load-program.js'),
    import('../../assembly/read.js'),
    import('../../assembly/draft.js'),
  ]);
  if (isFinishedAssembly(app)) {
    const assembly = await readAssembly(app);
    await use?.(app, assembly);
    return { assembly, directory: app };
  }
  const draft = openDraft(use ? path.join(tmpdir(), 'fieldwise') : config.output);
  try {
    const load = () => loadProgram({ ...config, app, cwd, outdir: draft.directory, env: host.env, stderr: (host.raw ?? host).stderr });
    await (host.interruptible?.(load) ?? load());
    const assembly = await readAssembly(draft.directory);
    if (use) await use(draft.directory, assembly);
    else draft.publish();
    return { assembly, directory: config.output };
  } finally {
    draft.discard();
  }
}

/** Objects that a listing names before it only counts. */
const listed = 20;

function report({ manifest }: Assembly, directory: string, { json }: SynthFlags, host: SynthHost): void {
  const { app, instance, stacks, warnings } = manifest;
  const objects = stacks.reduce((sum, { intents }) => sum + intents.length, 0);
  if (json) {
    const events = [
      ...stacks.map(({ name, manager, dependsOn, intents }) => ({ event: 'stack', name, manager, dependsOn, objects: intents })),
      ...warnings.map((warning) => ({ event: 'warning', ...warning })),
      { event: 'summary', verb: 'synth', app, instance, directory, stacks: stacks.length, objects, warnings: warnings.length },
    ];
    host.stdout(events.map((event) => `${JSON.stringify(event)}\n`).join(''));
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

/** A warning of synth as one line for people; deploy prints the same. */
export function warningText({ code, message, construct, source }: SynthDiagnostic): string {
  const where = [construct, source && `(${source})`].filter((part) => part).join(' ');
  return `warning ${code}: ${message}${where ? ` Declared by ${where}.` : ''}\n`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
