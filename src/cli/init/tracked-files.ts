import { execFile } from 'node:child_process';
import { lstat, realpath } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { FieldwiseError } from '../../util/error.js';

const run = promisify(execFile);

/** A file of a project as Git sees it. */
export interface ProjectFile {
  /** Relative to the project, with `/`. */
  readonly name: string;
  /** The reason why nobody but its author should edit it; absent for a file that Git can restore. */
  readonly refusal?: string;
  /** True for a file that is in the last commit or the index, and not in the directory. */
  readonly isDeleted?: true;
}

/**
 * Returns the files of a project that Git tracks, or would track, without what it ignores. Follows no link.
 *
 * @throws FieldwiseError `migrate-refused` without Git, or outside of a repository.
 */
export async function projectFiles(directory: string, env: NodeJS.ProcessEnv): Promise<readonly ProjectFile[]> {
  const git = gitIn(directory, env);
  // A letter in front of each: small, or S, where Git does not look for changes.
  const tracked = (await git('ls-files', '-v', '-z')).map((line) => ({ name: line.slice(2), isUnwatched: /^[a-zS]/.test(line) }));
  const untracked = await git('ls-files', '-z', '--others', '--exclude-standard');
  const changed = new Set(await git('diff', '--name-only', '-z', '--relative', 'HEAD').catch(() => tracked.map(({ name }) => name)));
  const changeOf = ({ name, isUnwatched }: (typeof tracked)[number]) =>
    isUnwatched ? unwatchedReason : changed.has(name) ? uncommittedReason : undefined;
  const root = await realpath(directory);
  const names = new Set(tracked.map(({ name }) => name));
  const unstaged = [...changed].filter((name) => !names.has(name)); // deleted in the index, too
  const files = await Promise.all([
    ...tracked.map((one) => fileOf(root, one.name, changeOf(one))),
    ...untracked.map((name) => fileOf(root, name, 'is not tracked by Git')),
    ...unstaged.filter((name) => !untracked.includes(name)).map((name) => fileOf(root, name, undefined)),
  ]);
  return files.filter((file) => file !== undefined);
}

/**
 * Returns the directory in which Git keeps the repository of a project: nothing there comes with a clone.
 *
 * @throws FieldwiseError `migrate-refused` without Git, or outside of a repository.
 */
export async function gitDirectoryOf(directory: string, env: NodeJS.ProcessEnv): Promise<string> {
  const [line = ''] = await gitIn(directory, env)('rev-parse', '--absolute-git-dir');
  return line.replace(/\r?\n$/, '');
}

function gitIn(directory: string, env: NodeJS.ProcessEnv): (...words: string[]) => Promise<readonly string[]> {
  return async (...words) => {
    try {
      const options = { cwd: directory, env: withoutRepository(env), maxBuffer: 1 << 28, windowsHide: true };
      const { stdout } = await run('git', ['-c', 'core.ignoreStat=false', ...words], options);
      return stdout.split('\0').filter((name) => name !== '');
    } catch (cause) {
      throw new FieldwiseError('migrate-refused', 'usage', 'Git does not track this directory, so nothing could be restored', {
        location: { file: directory },
        next: 'Nothing was written. Run `git init`, commit the project, and run the command again.',
        cause,
      });
    }
  };
}

const uncommittedReason = 'has changes that are not committed';

/**
 * Returns why a file that Git calls unchanged cannot be restored as it is: a filter, or a setting by which Git looks at no content, may hide changes.
 * Line ends may differ, because Git converts them.
 *
 * @param name relative to the directory, with `/`.
 * @throws FieldwiseError `migrate-refused` without Git.
 */
export async function hiddenChange(directory: string, name: string, text: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const [committed = ''] = await gitIn(directory, env)('cat-file', 'blob', `HEAD:./${name}`).catch(() => []);
  const asUnix = (one: string) => one.replaceAll('\r\n', '\n');
  return asUnix(committed) === asUnix(text) ? undefined : 'is not as it is committed, which a filter or a setting of Git hides';
}

const unwatchedReason = 'may have changes, because it has the flag assume-unchanged or skip-worktree';

/**
 * Returns undefined for a directory, such as that of a submodule.
 *
 * @param root the directory of the project, without links in its path.
 */
async function fileOf(root: string, name: string, refusal: string | undefined): Promise<ProjectFile | undefined> {
  const file = path.join(root, name);
  const stats = await lstat(file).catch(() => undefined);
  if (stats === undefined) return { name, refusal: 'has been deleted, and the deletion is not committed', isDeleted: true };
  if (!(stats.isFile() || stats.isSymbolicLink())) return undefined;
  const isElsewhere = (await realpath(path.dirname(file))) !== path.dirname(file);
  const reason = stats.isSymbolicLink()
    ? 'is a link'
    : isElsewhere
      ? 'is in a directory that is a link'
      : (stats.mode & 0o222) === 0
        ? 'is read-only'
        : refusal;
  return { name, ...(reason === undefined ? {} : { refusal: reason }) };
}

/** Returns an environment in which Git finds the repository of the directory, and not that of a hook which runs this command. */
function withoutRepository(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^GIT_(DIR|WORK_TREE|INDEX_FILE|PREFIX|COMMON_DIR)$/.test(name)));
}
