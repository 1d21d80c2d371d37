import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { Project } from '../../harness/project.js';

const commonJs = "const { App } = require('fieldwise');\nconst { Chart } = require('cdk8s');\n";
const esModule = "import { App } from 'fieldwise';\nimport { Chart } from 'cdk8s';\n";
const unnamed = "const app = new App();\nnew Chart(app, 'a');\n";
const sentence =
  /^error: The app has no name\. Set it with `new App\(\{ name: 'shop' \}\)`, .* It is part of every field manager\. \[app-without-name\]\n$/;

function run(file: string, program: string) {
  const made = new Project({ [file]: program }, {});
  onTestFinished(() => rmSync(made.directory, { recursive: true, force: true }));
  const env = { PATH: process.env.PATH ?? '' };
  const { status, stdout, stderr } = spawnSync(process.execPath, [file], { cwd: made.directory, env, encoding: 'utf8' });
  return { status, stdout, stderr };
}

test.each([
  ['a module of CommonJS', 'main.cjs', `${commonJs}${unnamed}app.synth();\n`],
  ['an ES module', 'main.mjs', `${esModule}${unnamed}app.synth();\n`],
  ['an async function', 'main.mjs', `${esModule}${unnamed}async function main() { app.synth(); }\nmain();\n`],
])('a program that nobody but Node runs is told in one sentence that its app has no name: %s', (_, file, program) => {
  expect(run(file, program)).toEqual({ status: 1, stdout: '', stderr: expect.stringMatching(sentence) });
});

test('an error that the program catches is not printed, and a later one is printed by Node', () => {
  const program = `${esModule}${unnamed}try { app.synth(); } catch ({ code }) { console.log(code); }\nsetTimeout(() => { throw new Error('later'); }, 20);\n`;
  const { status, stdout, stderr } = run('main.mjs', program);
  expect([status, stdout]).toEqual([1, 'app-without-name\n']);
  expect(stderr).toMatch(/Error: later\n {4}at /);
});

test('another error of the same turn keeps its stack', () => {
  const program = `${esModule}${unnamed}try { app.synth(); } catch { throw new Error('other'); }\n`;
  const { status, stderr } = run('main.mjs', program);
  expect(status).not.toBe(0);
  expect(stderr).toMatch(/Error: other\n {4}at /);
});
