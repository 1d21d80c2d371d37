import { readCount, readFlags } from '../harness/script-flags.js';
import { problemsOf, runProgram } from './run-program.js';
import { programs } from './table.js';

const usage = `Usage: npm run campaign -- programs [--runs 20] [--only NAME] [--lanes 2]
Runs each program of test/programs/table.ts by plain node with the App of cdk8s, by -a main.mjs and by -a "node main.mjs", and compares the objects.`;
const { values } = readFlags(usage, {
  options: { runs: { type: 'string', default: '20' }, only: { type: 'string' }, lanes: { type: 'string', default: '2' } },
});
const runs = readCount(usage, 'runs', values.runs);
const lanes = readCount(usage, 'lanes', values.lanes);
const { only } = values;
const chosen = programs.filter(({ name }) => only === undefined || name.includes(only));
const work = chosen.flatMap((program) => Array.from({ length: runs }, (_, run) => ({ program, run: run + 1 })));
const failures = new Map<string, number>();

await Promise.all(
  Array.from({ length: lanes }, async () => {
    for (let next = work.shift(); next; next = work.shift()) {
      const { program, run } = next;
      const problems = problemsOf(program, await runProgram(program));
      if (problems.length > 0) failures.set(program.name, (failures.get(program.name) ?? 0) + 1);
      for (const problem of problems) console.log(`FAILED ${program.name}, run ${run}: ${problem}`);
    }
  }),
);
for (const { name } of chosen) console.log(`${runs - (failures.get(name) ?? 0)} of ${runs}: ${name}`);
const failed = [...failures.values()].reduce((sum, count) => sum + count, 0);
console.log(`${chosen.length * runs - failed} passed, ${failed} failed`);
process.exit(failed === 0 && chosen.length > 0 && runs > 0 ? 0 : 1);
