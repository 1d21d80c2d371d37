import { Agent, request } from 'node:https';
import { EmbeddedApiServer } from '../../src/apiserver/index.js';
import type { JsonObject } from '../../src/util/json.js';
import { type Connection, readKubeconfig } from '../harness/kubeconfig.js';
import { startServer } from '../harness/server.js';

export interface Sent {
  readonly method?: string;
  /** Path with its query. */
  readonly path: string;
  readonly accept?: string;
  readonly body?: JsonObject;
  readonly contentType?: string;
}

export interface Received {
  readonly code: number;
  readonly contentType: string;
  readonly text: string;
}

/** Sends a request to a server. */
export type Client = (sent: Sent) => Promise<Received>;

/** The two servers that are compared. */
export interface Servers {
  readonly real: Client;
  readonly embedded: Client;
  stop(): Promise<void>;
}

export async function startServers(): Promise<Servers> {
  const server = await startServer();
  const embedded = await EmbeddedApiServer.start({ controllers: false });
  const agent = new Agent({ keepAlive: true, maxSockets: 32 });
  return {
    real: clientOf(readKubeconfig(server.kubeconfig), agent),
    embedded: clientOf({ server: embedded.url, ca: embedded.ca, token: embedded.token }, agent),
    stop: async () => {
      agent.destroy();
      await embedded.stop();
      await server.stop();
    },
  };
}

function clientOf({ server, ca, token }: Connection, agent: Agent): Client {
  return ({ method = 'GET', path, accept = 'application/json', body, contentType = 'application/json' }) => {
    const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const headers: Record<string, string> = { authorization: `Bearer ${token}`, accept };
    if (bytes !== undefined) Object.assign(headers, { 'content-type': contentType, 'content-length': String(bytes.length) });
    return new Promise((resolve, reject) => {
      const exchange = request(server + path, { method, headers, agent, ca }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () =>
          resolve({
            code: response.statusCode ?? 0,
            contentType: response.headers['content-type'] ?? '',
            text: Buffer.concat(chunks).toString('utf8'),
          }),
        );
      });
      exchange.on('error', reject);
      exchange.end(bytes);
    });
  };
}
