import { createServer as createHttpServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect as connectSocket, createServer, type Server, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { EmbeddedApiServer } from '../../src/apiserver/index.js';
import { type Certificates, createCertificates } from './certificates.js';

/** What a server or proxy of the table has seen. */
export type Log = string[];

/** The servers, proxies and issuer of tokens of the table, all on loopback. */
export interface World {
  readonly certificates: Certificates;
  /** Ports of the API server: with TLS, with a certificate that has expired, without TLS, one that redirects, one of nobody. */
  readonly ports: Readonly<Record<'tls' | 'expired' | 'clear' | 'redirects' | 'closed', number>>;
  /** Ports of proxies: they resolve `*.internal`. The second and fourth ask for the user `proxy` with the password `p@ss`. */
  readonly proxies: Readonly<Record<'http' | 'httpWithPassword' | 'https' | 'socks' | 'socksWithPassword', number>>;
  /** The credentials, paths and destinations that were seen since the log was taken. */
  takeLog(): Log;
  stop(): Promise<void>;
}

const proxyUser = { name: 'proxy', password: 'p@ss' };

/** Starts the servers of the table. */
export async function startWorld(): Promise<World> {
  const certificates = createCertificates();
  const embedded = await EmbeddedApiServer.start({ tls: false });
  const servers: Server[] = [];
  let log: Log = [];
  const note = (line: string) => void log.push(line);
  const open = (server: Server) => {
    servers.push(server);
    return new Promise<number>((resolve) => {
      server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
    });
  };
  const asks = { requestCert: true, rejectUnauthorized: false, ca: certificates.authority };
  const api = (request: IncomingMessage, response: ServerResponse) => serveApi(embedded, note, request, response);
  const tls = await open(createHttpsServer({ ...certificates.server, ...asks }, api));
  const issuer = await open(createHttpsServer(certificates.server, (request, response) => serveIssuer(note, request, response)));
  const resolve = (host: string, port: number) => portOf(host, port, { tls, issuer });
  const ports = {
    tls,
    expired: await open(createHttpsServer({ ...certificates.expired, ...asks }, api)),
    clear: await open(createHttpServer(api)),
    redirects: await open(
      createHttpsServer(certificates.server, (request, response) => {
        note(`redirected ${request.headers.authorization}`);
        response.writeHead(307, { location: `https://localhost:${tls}${request.url}` }).end();
      }),
    ),
    closed: 9,
  };
  const proxies = {
    http: await open(connectProxy(createHttpServer(), note, resolve)),
    httpWithPassword: await open(connectProxy(createHttpServer(), note, resolve, proxyUser)),
    https: await open(connectProxy(createHttpsServer(certificates.server), note, resolve)),
    socks: await open(createServer((socket) => serveSocks(socket, note, resolve))),
    socksWithPassword: await open(createServer((socket) => serveSocks(socket, note, resolve, proxyUser))),
  };
  return {
    certificates,
    ports,
    proxies,
    takeLog() {
      const taken = log;
      log = [];
      return taken;
    },
    async stop() {
      for (const server of servers) {
        (server as Server & { closeAllConnections?(): void }).closeAllConnections?.();
        server.close();
      }
      await embedded.stop();
    },
  };
}

type Note = (line: string) => void;
type Resolve = (host: string, port: number) => number | undefined;

/** The names that only the proxies know. */
function portOf(host: string, port: number, { tls, issuer }: { readonly tls: number; readonly issuer: number }): number | undefined {
  if (host === 'cluster.internal' && port === 443) return tls;
  if (host === 'issuer.internal' && port === 443) return issuer;
  return host === '127.0.0.1' || host === 'localhost' ? port : undefined;
}

/** Returns a token with an end, in seconds since 1970; nobody checks its signature. */
export function tokenUntil(end: number): string {
  const part = (content: object) => Buffer.from(JSON.stringify(content)).toString('base64url');
  return `${part({ alg: 'none' })}.${part({ iss: 'https://issuer.internal/realm', exp: end })}.signature`;
}

const farFuture = 4_000_000_000;
const bearers = new Set(['of-kubeconfig', 'of-file', 'of-exec', tokenUntil(farFuture)].map((token) => `Bearer ${token}`));
const basic = `Basic ${Buffer.from('alice:pa:ss').toString('base64')}`;

function serveApi(embedded: EmbeddedApiServer, note: Note, request: IncomingMessage, response: ServerResponse): void {
  const { authorization = '', ...headers } = request.headers;
  const socket = request.socket as Partial<TLSSocket>;
  // A resumed session without a client certificate counts as authorized, too.
  const certificate = socket.authorized ? (socket.getPeerCertificate?.().subject?.CN as string | undefined) : undefined;
  const impersonated = request.rawHeaders
    .flatMap((name, index) =>
      index % 2 === 0 && /^impersonate-/i.test(name) ? [`${name.toLowerCase()}: ${request.rawHeaders[index + 1]}`] : [],
    )
    .sort();
  note(['api', authorization || 'anonymous', certificate ?? 'no certificate', ...impersonated].join(' | '));
  const isClear = socket.getPeerCertificate === undefined;
  if (!bearers.has(authorization) && authorization !== basic && certificate !== 'alice' && !isClear) {
    const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', message: 'Unauthorized', reason: 'Unauthorized', code: 401 };
    response.writeHead(401, { 'content-type': 'application/json' }).end(JSON.stringify(status));
    return;
  }
  const own = Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('impersonate-')));
  const target = new URL(request.url?.replace(/^\/prefix(?=\/)/, '') ?? '/', embedded.url);
  const options = { method: request.method, headers: { ...own, host: target.host, authorization: `Bearer ${embedded.token}` } };
  request.pipe(
    httpRequest(target, options, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    }),
  );
}

