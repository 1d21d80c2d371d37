import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { undoKilled } from '../../../src/cli/files/write-journal.js';
import { Project } from '../../harness/project.js';
import { killAtWrite } from './kill-at-write.js';

const programs = mkdtempSync(join(tmpdir(), 'fieldwise-kill-'));
const hook = join(programs, 'kill.cjs');
writeFileSync(hook, killAtWrite);
afterAll(() => rmSync(programs, { recursive: true }));

const built = (name: string) => JSON.stringify(new URL(`../../../lib/src/cli/files/${name}.js`, import.meta.url));
const undo = `const { undoKilled } = await import(${built('write-journal')}); await undoKilled({ root: process.cwd(), journalDirectory: process.cwd() + '.git' });`;

/** The id of no process. */
const pid = 2 ** 30;

const old = "import { App, Chart } from 'cdk8s';\nnew Chart(new App(), 'shop');\n";
const text = "import { Chart } from 'cdk8s';\nimport { App } from 'fieldwise';\nnew Chart(new App(), 'shop');\n";
const edits = [
  { name: 'a.ts', old, text },
  { name: 'b.ts', old, text },
  { name: 'c.yaml', text: 'name: shop\nid: shop-0123456789\n' },
];

/** Writes the edits in a directory, as `init --migrate` does. */
function write(directory: string): string {
  const all = edits.map(({ name, ...texts }) => ({ file: join(directory, name), ...texts }));
  return `const { writeAll } = await import(${built('write-all')}); await writeAll({ root: process.cwd(), journalDirectory: process.cwd() + '.git' }, ${JSON.stringify(all)});`;
}

/** Runs a program that is killed at a write. @returns false if it ended before. */
function isKilled(directory: string, program: string, at: number, half: boolean): boolean {
  const env = { PATH: process.env.PATH ?? '', KILL_AT: String(at), KILL_HALF: half ? '1' : '0' };
  const words = ['--require', hook, '--input-type=module', '--eval', program];
  const { signal, status, stderr } = spawnSync(process.execPath, words, { cwd: directory, env, encoding: 'utf8' });
  expect([stderr, signal ?? status]).toEqual(['', signal === null ? 0 : 'SIGKILL']);
  return signal !== null;
}

function madeDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'fieldwise-write-'));
  mkdirSync(`${directory}.git`);
  onTestFinished(() => {
    for (const made of [directory, `${directory}.git`]) rmSync(made, { recursive: true, force: true });
  });
  for (const { name, old } of edits) if (old !== undefined) writeFileSync(join(directory, name), old, { mode: 0o755 });
  return directory;
}

/** Runs a program in one directory after the other, killed at one write after the other, until it ends before. @returns the writes. */
async function atEachWrite(program: (directory: string) => string, half: boolean, made: () => string): Promise<number> {
  for (let at = 1; ; at += 1) {
    const directory = made();
    const killed = isKilled(directory, program(directory), at, half);
    const undone = await undoKilled(journaled(directory));
    expect(readdirSync(`${directory}.git`)).toEqual([]);
    const isWritten = readdirSync(directory).includes('c.yaml');
    expect(readdirSync(directory)).toEqual(isWritten ? ['a.ts', 'b.ts', 'c.yaml'] : ['a.ts', 'b.ts']);
    for (const name of ['a.ts', 'b.ts']) expect(readFileSync(join(directory, name), 'utf8')).toBe(isWritten ? text : old);
    expect(statSync(join(directory, 'a.ts')).mode & 0o777).toBe(0o755);
    if (isWritten) expect(undone).toBeUndefined();
    if (!killed) return at - 1;
  }
}

/** A directory in which a run was killed after it had renamed two files. */
function madeInTheMiddle(): string {
  const directory = madeDirectory();
  for (const { name, text } of edits) writeFileSync(join(directory, name === 'c.yaml' ? `${name}.${pid}.part` : name), text);
  writeFileSync(journalIn(`${directory}.git`), JSON.stringify({ root: realpathSync(directory), pid, files: edits }));
  return directory;
}

