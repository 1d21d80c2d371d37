import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { fieldwise } from '../harness/fieldwise.js';
import { Project } from '../harness/project.js';
import { ours, peers, prelude, type TableProgram } from './table.js';

/** How a program ended: the names of its objects, or the code of the error. */
export type ProgramOutcome = readonly string[] | string;

/** The ways in which a program of the table runs. */
export interface Outcomes {
  /** `node` with the App of cdk8s; `undefined` if it wrote nothing. */
  readonly node: ProgramOutcome | undefined;
  /** `fieldwise synth -a main.mjs`. */
  readonly module: ProgramOutcome;
  /** `fieldwise synth -a "node main.mjs"`. */
  readonly command: ProgramOutcome;
}

/** Runs a program of the table in each way, as processes. */
export async function runProgram({ text }: TableProgram): Promise<Outcomes> {
  const files = { 'package.json': '{"type":"module"}', 'main.mjs': prelude + text, 'late.mjs': `export const name = 'two';` };
  const project = new Project({ ...files, 'lib.mjs': ours, 'fieldwise.yaml': 'name: table\n' }, {});
  const other = new Project({ ...files, 'lib.mjs': peers }, {});
  try {
    const synth = async (app: string): Promise<ProgramOutcome> => {
      const { exitCode, stderr } = await fieldwise(['synth', '-a', app, '--outdir', mkdtempSync(join(project.directory, 'out-'))], {
        cwd: project.directory,
      });
      return exitCode === 0 ? ownNames(project.directory) : (/\[([a-z-]+)\]\s*$/.exec(stderr)?.[1] ?? `exit code ${exitCode}: ${stderr}`);
    };
    return { node: await plainNode(other.directory), module: await synth('main.mjs'), command: await synth('node main.mjs') };
  } finally {
    for (const { directory } of [project, other]) rmSync(directory, { recursive: true, force: true });
  }
}

/** Returns what is wrong with how a program ended; empty if nothing is. */
export function problemsOf(program: TableProgram, { node, module, command }: Outcomes): readonly string[] {
  const problems: string[] = [];
  const expect = (column: string, is: ProgramOutcome, wanted: ProgramOutcome) => {
    if (JSON.stringify(is) !== JSON.stringify(wanted))
      problems.push(`${column}: ${JSON.stringify(is)} in place of ${JSON.stringify(wanted)}`);
  };
  expect('-a main.mjs', module, program.module);
  expect('-a "node main.mjs"', command, program.command);
  // An error is no fewer objects; a program that wrote nothing under node called no `synth()`.
  if (Array.isArray(node)) for (const outcome of [module, command]) if (Array.isArray(outcome)) expect('beside cdk8s', outcome, node);
  return problems;
}

function ownNames(directory: string): readonly string[] {
  const outputs = readdirSync(directory).filter((name) => name.startsWith('out-') && existsSync(join(directory, name, 'manifest.json')));
  const manifest = JSON.parse(readFileSync(join(directory, outputs.at(-1) as string, 'manifest.json'), 'utf8'));
  for (const name of outputs) rmSync(join(directory, name), { recursive: true });
  return manifest.stacks.flatMap(({ intents }: { intents: { name: string }[] }) => intents.map(({ name }) => name)).sort();
}

async function plainNode(directory: string): Promise<ProgramOutcome | undefined> {
  const child = spawn(process.execPath, ['main.mjs'], { cwd: directory, stdio: 'ignore' });
  const code = await new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
  if (code !== 0) return `exit code ${code}`;
  const dist = join(directory, 'dist');
  if (!existsSync(dist)) return undefined;
  const documents = readdirSync(dist).flatMap((file) => parseAllDocuments(readFileSync(join(dist, file), 'utf8')));
  return documents.flatMap((document) => document.toJS()?.metadata?.name ?? []).sort();
}
