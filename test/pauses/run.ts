import { type Assembly, readAssembly } from '../../src/assembly/index.js';
import { adopt, type DeployEvent, deploy, destroy, type RunSummary, repair } from '../../src/deploy/index.js';
import { planRollback } from '../../src/deploy/rollback/plan-rollback.js';
import type { SavedPlan } from '../../src/engine/report/saved-plan.js';
import { startSimulation } from '../../src/entry/simulation.js';
import { type ClusterClient, connect, createClusterClient, Transport } from '../../src/kubernetes/index.js';
import { plan } from '../../src/plan/plan.js';
import type { FieldwiseError } from '../../src/util/error.js';

export interface RunOrder {
  readonly verb: 'deploy' | 'destroy' | 'rollback' | 'handoff' | 'adopt' | 'repair' | 'planned';
  /** Directory of the assembly. */
  readonly assembly: string;
  readonly kubeconfig: string;
  readonly namespace: string;
  readonly concurrency: number;
  /** @default `leaseSeconds` */
  readonly leaseDurationSeconds?: number;
  /** False for one that answers questions, and says yes to nothing that is not asked. @default true */
  readonly yes?: boolean;
  /** Milliseconds without data after which an attempt fails. */
  readonly timeoutMs: number;
  /** Milliseconds after which a request is not repeated. */
  readonly retryTimeoutMs: number;
}

/** What a run reports of one object. */
export interface ReportEntry {
  /** `Kind namespace/name`. */
  readonly object: string;
  readonly result?: string;
  readonly error?: object;
  readonly warnings?: readonly string[];
  readonly [member: string]: unknown;
}

export interface RunOutcome {
  readonly exitCode: number;
  /** In order; an adoption from a stack reports an object of its deploy twice. */
  readonly entries: readonly ReportEntry[];
  readonly errors: readonly object[];
}

/** Seconds that a lock outlives its holder. */
export const leaseSeconds = 2;

/** Does one run of the stacks of the campaign to its end, over HTTP. */
export async function run(order: RunOrder): Promise<RunOutcome> {
  const transport = new Transport(await connect({ kubeconfig: order.kubeconfig }), order);
  const cluster = createClusterClient(transport, order.namespace);
  try {
    return await runOn(cluster, await readAssembly(order.assembly), order);
  } finally {
    cluster.close();
  }
}

/** What a run needs to know beside its cluster and its program. */
export type RunSettings = Pick<RunOrder, 'verb' | 'namespace' | 'concurrency' | 'leaseDurationSeconds' | 'yes'>;

/**
 * Does one run of the stacks of a program.
 *
 * @param entries receives what the run tells of objects, while it works.
 */
export async function runOn(
  cluster: ClusterClient,
  assembly: Assembly,
  settings: RunSettings,
  entries: ReportEntry[] = [],
): Promise<RunOutcome> {
  const host = (event: { readonly event: string }) => {
    if (event.event === 'object') entries.push(event as DeployEvent & ReportEntry);
  };
  try {
    const { results = [], summary } = await verbs[settings.verb](assembly, cluster, settings, host);
    entries.push(...results);
    return { exitCode: summary?.exitCode ?? 0, entries, errors: summary?.errors ?? [] };
  } catch (error) {
    const { code, message } = error as FieldwiseError;
    return { exitCode: 4, entries, errors: [{ code, message }] };
  }
}

type Verb = (
  assembly: Assembly,
  cluster: ClusterClient,
  order: RunSettings,
  host: (event: { readonly event: string }) => void,
) => Promise<{
  readonly results?: readonly (object & ReportEntry)[];
  readonly summary?: Partial<Pick<RunSummary, 'errors'>> & Pick<RunSummary, 'exitCode'>;
}>;

const verbs: Record<RunOrder['verb'], Verb> = {
  deploy: async (assembly, cluster, order, host) => ({ summary: await deploy(assembly, cluster, optionsOf(order), host) }),
  destroy: async ({ manifest }, cluster, order, host) => ({ summary: await destroy(manifest, cluster, optionsOf(order), host) }),
  async rollback(program, cluster, order, host) {
    const simulate = (version: string) => startSimulation(order.namespace, version);
    const { assembly, recorded, revision, saved } = await planRollback(program, cluster, { ...optionsOf(order), simulate }, () => {});
    const history = { rollback: { revision: revision.revision, body: recorded } };
    return { summary: await deploy(assembly, cluster, { ...optionsOf(order), history, plan: { saved, simulate } }, host) };
  },
  async handoff(assembly, cluster, order, host) {
    const own = optionsOf(order);
    const options = { ...own, stacks: ['next'], from: ['stack:web'], run: own, record: async () => {} };
    const { deployed, adoptions } = await adopt(assembly, cluster, options, host);
    return { ...(deployed ? { summary: deployed } : {}), results: adoptions.map((adoption) => ({ ...adoption })) };
  },
  async adopt(assembly, cluster, order, host) {
    const { adoptions } = await adopt(assembly, cluster, { ...optionsOf(order), record: async () => {} }, host);
    return { results: adoptions.map((adoption) => ({ ...adoption })) };
  },
  async planned(assembly, cluster, order, host) {
    const simulate = (version: string) => startSimulation(order.namespace, version);
    let saved: SavedPlan | undefined;
    const save = async (made: SavedPlan) => {
      saved = made;
    };
    await plan(assembly, cluster, { ...optionsOf(order), simulate, save }, () => {});
    return { summary: await deploy(assembly, cluster, { ...optionsOf(order), plan: { saved: saved as SavedPlan, simulate } }, host) };
  },
  async repair(assembly, cluster, order, host) {
    const simulate = (version: string) => startSimulation(order.namespace, version);
    return { summary: await repair(assembly, cluster, { ...optionsOf(order), simulate }, host, host) };
  },
};

function optionsOf({ namespace, concurrency, leaseDurationSeconds = leaseSeconds, yes = true }: RunSettings) {
  return {
    concurrency,
    inventoryNamespace: namespace,
    prune: true,
    wait: false,
    deletionTimeoutSeconds: 10,
    leaseDurationSeconds,
    lockTimeoutSeconds: 60,
    history: {},
    confirm: async () => true,
    yes,
  };
}
