import type { HistoryOptions } from '../engine/run/history-options.js';
import type { Host } from './host.js';
import type { OpenCluster } from './open-cluster.js';
import type { Config } from './program/config.js';

/** Returns the options of the revisions that a deploy records; none if the configuration disables them. */
export function historyOption(
  { history, directory }: Pick<Config, 'history' | 'directory'>,
  { kubeconfigUser }: Pick<OpenCluster, 'kubeconfigUser'>,
  { env }: Pick<Host, 'env'>,
): { readonly history?: HistoryOptions } {
  if (history === false) return {};
  const commit = async () => (await import('./source-commit.js')).sourceCommit(env, directory);
  const subject = async () => (await import('./source-commit.js')).sourceSubject(env, directory);
  const uncommittedChanges = async () => (await import('./source-commit.js')).hasUncommittedChanges(env, directory);
  return { history: { ...history, commit, subject, uncommittedChanges, ...(kubeconfigUser === undefined ? {} : { kubeconfigUser }) } };
}
