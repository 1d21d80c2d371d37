import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { credentialMasker, credentialsIn } from '../mask-credentials.js';
import { isPlainAnswer } from '../plain-answer.js';
import { type ProxyServer, plainHost, shownProxy } from './proxy.js';

/** The host and port that a proxy is to connect with. */
export interface Destination {
  readonly host: string;
  readonly port: number;
}

/** Settings of the connection with a proxy. */
export interface TunnelOptions {
  /** The milliseconds that the proxy may take. */
  readonly timeoutMs: number;
  /** Trust for the certificate of an `https` proxy: options of Node's `tls.connect`. */
  readonly tls: object;
}

/** The failure of a proxy. It contains neither the URL nor the error of a client, which hold user and password. */
export class ProxyError extends Error {
  /** A code of Node, or `PROXY_REFUSED` if another attempt would be refused, too. */
  readonly code: string;

  constructor(proxy: ProxyServer, what: string, code: string) {
    super(`the proxy ${shownProxy(proxy)} ${what}`);
    this.code = code;
  }
}

/**
 * Opens a connection through a proxy, which resolves the name of the destination.
 *
 * @throws ProxyError.
 */
export function openTunnel(proxy: ProxyServer, destination: Destination, options: TunnelOptions): Promise<Socket> {
  return /^https?:$/.test(proxy.url.protocol)
    ? openConnectTunnel(proxy, destination, options)
    : openSocksTunnel(proxy, destination, options);
}

/** Source: RFC 9110, 9.3.6 (CONNECT) and 11.7 (Proxy-Authorization). */
function openConnectTunnel(proxy: ProxyServer, { host, port }: Destination, { timeoutMs, tls }: TunnelOptions): Promise<Socket> {
  const { url } = proxy;
  const name = plainHost(url.hostname);
  const target = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  const secure = url.protocol === 'https:';
  return new Promise((resolve, reject) => {
    const call = (secure ? httpsRequest : httpRequest)({
      ...tls,
      method: 'CONNECT',
      host: name,
      servername: isIP(name) === 0 ? name : '', // Not that of the header Host.
      port: url.port || (secure ? 443 : 80),
      path: target,
      headers: {
        host: target,
        'user-agent': 'fieldwise',
        ...credentialsHeader(proxy),
      },
      agent: false,
      timeout: timeoutMs,
    });
    call.once('connect', ({ statusCode = 0, statusMessage = '' }, socket: Socket) => {
      if (statusCode >= 200 && statusCode < 300) return resolve(socket.setTimeout(0));
      socket.destroy();
      // A gateway error of the proxy is that of a server that does not answer it.
      const code = statusCode >= 500 ? 'ECONNREFUSED' : 'PROXY_REFUSED';
      const reason = credentialMasker(credentialsIn(credentialsHeader(proxy)))(`${statusCode} ${statusMessage}`.trim());
      reject(new ProxyError(proxy, `refuses a connection with ${target}: ${reason}`, code));
    });
    call.once('response', (response) => {
      response.destroy();
      reject(new ProxyError(proxy, `answers CONNECT with ${response.statusCode}, so it is not a proxy`, 'PROXY_REFUSED'));
    });
    call.once('timeout', () => call.destroy(new ProxyError(proxy, `does not answer within ${timeoutMs / 1000} s`, 'ETIMEDOUT')));
    call.once('error', (error) => reject(proxyError(proxy, error)));
    call.end();
  });
}

/** Source: RFC 1928, RFC 1929. */
async function openSocksTunnel(proxy: ProxyServer, destination: Destination, { timeoutMs }: TunnelOptions): Promise<Socket> {
  const { SocksClient } = await import('./socks.js');
  const { url } = proxy;
  const [userId, password] = credentialsOf(url) ?? [];
  try {
    const { socket } = await SocksClient.createConnection({
      command: 'connect',
      proxy: {
        type: 5,
        host: plainHost(url.hostname),
        port: Number(url.port || 1080),
        ...(userId === undefined ? {} : { userId: userId.toString(), password: password?.toString() ?? '' }),
      },
      destination: { ...destination },
      timeout: timeoutMs,
    });
    return socket;
  } catch (error) {
    throw proxyError(proxy, error);
  }
}

/** Returns the header with user and password of a proxy, if it has them. */
export function credentialsHeader({ url }: ProxyServer): Readonly<Record<string, string>> {
  const credentials = credentialsOf(url);
  return credentials === undefined
    ? {}
    : { 'proxy-authorization': `Basic ${Buffer.concat([credentials[0], Buffer.from(':'), credentials[1]]).toString('base64')}` };
}

/** Bytes, because a password may have any. */
function credentialsOf({ username, password }: URL): readonly [Buffer, Buffer] | undefined {
  return username === '' && password === '' ? undefined : [bytesOf(username), bytesOf(password)];
}

/** A URL has no characters but those of ASCII there. */
function bytesOf(text: string): Buffer {
  const decoded = text.replace(/%([0-9a-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
  return Buffer.from(decoded, 'latin1');
}

function proxyError(proxy: ProxyServer, error: unknown): ProxyError {
  if (error instanceof ProxyError) return error;
  const { message, code = codeIn(message) } = error as NodeJS.ErrnoException;
  if (isPlainAnswer(error)) return new ProxyError(proxy, 'does not speak TLS: write its URL with http://', 'PROXY_REFUSED');
  if (/authentication|no accepted/i.test(message)) return new ProxyError(proxy, `refuses user and password: ${message}`, 'PROXY_REFUSED');
  const what = /rejected/i.test(message)
    ? 'refuses the connection'
    : /certificate/i.test(message)
      ? 'has a certificate that is not accepted'
      : 'does not answer';
  return new ProxyError(proxy, `${what}: ${message || code}`, code);
}

/** Returns the code of Node in a message: errors of the SOCKS client have no other. */
function codeIn(message: string): string {
  return /\bE[A-Z]{4,}\b/.exec(message)?.[0] ?? '';
}
