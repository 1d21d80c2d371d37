import { request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { createInterface } from 'node:readline';
import type { ApiClient, ResponseBody } from './api-client.js';
import type { ObjectRef, TestCluster } from './cluster.js';
import { poll } from './poll.js';

/** Every state of one object that the server told a watch of, the first as it is now. */
export interface Watched {
  readonly events: readonly ResponseBody[];
  /** Ends once the server has told of a state that fits. */
  until(fits: (event: ResponseBody) => boolean): Promise<void>;
  /** Resolves when the server ends the watch. */
  readonly ended: Promise<void>;
  stop(): void;
}

/**
 * Watches one object over the API, as any controller does.
 *
 * @param from a resourceVersion before it exists, so that its first state is seen, too.
 * @param selector a further field selector.
 */
export async function watchObject(
  cluster: TestCluster,
  object: ObjectRef,
  { from, selector }: { readonly from?: string; readonly selector?: string } = {},
): Promise<Watched> {
  const path = await cluster.path(object);
  const slash = path.lastIndexOf('/');
  const first = from === undefined ? await cluster.get(object) : undefined;
  const events: ResponseBody[] = first === undefined ? [] : [{ type: 'ADDED', object: first }];
  const query = new URLSearchParams({
    watch: '1',
    resourceVersion: first?.metadata.resourceVersion ?? from,
    fieldSelector: [`metadata.name=${path.slice(slash + 1)}`, ...(selector === undefined ? [] : [selector])].join(','),
  });
  const { connection }: ApiClient = cluster.client;
  const url = new URL(`${connection.server.replace(/\/$/, '')}${path.slice(0, slash)}?${query}`);
  const headers = connection.token ? { authorization: `Bearer ${connection.token}` } : {};
  const tls = { ...(connection.ca ? { ca: connection.ca } : {}), cert: connection.certificate, key: connection.key };
  const exchange = url.protocol === 'https:' ? tlsRequest(url, { headers, ...tls }) : plainRequest(url, { headers });
  exchange.on('error', () => {}); // it ends in one when it is stopped
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  await new Promise<void>((resolve) => {
    exchange.on('response', (response) => {
      const lines = createInterface({ input: response }).on('line', (line) => events.push(JSON.parse(line)));
      lines.on('close', end);
      for (const stream of [response, lines]) stream.on('error', () => {});
      resolve();
    });
    exchange.end();
  });
  return {
    events,
    ended,
    async until(fits) {
      await poll('the watch is told of a state that fits', () => events.some(fits));
    },
    stop: () => exchange.destroy(),
  };
}
