import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hasUncommittedChanges, sourceCommit } from '../../../src/cli/program/source-commit.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'fieldwise-commit-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const { PATH } = process.env;
const environment = { PATH, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };
const git = (...words: string[]) => execFileSync('git', words, { cwd: directory, env: environment, encoding: 'utf8' }).trim();

function commit(): string {
  git('init', '--quiet');
  git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '--quiet', '--allow-empty', '--message=a');
  return git('rev-parse', 'HEAD');
}

test('is the checked-out one, in a directory below, too', async () => {
  const checkedOut = commit();
  mkdirSync(join(directory, 'apps/web'), { recursive: true });
  expect(await sourceCommit(environment, directory)).toBe(checkedOut);
  expect(await sourceCommit(environment, join(directory, 'apps/web'))).toBe(checkedOut);
});

test('is that of the repository that GIT_DIR names', async () => {
  const checkedOut = commit();
  expect(await sourceCommit({ ...environment, GIT_DIR: join(directory, '.git') }, tmpdir())).toBe(checkedOut);
});

test('is what the CI service says', async () => {
  commit();
  expect(await sourceCommit({ ...environment, CI_COMMIT_SHA: 'ABCDEF1' }, directory)).toBe('abcdef1');
});

test('is unknown outside of a repository, and in one without commits', async () => {
  expect(await sourceCommit(environment, directory)).toBeUndefined();
  git('init', '--quiet');
  expect(await sourceCommit(environment, directory)).toBeUndefined();
});

test('is not what is deployed where files are changed or new; those that Git ignores, and artifacts of a CI job, do not count', async () => {
  const write = (name: string, text: string) => writeFileSync(join(directory, name), text);
  const job = { ...environment, CI_COMMIT_SHA: 'abcdef1' };
  const isChanged = async () => [await hasUncommittedChanges(environment, directory), await hasUncommittedChanges(job, directory)];
  expect(await isChanged()).toEqual([false, false]);
  git('init', '--quiet');
  expect(await isChanged()).toEqual([false, false]);
  write('main.ts', '1');
  write('.gitignore', 'dist/\n');
  git('add', '.');
  commit();
  mkdirSync(join(directory, 'dist'));
  write('dist/manifest.json', '{}');
  expect(await isChanged()).toEqual([false, false]);
  write('plan.json', '{}');
  expect(await isChanged()).toEqual([true, false]);
  write('main.ts', '2');
  expect(await isChanged()).toEqual([true, true]);
});

test('what Fieldwise writes does not count, tracked or not; what is beside it does', async () => {
  const at = (name: string) => join(directory, name);
  const write = (name: string, text: string) => writeFileSync(at(name), text);
  const app = at('apps/web');
  const isChanged = (...written: string[]) => hasUncommittedChanges(environment, app, written.map(at));
  mkdirSync(join(app, 'dist'), { recursive: true });
  mkdirSync(at('out'));
  git('init', '--quiet');
  write('apps/web/main.ts', '1');
  write('apps/web/dist/web.yaml', '1');
  git('add', '.');
  commit();
  write('apps/web/dist/web.yaml', '2');
  write('out/plan [1].json', '{}');
  expect(await isChanged()).toBe(true);
  expect(await isChanged('apps/web/dist')).toBe(true);
  const both = ['apps/web/dist', 'out/plan [1].json'];
  expect(await isChanged(...both)).toBe(false);
  expect(await isChanged(...both, '../elsewhere.json', '.', 'apps')).toBe(false);
  write('out/others.json', '{}');
  expect(await isChanged(...both)).toBe(true);
  rmSync(at('out/others.json'));
  write('apps/web/main.ts', '2');
  expect(await isChanged(...both)).toBe(true);
  expect(await isChanged('apps/web', 'apps', '.')).toBe(true);
});

describe('whether files are changed is unknown where Git does not tell', () => {
  test.each([
    ['it is not installed', () => ({ PATH: directory })],
    ['it takes too long', () => ({ PATH: programs('sleep 60') })],
    ['it fails', () => ({ PATH: programs('exit 128') })],
  ])('%s', async (_, gone) => {
    commit();
    const named = { ...environment, ...gone(), GITHUB_SHA: 'abcdef1' };
    expect([await sourceCommit(named, directory), await hasUncommittedChanges(named, directory)]).toEqual(['abcdef1', 'unknown']);
  });

  /** Makes a directory of programs, with a `git`. */
  const programs = (command: string) => {
    const path = mkdtempSync(join(directory, 'bin-'));
    writeFileSync(join(path, 'git'), `#!/bin/sh\nPATH=${PATH}\n${command}\n`, { mode: 0o755 });
    return path;
  };
});