const journalIn = (journalDirectory: string) => join(journalDirectory, 'fieldwise-migration.json');

function journaled(root: string) {
  return { root, journalDirectory: `${root}.git` };
}

test('a write that is killed at any step is undone or whole after the next run', async () => {
  expect(await atEachWrite(write, false, madeDirectory)).toBeGreaterThan(12);
  expect(await atEachWrite(write, true, madeDirectory)).toBe(4);
});

test('so is one whose undoing is killed at any step', async () => {
  expect(await atEachWrite(() => undo, false, madeInTheMiddle)).toBeGreaterThan(8);
  expect(await atEachWrite(() => undo, true, madeInTheMiddle)).toBe(2);
});

test('nothing is undone while the other run goes on', async () => {
  const directory = madeInTheMiddle();
  writeFileSync(journalIn(`${directory}.git`), JSON.stringify({ root: realpathSync(directory), pid: process.pid, files: edits }));
  await expect(undoKilled(journaled(directory))).rejects.toThrow(`The process ${process.pid} edits this project now`);
  expect(readFileSync(join(directory, 'b.ts'), 'utf8')).toBe(text);
});

test('the command says that it undid the edits of a run that was killed, and shows them again', async () => {
  const made = new Project({ '.gitignore': 'node_modules\n.fieldwise/\n', 'a.ts': old, 'b.ts': old }, {});
  onTestFinished(() => rmSync(made.directory, { recursive: true, force: true }));
  const who = ['-c', 'user.name=test', '-c', 'user.email=test@example.com', '-c', 'core.autocrlf=false'];
  const git = (...words: string[]) => execFileSync('git', [...who, ...words], { cwd: made.directory, encoding: 'utf8' });
  git('init', '--quiet');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'a project');
  made.write({ 'a.ts': text });
  writeFileSync(
    journalIn(join(made.directory, '.git')),
    JSON.stringify({ root: realpathSync(made.directory), pid, files: edits.slice(0, 2) }),
  );
  const { exitCode, stdout } = await made.run(['init', '--migrate']);
  expect(exitCode).toBe(2); // It asks.
  expect(stdout).toMatch(/^The migration before ended in the middle: its edits of a\.ts were undone\.\n--- a\/a\.ts\n/);
  expect(git('status', '--porcelain')).toBe('');
});

test('a journal that came with a clone, or names files of Git, does nothing', async () => {
  const made = new Project({ '.gitignore': 'node_modules\n.env\n', 'a.ts': old, '.env': 'SECRET=1\n' }, {});
  onTestFinished(() => rmSync(made.directory, { recursive: true, force: true }));
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=test', '-c', 'user.email=test@example.com', ...words], { cwd: made.directory, encoding: 'utf8' });
  git('init', '--quiet');
  const config = readFileSync(join(made.directory, '.git', 'config'), 'utf8');
  const files = [
    { name: '.git/config', text: config, old: `${config}[core]\n\tfsmonitor = false\n` },
    { name: '.env', text: 'SECRET=1\n' },
    { name: 'nope', text: 'none' },
  ];
  const journal = JSON.stringify({ root: realpathSync(made.directory), pid, files });
  made.write({ '.fieldwise/migration.json': journal, 'fieldwise-migration.json': journal });
  git('add', '--all', '--force');
  git('commit', '--quiet', '--message', 'a project');
  expect((await made.run(['init', '--migrate'])).exitCode).toBe(2); // It asks.
  writeFileSync(journalIn(join(made.directory, '.git')), journal);
  const { exitCode, stderr } = await made.run(['init', '--migrate', '--yes']);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('names files elsewhere')]);
  expect(readFileSync(join(made.directory, '.git', 'config'), 'utf8')).toBe(config);
  expect(readFileSync(join(made.directory, '.env'), 'utf8')).toBe('SECRET=1\n');
});
