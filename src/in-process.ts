import { ApiError, type Cluster, clusterOver, type RequestSender } from './cluster/index.js';
import type { EmbeddedCluster } from './embedded/index.js';
import type { Json } from './util/json.js';

/** Sends requests to an embedded API server without a socket: what arrives there and what it answers is the same. */
export function senderTo(server: EmbeddedCluster): RequestSender {
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
      const read = asRead(answer.body);
      if (answer.code >= 400) throw new ApiError(method, path, answer.code, read);
      return { code: answer.code, body: read, warnings: answer.warnings };
    },
    close: () => {},
  };
}

/** An answer as it would be read from a socket: the server computes with whole numbers beyond 2^53, which JSON is not read as. */
function asRead<Value extends Json | undefined>(value: Value): Value {
  if (typeof value === 'bigint') return Number(value) as unknown as Value;
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value) as [string, Json | undefined][];
  const read = members.map(([name, member]): [string, Json | undefined] => [name, asRead(member)]);
  if (read.every(([, member], index) => member === members[index]?.[1])) return value;
  return (Array.isArray(value) ? read.map(([, member]) => member) : Object.fromEntries(read)) as Value;
}

/**
 * An embedded API server as `fieldwise/deploy` takes it, without a socket between them.
 *
 * @param namespace of objects that name none; default: `default`
 */
export function inProcessCluster(server: EmbeddedCluster, namespace = 'default'): Cluster {
  return clusterOver(senderTo(server), namespace);
}
