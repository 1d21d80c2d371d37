import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import { type ProxyServer, plainHost } from './proxy.js';
import { openTunnel, type TunnelOptions } from './tunnel.js';

export { credentialsHeader } from './tunnel.js';

type Open = HttpAgent['createConnection'];

/** Returns an agent for one request to a URL, whose connection is a tunnel through a proxy. */
export async function tunnelAgent(url: URL, proxy: ProxyServer, options: TunnelOptions): Promise<HttpAgent> {
  const secure = url.protocol === 'https:';
  const port = Number(url.port || (secure ? 443 : 80));
  const socket: Duplex = await openTunnel(proxy, { host: plainHost(url.hostname), port }, options);
  const agent = secure ? new HttpsAgent() : new HttpAgent();
  const open: Open = agent.createConnection.bind(agent);
  agent.createConnection = (settings) => (secure ? open({ ...settings, ...options.tls, socket } as typeof settings) : socket);
  return agent;
}
