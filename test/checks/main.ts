import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiDrift } from './api-report.js';
import { type Outcome, root, run, runTool } from './command.js';
import { commitProblems } from './commits.js';
import { decisionProblems } from './decisions.js';
import { docsTableDrift } from './docs-tables.js';
import { examplesDrift } from './examples-drift.js';
import { longFunctions } from './function-length.js';
import { generatedDrift } from './generated-drift.js';
import { floorDocuments, floorDrift, importViolations } from './imports.js';
import { jsonSchemaDrift } from './json-schemas.js';
import { deadLinks, deadLinksOfRepository } from './links.js';
import { missingFromLock } from './lock-file.js';
import { unownedUses } from './machine.js';
import { moduleState } from './module-state.js';
import { refusedNamesUsed } from './names.js';
import { packageProblems } from './packed.js';
import { projenDrift } from './projen-drift.js';
import { referencePageDrift } from './reference-pages.js';
import { regularExpressionErrors } from './regular-expressions.js';
import { refusedWords } from './words.js';

/** `npm run check`: all checks of the sources that are not tests. They never write to a committed file. */
const checks: Readonly<Record<string, () => Promise<string[]>>> = {
  'format and lint': async () => errorLines(await runTool('biome', ['check', '--colors=off', '.'])),
  // Emits, because the second project uses the built package as a user would.
  'types of the package': () => compileErrors('tsconfig.json'),
  'types of tests and examples': () => compileErrors('test/tsconfig.json'),
  'types of pages': () => compileErrors('src/cli/html/browser/tsconfig.json'),
  'API reports': apiDrift,
  'import directions': async () => [
    ...importViolations(root),
    ...floorDocuments.flatMap((document) => floorDrift(document, readFileSync(join(root, document), 'utf8'))),
  ],
  'regular expressions': async () => regularExpressionErrors(root),
  'function length': async () => longFunctions(root),
  'state of modules': async () => moduleState(root),
  'clocks and chance': async () => unownedUses(root),
  'the package': packageProblems,
  'links of the package': deadLinks,
  'links of the repository': async () => deadLinksOfRepository(),
  decisions: async () => decisionProblems(),
  commits: async () => commitProblems(),
  'docs tables': async () => docsTableDrift(),
  'reference pages': referencePageDrift,
  'JSON schemas': async () => jsonSchemaDrift(),
  'lock file': async () => missingFromLock(),
  'projen drift': projenDrift,
  'generated drift': generatedDrift,
  'drift of imports in examples': examplesDrift,
  words: async () => counted(refusedWords(), 'refused words'),
  names: async () => counted(refusedNamesUsed(), 'old names'),
};

const selected = select(process.argv.slice(2));
let failed = 0;
for (const [name, check] of Object.entries(selected)) {
  const started = Date.now();
  const problems = await check().catch((error: unknown) => [String(error)]);
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  if (problems.length > 0) failed += 1;
  process.stdout.write(`${problems.length === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)\n`);
  for (const problem of problems) process.stdout.write(`${problem.replace(/^/gm, '  ')}\n`);
}
process.stdout.write(`${Object.keys(selected).length - failed} passed, ${failed} failed\n`);
process.exitCode = failed > 0 ? 1 : 0;

/** Returns all checks, or those that the command line names. */
function select(names: readonly string[]): typeof checks {
  const unknown = names.filter((name) => !Object.hasOwn(checks, name));
  if (unknown.length > 0) {
    console.error(`There is no check ${unknown.join(', ')}.\nUsage: npm run check -- [NAME]…\nNames: ${Object.keys(checks).join(', ')}`);
    process.exit(2);
  }
  return names.length === 0 ? checks : Object.fromEntries(names.map((name) => [name, checks[name] as () => Promise<string[]>]));
}

function counted(problems: readonly string[], noun: string): string[] {
  return problems.length === 0 ? [] : [...problems, `${problems.length} ${noun}`];
}

/** By the compiler of the build, by its path: two packages want the name `tsc` in node_modules/.bin. */
async function compileErrors(project: string): Promise<string[]> {
  return errorLines(await run(process.execPath, [join(root, 'node_modules/@typescript/native/bin/tsc'), '-p', project], root));
}

function errorLines({ code, output }: Outcome): string[] {
  return code === 0 ? [] : [output || `ended with ${code}`];
}
