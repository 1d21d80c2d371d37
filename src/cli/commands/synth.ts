import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Command } from 'commander';
import type { Assembly, SynthWarning } from '../../assembly/types.js';
import { FieldwiseError } from '../../util/error.js';
import type { Config, ConfigFlags } from '../config.js';

/** Where a command prints and what it reads. */
export interface SynthHost {
  stdout(text: string): void;
  stderr(text: string): void;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

export interface SynthesizeOptions {
  readonly host: Pick<SynthHost, 'stderr' | 'cwd' | 'env'>;
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
 * The assembly of the configured program, freshly written to the output directory; or the finished one that `-a` names.
 *
 * @throws FieldwiseError `app-not-configured`, and those of `loadConfig`, `loadProgram` and `readAssembly`.
 */
export async function synthesize(options: SynthesizeOptions): Promise<Assembly> {
  const config = await configOf(options);
  return (await run(config, config.output, options.host)).assembly;
}

async function synth(flags: SynthFlags, host: SynthHost): Promise<void> {
  const config = await configOf({ host, flags });
  if (!flags.stdout) {
    const { assembly, directory } = await run(config, config.output, host);
    report(assembly, path.relative(host.cwd, directory) || '.', flags, host);
    return;
  }
  const parent = await mkdtemp(path.join(tmpdir(), 'fieldwise-'));
  try {
    const { assembly, directory } = await run(config, path.join(parent, 'assembly'), host);
    for (const { yaml } of assembly.manifest.stacks) host.stdout(await readFile(path.join(directory, yaml.path), 'utf8'));
    for (const warning of assembly.manifest.warnings) host.stderr(warningText(warning));
  } finally {
    await rm(parent, { recursive: true, force: true });
  }
}

async function configOf({ config, flags = {}, host }: SynthesizeOptions): Promise<Config> {
  if (config) return config;
  const { loadConfig } = await import('../config.js');
  return loadConfig({ cwd: host.cwd, env: host.env, flags });
}

async function run(config: Config, outdir: string, host: SynthesizeOptions['host']): Promise<{ assembly: Assembly; directory: string }> {
  const { app, directory: cwd } = config;
  if (app === undefined) {
    throw new FieldwiseError('app-not-configured', 'usage', 'No program is named', {
      next: 'Name it with `-a main.ts`, or as `app: main.ts` in fieldwise.yaml.',
    });
  }
  const [{ loadProgram }, { readAssembly }] = await Promise.all([import('../program.js'), import('../../assembly/read.js')]);
  const directory = await loadProgram({ ...config, app, cwd, outdir, env: host.env, stderr: host.stderr });
  return { assembly: await readAssembly(directory), directory };
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
export function warningText({ code, message, construct, source }: SynthWarning): string {
  const where = [construct, source && `(${source})`].filter((part) => part).join(' ');
  return `warning ${code}: ${message}${where ? ` Declared by ${where}.` : ''}\n`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
