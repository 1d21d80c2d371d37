import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { announce, runningServer } from '../../../../src/apiserver/index.js';
import { processStart } from '../../../../src/util/process-alive.js';
import { commandLine } from '../../../harness/fieldwise.js';
import { freshDirectory, open } from './directory.js';

/** A directory with the lock of a process; undefined: what an older Fieldwise wrote. */
function lockedBy(pid: number, start: string | undefined): string {
  const directory = freshDirectory();
  fs.mkdirSync(directory);
  fs.writeFileSync(path.join(directory, 'lock'), String(pid));
  if (start !== undefined) fs.writeFileSync(path.join(directory, `lock-${pid}-${start}`), '');
  return directory;
}

const start = processStart(process.ppid);
if (start === undefined)
  process.stderr.write('Locks of other processes are not tested: this system does not tell when a process started.\n');

test.runIf(start !== undefined).each([
  ['a process that runs', process.ppid, start, true],
  ['a process that runs, locked by an older Fieldwise', process.ppid, undefined, true],
  ['an id that belongs to another process now', process.ppid, 'boot-1', false],
  ['an id that belongs to this process now', process.pid, 'boot-1', false],
  ['a process that has ended', 2 ** 30, 'boot-1', false],
  ['nobody', 0, undefined, false],
])('the lock of %s', async (_, pid, startOfProcess, isLocked) => {
  const directory = lockedBy(pid, startOfProcess);
  if (isLocked) {
    await expect(open(directory)).rejects.toMatchObject({ code: 'cluster-data-locked', message: expect.stringContaining(`(${pid})`) });
    expect(fs.readFileSync(path.join(directory, 'lock'), 'utf8')).toBe(String(pid));
  } else {
    const data = await open(directory);
    const names = fs
      .readdirSync(directory)
      .filter((name) => name.startsWith('lock'))
      .sort();
    expect(names).toEqual(['lock', `lock-${process.pid}-${processStart(process.pid)}`]);
    await expect(open(directory)).rejects.toMatchObject({ code: 'cluster-data-locked' });
    expect(
      fs
        .readdirSync(directory)
        .filter((name) => name.startsWith('lock'))
        .sort(),
    ).toEqual(names);
    data.close();
  }
  expect(fs.readdirSync(directory).filter((name) => name.startsWith(`lock-${process.pid}-${processStart(process.pid)}`))).toEqual([]);
});

test.runIf(start !== undefined)('a process with the id of a server that has ended is not the server', () => {
  const directory = freshDirectory();
  fs.mkdirSync(directory);
  const withdraw = announce(directory, { pid: process.pid, url: 'http://127.0.0.1:1', token: 'token' });
  expect(runningServer(directory)).toMatchObject({ pid: process.pid });
  const file = path.join(directory, 'server.json');
  const recorded = JSON.parse(fs.readFileSync(file, 'utf8'));
  fs.writeFileSync(file, JSON.stringify({ ...recorded, start: 'boot-1' }));
  expect(runningServer(directory)).toBeUndefined();
  withdraw();
});

test('of many processes that find the lock of an ended one, one gets it', { timeout: 120_000 }, async () => {
  const directory = lockedBy(2 ** 30, 'boot-1');
  const words = [commandLine, 'cluster', 'start', '--foreground', '--data', directory];
  const children = Array.from({ length: 4 }, () => spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'pipe'] }));
  const outcomes = children.map(
    (child) =>
      new Promise<string>((resolve) => {
        child.stdout.on('data', () => resolve('started'));
        child.stderr.on('data', (chunk: Buffer) => resolve(/\[(cluster-[a-z-]+)\]/.exec(chunk.toString())?.[1] ?? chunk.toString()));
      }),
  );
  const found = await Promise.all(outcomes);
  for (const child of children) child.kill('SIGTERM');
  await Promise.all(children.map((child) => child.exitCode ?? new Promise((resolve) => child.once('exit', resolve))));
  expect(found.sort()).toEqual([...Array(3).fill('cluster-data-locked'), 'started']);
});
