import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import type { Assembly } from '../../../src/assembly/types.js';
import type { DeployEvent } from '../../../src/engine/report/events.js';
import type { RunOptions } from '../../../src/engine/run/options.js';
import { readAssembly } from '../../../src/entry/deploy.js';
import { EmbeddedApiServer } from '../../../src/entry/embedded.js';
import { inProcessClient } from '../../../src/entry/in-process.js';
import { App, Stack } from '../../../src/entry/index.js';
import type { ClusterClient } from '../../../src/kubernetes/index.js';

const directory = mkdtempSync(join(tmpdir(), 'fieldwise-run-'));
let count = 0;

/** Removes the assemblies of the file's tests. */
export function removeProgramsAfterAll(): void {
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
}

export const configMap = (name: string, data: object, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  data,
});

/** A ConfigMap that the server refuses: its name is none. */
export const refusedConfigMap = (name: string) => configMap(name, { 'no key': 'x' });

/** Synthesizes a program of the stack `web`. */
export async function program(...objects: readonly object[]): Promise<Assembly> {
  return programOf('web', ...objects);
}

/** Synthesizes a program of one stack. */
export async function programOf(name: string, ...objects: readonly object[]): Promise<Assembly> {
  const app = new App({ name: 'shop', outdir: join(directory, String(count++)) });
  const stack = new Stack(app, name, { namespace: 'default' });
  for (const object of objects) stack.own(object as Parameters<Stack['own']>[0]);
  app.synth();
  return readAssembly(app.outdir);
}

/** An embedded API server without a socket, and its writes in their order, as `POST leases`. */
export interface Server {
  readonly cluster: ClusterClient;
  readonly writes: string[];
}

export async function server(): Promise<Server> {
  const embedded = await EmbeddedApiServer.start({ port: false });
  const writes: string[] = [];
  const cluster = inProcessClient({
    handle: (request) => {
      const [, resource, name] = /\/(leases|configmaps)(?:\/([^/]+))?$/.exec(request.path) ?? [];
      if (request.method !== 'GET' && resource)
        writes.push([request.method, resource, shown(request.path, name)].filter(Boolean).join(' '));
      return embedded.handle(request);
    },
  });
  return { cluster, writes };
}

function shown(path: string, name: string | undefined): string {
  return path.includes('/namespaces/fieldwise-system/') ? '' : (name ?? '');
}

export const options: RunOptions = { wait: false, yes: true, confirm: async () => true, deletionTimeoutSeconds: 0, concurrency: 1 };

/** Runs a verb and returns its error, its result, the outcomes by object, the names of its events in their order, and all events. */
export async function reported(run: (host: (event: DeployEvent) => void) => Promise<unknown>, onEvent?: (event: DeployEvent) => void) {
  const events: DeployEvent[] = [];
  const host = (event: DeployEvent) => {
    events.push(event);
    onEvent?.(event);
  };
  const [error, result] = await run(host).then(
    (summary) => [undefined, summary],
    (failure: unknown) => [failure, undefined],
  );
  const outcomes = events.flatMap((event) => (event.event === 'object' ? [`${event.result} ${event.object}`] : []));
  return { error, result, outcomes, order: events.map(({ event }) => event), events };
}

export async function dataOf(cluster: ClusterClient, name: string): Promise<unknown> {
  const resource = await cluster.resourceOf('v1', 'ConfigMap');
  return (await cluster.tryGet({ resource, namespace: 'default', name }))?.data;
}
