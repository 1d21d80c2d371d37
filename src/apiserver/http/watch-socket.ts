import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { Json } from '../../util/json.js';
import type { ApiResponse } from '../api/request.js';
import type { Encoder } from './encode-body.js';

/** A request that would go on as a WebSocket. */
export interface SocketRequest {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  /** The bytes that the client has sent after the request. */
  readonly head: Buffer;
}

const tokenProtocol = 'base64url.bearer.authorization.k8s.io.';

/** Returns true for a request that asks for a WebSocket. */
export function asksForSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}

/**
 * Takes the token of a browser, which cannot send the header Authorization, from the list of subprotocols; there has to be another one.
 * Source: observed.
 */
export function moveToken({ headers }: IncomingMessage): void {
  const protocols = protocolsOf(headers['sec-websocket-protocol']);
  const token = protocols.find((each) => each.startsWith(tokenProtocol));
  const others = protocols.filter((each) => each !== token);
  if (token === undefined || headers.authorization !== undefined) return;
  // Alone, it is a token that is not valid.
  const sent = others.length === 0 ? randomUUID() : Buffer.from(token.slice(tokenProtocol.length), 'base64url').toString('utf8');
  headers.authorization = `Bearer ${sent}`;
  headers['sec-websocket-protocol'] = others.join(', ');
}

/**
 * Goes on as a WebSocket and sends each event of a watch as a message. Messages of the client are not read. A request without an Origin, or
 * with several subprotocols, is refused. Source: observed.
 */
export async function watchOverSocket(
  watch: NonNullable<ApiResponse['watch']>,
  { encodeEvent, mediaType }: Encoder,
  { request, socket, head }: SocketRequest,
  response: ServerResponse,
): Promise<void> {
  const refusal = request.headers.origin === undefined ? 403 : protocolsOf(request.headers['sec-websocket-protocol']).length > 1 ? 400 : 0;
  if (refusal !== 0) return void response.writeHead(refusal).end();
  const { WebSocketServer } = await import('ws');
  response.detachSocket(socket as never);
  const isText = mediaType === 'application/json';
  // A message has a length of its own.
  const messageOf = (event: Json) => (isText ? encodeEvent(event) : encodeEvent(event).slice(4));
  new WebSocketServer({ noServer: true, clientTracking: false }).handleUpgrade(request, socket, head, (accepted: WebSocket) => {
    const stop = watch(
      (event) => accepted.send(messageOf(event), { binary: !isText }),
      () => accepted.close(1000),
    );
    accepted.on('close', stop).on('error', () => accepted.terminate());
  });
}

function protocolsOf(header: string | undefined): readonly string[] {
  return (header ?? '').split(',').flatMap((each) => each.trim() || []);
}
