import { EmbeddedApiServer, type ServerSnapshot } from '../../src/apiserver/index.js';
import { createClusterClient, Transport } from '../../src/kubernetes/index.js';
import { Random } from '../corpus/random.js';
import { crdOf } from '../harness/crd.js';
import { inProcessConnection } from '../harness/in-process-wire.js';
import { Computer } from './computer.js';
import type { HistoryPlan } from './history.js';
import { Ledger } from './ledger.js';
import { Network } from './network.js';
import { type ProgramName, preparedProgram, widgets } from './programs.js';
import { type RunOutcome, runOn } from './run.js';
import type { Site } from './site.js';
import { World } from './world.js';

const hour = 3_600_000;

const snapshots = new Map<string, Promise<ServerSnapshot>>();

/**
 * The cluster in which a history begins: made once, with the programs that were deployed before.
 *
 * @param age the milliseconds since then.
 */
export function snapshotFor(plan: HistoryPlan, age = hour): Promise<ServerSnapshot> {
  const key = `${kindOf(plan)} ${plan.objects} ${age}`;
  const found = snapshots.get(key) ?? furnished(plan, age);
  snapshots.set(key, found);
  return found;
}

type Kind = 'one' | 'two' | 'kubectl' | 'dynamic';

function kindOf(plan: HistoryPlan): Kind {
  const deedNames = plan.runs.map(({ deed }) => deed);
  if (deedNames.includes('dynamic')) return 'dynamic';
  if (deedNames.includes('adopt')) return 'kubectl';
  return deedNames.includes('rollback') ? 'two' : 'one';
}

const deployedBefore: Readonly<Record<Kind, readonly ProgramName[]>> = {
  one: ['old'],
  two: ['more', 'old'],
  kubectl: ['old'],
  dynamic: ['dynamic'],
};

async function furnished(plan: HistoryPlan, age: number): Promise<ServerSnapshot> {
  const world = new World();
  const site = new Computer(world, 'server', new Random(0), 0);
  site.jump(-age);
  const server = await EmbeddedApiServer.startOn(site.machine, { port: false, controllers: false });
  await furnish({ world, server, namespace: 'default' }, plan);
  const snapshot = server.snapshot();
  await server.stop();
  return snapshot;
}

/** Makes what others have made before a history, and deploys the programs that were deployed before. */
export async function furnish(
  { world, server, namespace }: Pick<Site, 'world' | 'server' | 'namespace'>,
  plan: HistoryPlan,
): Promise<void> {
  const kind = kindOf(plan);
  const post = async (path: string, body: object, query: Record<string, string> = {}) => {
    const headers = { 'content-type': 'application/json' };
    const { code } = await server.handle({ method: 'POST', path, query: new URLSearchParams(query), headers, body: JSON.stringify(body) });
    if (code !== 201) throw new Error(`POST ${path} before a history: ${code}`);
  };
  const make = (name: string, data: object, fieldManager: string) =>
    post(`/api/v1/namespaces/${namespace}/configmaps`, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data }, { fieldManager });
  await make('s0', { theirs: 'theirs' }, 'platform');
  if (kind === 'kubectl') for (const name of ['c0', 'c1']) await make(name, { value: 'old' }, 'kubectl-client-side-apply');
  if (kind === 'dynamic') {
    const body = crdOf(widgets.group, 'Widget', { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } });
    await post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', body);
  }
  const network = new Network({ world, server, ledger: new Ledger(world), latency: () => 1, faultOf: () => undefined });
  for (const name of deployedBefore[kind]) {
    const computer = new Computer(world, 'before', new Random(1), 1);
    const wire = network.wireOf(computer);
    const cluster = createClusterClient(new Transport(inProcessConnection, { wire, machine: computer.machine }), namespace);
    let outcome: RunOutcome | undefined;
    const { assembly } = await preparedProgram(name, plan.objects);
    void runOn(cluster, assembly, { verb: 'deploy', namespace, concurrency: 1, leaseDurationSeconds: 15 }).then((ended) => {
      outcome = ended;
    });
    await world.run(() => outcome !== undefined, hour);
    if (outcome?.exitCode !== 0) throw new Error(`the deploy before a history ended with ${JSON.stringify(outcome)}`);
  }
}
