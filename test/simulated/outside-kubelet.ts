import type { SimulatedClient } from '../../src/apiserver/controllers/simulated/simulated-client.js';
import { SimulatedKubelet } from '../../src/apiserver/controllers/simulated/simulated-kubelet.js';
import { ensureNode } from '../../src/apiserver/controllers/simulated/simulated-node.js';
import { ApiCallError, type ResponseBody } from '../harness/api-client.js';
import type { TestCluster } from '../harness/cluster.js';

const intervalMs = 50;

/** The kubelet of the simulation, for a server that is not embedded: only controllers are real there, and pods live as in the simulation. */
export class OutsideKubelet {
  readonly #cluster: TestCluster;
  readonly #client: SimulatedClient;
  readonly #kubelet: SimulatedKubelet;
  readonly #known = new Map<string, string>();
  #isStopped = false;
  #loop: Promise<void> = Promise.resolve();

  /** @param places places pods, too; `false` where a scheduler does it */
  constructor(
    cluster: TestCluster,
    podReadySeconds: number,
    readonly places = true,
  ) {
    this.#cluster = cluster;
    this.#client = { send: (request) => send(cluster, request) };
    this.#kubelet = new SimulatedKubelet(this.#client, Date.now, podReadySeconds * 1000);
  }

  async start(): Promise<void> {
    await ensureNode(this.#client, Date.now);
    this.#loop = this.#run();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#kubelet.stop();
    await this.#loop;
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      const { items } = await this.#cluster.client.call('GET', '/api/v1/pods').catch(() => ({ items: [] }));
      const uids = new Set(items.map(({ metadata }: ResponseBody) => metadata.uid));
      for (const uid of this.#known.keys()) {
        if (uids.has(uid)) continue;
        this.#known.delete(uid);
        this.#kubelet.forget(uid);
      }
      await Promise.all(items.map((pod: ResponseBody) => this.#sync({ apiVersion: 'v1', kind: 'Pod', ...pod })));
      await new Promise((resolve) => setTimeout(resolve, intervalMs));
    }
  }

  async #sync(pod: ResponseBody): Promise<void> {
    const { uid, resourceVersion } = pod.metadata;
    if (!this.places && !pod.spec.nodeName) return;
    if (this.#known.get(uid) === resourceVersion) return;
    this.#known.set(uid, resourceVersion);
    await this.#kubelet.sync(pod).catch(() => this.#known.delete(uid));
  }
}

async function send({ client }: TestCluster, { method, path, body, contentType, manager }: Parameters<SimulatedClient['send']>[0]) {
  const options = { ...(body === undefined ? {} : { body }), ...(contentType === undefined ? {} : { contentType }) };
  try {
    return { code: 200, body: await client.call(method, path, { ...options, query: { fieldManager: manager } }) };
  } catch (error) {
    if (error instanceof ApiCallError) return { code: error.status, body: error.body };
    throw error;
  }
}
