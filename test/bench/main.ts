import { cpus } from 'node:os';
import { type Figure, figureText } from './figures.js';
import { type BenchOptions, type Chosen, readArguments } from './options.js';
import type { RowGroup } from './rows.js';
import { markdownTable, type Table, textTable } from './table.js';

const usage = `Usage: npm run bench -- [GROUP…] [--row ROW]… [--objects N] [--rounds N] [--stacks N] [--embedded] [--load] [--markdown]
Measures the groups, by default all of them. The flags are for the groups that print tables, peers, memory and programs; --row selects rows
of docs/performance.md (and their groups, if none is named), --stacks divides the objects of the group memory among stacks, --embedded
measures it on the embedded API server, --load measures the group peers beside processes that spin, --markdown prints the tables for the page.
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
const tables: Record<RowGroup, () => Promise<MeasureTable>> = {
  peers: async () => (await import('./peers/peers-table.js')).peersTable,
  memory: async () => (await import('./memory.js')).memoryTable,
  programs: async () => (await import('./programs/programs-table.js')).programsTable,
};

const { groups, options } = chosen();
const machine = `Node ${process.version}, ${cpus().length} cores (${cpus()[0]?.model.trim() ?? 'unknown'})`;
if (!options.markdown) process.stdout.write(`${machine}. Ratios are of one run; single figures vary with the machine.\n`);
for (const group of groups) {
  process.stdout.write(options.markdown ? `\n<!-- figures: ${group}${options.load ? ' --load' : ''} -->\n` : `\n${group}\n`);
  const measureTable = await tables[group as RowGroup]?.();
  if (measureTable !== undefined) printTable(await measureTable(options));
  const measureFigures = await figures[group]?.();
  await measureFigures?.((figure) => process.stdout.write(`  ${figureText(figure)}\n`));
}

function printTable(table: Table): void {
  const measured = `Measured on ${new Date().toISOString().slice(0, 10)}, ${machine}.`;
  const caption = table.columns.length === 0 ? table.caption : [measured, ...table.caption];
  process.stdout.write(options.markdown ? `${markdownTable({ ...table, caption })}<!-- end of figures -->\n` : textTable(table));
}

function chosen(): Chosen {
  try {
    return readArguments(process.argv.slice(2), [...Object.keys(figures), ...Object.keys(tables)]);
  } catch (error) {
    process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n${usage}`);
    process.exit(2);
  }
}
