import { spawn, spawnSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { commandLine } from '../../harness/fieldwise.js';
import { Project } from '../../harness/project.js';

const projects: Project[] = [];
afterEach(() => {
  for (const { directory } of projects.splice(0)) rmSync(directory, { recursive: true, force: true });
});

const head = "import { App, Stack } from 'fieldwise';\nconst app = new App({ name: 'shop' });\nnew Stack(app, 'web');\n";
const ready = "process.stderr.write('ready\\n');\n";
const fine = head;

function project(main: string): Project {
  const made = new Project({ 'package.json': '{"type":"module"}', 'main.ts': main }, {});
  projects.push(made);
  return made;
}

/** Runs synth, and sends the signal when the program says that it is ready. */
function killed({ directory }: Project, signal: NodeJS.Signals, app = 'main.ts') {
  const env = { PATH: process.env.PATH ?? '', HOME: directory, XDG_CONFIG_HOME: directory };
  const child = spawn(process.execPath, [commandLine, 'synth', '-a', app], { cwd: directory, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk;
    if (output.includes('ready')) child.kill(signal);
  });
  return new Promise<{ code: number | null; signal: NodeJS.Signals | null; output: string }>((resolve) =>
    child.on('close', (code, end) => resolve({ code, signal: end, output })),
  );
}

const beside = ({ directory }: Project) => readdirSync(directory).filter((name) => name === 'dist' || name.startsWith('.dist'));

const busy = `${head}import { writeSync } from 'node:fs';\nwriteSync(2, 'ready\\n');\nfor (;;);\n`;
const waiting = `${head}${ready}setInterval(() => {}, 1000);\nawait new Promise(() => {});\n`;

test.each([
  ['is busy', 'SIGTERM', busy],
  ['is busy', 'SIGINT', busy],
  ['waits for something', 'SIGTERM', waiting],
  ['waits for something', 'SIGINT', waiting],
] as const)('a program that %s is ended by %s', async (_, signal, main) => {
  const made = project(main);
  expect(await killed(made, signal)).toMatchObject({ code: null, signal });
  expect(beside(made)).not.toContain('dist');
});

test.each(['SIGTERM', 'SIGINT'] as const)('%s ends a command that runs a program, and all that it started', async (signal) => {
  const made = project(fine);
  made.write({ 'main.mjs': "process.stderr.write('pid ' + process.pid + ' ready\\n');\nsetInterval(() => {}, 1000);\n" });
  const { output, ...end } = await killed(made, signal, 'sh -c "node main.mjs; true"; true');
  expect(end).toEqual({ code: null, signal });
  const pid = Number(/pid (\d+)/.exec(output)?.[1]);
  await expect.poll(() => isRunning(pid)).toBe(false);
});

test('what killed runs leave does not add up, and goes with the next', async () => {
  const made = project(busy);
  for (let run = 0; run < 3; run++) expect(await killed(made, 'SIGKILL')).toMatchObject({ signal: 'SIGKILL' });
  expect(beside(made)).toEqual([expect.stringMatching(/^\.dist\.synth-/)]);
  made.write({ 'main.ts': fine });
  expect((await made.run(['synth', '-a', 'main.ts'])).exitCode).toBe(0);
  expect(beside(made)).toEqual(['dist']);
  expect(readdirSync(join(made.directory, 'dist')).sort()).toEqual(['manifest.json', 'web.json', 'web.yaml']);
});

test('what was there stays when a program is killed', async () => {
  const made = project(fine);
  expect((await made.run(['synth', '-a', 'main.ts'])).exitCode).toBe(0);
  const before = made.read('dist/manifest.json');
  made.write({ 'main.ts': busy });
  await killed(made, 'SIGKILL');
  expect(made.read('dist/manifest.json')).toBe(before);
});

/** A process that has ended may stay known until its parent asks after it, which in a container may be never. */
function isRunning(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout.trim() !== '' && !stdout.startsWith('Z');
}
