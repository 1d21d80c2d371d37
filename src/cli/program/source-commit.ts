import { execFile } from 'node:child_process';
import { isAbsolute, resolve } from 'node:path';
import { nearestWith } from '../../util/nearest-with.js';
import { slashPath } from '../../util/slash-path.js';

const commitForm = /^[0-9a-f]{7,64}$/;
/** The variables in which CI services name the commit: GitHub, GitLab. */
const variables = ['GITHUB_SHA', 'CI_COMMIT_SHA'];
const timeoutMs = 2_000; // milliseconds

/** Returns the commit of the program: as the CI service names it, else the checked-out commit of Git; undefined if neither is known. */
export async function sourceCommit(env: NodeJS.ProcessEnv, directory: string): Promise<string | undefined> {
  return namedCommit(env) ?? (await checkedOutCommit(env, directory));
}

function namedCommit(env: NodeJS.ProcessEnv): string | undefined {
  return variables.map((name) => env[name]?.trim().toLowerCase()).find((value) => value !== undefined && commitForm.test(value));
}

async function checkedOutCommit(env: NodeJS.ProcessEnv, cwd: string): Promise<string | undefined> {
  const commit = (await git(['rev-parse', '--verify', 'HEAD'], env, cwd))?.trim();
  return commit !== undefined && commitForm.test(commit) ? commit : undefined;
}

/**
 * Returns whether the working tree of the program differs from its commit; `unknown` where Git fails, or takes too long. Without a repository, there is
 * nothing to differ. Untracked files count unless Git ignores them, and never where a CI service names the commit: jobs have artifacts there. No program
 * that the repository names as its file monitor is run.
 *
 * @param written absolute paths of files and directories that do not count: Fieldwise writes them. One that contains the program counts.
 */
export async function hasUncommittedChanges(
  env: NodeJS.ProcessEnv,
  directory: string,
  written: readonly string[] = [],
): Promise<boolean | 'unknown'> {
  const tree = workingTree(env, directory);
  if (tree === undefined) return false;
  const isOutside = (name: string) => name === '' || isAbsolute(name) || name.split('/')[0] === '..';
  const others = written.filter((path) => isOutside(slashPath(path, directory))).map((path) => slashPath(tree, path));
  const excluded = others.filter((name) => !isOutside(name)).map((name) => `:(top,exclude,literal)${name}`);
  const paths = excluded.length === 0 ? [] : ['--', ':/', ...excluded];
  const untracked = `--untracked-files=${namedCommit(env) === undefined ? 'normal' : 'no'}`;
  const changes = await git(
    ['--no-optional-locks', '-c', 'core.fsmonitor=false', 'status', '--porcelain', untracked, ...paths],
    env,
    directory,
  );
  return changes === undefined ? 'unknown' : changes !== '';
}

/** Returns the first line of the message of the commit of the program, if Git or GitLab knows it. */
export async function sourceSubject(env: NodeJS.ProcessEnv, directory: string): Promise<string | undefined> {
  const commit = await sourceCommit(env, directory);
  if (commit === undefined) return undefined;
  const subject = (await git(['log', '-1', '--format=%s', commit, '--'], env, directory)) ?? env.CI_COMMIT_TITLE ?? '';
  return subject.trim() || undefined;
}

/** Returns the standard output of Git; undefined where it fails. */
async function git(words: readonly string[], env: NodeJS.ProcessEnv, cwd: string): Promise<string | undefined> {
  if (workingTree(env, cwd) === undefined) return undefined; // To start Git takes as long as some requests.
  return new Promise((resolve) => {
    execFile('git', words, { cwd, env, timeout: timeoutMs, windowsHide: true }, (error, stdout) => resolve(error ? undefined : stdout));
  });
}

/** Returns the directory of the working tree; undefined where there is no repository. */
function workingTree({ GIT_DIR, GIT_WORK_TREE = '.' }: NodeJS.ProcessEnv, directory: string): string | undefined {
  return GIT_DIR === undefined ? nearestWith(resolve(directory), '.git') : resolve(directory, GIT_WORK_TREE);
}
