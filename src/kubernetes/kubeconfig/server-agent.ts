import { Agent, type AgentOptions, type RequestOptions } from 'node:https';
import type { Duplex } from 'node:stream';
import type { ProxyServer } from './proxy.js';
import type { ServerTls } from './server-tls.js';

type Created = Parameters<Agent['createConnection']>[1];

/** The milliseconds that a proxy may take to open a connection. */
const tunnelTimeoutMs = 30_000; // milliseconds

/** Opens connections to one server, directly or through a proxy, each with the certificates of its moment. */
export class ServerAgent extends Agent {
  readonly #tls: ServerTls;
  readonly #proxy: ProxyServer | undefined;

  constructor(settings: AgentOptions, tls: ServerTls, proxy: ProxyServer | undefined) {
    super(settings);
    this.#tls = tls;
    this.#proxy = proxy;
  }

  /** All connections are to the same server; the default name would serialize all TLS settings for every request. */
  override getName(): string {
    return String(this.#tls.generation);
  }

  override createConnection(options: RequestOptions, callback?: Created): ReturnType<Agent['createConnection']> {
    const secure = { ...options, ...this.#tls.options };
    const proxy = this.#proxy;
    if (proxy === undefined) return super.createConnection(secure, callback);
    const destination = { host: options.host ?? '', port: Number(options.port) };
    const settings = { timeoutMs: tunnelTimeoutMs, tls: this.#tls.proxyOptions };
    import('./tunnel.js')
      .then(({ openTunnel }) => openTunnel(proxy, destination, settings))
      .then(
        (socket) => callback?.(null, super.createConnection({ ...secure, socket } as RequestOptions) as Duplex),
        (error: Error) => callback?.(error, undefined as never),
      );
    return undefined;
  }
}
