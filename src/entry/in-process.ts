import type { EmbeddedApiServer } from '../embedded/index.js';
import { ApiError, type Cluster, createCluster, type RequestSender } from '../kubernetes/index.js';

/** Sends requests to an embedded API server without a socket: what arrives there and what it answers is the same. */
export function inProcessTransport(server: EmbeddedApiServer): RequestSender {
  return {
    server: 'embedded',
    async send({ method, path, query = {}, body, contentType = 'application/json', accept = 'application/json' }) {
      const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
      const answer = await server.handle({
        method,
        path,
        query: new URLSearchParams(given),
        headers: { accept, 'user-agent': 'fieldwise', ...(body === undefined ? {} : { 'content-type': contentType }) },
        ...(body === undefined ? {} : { body }),
      });
      if (answer.code >= 400) throw new ApiError(method, path, answer.code, answer.body);
      return { code: answer.code, body: answer.body, warnings: answer.warnings };
    },
    close: () => {},
  };
}

/**
 * An embedded API server as `fieldwise/deploy` takes it, without a socket between them.
 *
 * @param namespace of objects that name none; default: `default`
 */
export function inProcessCluster(server: EmbeddedApiServer, namespace = 'default'): Cluster {
  return createCluster(inProcessTransport(server), namespace);
}
