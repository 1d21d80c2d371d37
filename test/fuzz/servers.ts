import { Agent, request } from 'node:https';
import { EmbeddedApiServer } from '../../src/apiserver/index.js';
import { readKubeconfig } from '../harness/kubeconfig.js';
import { startServer } from '../harness/server.js';
import { inProcess, receivedFrom, type ScenarioTransport, userAgent } from '../vectors/exchange.js';
import { encodedBody } from '../vectors/protobuf-exchange.js';

/** The two servers that are compared. */
export interface Servers {
  readonly real: ScenarioTransport;
  readonly embedded: ScenarioTransport;
  /** Waits until the real clock shows a second that it did not show before, and moves the other clock on. */
  readonly tick: () => Promise<void>;
  stop(): Promise<void>;
}

export async function startServers(): Promise<Servers> {
  const server = await startServer();
  let now = Date.UTC(2030, 0, 1);
  const cluster = await EmbeddedApiServer.start({ now: () => new Date(now), port: false, controllers: false });
  const agent = new Agent({ keepAlive: true, maxSockets: 24, ca: readKubeconfig(server.kubeconfig).ca });
  return {
    real: overHttps(server.kubeconfig, agent),
    embedded: inProcess(cluster),
    tick: async () => {
      const second = Math.floor(Date.now() / 1000);
      // Not all lanes at once: the rest of the wait is spread over the next second.
      await pause((second + 1) * 1000 - Date.now() + 10 + Math.random() * 600);
      now += 1000;
    },
    stop: async () => {
      agent.destroy();
      await cluster.stop();
      await server.stop();
    },
  };
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function overHttps(kubeconfig: string, agent: Agent): ScenarioTransport {
  const { server, token } = readKubeconfig(kubeconfig);
  const once: ScenarioTransport = ({ method, path, query, body, contentType = 'application/json', accept = 'application/json' }) => {
    const url = new URL(server.replace(/\/$/, '') + path);
    for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value);
    const headers: Record<string, string> = { authorization: `Bearer ${token}`, accept, 'user-agent': userAgent };
    const bytes = body === undefined ? undefined : Buffer.from(encodedBody(body, contentType));
    // The length must be said: Node leaves it out of a DELETE, and the server then reads no body.
    if (bytes !== undefined) Object.assign(headers, { 'content-type': contentType, 'content-length': String(bytes.length) });
    return new Promise((resolve, reject) => {
      const exchange = request(url, { method, headers, agent }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => resolve(receivedFrom(response, Buffer.concat(chunks))));
      });
      exchange.on('error', reject);
      exchange.end(bytes);
    });
  };
  return async (sent) => {
    // Asked for by the server while a new definition comes into effect.
    for (let tries = 0; ; tries++) {
      const received = await once(sent);
      if (received.code !== 429 || tries === 20) return received;
      await pause(250);
    }
  };
}
