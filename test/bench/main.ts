import { cpus } from 'node:os';
import { codegenFigures } from './codegen.js';
import { deployFigures } from './deploy.js';
import { documentFigures } from './documents.js';
import { embeddedFigures } from './embedded.js';
import { type Figure, figureText } from './figures.js';
import { formatFigures } from './formats.js';
import { inspectFigures } from './inspect.js';
import { mergeFigures } from './merge.js';
import { planFigures } from './plan.js';
import { synthFigures } from './synth.js';

const groups: Record<string, (print: (figure: Figure) => void) => Promise<void> | void> = {
  deploy: deployFigures,
  documents: documentFigures,
  plan: planFigures,
  formats: formatFigures,
  codegen: codegenFigures,
  merge: mergeFigures,
  embedded: embeddedFigures,
  synth: synthFigures,
  seen: inspectFigures,
};

const chosen = process.argv.slice(2);
const unknown = chosen.find((name) => !groups[name]);
if (unknown !== undefined) {
  process.stderr.write(`bench: there is no group ${unknown}; the groups are ${Object.keys(groups).join(', ')}\n`);
  process.exit(2);
}
process.stdout.write(`Node ${process.version}, ${cpus().length} cores. Ratios are of one run; single figures vary with the machine.\n`);
for (const [name, measure] of Object.entries(groups)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  process.stdout.write(`\n${name}\n`);
  await measure((figure) => process.stdout.write(`  ${figureText(figure)}\n`));
}
