import { type Assembly, readAssembly } from '../../src/assembly/index.js';
import { adopt, type DeployEvent, deploy, destroy, type RunSummary, repair } from '../../src/deploy/index.js';
import { planRollback } from '../../src/deploy/rollback/plan-rollback.js';
import type { SavedPlan } from '../../src/engine/run/saved-plan.js';
import { startSimulation } from '../../src/entry/simulation.js';
import { type ClusterClient, connect, createClusterClient, Transport } from '../../src/kubernetes/index.js';
import { plan } from '../../src/plan/plan.js';
import type { FieldwiseError } from '../../src/util/error.js';
import { thisMachine } from '../../src/util/machine.js';

/** What a run needs to know beside its cluster and its program. */
export interface RunSettings {
  readonly verb: 'deploy' | 'destroy' | 'rollback' | 'handoff' | 'adopt' | 'repair' | 'planned';
  readonly namespace: string;
  readonly concurrency: number;
  readonly leaseDurationSeconds: number;
  /** False for one that answers questions, and says yes to nothing that is not asked. @default true */
  readonly yes?: boolean;
}

/** A run in a process of its own, over HTTP. */
export interface ProcessOrder extends RunSettings {
  /** Of the computer, in the locks that the run holds. */
  readonly name: string;
  /** Directory of the assembly. */
  readonly assembly: string;
  readonly kubeconfig: string;
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

/** Does one run to its end, over HTTP. */
export async function runOver({ name, assembly, kubeconfig, ...settings }: ProcessOrder, entries: ReportEntry[]): Promise<RunOutcome> {
  const processName = () => ({ user: name, host: 'computer', pid: process.pid });
  const transport = new Transport(await connect({ kubeconfig }), {
    machine: { ...thisMachine, processName },
    concurrency: settings.concurrency,
  });
  const cluster = createClusterClient(transport, settings.namespace);
  try {
    return await runOn(cluster, await readAssembly(assembly), settings, entries);
  } finally {
    cluster.close();
  }
}

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

const verbs: Record<RunSettings['verb'], Verb> = {
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

function optionsOf({ namespace, concurrency, leaseDurationSeconds, yes = true }: RunSettings) {
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
