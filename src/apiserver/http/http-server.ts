import { timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { isValidPath, parseQuery } from '../api/path.js';
import { type ApiRequest, type ApiResponse, bodyOf } from '../api/request.js';
import { StatusError } from '../api/status-error.js';
import { administrator, anonymous, type User } from '../api/user.js';
import { bearerToken } from './bearer-token.js';
import type { Certificate } from './certificate.js';
import { type Encoder, encoderFor, jsonEncoder, wantsPretty } from './encode-body.js';
import { mediaTypeOfError, protobufType } from './negotiate.js';
import { isDeclaredTooLarge, readBody } from './read-body.js';
import { asksForSocket, moveToken, type SocketRequest, watchOverSocket } from './watch-socket.js';

/** The longest request line and headers together. Source: observed. */
const maxHeaderBytes = 1024 * 1024 + 4096;
/** The time in which a client may finish a body that nobody reads, so that it sees the response. */
const lingerMilliseconds = 1000;

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

/** The API server without its sockets. */
interface ServedApi {
  handle(request: ApiRequest): Promise<ApiResponse>;
  /** Returns the user of a token; undefined for one that is not valid. */
  authenticateToken(token: string): User | undefined;
}

/** Serves an API server on the loopback interface, to clients with a valid token. */
export async function listen(api: ServedApi, { port, token, certificate }: ListenOptions): Promise<HttpListener> {
  const responses = new WeakMap<Duplex, ServerResponse>();
  const respond = (request: IncomingMessage, response: ServerResponse, upgrade?: SocketRequest) => {
    responses.set(request.socket, response);
    serve(api, token, request, response, upgrade).catch((error: unknown) => {
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
  const options = { maxHeaderSize: maxHeaderBytes, ...certificate };
  const server = certificate === undefined ? createServer(options, respond) : createTlsServer(options, respond);
  server.keepAliveTimeout = 60_000;
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on(certificate === undefined ? 'connection' : 'secureConnection', allowUnsentBytes);
  server.maxHeadersCount = 0;
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    const last = responses.get(socket);
    // A response that is under way, such as a watch, must not go on with another one.
    if (last?.headersSent === true && !last.writableFinished) socket.destroy();
    else refuseUnreadable(error, socket);
  });
  server.on('connect', (request: IncomingMessage, socket: Socket) => respond(request, responseOn(socket, request)));
  // Over plain HTTP, clients ask for other protocols together with a body, which Node would not read.
  if (certificate !== undefined)
    server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
      const upgrade = { request, socket, head };
      if (asksForSocket(request)) moveToken(request);
      respond(request, responseOn(socket, request), upgrade);
    });
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    if (!isDeclaredTooLarge(request)) response.writeContinue();
    respond(request, response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return { port: (server.address() as AddressInfo).port, close: () => closeServer(server, sockets) };
}

/** The bytes that a connection may have to send before the server reads no more of it. */
const maxUnsentBytes = 8 * 1024 * 1024;

/**
 * With Node's limit of 16 KiB, its HTTP parser is paused while a response is under way, and what a client then sends over TLS ends in an
 * error, HPE_PAUSED. A TLS server takes no option for the limit.
 */
function allowUnsentBytes(socket: Socket): void {
  const { _writableState: state } = socket as unknown as { readonly _writableState?: { highWaterMark: number } };
  if (state !== undefined) state.highWaterMark = maxUnsentBytes;
}

async function serve(
  api: ServedApi,
  token: string,
  request: IncomingMessage,
  response: ServerResponse,
  upgrade: SocketRequest | undefined,
): Promise<void> {
  const { path, query } = splitTarget(request.url ?? '');
  if (!isValidPath(path)) return writeText(response, 400, '400 Bad Request');
  const credentials = bearerToken(request.headers.authorization);
  const user = authenticate(api, token, credentials.token);
  if (user === undefined) {
    const encoder = await encoderFor(mediaTypeOfError({ headers: headersOf(request) }));
    return write(response, errorResponse(new StatusError(401, 'Unauthorized', 'Unauthorized')), encoder);
  }
  let body: Buffer | undefined;
  try {
    if (upgrade === undefined) body = await readBody(request);
  } catch (error) {
    if (error instanceof StatusError) return refuseBody(request, response, error);
    // The client has gone.
    return void response.destroy();
  }
  const apiRequest = {
    method: request.method ?? 'GET',
    path,
    query: parseQuery(query),
    headers: headersOf(request),
    user,
    ...(body === undefined ? {} : { body: isBinary(request) ? body : body.toString('utf8') }),
  };
  const handled = await api.handle(apiRequest);
  const apiResponse = { ...handled, warnings: [...credentials.warnings, ...handled.warnings] };
  const encoder = await encoderFor(apiResponse.mediaType, wantsPretty(apiRequest));
  if (apiResponse.watch === undefined) return write(response, apiResponse, encoder);
  if (upgrade !== undefined && asksForSocket(request)) return watchOverSocket(apiResponse.watch, encoder, upgrade, response);
  response.writeHead(200, { 'content-type': encoder.eventMediaType, 'transfer-encoding': 'chunked' });
  response.flushHeaders();
  const stop = apiResponse.watch(
    (event) => void response.write(encoder.encodeEvent(event)),
    () => response.end(),
  );
  response.on('close', stop);
}

function isBinary({ headers }: IncomingMessage): boolean {
  return headers['content-type']?.toLowerCase().startsWith(protobufType) === true;
}

/** Splits the target of a request, which may be a whole URL, into path and query. */
function splitTarget(target: string): { readonly path: string; readonly query: string } {
  const local = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?]*/i, '');
  const at = local.indexOf('?');
  return at < 0 ? { path: local, query: '' } : { path: local.slice(0, at), query: local.slice(at + 1) };
}

