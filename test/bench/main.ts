import { cpus } from 'node:os';
import { type Figure, figureText } from './figures.js';
import { type BenchOptions, readArguments } from './options.js';
import { groupsOf } from './rows.js';
import { markdownTable, type Table, textTable } from './table.js';

const usage = `Usage: npm run bench -- [GROUP…] [--row ROW]… [--objects N] [--rounds N] [--load] [--markdown]
Measures the groups, by default all of them. --row, --objects, --rounds, --load and --markdown are for the groups that print tables,
peers, memory and programs; --row selects rows of docs/performance.md (and their groups, if none is named), --load measures the group
peers beside processes that spin, --markdown prints the tables for the page.
`;

type MeasureFigures = (print: (figure: Figure) => void) => Promise<void> | void;
type MeasureTable = (options: BenchOptions) => Promise<Table>;

/** Loaded when they are measured, so that one group starts without the others. */
const figures: Record<string, () => Promise<MeasureFigures>> = {
  deploy: async () => (await import('./deploy.js')).deployFigures,
  documents: async () => (await import('./documents.js')).documentFigures,
  plan: async () => (await import('./plan.js')).planFigures,
  formats: async () => (await import('./formats.js')).formatFigures,
  codegen: async () => (await import('./codegen.js')).codegenFigures,
  merge: async () => (await import('./merge.js')).mergeFigures,
  embedded: async () => (await import('./embedded.js')).embeddedFigures,
  synth: async () => (await import('./synth.js')).synthFigures,
  seen: async () => (await import('./inspect.js')).inspectFigures,
};
const tables: Record<string, () => Promise<MeasureTable>> = {
  peers: async () => (await import('./peers/peers-table.js')).peersTable,
  memory: async () => (await import('./memory.js')).memoryTable,
  programs: async () => (await import('./programs/programs-table.js')).programsTable,
};

const { groups, options } = chooseGroups();
if (!options.markdown)
  process.stdout.write(`Node ${process.version}, ${cpus().length} cores. Ratios are of one run; single figures vary with the machine.\n`);
for (const group of groups) {
  if (!options.markdown) process.stdout.write(`\n${group}\n`);
  const measureTable = await tables[group]?.();
  if (measureTable !== undefined) process.stdout.write((options.markdown ? markdownTable : textTable)(await measureTable(options)));
  const measureFigures = await figures[group]?.();
  await measureFigures?.((figure) => process.stdout.write(`  ${figureText(figure)}\n`));
}

function chooseGroups(): { readonly groups: readonly string[]; readonly options: BenchOptions } {
  const all = [...Object.keys(figures), ...Object.keys(tables)];
  try {
    const { groups: named, options } = readArguments(process.argv.slice(2));
    const unknown = named.find((name) => !all.includes(name));
    if (unknown !== undefined) throw new Error(`there is no group ${unknown}; the groups are ${all.join(', ')}`);
    const withRows: readonly string[] = groupsOf(options.rows);
    if (options.rows.length > 0) return { groups: named.length > 0 ? named.filter((name) => withRows.includes(name)) : withRows, options };
    return { groups: named.length > 0 ? named : all, options };
  } catch (error) {
    process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n${usage}`);
    process.exit(2);
  }
}