const crd = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: gateways.edge.example.com }
spec:
  group: edge.example.com
  scope: Namespaced
  names: { kind: Gateway, plural: gateways, singular: gateway, listKind: GatewayList }
  versions:
    - name: v1
      served: true
      storage: true
      schema: { openAPIV3Schema: { type: object, properties: { spec: { type: object, properties: { class: { type: string } } } } } }
`;

/** An issuer of tokens that accepts a refresh token, and serves a CRD. */
function serveIssuer(note: Note, request: IncomingMessage, response: ServerResponse): void {
  const answer = (code: number, content: object) =>
    void response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(content));
  if (request.url === '/realm/.well-known/openid-configuration') {
    answer(200, { issuer: 'https://issuer.internal/realm', token_endpoint: 'https://issuer.internal/token' });
    return;
  }
  if (request.method === 'GET') {
    note(`file ${request.url}`);
    response.end(crd);
    return;
  }
  let body = '';
  request.setEncoding('utf8').on('data', (text: string) => {
    body += text;
  });
  request.on('end', () => {
    const form = new URLSearchParams(body);
    note(`issuer | ${form.get('grant_type')} ${form.get('refresh_token')} | ${request.headers.authorization ?? form.get('client_id')}`);
    if (form.get('refresh_token') !== 'refresh-1') return answer(400, { error: 'invalid_grant', error_description: 'Token is not active' });
    return answer(200, { token_type: 'bearer', access_token: 'a', id_token: tokenUntil(farFuture), refresh_token: 'refresh-2' });
  });
}

function connectProxy(server: Server, note: Note, resolve: Resolve, user?: typeof proxyUser): Server {
  const expected = user && `Basic ${Buffer.from(`${user.name}:${user.password}`).toString('base64')}`;
  // A request without TLS names its whole URL.
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    note(`proxy GET ${request.url}`);
    const target = new URL(request.url ?? '');
    request.url = target.pathname;
    if (target.hostname === 'issuer.internal') serveIssuer(note, request, response);
    else response.end(crd);
  });
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    socket.on('error', () => {});
    note(`proxy CONNECT ${request.url}`);
    if (expected !== undefined && request.headers['proxy-authorization'] !== expected) {
      return socket.end('HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\n');
    }
    const [host = '', port] = request.url?.split(':') ?? [];
    const target = resolve(host, Number(port));
    if (target === undefined) return socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    return forward(socket, target, () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
  });
  return server;
}

function forward(socket: Socket, port: number, established: () => void): void {
  const target = connectSocket(port, '127.0.0.1', () => {
    established();
    socket.pipe(target).pipe(socket);
  });
  target.on('error', () => socket.destroy());
  socket.on('close', () => target.destroy());
}

/** Source: RFC 1928, RFC 1929; each message arrives in one piece on loopback. */
function serveSocks(socket: Socket, note: Note, resolve: Resolve, user?: typeof proxyUser): void {
  socket.on('error', () => {});
  const connectTo = (message: Buffer) => {
    const [host, rest] =
      message[3] === 3
        ? [message.subarray(5, 5 + (message[4] ?? 0)).toString(), 5 + (message[4] ?? 0)]
        : [message.subarray(4, 8).join('.'), 8];
    const port = message.readUInt16BE(rest);
    note(`proxy SOCKS ${host}:${port}`);
    const target = resolve(host, port);
    const reply = (code: number) => Buffer.from([5, code, 0, 1, 0, 0, 0, 0, 0, 0]);
    if (target === undefined) return socket.end(reply(4));
    return forward(socket, target, () => socket.write(reply(0)));
  };
  socket.once('data', (greeting: Buffer) => {
    const method = user === undefined ? 0 : 2;
    if (!greeting.subarray(2).includes(method)) return socket.end(Buffer.from([5, 255]));
    socket.write(Buffer.from([5, method]));
    if (user === undefined) return socket.once('data', connectTo);
    return socket.once('data', (message: Buffer) => {
      const name = message.subarray(2, 2 + (message[1] ?? 0)).toString();
      const password = message.subarray(3 + name.length).toString();
      const isRight = name === user.name && password === user.password;
      socket.write(Buffer.from([1, isRight ? 0 : 1]));
      return isRight ? socket.once('data', connectTo) : socket.end();
    });
  });
}
