import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { ApiRequest, ApiResponse } from '../../src/apiserver/api/request.js';
import { EmbeddedApiServer } from '../../src/apiserver/index.js';
import type { RequestHandler } from '../../src/entry/request-handler.js';
import { Random } from '../corpus/random.js';
import { ApiClient } from '../harness/api-client.js';
import { Computer } from './computer.js';
import { furnish, snapshotFor } from './furnish.js';
import type { HistoryPlan } from './history.js';
import type { Ledger } from './ledger.js';
import { widgets } from './programs.js';
import { firstRunFirst, World } from './world.js';

/** The cluster of a history, with the programs that were deployed before, and its time. */
export interface Site {
  readonly world: World;
  readonly server: RequestHandler;
  readonly namespace: string;
  /** Lets a ledger write down what is written. */
  readonly follow: (ledger: Ledger) => Promise<void>;
  readonly stop: () => Promise<void>;
}

export type OpenSite = (plan: HistoryPlan) => Promise<Site>;

/**
 * An embedded server in this process, in simulated time.
 *
 * @param age the milliseconds since the programs were deployed.
 */
export function embeddedSite(age?: number): OpenSite {
  return async (plan) => {
    // Programs of few objects are those of all interleavings.
    const isOrdered = plan.objects !== undefined && age === undefined;
    const world = new World(isOrdered ? { choose: firstRunFirst } : {});
    const machine = new Computer(world, 'server', new Random(plan.seed + 1_000_003), 0).machine;
    const server = await EmbeddedApiServer.startOn(machine, { port: false, snapshot: await snapshotFor(plan, age), controllers: false });
    const ofWidgets = plan.runs.some(({ deed }) => deed === 'dynamic') ? [`/apis/${widgets.group}/v1/${widgets.plural}`] : [];
    const collections = [...collectionsIn(''), ...ofWidgets];
    return { world, server, namespace: 'default', follow: (ledger) => ledger.follow(server, collections), stop: () => server.stop() };
  };
}

/** The collections whose objects are written down. */
const collectionsIn = (place: string) => [
  `/api/v1/${place}configmaps`,
  `/api/v1/${place}secrets`,
  `/apis/coordination.k8s.io/v1/${place}leases`,
];

/** Whether a history can be played where only one namespace is its own. */
export function isForReal({ webhook, observed, runs, acts }: HistoryPlan): boolean {
  return (
    webhook !== true &&
    observed === undefined &&
    runs.every(({ deed }) => deed !== 'dynamic') &&
    acts.every(({ act }) => act.object !== 'w0')
  );
}

/** Milliseconds that a history on a real server begins after the second in which its programs were deployed. */
export const realAge = 2_000;

/** A namespace of its own at a real API server, in real time: each second of the history takes one. */
export function realSite(kubeconfig: string): OpenSite {
  const client = new ApiClient(kubeconfig);
  const server: RequestHandler = { handle: (request) => handle(client, request) };
  return async (plan) => {
    const namespace = `simulate-${randomUUID().slice(0, 8)}`;
    await client.call('POST', '/api/v1/namespaces', { body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } } });
    await furnish({ world: new World({ beginning: Date.now() }), server, namespace }, plan);
    // Seconds begin at the same moment for all.
    const beginning = 1_000 * Math.floor(Date.now() / 1_000) + realAge;
    await setTimeout(beginning - Date.now());
    const world = new World({ beginning, pace: () => Date.now() - beginning });
    const paths = collectionsIn(`namespaces/${namespace}/`);
    return { world, server, namespace, follow: (ledger) => ledger.readAfterEach(server, paths), stop: async () => {} };
  };
}

async function handle(client: ApiClient, { method, path, query, headers, body }: ApiRequest): Promise<ApiResponse> {
  const url = new URL(client.connection.server.replace(/\/$/, '') + path);
  url.search = query.toString();
  const bytes = body === undefined ? undefined : Buffer.from(body);
  const { 'accept-encoding': _, ...sent } = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
  const length = bytes === undefined ? {} : { 'content-length': String(bytes.length) };
  const answer = await client.raw(method, url, { ...(sent as Record<string, string>), ...length }, bytes);
  const retryAfter = answer.headers['retry-after'];
  const isJson = String(answer.headers['content-type']).startsWith('application/json');
  return {
    code: answer.status,
    body: isJson ? JSON.parse(answer.text) : answer.text,
    warnings: [answer.headers.warning ?? []].flat().map((warning) => JSON.parse(warning.slice(warning.indexOf('"')))),
    ...(isJson ? {} : { contentType: String(answer.headers['content-type']) }),
    ...(retryAfter === undefined ? {} : { headers: { 'Retry-After': String(retryAfter) } }),
  };
}
