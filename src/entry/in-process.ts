import type { EmbeddedApiServer } from '../apiserver/index.js';
import { type Cluster, publicCluster } from '../kubernetes/cluster.js';
import {
  ApiError,
  admit,
  type ClusterClient,
  confirmOutcome,
  createClusterClient,
  isReadOnly,
  type RequestSender,
} from '../kubernetes/index.js';
import { type Machine, thisMachine } from '../util/machine.js';
import { inProcessStream } from './in-process-stream.js';
import { parametersOf, type RequestHandler } from './request-handler.js';

/** Options of `inProcessCluster`. */
export interface InProcessOptions {
  /**
   * The namespace of objects without one.
   *
   * @default 'default'
   */
  readonly namespace?: string;
}

/** Sends requests to a server in this process, without a socket: requests and responses are the same as over HTTP. */
export function inProcessTransport(server: RequestHandler, machine = thisMachine): RequestSender {
  return {
    server: 'embedded',
    machine,
    async send({ method, path, query = {}, body, contentType = 'application/json', accept = 'application/json' }, context = {}) {
      await admit(context);
      const response = await server.handle({
        method,
        path,
        query: parametersOf(query),
        headers: { accept, 'user-agent': 'fieldwise', ...(body === undefined ? {} : { 'content-type': contentType }) },
        ...(body === undefined ? {} : { body }),
      });
      if (!isReadOnly({ method, query }) && response.code !== 409) await confirmOutcome(context);
      if (response.code >= 400) throw new ApiError(method, path, response.code, response.body);
      return { code: response.code, body: response.body, warnings: response.warnings };
    },
    stream: (request) => inProcessStream(server, request, machine),
    close: () => {},
  };
}

/** Returns the client of a server in this process. */
export function inProcessClient(server: RequestHandler, namespace = 'default', machine?: Machine): ClusterClient {
  return createClusterClient(inProcessTransport(server, machine), namespace);
}

/**
 * Returns a cluster over an embedded API server, without a socket between them. Closing it does not stop the server.
 *
 * @example
 * ```ts
 * const server = await EmbeddedApiServer.start({ port: false });
 * await deploy('dist', inProcessCluster(server));
 * await server.stop();
 * ```
 */
export function inProcessCluster(server: EmbeddedApiServer, { namespace = 'default' }: InProcessOptions = {}): Cluster {
  return publicCluster(inProcessClient(server, namespace));
}
