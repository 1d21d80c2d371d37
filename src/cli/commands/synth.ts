import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type Command, Option } from 'commander';
import type { Assembly } from '../../assembly/types.js';
import { FieldwiseError } from '../../util/error.js';
import { slashPath } from '../../util/slash-path.js';
import type { Config } from '../config/config.js';
import { addProgramOptions, jsonOption } from '../config/flags.js';
import { type GitopsTool, gitopsTools } from '../gitops/tools.js';
import type { SynthLine } from '../json/lines.js';
import { configOf, objectsIn, runProgram, type SynthHost } from '../program/synthesize.js';
import { jsonRenderer } from '../render/json-renderer.js';
import { printWarnings } from '../render/warning-renderer.js';

interface SynthFlags {
  readonly config?: string;
  readonly app?: string;
  readonly outdir?: string;
  readonly context?: readonly string[];
  readonly stdout?: boolean;
  readonly json?: boolean;
  readonly for?: GitopsTool;
}

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

async function synth(flags: SynthFlags, host: SynthHost): Promise<void> {
  const config = await configOf({ host, flags });
  if (flags.for) return synthFor(flags.for, flags, config, host);
  if (!flags.stdout) {
    const { assembly, directory } = await runProgram(config, host);
    report(assembly, slashPath(host.cwd, directory) || '.', flags, host);
    return;
  }
  const { assembly } = await runProgram(config, host, async (directory, { manifest: { stacks } }) => {
    for (const { yaml } of stacks) (host.data ?? host.stdout)(await readFile(path.join(directory, yaml.path), 'utf8'));
  });
  printWarnings(assembly.manifest.warnings, host);
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
  await runProgram(config, host, async (_, assembly) => {
    const { directory, files, written } = writePlainDocuments(assembly, tool, config, output);
    report(written, slashPath(host.cwd, directory) || '.', flags, host);
    if (!flags.json) host.stdout(files.map((file) => `  wrote ${file}\n`).join(''));
  });
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
  printWarnings(warnings, host);
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

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