/** Returns the headers of a request. Several values of an `Impersonate-` header are separated by line breaks. */
function headersOf(request: IncomingMessage): Record<string, string | undefined> {
  const headers: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    if (name.startsWith('impersonate-')) headers[name] = request.headersDistinct[name]?.map(fromHeader).join('\n');
    else headers[name] = Array.isArray(value) ? value.join(',') : value;
  }
  return headers;
}

/** Reads the bytes of a header, which Node decodes as Latin-1, as UTF-8. */
function fromHeader(value: string): string {
  return Buffer.from(value, 'latin1').toString('utf8');
}

/** Refuses a body, and ends the connection after the client has seen it. */
function refuseBody(request: IncomingMessage, response: ServerResponse, error: StatusError): void {
  const content = jsonEncoder.encode(error.status);
  response.writeHead(error.code, {
    'content-type': jsonEncoder.mediaType,
    'content-length': Buffer.byteLength(content),
    'cache-control': 'no-cache, private',
    connection: 'close',
  });
  response.write(content);
  const timer = setTimeout(() => response.end(), lingerMilliseconds);
  request.resume().once('end', () => response.end());
  response.once('close', () => clearTimeout(timer));
}

/** Answers a connection whose bytes are not a request. */
function refuseUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const status = error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request';
  socket.end(`HTTP/1.1 ${status}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n${status}`);
}

/** Returns a response to a request, such as CONNECT, for which Node gives a bare socket. */
function responseOn(socket: Socket, request: IncomingMessage): ServerResponse {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.on('finish', () => socket.end());
  socket.on('error', () => socket.destroy());
  return response;
}

function writeText(response: ServerResponse, code: number, text: string): void {
  response.writeHead(code, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
  response.end(text);
}

/** Returns the administrator for the server's own token, a ServiceAccount for its token, and undefined for another token. */
function authenticate(api: ServedApi, token: string, sent: string | undefined): User | undefined {
  if (sent === undefined) return anonymous;
  const [actual, expected] = [Buffer.from(sent), Buffer.from(token)];
  return actual.length === expected.length && timingSafeEqual(actual, expected) ? administrator : api.authenticateToken(sent);
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
  if (warnings.length > 0) response.setHeader('warning', limitWarnings(warnings).map(warningHeader));
  response.writeHead(code);
  // With a string, Node.js would encode the headers as UTF-8 once more.
  response.end(typeof content === 'string' && warnings.length > 0 ? Buffer.from(content) : content);
}

function contentOf(answer: ApiResponse, encoder: Encoder): string | Uint8Array {
  const { code, contentType, bytes, json } = answer;
  if (code === 304) return '';
  if (bytes !== undefined) return bytes;
  if (json !== undefined && encoder === jsonEncoder) return json;
  const body = bodyOf(answer);
  return contentType?.startsWith('text/plain') === true && typeof body === 'string' ? body : encoder.encode(body);
}

/** A header holds bytes: those of the text in UTF-8. Source: observed. */
function warningHeader(text: string): string {
  return Buffer.from(`299 - ${JSON.stringify(text)}`).toString('latin1');
}

/** The length of all warnings, and of one if all are longer. Source: observed. */
const maxWarnings = { all: 4096, one: 256 };

/** Returns the warnings that fit into the headers of a response, each once; a text with control characters fits into none. */
function limitWarnings(warnings: readonly string[]): readonly string[] {
  const each = [...new Set(warnings)].filter((warning) => !/\p{Cc}/u.test(warning));
  let length = 0;
  for (const warning of each) length += warning.length;
  if (length <= maxWarnings.all) return each;
  length = 0;
  const short = each.map((warning) => warning.slice(0, maxWarnings.one));
  const end = short.findIndex((warning) => {
    length += warning.length;
    return length > maxWarnings.all;
  });
  // The one that passes the limit is sent, too.
  return end < 0 ? short : short.slice(0, end + 1);
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
