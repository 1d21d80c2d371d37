import type { ExplainedConflict } from '../../inspect/explain/explain-conflicts.js';
import type { LiveObject } from '../../inspect/explain/live-owners.js';
import { waysForOwnedByStacks, withKind } from '../../inspect/explain/ways-out.js';
import { FieldwiseError } from '../../util/error.js';
import type { IntegersAsText } from '../../util/integers-as-text.js';
import { type ClusterFlags, type OpenCluster, openCluster } from '../cluster/open-cluster.js';
import { type Config, loadConfig } from '../config/config.js';
import type { Host } from '../process/host.js';

/** The flags of `fieldwise explain` that select a cluster, or none. */
export interface LookUpFlags extends ClusterFlags {
  readonly offline?: boolean;
  readonly config?: string;
  readonly env?: string;
}

/** A conflict with what the cluster shows of it. */
export interface LookedUpConflict extends ExplainedConflict, IntegersAsText {
  /** Absent if no cluster was read. */
  readonly now?: LiveObject;
  /** The reason why the cluster could not be read. */
  readonly notRead?: string;
}

/** A reader waits for the explanation of a text: a cluster that does not answer is left out after this time. */
const timeoutMs = 5_000;

/**
 * Adds to conflicts who owns the contested fields now. Without a flag that selects a cluster, one that cannot be read is only named, and none at all
 * is passed over.
 *
 * @throws FieldwiseError `flag-without-use`; with a flag that selects a cluster, whatever keeps it from being read.
 */
export async function lookUp(
  conflicts: readonly ExplainedConflict[],
  flags: LookUpFlags,
  host: Host,
): Promise<readonly LookedUpConflict[]> {
  const chosen = choosingFlag(flags);
  if (flags.offline) {
    if (chosen === undefined) return conflicts;
    throw new FieldwiseError('flag-without-use', 'usage', `\`${chosen}\` cannot be combined with \`--offline\``, {
      next: `Leave out one of them: \`${chosen}\` selects the cluster that is read, and \`--offline\` reads none.`,
    });
  }
  const isNeeded = chosen !== undefined;
  if (!isNeeded && conflicts.every(({ object }) => object?.kind === undefined)) return conflicts;
  let cluster: OpenCluster | undefined;
  try {
    const config = await configOf(flags, host);
    cluster = await openCluster(config);
    return await readNow(conflicts, cluster, { config, isNeeded });
  } catch (error) {
    if (isNeeded || !(error instanceof Error)) throw error;
    if (error instanceof FieldwiseError && error.code === 'kubeconfig-missing') return conflicts;
    return conflicts.map((conflict) => ({ ...conflict, notRead: error.message }));
  } finally {
    cluster?.close();
  }
}

function configOf({ offline: _, ...flags }: LookUpFlags, host: Host): Promise<Config> {
  return loadConfig({ cwd: host.cwd, env: host.env, flags });
}

async function readNow(
  conflicts: readonly ExplainedConflict[],
  cluster: OpenCluster,
  { config, isNeeded }: { readonly config: Config; readonly isNeeded: boolean },
): Promise<readonly LookedUpConflict[]> {
  const { liveOwners, liveReading } = await import('../../inspect/explain/live-owners.js');
  const bounded = isNeeded ? cluster : cluster.withContext({ retryTimeoutMs: timeoutMs });
  const reading = liveReading(bounded, config.inventory.namespace);
  const read: LookedUpConflict[] = [];
  for (const conflict of conflicts) {
    try {
      const now = await liveOwners(reading, conflict);
      const { object, ways, about } = conflict;
      const byKind = withKind(ways, now.kind);
      const managers = now.owners?.map(({ manager }) => manager) ?? [];
      const isOwned = about === 'release' && object !== undefined;
      read.push({ ...conflict, ways: isOwned ? waysForOwnedByStacks(byKind, { ...object, kind: now.kind }, managers) : byKind, now });
    } catch (error) {
      if (!(error instanceof FieldwiseError) || error.kind !== 'usage') throw error;
      read.push({ ...conflict, notRead: [error.message, error.next].filter((text) => text !== undefined).join('. ') });
    }
  }
  return read;
}

/** `-n` selects no cluster: it is the namespace of an object that the text names without one. */
function choosingFlag(flags: LookUpFlags): string | undefined {
  const { cluster, kubeconfig, kubeContext, inventoryNamespace, config, env } = flags;
  const choosing = {
    '--cluster': cluster,
    '--kubeconfig': kubeconfig,
    '--kube-context': kubeContext,
    '--inventory-namespace': inventoryNamespace,
    '--config': config,
    '--env': env,
  };
  return Object.entries(choosing).find(([, value]) => value !== undefined)?.[0];
}
