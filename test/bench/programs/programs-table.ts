import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { BenchProject, timed } from '../bench-project.js';
import { type Comparison, comparisonTable, megabytes, seconds } from '../comparison.js';
import { compilerOptions } from '../compiler-options.js';
import { median } from '../figures.js';
import type { BenchOptions } from '../options.js';
import { chosenRows, type RowOf } from '../rows.js';
import type { Table } from '../table.js';
import { installSizes } from './install-size.js';
import { synthProgram } from './synth-program.js';
import { cdk8sKinds, fieldwiseKinds, kindCount } from './thirty-kinds.js';

type TimedRow = Exclude<RowOf<'programs'>, 'install'>;

/** One row: the commands of both in a project, and what is said of them. */
interface Duel {
  readonly what: string;
  readonly peer: string;
  readonly ours: readonly string[];
  readonly theirs: readonly string[];
}

const jiti = fileURLToPath(new URL('../../../node_modules/jiti/lib/jiti-cli.mjs', import.meta.url));
const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
const packages = ['cdk8s', 'cdk8s-plus-33', 'constructs'];
const synthObjects = 5_000;

/** What a program costs its author: start, synth, compiler and installation, whole processes in turns beside cdk8s. */
export async function programsTable({ rows: named, rounds = 5 }: BenchOptions): Promise<Table> {
  const chosen = chosenRows('programs', named);
  const project = new BenchProject(packages);
  try {
    project.write('fieldwise.yaml', 'name: bench\n');
    const duels = prepare(project);
    const comparisons: Comparison[] = [];
    for (const row of chosen) {
      process.stderr.write(`programs: ${row}\n`);
      comparisons.push(row === 'install' ? await compareInstallations(project) : await compareTimes(project, row, duels[row], rounds));
    }
    return comparisonTable([`Medians of ${rounds} runs of whole processes, after one that is not counted.`], comparisons, 'peers');
  } finally {
    project.remove();
  }
}

function prepare(project: BenchProject): Record<TimedRow, Duel> {
  const command = project.path('node_modules/fieldwise/lib/src/cli/main.cjs');
  const synth = (name: string, objects: number, charts: number): Pick<Duel, 'ours' | 'theirs'> => {
    for (const library of ['fieldwise', 'cdk8s'] as const) project.write(`${library}-${name}`, synthProgram(library, objects, charts));
    const runner = name.endsWith('.ts') ? [jiti] : [];
    return { ours: [command, 'synth', '-a', `fieldwise-${name}`], theirs: [...runner, `cdk8s-${name}`] };
  };
  const compile = (name: string, text: string) => {
    project.write(`${name}.ts`, text);
    return [tsc, '-p', project.write(`tsconfig.${name}.json`, JSON.stringify({ compilerOptions, files: [`${name}.ts`] }))];
  };
  const bare = 'the same program with cdk8s alone';
  const underJiti = `${bare}, run by jiti`;
  const many = `synth of ${synthObjects.toLocaleString('en')} objects`;
  return {
    'cold-start': { what: 'synth of one object, TypeScript', peer: underJiti, ...synth('one.ts', 1, 1) },
    'cold-start-compiled': { what: 'synth of one object, JavaScript', peer: bare, ...synth('one.js', 1, 1) },
    synth: { what: `${many} in one chart, TypeScript`, peer: underJiti, ...synth('many.ts', synthObjects, 1) },
    'synth-10-charts': { what: `${many} in ten charts, TypeScript`, peer: underJiti, ...synth('charts.ts', synthObjects, 10) },
    tsc: {
      what: `tsc of a program with ${kindCount} built-in kinds`,
      peer: 'with cdk8s-plus',
      ours: compile('fieldwise-kinds', fieldwiseKinds()),
      theirs: compile('cdk8s-kinds', cdk8sKinds()),
    },
  };
}

async function compareTimes(project: BenchProject, row: TimedRow, { what, peer, ours, theirs }: Duel, rounds: number): Promise<Comparison> {
  const times = { ours: [] as number[], theirs: [] as number[] };
  for (let round = 0; round <= rounds; round++) {
    for (const [side, words] of Object.entries({ ours, theirs }) as [keyof typeof times, readonly string[]][]) {
      const { milliseconds } = await timed(process.execPath, words, { cwd: project.directory });
      if (round > 0) times[side].push(milliseconds / 1000);
    }
  }
  return { row, what, ours: median(times.ours), peer: { title: peer, value: median(times.theirs) }, text: seconds };
}

async function compareInstallations(project: BenchProject): Promise<Comparison> {
  const { fieldwise, cdk8s } = await installSizes(project);
  const what = 'node_modules after `npm install fieldwise cdk8s constructs`';
  return { row: 'install', what, ours: fieldwise, peer: { title: 'cdk8s, cdk8s-cli, constructs', value: cdk8s }, text: megabytes };
}
