import { rmSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { type ObjectRef, ref, type TestCluster } from '../harness/cluster.js';
import { type Interception, InterceptionProxy, type ProxiedRequest } from '../harness/interception-proxy.js';
import { poll } from '../harness/poll.js';
import { programOf } from '../harness/program-text.js';
import { Project } from '../harness/project.js';
import type { BrokenWorkload } from './broken-workload.js';
import type { FakeKubelet } from './fake-kubelet.js';

/** A finished deploy of a broken workload. */
export interface BrokenDeploy {
  readonly exitCode: number;
  readonly output: string;
  /** Seconds of the whole deploy. */
  readonly seconds: number;
  /** Seconds between the moment at which its cause was certain and the end; undefined where that moment is not known. */
  readonly late: number | undefined;
}

/** The scene of all deploys. */
export interface Scene {
  readonly cluster: TestCluster;
  readonly kubelet: FakeKubelet;
  readonly directory: string;
}

/** Deploys a broken workload to a namespace of its own, as a user would. */
export async function deployBroken(workload: BrokenWorkload, { cluster, kubelet, directory }: Scene): Promise<BrokenDeploy> {
  const { name } = workload;
  await prepare(workload, cluster);
  const proxy = await InterceptionProxy.start(cluster.client, join(directory, `${name}.kubeconfig`));
  const looks: number[] = [];
  proxy.onRequest = (passed) => {
    if (isLook(passed)) looks.push(Date.now());
    return passedOn(cluster, passed, workload.log ?? '');
  };
  const project = new Project(
    { 'fieldwise.yaml': 'app: main.ts\n', 'main.ts': programOf(workload.stacks) },
    {
      kubeconfig: proxy.kubeconfig,
      environment: { FIELDWISE_APP_NAME: name, FIELDWISE_NAMESPACE: name, FIELDWISE_INVENTORY_NAMESPACE: name },
    },
  );
  try {
    const started = Date.now();
    const { exitCode, stdout, stderr } = await project.run(['deploy', '--yes']);
    const ended = Date.now();
    const certain = certainAt(workload, (await failureOfJob(name, cluster)) ?? kubelet.shown.get(name), looks);
    const late = certain === undefined ? undefined : (ended - certain) / 1000;
    return { exitCode, output: `${stdout}${stderr}`, seconds: (ended - started) / 1000, late };
  } finally {
    await proxy.stop();
    rmSync(project.directory, { recursive: true, force: true });
  }
}

/**
 * Returns the moment at which a cause is certain: when the pod shows it, or after the time that counts from the first look at which it is
 * there. Refused pods are there before the first look.
 */
function certainAt({ certainAfterSeconds, life }: BrokenWorkload, shown: number | undefined, looks: readonly number[]) {
  if (certainAfterSeconds === undefined) return shown;
  const firstLook = looks.find((time) => time >= (shown ?? 0));
  if (firstLook === undefined || (life !== undefined && shown === undefined)) return undefined;
  return firstLook + certainAfterSeconds * 1000;
}

/** Returns the moment at which a Job has failed, in whole seconds; undefined where the workload is not a Job. */
async function failureOfJob(namespace: string, cluster: TestCluster): Promise<number | undefined> {
  const job = await cluster.find(ref('batch/v1', 'Job', 'web', namespace));
  const failed = job?.status?.conditions?.find(({ type }: { readonly type: string }) => type === 'Failed');
  return failed && Date.parse(failed.lastTransitionTime);
}

const isLook = ({ path, query }: ProxiedRequest) => /\/(pods|replicasets|controllerrevisions|events)$/.test(path) && !query.has('watch');

async function prepare({ name, before = {} }: BrokenWorkload, cluster: TestCluster): Promise<void> {
  await cluster.create('test', { ...ref('v1', 'Namespace', name), metadata: { name, labels: before.labels ?? {} } });
  for (const object of before.objects ?? []) {
    const made = await cluster.create('test', placed(object as ObjectRef, name));
    await poll(`the quota ${made.metadata.name} is counted`, async () => (await cluster.get(made)).status?.hard !== undefined);
  }
}

const placed = (object: ObjectRef, namespace: string): ObjectRef => ({ ...object, metadata: { ...object.metadata, namespace } });

/** Answers for the kubelet, and passes a watch on as it comes. */
function passedOn({ client }: TestCluster, { path, query, accept }: ProxiedRequest, log: string): Interception | undefined {
  if (path.endsWith('/log')) return { respond: (response) => response.writeHead(200, { 'content-type': 'text/plain' }).end(log) };
  if (!query.has('watch')) return undefined;
  const { server, ca, token } = client.connection;
  const url = new URL(`${server.replace(/\/$/, '')}${path}?${query}`);
  const respond: Extract<Interception, { respond: unknown }>['respond'] = (response) => {
    const upstream = request(url, { ...(ca ? { ca } : {}), headers: { accept, authorization: `Bearer ${token}` } }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, { 'content-type': answer.headers['content-type'] ?? 'application/json' });
      answer.on('error', () => response.destroy()).pipe(response);
    });
    upstream.on('error', () => response.destroy()).end();
    response.on('close', () => upstream.destroy());
  };
  return { respond };
}
