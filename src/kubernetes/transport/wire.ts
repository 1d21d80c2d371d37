import type { Json } from '../../util/json.js';
import type { Machine } from '../../util/machine.js';
import type { Connection } from '../connection.js';
import { type HttpRequest, type HttpResponse, sendHttpRequest } from './http-request.js';
import { openStream, type StreamLimits, type StreamRequest } from './stream.js';

/**
 * The way by which one attempt of a request, and one watch, reach a server. Everything above it, such as retries, the limit of requests in
 * flight and locks, is the same for every wire.
 */
export interface Wire {
  /**
   * Sends one request and returns its complete response, which `httpResponseOf` makes of a text.
   *
   * @returns undefined if `mayStart` has refused it: nothing was sent.
   * @throws TransportError without a complete response, `unsent` if the server cannot have received anything; ResponseTooLarge.
   */
  send(request: HttpRequest): Promise<HttpResponse | undefined>;
  /**
   * Sends a GET that watches, and yields the events until the server ends them.
   *
   * @throws ApiError if the server rejects the request, any other Error if the connection breaks.
   */
  stream(connection: Connection, request: StreamRequest, limits: StreamLimits, machine: Machine): AsyncIterable<Json>;
}

/** HTTP over sockets. */
export const httpWire: Wire = { send: sendHttpRequest, stream: openStream };
