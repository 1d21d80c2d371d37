import { timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { ApiResponse } from '../api/request.js';
import { StatusError } from '../api/status-error.js';
import type { ApiServer } from '../api-server.js';
import { administrator, type User } from '../authentication/user.js';
import type { Certificate } from './certificate.js';
import { type Encoder, encoderFor, jsonEncoder } from './encode-body.js';
import { mediaTypeOfError, protobufType } from './negotiate.js';

const maxRequestBodyBytes = 3 * 1024 * 1024;

export interface HttpListener {
  readonly port: number;
  close(): Promise<void>;
}

export interface ListenOptions {
  readonly port: number;
  readonly token: string;
  /** Undefined for plain HTTP. */
  readonly certificate: Certificate | undefined;
}

/** Serves an API server on the loopback interface, to clients with a valid token. */
export async function listen(api: ApiServer, { port, token, certificate }: ListenOptions): Promise<HttpListener> {
  const respond = (request: IncomingMessage, response: ServerResponse) => {
    serve(api, token, request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else
        write(
          response,
          errorResponse(
            new StatusError(500, 'InternalError', `Internal error occurred: ${error instanceof Error ? error.message : String(error)}`),
          ),
        );
    });
  };
  const server = certificate === undefined ? createServer(respond) : createTlsServer(certificate, respond);
  server.keepAliveTimeout = 60_000;
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return { port: (server.address() as AddressInfo).port, close: () => closeServer(server, sockets) };
}

async function serve(api: ApiServer, token: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(',') : value]),
  );
  const fail = async (failure: StatusError) => write(response, errorResponse(failure), await encoderFor(mediaTypeOfError({ headers })));
  const user = authenticate(api, token, request);
  if (user === undefined) return fail(new StatusError(401, 'Unauthorized', 'Unauthorized'));
  const url = new URL(request.url ?? '/', 'http://localhost');
  const body = await read(request);
  if (body === undefined) return fail(new StatusError(413, 'RequestEntityTooLarge', 'Request entity too large: limit is 3145728'));
  const apiRequest = { method: request.method ?? 'GET', path: url.pathname, query: url.searchParams, headers, body, user };
  const apiResponse = await api.handle(apiRequest);
  const encoder = await encoderFor(apiResponse.mediaType);
  if (apiResponse.watch === undefined) return write(response, apiResponse, encoder);
  response.writeHead(200, { 'content-type': encoder.eventMediaType, 'transfer-encoding': 'chunked' });
  response.flushHeaders();
  const stop = apiResponse.watch(
    (event) => void response.write(encoder.encodeEvent(event)),
    () => response.end(),
  );
  response.on('close', stop);
}

/** Returns the administrator for the server's own token, a ServiceAccount for its token, and undefined for all other requests. */
function authenticate(api: ApiServer, token: string, request: IncomingMessage): User | undefined {
  const actual = Buffer.from(request.headers.authorization ?? '');
  const expected = Buffer.from(`Bearer ${token}`);
  if (actual.length === expected.length && timingSafeEqual(actual, expected)) return administrator;
  const bearer = /^Bearer\s+(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  return bearer === undefined ? undefined : api.authenticateToken(bearer);
}

async function read(request: IncomingMessage): Promise<string | Uint8Array | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxRequestBodyBytes) return undefined;
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  return request.headers['content-type']?.toLowerCase().startsWith(protobufType) ? body : body.toString('utf8');
}

function write(response: ServerResponse, answer: ApiResponse, encoder = jsonEncoder): void {
  const { code, warnings, contentType, headers = {} } = answer;
  if (code === 204) {
    response.writeHead(code);
    response.end();
    return;
  }
  const content = contentOf(answer, encoder);
  response.setHeader('content-type', contentType ?? encoder.mediaType);
  response.setHeader('content-length', Buffer.byteLength(content));
  response.setHeader('cache-control', 'no-cache, private');
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (warnings.length > 0)
    response.setHeader(
      'warning',
      warnings.map((warning) => `299 - ${JSON.stringify(warning)}`),
    );
  response.writeHead(code);
  response.end(content);
}

function contentOf({ code, body, contentType, bytes }: ApiResponse, encoder: Encoder): string | Uint8Array {
  if (code === 304) return '';
  if (bytes !== undefined) return bytes;
  return contentType?.startsWith('text/plain') === true && typeof body === 'string' ? body : encoder.encode(body);
}

function errorResponse(failure: StatusError): ApiResponse {
  return { code: failure.code, body: failure.status, warnings: [] };
}

/** `closeAllConnections` leaves those whose TLS handshake is under way; they would be served for a minute more. */
function closeServer(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    for (const socket of sockets) socket.destroy();
  });
}
