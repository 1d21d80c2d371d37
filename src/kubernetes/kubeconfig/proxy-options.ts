import type { RequestOptions } from 'node:http';
import { environmentProxy, plainHost } from './proxy.js';

/**
 * Returns the options of a request through the proxy of the environment, which resolves the name of the URL: a tunnel for `https`, the whole URL
 * as the path for `http`, because many proxies open tunnels to the port of HTTPS only. Source: RFC 9112, 3.2.2.
 *
 * @param timeoutMs the milliseconds that the proxy may take
 */
export async function proxyOptions(
  url: URL,
  timeoutMs: number,
): Promise<RequestOptions & { readonly headers?: Readonly<Record<string, string>> }> {
  const proxy = environmentProxy(url);
  if (proxy === undefined) return { agent: false };
  const { credentialsHeader, tunnelAgent } = await import('./tunnel-agent.js');
  if (url.protocol === 'https:' || proxy.url.protocol !== 'http:') return { agent: await tunnelAgent(url, proxy, { timeoutMs, tls: {} }) };
  const whole = new URL(url);
  whole.username = '';
  whole.password = '';
  const { hostname, port } = proxy.url;
  const headers = { host: url.host, ...credentialsHeader(proxy) };
  return { agent: false, host: plainHost(hostname), hostname: plainHost(hostname), port: port || 80, path: whole.href, headers };
}
