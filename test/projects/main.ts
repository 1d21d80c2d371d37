import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFlags } from '../harness/script-flags.js';
import { cases } from './cases.js';
import { Count } from './count.js';
import { oldNodes } from './old-nodes.js';
import { type ProjectCase, packFieldwise, tryProject } from './project-case.js';

const usage = `Usage: npm run campaign -- projects [--only NAME] [--show] [--keep]
Creates the projects that cdk8s-cli, projen and pnpm make, from the npm registry and in a temporary directory, and installs the packed package there.
Their own scripts must pass after one changed import; then init --migrate makes the same edit, and the program deploys to the embedded server.`;
const { values } = readFlags(usage, {
  options: { only: { type: 'string' }, show: { type: 'boolean', default: false }, keep: { type: 'boolean', default: false } },
});

async function main(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'fieldwise-projects-'));
  const count = new Count(values.show);
  try {
    const tarball = packFieldwise(directory);
    const wanted = (name: string) => values.only === undefined || values.only === name;
    for (const one of cases.filter(({ name }: ProjectCase) => wanted(name))) await tryProject(one, directory, tarball, count);
    if (wanted('old-nodes')) await oldNodes(directory, tarball, count);
  } finally {
    if (values.keep) process.stdout.write(`The projects stay in ${directory}\n`);
    else rmSync(directory, { recursive: true, force: true });
  }
  process.stdout.write(`${count.passed} passed, ${count.failed} failed\n`);
  process.exitCode = count.failed === 0 ? 0 : 1;
}

await main();
