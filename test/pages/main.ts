import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { root } from '../checks/command.js';
import { findOnPath } from '../harness/binaries.js';
import { fieldwise } from '../harness/fieldwise.js';
import { startEmbedded } from '../harness/server.js';
import { sideBySideProblems, teamsProblems } from './diff-checks.js';
import { hostileDocuments, jobDocuments, manyDocuments, webDocuments } from './documents.js';
import { scriptlessProblems, stacksProblems } from './list-checks.js';
import {
  accessibleProblems,
  addressProblems,
  filterProblems,
  hostileProblems,
  keyboardProblems,
  longProblems,
  manyProblems,
  printProblems,
  type Stage,
} from './owners-checks.js';
import { failJobs, makeScene, namesOfMany, namespace, writeAsOthers } from './scene.js';
import { fleetProgram, fleets, teamsProgram } from './teams.js';

/** `npm run campaign -- pages:browser`: opens the pages that `--output-file html=FILE` writes in Chromium, if there is one. */
const pictures = join(root, 'docs/.vitepress/cache/pages');
const many = 1_000;
let passed = 0;
let failed = 0;

const executable =
  process.env.CHROMIUM || ['chromium', 'chromium-browser', 'google-chrome'].map((name) => findOnPath(name, process.env)).find(Boolean);
if (executable === undefined) process.stdout.write('skipped: Chromium is not on PATH, and CHROMIUM names none\n');
else await inDirectory((directory) => check(executable, directory));
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed > 0 ? 1 : 0;

async function inDirectory(work: (directory: string) => Promise<void>): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'fieldwise-pages-'));
  try {
    await work(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function check(executablePath: string, directory: string): Promise<void> {
  rmSync(pictures, { recursive: true, force: true });
  mkdirSync(pictures, { recursive: true });
  await writePages(directory);
  const browser = await chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });
  const stage: Stage = { browser, directory, pictures };
  try {
    report('owners: 1,000 objects', await manyProblems(stage, 'many.html'));
    report('owners: filtered', await filterProblems(stage));
    report('owners: the state in the address', await addressProblems(stage));
    report('owners: an object of many fields', await longProblems(stage));
    report('owners: by keyboard', await keyboardProblems(stage));
    report('owners: hostile texts', await hostileProblems(stage));
    report('owners: accessible', await accessibleProblems(stage, 'web.html'));
    report('owners: accessible with hostile texts', await accessibleProblems(stage, 'hostile.html'));
    report('owners: printed', await printProblems(stage, 'web.html'));
    report('diff: 1,000 objects', await manyProblems(stage, 'diff-many.html'));
    report('diff: old and new side by side', await sideBySideProblems(stage));
    report('diff: three stacks', await teamsProblems(stage));
    report('diff: hostile texts', await hostileProblems(stage, 'diff-hostile.html'));
    report('diff: accessible', await accessibleProblems(stage, 'diff.html'));
    report('diff: accessible with three stacks', await accessibleProblems(stage, 'teams.html'));
    report('diff: printed', await printProblems(stage, 'diff.html'));
    report('list: 1,000 stacks', await manyProblems(stage, 'stacks-many.html', 'tbody'));
    report('list: filtered', await stacksProblems(stage));
    report('list: without scripts', await scriptlessProblems(stage));
    report('list: hostile texts', await hostileProblems(stage, 'stacks.html'));
    report('list: accessible', await accessibleProblems(stage, 'stacks.html'));
    report('list: printed', await printProblems(stage, 'stacks.html'));
  } finally {
    await browser.close();
  }
  process.stdout.write(`screenshots: ${pictures}\n`);
}

/** Writes the pages of the scene by the built command line. */
async function writePages(directory: string): Promise<void> {
  const server = await startEmbedded();
  try {
    await makeScene(server.kubeconfig, many);
    const runs = async (expected: number, ...words: readonly string[]) => {
      const { exitCode, stderr } = await fieldwise([...words, '-n', namespace], { cwd: directory, kubeconfig: server.kubeconfig });
      if (exitCode !== expected) throw new Error(`fieldwise ${words.join(' ')} ended with ${exitCode}: ${stderr}`);
    };
    const run = (...words: readonly string[]) => runs(0, ...words);
    await run('owners', 'deployment/web', '--output-file', 'html=web.html');
    await run('owners', 'configmap/long', '--output-file', 'html=long.html');
    await run('owners', 'hostile/hostile', '--output-file', 'html=hostile.html');
    const plan = async (name: string, text: string, ...words: readonly string[]) => {
      writeFileSync(join(directory, `${name}.yaml`), text);
      await run(...(words.length > 0 ? words : ['diff', '--output-file', `html=${name}.html`]), '-f', `${name}.yaml`, '--stack', name);
    };
    await plan('diff', webDocuments(80, 5), 'deploy', '--yes', '--no-wait');
    await plan('diff', webDocuments(8080, 2));
    await plan('diff-hostile', hostileDocuments());
    await plan('diff-many', manyDocuments(many));
    await run('owners', ...namesOfMany(many), '--output-file', 'html=many.html');
    const program = (release: 1 | 2) => writeFileSync(join(directory, 'teams.ts'), teamsProgram(release));
    mkdirSync(join(directory, 'node_modules'));
    symlinkSync(root, join(directory, 'node_modules/fieldwise'));
    program(1);
    await run('deploy', '-a', 'teams.ts', '--yes', '--no-wait');
    await writeAsOthers(server.kubeconfig);
    program(2);
    await runs(5, 'diff', '-a', 'teams.ts', '--output-file', 'html=teams.html', '--output-file', 'markdown=teams.md');
    await plan('jobs', jobDocuments(), 'deploy', '--yes', '--no-wait');
    await failJobs(server.kubeconfig);
    await run('list', '--output-file', 'html=stacks.html');
    writeFileSync(join(directory, 'fleet.ts'), fleetProgram());
    for (const instance of fleets)
      await run('deploy', '-a', 'fleet.ts', '--instance', instance, '--yes', '--no-wait', '--inventory-namespace', 'fleet');
    await run('list', '--inventory-namespace', 'fleet', '--output-file', 'html=stacks-many.html');
  } finally {
    await server.stop();
  }
}

function report(name: string, problems: readonly string[]): void {
  if (problems.length === 0) passed += 1;
  else failed += 1;
  process.stdout.write(`${problems.length === 0 ? 'ok    ' : 'FAILED'} ${name}\n${problems.map((problem) => `  ${problem}\n`).join('')}`);
}
