import { resolve } from 'node:path';
import type { HistoryOptions } from '../engine/run/history-options.js';
import type { Host } from './host.js';
import type { OpenCluster } from './open-cluster.js';
import type { Config } from './program/config.js';

/**
 * Returns the options of the revisions that a deploy records; none if the configuration disables them.
 *
 * @param files those that the command names, and that this or an earlier command writes.
 */
export function historyOption(
  { history, directory, output }: Pick<Config, 'history' | 'directory' | 'output'>,
  { kubeconfigUser }: Pick<OpenCluster, 'kubeconfigUser'>,
  { env, cwd }: Pick<Host, 'env' | 'cwd'>,
  files: readonly (string | undefined)[] = [],
): { readonly history?: HistoryOptions } {
  if (history === false) return {};
  const written = [output, ...files.flatMap((file) => (file === undefined ? [] : resolve(cwd, file)))];
  const commit = async () => (await import('./source-commit.js')).sourceCommit(env, directory);
  const subject = async () => (await import('./source-commit.js')).sourceSubject(env, directory);
  const uncommittedChanges = async () => (await import('./source-commit.js')).hasUncommittedChanges(env, directory, written);
  return { history: { ...history, commit, subject, uncommittedChanges, ...(kubeconfigUser === undefined ? {} : { kubeconfigUser }) } };
}
