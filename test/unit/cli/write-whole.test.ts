import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, lstatSync, mkdtempSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { writeWhole } from '../../../src/cli/files/write-whole.js';

const freshDirectory = () => mkdtempSync(join(tmpdir(), 'fieldwise-write-'));

test('an ordinary file is replaced, with its mode', async () => {
  const file = join(freshDirectory(), 'report.json');
  await writeWhole(file, 'old');
  await writeWhole(file, 'new', 0o600);
  expect(readFileSync(file, 'utf8')).toBe('new');
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('a file that exists keeps its permissions, whatever the umask', async () => {
  const file = join(freshDirectory(), 'plan.md');
  writeFileSync(file, 'old');
  chmodSync(file, 0o664);
  await writeWhole(file, 'new');
  expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual(['new', 0o664]);
});

test.each(['a file', 'nothing'])('a link to %s stays a link', async (to) => {
  const directory = freshDirectory();
  const [file, link] = [join(directory, 'file'), join(directory, 'link')];
  if (to === 'a file') writeFileSync(file, 'old');
  symlinkSync('file', link);
  await writeWhole(link, 'new');
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(readFileSync(file, 'utf8')).toBe('new');
});

test('a pipe stays a pipe, and so does a device', async () => {
  const pipe = join(freshDirectory(), 'pipe');
  execFileSync('mkfifo', [pipe]);
  const reader = promisify(execFile)('cat', [pipe]);
  await writeWhole(pipe, 'text');
  expect((await reader).stdout).toBe('text');
  expect(statSync(pipe).isFIFO()).toBe(true);
});

test('a directory is refused, and nothing is left', async () => {
  const directory = freshDirectory();
  await expect(writeWhole(directory, 'text')).rejects.toMatchObject({ code: 'EISDIR' });
  expect(readdirSync(directory)).toEqual([]);
});
