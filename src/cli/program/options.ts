import { resolve } from 'node:path';
import type { StatusOptions } from '../../deploy/index.js';
import type { HistoryOptions } from '../../engine/run/history-options.js';
import type { ClusterClient } from '../../kubernetes/index.js';
import type { PlannerOptions } from '../../plan/plan.js';
import { after } from '../../util/after.js';
import type { OpenCluster } from '../cluster/open-cluster.js';
import type { Config } from '../config/config.js';
import { independentOption } from '../config/independent-option.js';
import { simulationFor } from '../files/plan-file.js';
import type { Host } from '../process/host.js';

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

/** Returns the options of the engine for status and drift. */
export function inspectOptions(host: Host, config: Config, cluster: ClusterClient, stacks: readonly string[]): StatusOptions {
  return {
    stacks,
    inventoryNamespace: config.inventory.namespace,
    ...independentOption(config),
    references: { env: host.env, directory: config.directory },
    simulate: simulationFor(cluster),
  };
}

/** Returns the option of a plan that judges it by the configured rules. @throws FieldwiseError `rules-invalid`, `program-failed`. */
export async function rulesOption(
  { rules: file, programTimeout }: Pick<Config, 'rules' | 'programTimeout'>,
  host: Pick<Host, 'raw' | 'after' | 'ownProcess'>,
): Promise<Pick<PlannerOptions, 'check'>> {
  if (file === undefined) return {};
  const [{ changeChecker }, { loadRules }] = await Promise.all([import('../../rules/index.js'), import('./load-rules.js')]);
  const options = { file, timeoutSeconds: programTimeout, after: host.after ?? after, stderr: host.raw.stderr, own: host.ownProcess };
  return { check: changeChecker(await loadRules(options)) };
}
