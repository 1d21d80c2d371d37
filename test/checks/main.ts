import { apiDrift } from './api-report.js';
import { type Outcome, root, runTool } from './command.js';
import { decisionProblems } from './decisions.js';
import { examplesDrift } from './examples-drift.js';
import { generatedDrift } from './generated-drift.js';
import { importViolations } from './imports.js';
import { deadLinks, deadLinksOfRepository } from './links.js';
import { missingFromLock } from './lock-file.js';
import { packageProblems } from './packed.js';
import { projenDrift } from './projen-drift.js';
import { regularExpressionProblems } from './regular-expressions.js';

/** `npm run check`: everything about the sources that is no test. Nothing here writes to a committed file. */
const checks: Readonly<Record<string, () => Promise<string[]>>> = {
  'format and lint': async () => complaints(await runTool('biome', ['check', '--colors=off', '.'])),
  // Emits, because the second project reads the built package as a user would.
  'types of the package': async () => complaints(await runTool('tsc', ['-p', 'tsconfig.json'])),
  'types of tests and examples': async () => complaints(await runTool('tsc', ['-p', 'test/tsconfig.json'])),
  'API reports': apiDrift,
  'import directions': async () => importViolations(root),
  'regular expressions': async () => regularExpressionProblems(root),
  'the package': packageProblems,
  'links of the package': deadLinks,
  'links of the repository': async () => deadLinksOfRepository(),
  decisions: async () => decisionProblems(),
  'lock file': async () => missingFromLock(),
  'projen drift': projenDrift,
  'generated drift': generatedDrift,
  'drift of imports in examples': examplesDrift,
};

let failed = 0;
for (const [name, check] of Object.entries(checks)) {
  const started = Date.now();
  const problems = await check().catch((error: unknown) => [String(error)]);
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  if (problems.length > 0) failed += 1;
  process.stdout.write(`${problems.length === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)\n`);
  for (const problem of problems) process.stdout.write(`${problem.replace(/^/gm, '  ')}\n`);
}
process.stdout.write(`${Object.keys(checks).length - failed} passed, ${failed} failed\n`);
process.exitCode = failed > 0 ? 1 : 0;

function complaints({ code, output }: Outcome): string[] {
  return code === 0 ? [] : [output || `ended with ${code}`];
}
